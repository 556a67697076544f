/* SPDX-License-Identifier: Apache-2.0 */
/* A scene with a thread of its own, on the system's clock, with threads that offer and read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <time.h>

#include "base/clock.h"
#include "scene_fixture.h"

#define SOURCES  4
#define OFFERERS 2
#define READERS  3

static rung_scene_options in_real_time(uint64_t period_ns)
{
    return (rung_scene_options){.struct_size = sizeof(rung_scene_options),
                                .version = RUNG_STRUCT_VERSION,
                                .period_ns = period_ns,
                                .max_readers = READERS};
}

static void make_real_scene(uint64_t period_ns)
{
    const rung_scene_options options = in_real_time(period_ns);
    assert_int_equal(rung_scene_create(fixture.context, &options, &fixture.scene), RUNG_OK);
    for (uint64_t id = 1; id <= SOURCES; id++)
        assert_int_equal(rung_scene_add_source(fixture.scene, id), RUNG_OK);
}

static void sleep_ns(uint64_t ns)
{
    const struct timespec time = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    (void)nanosleep(&time, NULL);
}

static void take_a_millisecond(struct fixture *unused, const rung_frame *running)
{
    (void)unused;
    (void)running;
    sleep_ns(MS);
}

/** Waits for a condition, not for a time. */
static void await_published(uint64_t scenes)
{
    const uint64_t deadline = rung__clock_now() + 60000 * MS;
    while (counters().published < scenes) {
        assert_true(rung__clock_now() < deadline);
        sleep_ns(MS);
    }
}

/** On any thread, where a test cannot fail but end. */
static void offer_now(uint64_t source, uint64_t number)
{
    rung_frame frame = frame_of(source, number);
    frame.capture_ns = rung__clock_now();
    if (offer_frame(&frame) != RUNG_OK)
        abort();
}

static void the_thread_ticks_until_it_is_stopped_and_may_be_started_again(void **state)
{
    (void)state;
    make_real_scene(2 * MS);
    for (uint64_t round = 1; round <= 3; round++) {
        assert_int_equal(rung_scene_start(fixture.scene), RUNG_OK);
        assert_int_equal(rung_scene_start(fixture.scene), RUNG_STATE);
        assert_int_equal(rung_scene_step(fixture.scene, NULL), RUNG_STATE);
        offer_now(1, round);
        await_published(round);
        assert_int_equal(rung_scene_stop(fixture.scene), RUNG_OK);
        assert_int_equal(rung_scene_stop(fixture.scene), RUNG_OK);
        const uint64_t ticks = counters().ticks;
        sleep_ns(5 * MS);
        assert_int_equal(counters().ticks, ticks);
    }
    assert_int_equal(rung_scene_step(fixture.scene, NULL), RUNG_OK);
}

static void stopping_does_not_wait_for_the_next_tick(void **state)
{
    (void)state;
    make_real_scene(600000 * MS);
    assert_int_equal(rung_scene_start(fixture.scene), RUNG_OK);
    offer_now(1, 1);
    const uint64_t began = rung__clock_now();
    rung_scene_destroy(fixture.scene); /* which stops it */
    fixture.scene = NULL;
    assert_true(rung__clock_now() - began < 60000 * MS);
    assert_int_equal(fixture.released[1], 1);
}

static void step_again(struct fixture *of, const rung_frame *running)
{
    (void)running;
    assert_int_equal(rung_scene_step(of->scene, NULL), RUNG_BUSY);
    assert_int_equal(rung_scene_start(of->scene), RUNG_BUSY);
}

static void one_thread_at_a_time_is_in_a_tick(void **state)
{
    (void)state;
    make_real_scene(2 * MS);
    offer_now(1, 1);
    fixture.meanwhile = step_again;
    assert_int_equal(rung_scene_step(fixture.scene, NULL), RUNG_OK);
    assert_int_equal(fixture.runs, 1);
}

static atomic_bool ending;
static atomic_uint numbers;

/** Two sources each, as fast as they can. */
static void offer_on(void *first)
{
    for (uint64_t source = *(const uint64_t *)first; !atomic_load(&ending);
         source = source > 2 ? source - 2 : source + 2) {
        const uint64_t number = atomic_fetch_add(&numbers, 1) + 1;
        if (number >= FRAMES)
            return;
        offer_now(source, number);
        sleep_ns(MS / 5);
    }
}

static void read_on(void *reads)
{
    uint64_t last = 0;
    while (!atomic_load(&ending)) {
        const rung_scene_view *view;
        if (rung_scene_acquire(fixture.scene, &view) != RUNG_OK)
            continue;
        if (view->sequence < last || view->packet->scene_epoch != view->sequence ||
            rung_packet_check(view->packet, (size_t)view->packet_bytes) != RUNG_OK)
            abort();
        last = view->sequence;
        ++*(uint64_t *)reads;
        if (rung_scene_release(fixture.scene, view) != RUNG_OK)
            abort();
        sleep_ns(MS / 10);
    }
}

/** The model takes twice as long as there is time. */
static void
under_overload_the_newest_are_served_to_readers_and_each_frame_given_back_once(void **state)
{
    struct rung__thread offerers[OFFERERS], readers[READERS];
    uint64_t reads[READERS] = {0}, firsts[OFFERERS] = {1, 2};
    (void)state;
    make_real_scene(2 * MS);
    fixture.meanwhile = take_a_millisecond;
    atomic_store(&ending, false);
    atomic_store(&numbers, 0);
    assert_int_equal(rung_scene_start(fixture.scene), RUNG_OK);
    for (int i = 0; i < OFFERERS; i++)
        assert_int_equal(rung__thread_start(&offerers[i], "offers", offer_on, &firsts[i]), RUNG_OK);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(rung__thread_start(&readers[i], "reads", read_on, &reads[i]), RUNG_OK);
    await_published(300);
    atomic_store(&ending, true);
    for (int i = 0; i < OFFERERS; i++)
        rung__thread_join(&offerers[i]);
    for (int i = 0; i < READERS; i++)
        rung__thread_join(&readers[i]);
    assert_int_equal(rung_scene_stop(fixture.scene), RUNG_OK);

    const rung_scene_counters all = counters();
    assert_int_equal(all.dropped, 0);
    assert_true(all.missed_periods > 0);
    for (int i = 0; i < READERS; i++)
        assert_true(reads[i] > 0);
    uint64_t offered = 0, pending = 0;
    for (uint32_t i = 0; i < SOURCES; i++) {
        const rung_scene_source_counters *source = &all.sources[i];
        offered += source->offered;
        pending += source->offered - source->replaced - source->published;
    }
    assert_int_equal(offered, numbers);
    assert_int_equal(pending, fixture.outstanding);
    assert_true(fixture.most_outstanding <= 2 * SOURCES + OFFERERS);
    rung_scene_destroy(fixture.scene);
    fixture.scene = NULL;
    for (uint32_t i = 1; i <= numbers; i++)
        assert_int_equal(fixture.released[i], 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_thread_ticks_until_it_is_stopped_and_may_be_started_again),
        TEST(stopping_does_not_wait_for_the_next_tick),
        TEST(one_thread_at_a_time_is_in_a_tick),
        TEST(under_overload_the_newest_are_served_to_readers_and_each_frame_given_back_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
