/* SPDX-License-Identifier: Apache-2.0 */
/* Offering frames to a scene, its ticks and reading it: none of what a frame's way must not do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counting.h"
#include "subject.h"

#define SOURCES 4u
#define PERIOD  UINT64_C(1000000)

static uint64_t time_of_test;

static uint64_t now(void *user)
{
    (void)user;
    return time_of_test;
}

static rung_scene *make_scene(struct subject *subject)
{
    const rung_scene_clock clock = {
        .struct_size = sizeof clock, .version = RUNG_STRUCT_VERSION, .now = now};
    const rung_scene_options options = {.struct_size = sizeof options,
                                        .version = RUNG_STRUCT_VERSION,
                                        .period_ns = PERIOD,
                                        .clock = &clock};
    rung_scene *scene = NULL;
    must(rung_scene_create(subject->context, &options, &scene));
    for (uint64_t source = 1; source <= SOURCES; source++)
        must(rung_scene_add_source(scene, source));
    return scene;
}

/** One after the other on the desktop; some ticks go without some sources, some twice. */
static rung_result offer_all(rung_scene *scene, struct subject *subject, unsigned tick)
{
    rung_result result = RUNG_OK;
    for (unsigned i = 0; i < SOURCES && result == RUNG_OK; i++) {
        const rung_scene_frame frame = {
            .struct_size = sizeof frame,
            .version = RUNG_STRUCT_VERSION,
            .frame = &subject->frame,
            .placement = {(int32_t)(i * SIDE * 256), 0, SIDE * 256, SIDE * 256}};
        subject->frame.source_id = 1 + i;
        for (unsigned times = (tick + i) % 3; times > 0 && result == RUNG_OK; times--)
            result = rung_scene_offer(scene, &frame);
    }
    return result;
}

static rung_result read_scene(rung_scene *scene, struct subject *subject)
{
    rung_scene_view copy = {.struct_size = sizeof copy, .version = RUNG_STRUCT_VERSION};
    const rung_scene_view *view = NULL;
    size_t needed;
    rung_result result = rung_scene_acquire(scene, &view);
    if (result == RUNG_OK)
        result = rung_scene_release(scene, view);
    if (result == RUNG_OK)
        result = rung_scene_copy(scene, (rung_span){subject->packet, sizeof subject->packet},
                                 &needed, &copy);
    return result;
}

static void count_ticks(struct subject *subject, const char *rung)
{
    unsigned done = 0;
    subject_start(subject, &forms[0], rung, NULL, 0);
    rung_scene *scene = make_scene(subject);
    counting_begin();
    for (unsigned tick = 0; tick < FRAMES / SOURCES; tick++, time_of_test += PERIOD) {
        rung_result result = offer_all(scene, subject, tick);
        if (result == RUNG_OK)
            result = rung_scene_step(scene, NULL);
        if (result == RUNG_OK)
            result = read_scene(scene, subject);
        done += result == RUNG_OK;
    }
    counting_end();
    assert_int_equal(done, FRAMES / SOURCES);
    require_nothing_of_ours("a scene", rung);
    rung_scene_destroy(scene);
    subject_finish(subject);
}

static void a_scene_is_made_and_read_without_any_of_it(void **state)
{
    static const char *const rungs[] = {"dummy", "ort-cpu", "tract"};
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++)
        count_ticks(*state, rungs[i]);
}

/** Offers a frame of each of two sources and reads what was published last. */
static bool offer_and_read(rung_scene *scene, const rung_frame *frame)
{
    const rung_scene_view *view;
    rung_scene_counters counters = {.struct_size = sizeof counters, .version = RUNG_STRUCT_VERSION};
    bool done = true;
    for (uint64_t source = 1; source <= 2; source++) {
        rung_frame of_source = *frame;
        of_source.source_id = source;
        const rung_scene_frame placed = {.struct_size = sizeof placed,
                                         .version = RUNG_STRUCT_VERSION,
                                         .frame = &of_source,
                                         .placement = {0, 0, SIDE * 256, SIDE * 256}};
        done = done && rung_scene_offer(scene, &placed) == RUNG_OK;
    }
    if (rung_scene_acquire(scene, &view) == RUNG_OK)
        done = done && rung_scene_release(scene, view) == RUNG_OK;
    return done && rung_scene_get_counters(scene, &counters) == RUNG_OK;
}

static uint64_t published(rung_scene *scene)
{
    rung_scene_counters counters = {.struct_size = sizeof counters, .version = RUNG_STRUCT_VERSION};
    must(rung_scene_get_counters(scene, &counters));
    return counters.published;
}

static void a_scene_with_a_thread_of_its_own_takes_none_either(void **state)
{
    struct subject *subject = *state;
    const rung_scene_options options = {
        .struct_size = sizeof options, .version = RUNG_STRUCT_VERSION, .period_ns = 100000};
    rung_scene *scene = NULL;
    unsigned failed = 0;
    subject_start(subject, &forms[0], "dummy", NULL, 0);
    must(rung_scene_create(subject->context, &options, &scene));
    must(rung_scene_add_source(scene, 1));
    must(rung_scene_add_source(scene, 2));
    must(rung_scene_start(scene));
    counting_begin();
    for (unsigned i = 0; i < FRAMES || published(scene) < FRAMES / 10; i++)
        failed += !offer_and_read(scene, &subject->frame);
    counting_end();
    must(rung_scene_stop(scene));
    assert_int_equal(failed, 0);
    require_nothing_of_ours("a scene with a thread", "dummy");
    rung_scene_destroy(scene);
    subject_finish(subject);
}

int main(void)
{
    struct subject subject = {0};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(a_scene_is_made_and_read_without_any_of_it, &subject),
        cmocka_unit_test_prestate(a_scene_with_a_thread_of_its_own_takes_none_either, &subject),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
