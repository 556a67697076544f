/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "../unit/folder_fixture.h"
#include "../unit/tiny_onnx.h"
#include "counting.h"
#include "subject.h"

#define SELECTION                                                                                  \
    "\"selection\":{\"min_confidence\":0.3,\"iou\":0.45,\"suppress\":true,\"capacity\":16,"        \
    "\"considered\":8,\"max_targets\":4}"
#define PLANAR "\"tensor\":{\"dtype\":\"f32\",\"layout\":\"planar\"}"

const struct form forms[FORMS] = {
    {"detector", "{\"role\":\"detector\",\"head\":\"rows\"," SELECTION "," PLANAR "}", rung_detect,
     false},
    {"detector by triangles",
     "{\"role\":\"detector\",\"head\":\"rows\",\"resampler\":\"triangle\"," SELECTION "," PLANAR
     "}",
     rung_detect, false},
    {"detector of BGRA",
     "{\"role\":\"detector\",\"head\":\"rows\",\"order\":\"BGR\"," SELECTION
     ",\"tensor\":{\"dtype\":\"u8\",\"layout\":\"bgra\"}}",
     rung_detect, true},
    {"embedder",
     "{\"role\":\"embedder\",\"embedding_length\":12,"
     "\"tensor\":{\"dtype\":\"f32\",\"layout\":\"planar\",\"normalised\":true}}",
     rung_embed, false},
    {"segmenter",
     "{\"role\":\"segmenter\",\"selection\":{\"min_confidence\":0.5,\"suppress\":false}," PLANAR
     "}",
     rung_segment, false},
};

static void save_graph(const struct subject *subject, bool bgra)
{
    static const float rows[] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0, 0.5f, 0.2f, 0.3f, 0.1f, 0.7f, 1};
    struct rung__buffer graph = {0};
    tiny_rows(&graph, &(struct tiny_rows){.input = "image",
                                          .output = "answer",
                                          .width = CANVAS_WIDTH,
                                          .height = CANVAS_HEIGHT,
                                          .rows = rows,
                                          .row_count = CANVAS_HEIGHT,
                                          .opset = 17,
                                          .bgra = bgra});
    artifact_fixture_save(subject->files.graph, rung__buffer_bytes(&graph));
    rung__buffer_finish(&graph);
}

static json_t *input_of(bool bgra)
{
    return bgra ? json_pack("{s:s,s:s,s:[i,i,i,i]}", "name", "image", "dtype", "u8", "shape", 1,
                            CANVAS_HEIGHT, CANVAS_WIDTH, 4)
                : json_pack("{s:s,s:s,s:[i,i,i,i]}", "name", "image", "dtype", "f32", "shape", 1, 3,
                            CANVAS_HEIGHT, CANVAS_WIDTH);
}

static void save_spec(const struct subject *subject, const struct form *form)
{
    json_t *spec =
        json_pack("{s:i,s:s,s:{s:i,s:i},s:s,s:s,s:o,s:[{s:s,s:s,s:s,s:[i,i,i]}],s:[s,s]}", "schema",
                  1, "name", "subject", "canvas", "width", CANVAS_WIDTH, "height", CANVAS_HEIGHT,
                  "fit", "letterbox", "order", "RGB", "input", input_of(form->bgra), "outputs",
                  "purpose", "output", "name", "answer", "dtype", "f32", "shape", 1, CANVAS_HEIGHT,
                  CANVAS_WIDTH, "providers", "ort", "tract");
    json_t *changes = json_loads(form->spec, 0, NULL);
    assert_non_null(spec);
    assert_non_null(changes);
    assert_int_equal(json_object_update(spec, changes), 0);
    artifact_fixture_save_spec(&subject->files, spec);
    json_decref(changes);
    json_decref(spec);
}

void must(rung_result result)
{
    if (result != RUNG_OK)
        fail_msg("%s", rung_last_error());
}

static void open_model(struct subject *subject, const struct form *form, const char *rung,
                       uint32_t threads)
{
    const rung_instance_options instance = artifact_fixture_instance(
        &subject->files, RUNG_INSTANCE_NO_ENVIRONMENT, RUNG_PROBE_DEFAULT);
    const rung_model_options model = {
        .struct_size = sizeof model,
        .version = RUNG_STRUCT_VERSION,
        .threads = threads,
        .rung = rung,
    };
    assert_int_equal(make_test_folder(NULL), 0);
    artifact_fixture_make(&subject->files, test_folder);
    save_graph(subject, form->bgra);
    save_spec(subject, form);
    must(artifact_fixture_pack(&subject->files, true));
    must(rung_instance_create(&instance, &subject->instance));
    must(rung_model_open(subject->instance, subject->files.model, &model, &subject->model));
}

void subject_start(struct subject *subject, const struct form *form, const char *rung,
                   const char *plan, uint32_t flags)
{
    const rung_context_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .flags = flags,
        .max_frame_width = SIDE,
        .max_frame_height = SIDE,
        .plan = plan,
    };
    open_model(subject, form, rung, plan ? 2 : 1);
    must(rung_context_create(subject->model, &options, &subject->context));
    for (size_t i = 0; i < sizeof subject->pixels; i++)
        subject->pixels[i] = (uint8_t)(i * 9);
    subject->frame = (rung_frame){
        .struct_size = sizeof subject->frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = subject->pixels,
        .width = SIDE,
        .height = SIDE,
        .format = RUNG_PIXEL_BGRA8,
    };
}

void subject_finish(struct subject *subject)
{
    rung_context_destroy(subject->context);
    rung_model_destroy(subject->model);
    rung_instance_destroy(subject->instance);
    *subject = (struct subject){0};
    assert_int_equal(remove_test_folder(NULL), 0);
}

static void tell(const char *whose, bool ours)
{
    printf("  %s: memory %u, locks %u, files %u, environment %u, threads %u\n", whose,
           counted(COUNTED_MEMORY, ours), counted(COUNTED_LOCKS, ours),
           counted(COUNTED_FILES, ours), counted(COUNTED_ENVIRONMENT, ours),
           counted(COUNTED_THREADS, ours));
    counting_print(ours);
}

void require_nothing_of_ours(const char *what, const char *rung)
{
    unsigned sum = 0;
    printf("%s on %s, %u frames\n", what, rung, FRAMES);
    tell("ours", true);
    tell("the runtime's", false);
    for (int kind = 0; kind < COUNTED_KINDS; kind++)
        sum += counted((enum counted_kind)kind, true);
    assert_int_equal(sum, 0);
}
