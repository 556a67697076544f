/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TEST_SCENE_FIXTURE_H
#define RUNG_TEST_SCENE_FIXTURE_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rung/artifact.h>
#include <rung/rung.h>

#include "../unit/artifact_fixture.h"
#include "../unit/folder_fixture.h"
#include "../unit/tiny_onnx.h"
#include "session/context.h"

#define SIDE   32
#define FRAMES (1u << 19)
#define MS     UINT64_C(1000000)

/*
 * A scene on a clock of its own, with a stand-in for a model: the rung `dummy`, whose answer the
 * pixels decide, takes as long on that clock as the test says, and fails where it says. An owner
 * counts how often each frame is given back.
 */
struct fixture {
    struct artifact_fixture files;
    rung_instance *instance;
    rung_model *model;
    rung_context *context;
    struct rung__rung rung; /**< what the model is on, with the provider below */
    struct rung__provider provider;
    rung_result (*answer)(void *running); /**< the provider's own */
    rung_scene *scene;
    _Atomic uint64_t now;
    rung_scene_clock clock;

    uint64_t run_ns;                   /**< that one run takes */
    uint64_t failing_id, failing_each; /**< of this source every so manieth run fails; 0: none */
    uint64_t failing_runs;             /**< of it so far */
    bool loses_device;                 /**< with every run */
    void (*meanwhile)(struct fixture *fixture, const rung_frame *running); /**< NULL: nothing */
    uint32_t runs;
    uint64_t ran[64]; /**< the sources of the first runs, in order */

    uint8_t pixels[4][SIDE * SIDE * 3];
    atomic_uint given, released[FRAMES]; /**< by frame_id modulo FRAMES */
    atomic_uint outstanding, most_outstanding;
};

static struct fixture fixture;

static uint64_t virtual_now(void *user)
{
    return atomic_load((_Atomic uint64_t *)user);
}

static void give_back(void *user, const void *pixels)
{
    if (!pixels)
        abort(); /* possibly on another thread than the test's */
    atomic_fetch_add((atomic_uint *)user, 1);
    atomic_fetch_sub(&fixture.outstanding, 1);
}

/** What stands in for the model. */
static rung_result stand_in(void *running)
{
    const rung_frame *frame = &fixture.context->lanes[0].run.frame;
    if (fixture.runs < sizeof fixture.ran / sizeof *fixture.ran)
        fixture.ran[fixture.runs] = frame->source_id;
    fixture.runs++;
    atomic_fetch_add(&fixture.now, fixture.run_ns);
    if (fixture.meanwhile)
        fixture.meanwhile(&fixture, frame);
    if (fixture.loses_device)
        return rung__fail(RUNG_DEVICE_LOST, "the stand-in is gone as it was told");
    if (fixture.failing_each && frame->source_id == fixture.failing_id &&
        ++fixture.failing_runs % fixture.failing_each == 0)
        return rung__fail(RUNG_BACKEND, "the stand-in fails as it was told");
    return fixture.answer(running);
}

/** A detector of two classes with six candidates, from numbers that the pixels decide. */
static void make_model(void)
{
    static const float planes[6 * 6];
    struct rung__buffer graph = {0};
    json_t *spec = artifact_fixture_spec();
    json_object_set_new(spec, "head", json_string("yolo"));
    json_object_set_new(spec, "outputs",
                        json_pack("[{s:s,s:s,s:s,s:[i,i,i]}]", "purpose", "output", "name", "rows",
                                  "dtype", "f32", "shape", 1, 6, 6));
    json_object_del(spec, "golden");
    json_object_set_new(json_object_get(spec, "selection"), "max_targets", json_integer(8));
    artifact_fixture_save_spec(&fixture.files, spec);
    json_decref(spec);
    tiny_rows(&graph, &(struct tiny_rows){.input = "image",
                                          .output = "rows",
                                          .width = 8,
                                          .height = 8,
                                          .rows = planes,
                                          .row_count = 6,
                                          .opset = 17});
    artifact_fixture_save(fixture.files.graph, rung__buffer_bytes(&graph));
    rung__buffer_finish(&graph);
    assert_int_equal(artifact_fixture_pack(&fixture.files, true), RUNG_OK);
}

static void open_model(void)
{
    const rung_instance_options options = {.struct_size = sizeof options,
                                           .version = RUNG_STRUCT_VERSION,
                                           .flags = RUNG_INSTANCE_NO_ENVIRONMENT,
                                           .trust_path = fixture.files.public_key};
    const rung_model_options model = {
        .struct_size = sizeof model, .version = RUNG_STRUCT_VERSION, .threads = 1, .rung = "dummy"};
    assert_int_equal(rung_instance_create(&options, &fixture.instance), RUNG_OK);
    assert_int_equal(rung_model_open(fixture.instance, fixture.files.model, &model, &fixture.model),
                     RUNG_OK);
    assert_int_equal(rung_context_create(fixture.model, NULL, &fixture.context), RUNG_OK);
}

/** In the place of the model, from here on. */
static void install_stand_in(void)
{
    struct rung__serving *serving = fixture.context->serving;
    fixture.rung = *serving->rung;
    fixture.provider = *serving->rung->provider;
    fixture.answer = fixture.provider.run;
    fixture.provider.run = stand_in;
    fixture.rung.provider = &fixture.provider;
    serving->rung = &fixture.rung;
}

static int set_up(void **state)
{
    memset(&fixture, 0, sizeof fixture);
    if (make_test_folder(state) != 0)
        return -1;
    artifact_fixture_make(&fixture.files, test_folder);
    make_model();
    open_model();
    install_stand_in();
    for (size_t p = 0; p < 4; p++)
        for (size_t i = 0; i < sizeof fixture.pixels[p]; i++)
            fixture.pixels[p][i] = (uint8_t)(i * 7 + p * 31 + i * i % 13);
    fixture.now = 1000 * MS;
    fixture.clock = (rung_scene_clock){.struct_size = sizeof fixture.clock,
                                       .version = RUNG_STRUCT_VERSION,
                                       .user = &fixture.now,
                                       .now = virtual_now};
    return 0;
}

static int tear_down(void **state)
{
    rung_scene_destroy(fixture.scene);
    rung_context_destroy(fixture.context);
    rung_model_destroy(fixture.model);
    rung_instance_destroy(fixture.instance);
    assert_int_equal(atomic_load(&fixture.outstanding), 0);
    return remove_test_folder(state);
}

/** With so many sources, of ids 1 and up. */
static inline void make_scene(rung_scene_options options, uint64_t sources)
{
    options.struct_size = sizeof options;
    options.version = RUNG_STRUCT_VERSION;
    if (!options.clock)
        options.clock = &fixture.clock;
    if (rung_scene_create(fixture.context, &options, &fixture.scene) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    for (uint64_t id = 1; id <= sources; id++)
        assert_int_equal(rung_scene_add_source(fixture.scene, id), RUNG_OK);
}

static rung_frame frame_of(uint64_t source, uint64_t number)
{
    return (rung_frame){
        .struct_size = sizeof(rung_frame),
        .version = RUNG_STRUCT_VERSION,
        .pixels = fixture.pixels[(source + number) % 4],
        .width = SIDE,
        .height = SIDE,
        .format = RUNG_PIXEL_RGB8,
        .source_id = source,
        .display_id = 100 + source,
        .frame_id = number,
        .capture_ns = virtual_now(&fixture.now),
        .release = give_back,
        .release_user = &fixture.released[number % FRAMES],
    };
}

/** Frames of source n lie n × SIDE pixels to the right of the first. */
static rung_result offer_frame(const rung_frame *frame)
{
    const int32_t side = SIDE * 256;
    const rung_scene_frame placed = {
        .struct_size = sizeof placed,
        .version = RUNG_STRUCT_VERSION,
        .frame = frame,
        .placement = {((int32_t)frame->source_id - 1) * side, 0, side, side}};
    const unsigned now = atomic_fetch_add(&fixture.outstanding, 1) + 1;
    const rung_result result = rung_scene_offer(fixture.scene, &placed);
    if (result != RUNG_OK)
        atomic_fetch_sub(&fixture.outstanding, 1);
    else if (now > atomic_load(&fixture.most_outstanding))
        atomic_store(&fixture.most_outstanding, now);
    return result;
}

static inline void offer(uint64_t source, uint64_t number)
{
    const rung_frame frame = frame_of(source, number);
    assert_int_equal(offer_frame(&frame), RUNG_OK);
}

/** At the next due time, or now when that has passed. Returns the next one. */
static inline uint64_t tick_at(uint64_t ns)
{
    uint64_t next = 0;
    if (ns > virtual_now(&fixture.now))
        atomic_store(&fixture.now, ns);
    assert_int_equal(rung_scene_step(fixture.scene, &next), RUNG_OK);
    return next;
}

static inline rung_scene_counters counters(void)
{
    rung_scene_counters counters = {.struct_size = sizeof counters, .version = RUNG_STRUCT_VERSION};
    assert_int_equal(rung_scene_get_counters(fixture.scene, &counters), RUNG_OK);
    return counters;
}

/** A copy of the newest scene, whose packet is checked. */
struct copied {
    rung_scene_view view;
    uint64_t packet[8192];
};

static inline const rung_scene_view *newest(void)
{
    static struct copied copied;
    copied.view =
        (rung_scene_view){.struct_size = sizeof copied.view, .version = RUNG_STRUCT_VERSION};
    if (rung_scene_copy(fixture.scene, (rung_span){copied.packet, sizeof copied.packet}, NULL,
                        &copied.view) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    if (rung_packet_check(copied.view.packet, (size_t)copied.view.packet_bytes) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    return &copied.view;
}

#endif
