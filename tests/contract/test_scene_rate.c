/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen sources at a steady rate, for as long as ten minutes of a simulated clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>

#include "scene_fixture.h"

#define SOURCES UINT64_C(16)
#define SECOND  (1000 * MS)
#define PERIOD  UINT64_C(33333333)

/** A source that takes a picture thirty times a second, more or less. */
struct camera {
    uint64_t base;           /**< when the next one is due by its own clock */
    uint64_t next;           /**< when it comes */
    uint64_t newest, served; /**< frame_id: of its last one, and of that when the tick began */
    uint64_t taken;
};

static struct camera cameras[SOURCES];
static uint64_t start, next_due, frames;
static uint32_t random_state;

static uint64_t next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static void plan(struct camera *camera)
{
    camera->base += PERIOD;
    camera->next = camera->base + next_random() % MS; /* up to a millisecond late */
}

/** All pictures that were taken by now are offered. */
static void deliver(struct fixture *of, const rung_frame *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < SOURCES; i++) {
        struct camera *camera = &cameras[i];
        for (; camera->next <= of->now; plan(camera)) {
            rung_frame frame = frame_of(i + 1, ++frames);
            frame.capture_ns = camera->next;
            camera->newest = frames;
            camera->taken++;
            assert_int_equal(offer_frame(&frame), RUNG_OK);
        }
    }
}

/** What is run is the newest that there was when the tick began. */
static void check_and_deliver(struct fixture *of, const rung_frame *running)
{
    assert_int_equal(running->frame_id, cameras[running->source_id - 1].served);
    deliver(of, running);
}

static int set_up_rate(void **state)
{
    if (set_up(state) != 0)
        return -1;
    start = fixture.now;
    next_due = frames = 0;
    random_state = 1;
    for (uint64_t i = 0; i < SOURCES; i++) {
        cameras[i] = (struct camera){.base = start - PERIOD + i * 2 * MS};
        plan(&cameras[i]);
    }
    fixture.meanwhile = check_and_deliver;
    make_scene((rung_scene_options){0}, SOURCES);
    return 0;
}

static void wait_for(uint64_t ns)
{
    if (fixture.now < ns)
        fixture.now = ns;
}

/** Pictures come and ticks run until that long after the start. */
static void simulate(uint64_t duration)
{
    while (fixture.now < start + duration) {
        uint64_t event = next_due;
        for (uint64_t i = 0; i < SOURCES; i++)
            event = cameras[i].next < event ? cameras[i].next : event;
        wait_for(event);
        deliver(&fixture, NULL);
        if (fixture.now < next_due)
            continue;
        for (uint64_t i = 0; i < SOURCES; i++)
            cameras[i].served = cameras[i].newest;
        next_due = tick_at(0);
    }
}

static size_t bytes_in_use(void)
{
    return mallinfo2().uordblks;
}

/** Each period had a tick or was missed, and of each frame just one thing has become. */
static void counters_are_exact(const rung_scene_counters *all)
{
    assert_int_equal((next_due - start) / PERIOD, all->ticks + all->missed_periods);
    assert_int_equal((next_due - start) % PERIOD, 0);
    uint64_t offered = 0, released = 0;
    for (uint32_t i = 0; i < SOURCES; i++) {
        const rung_scene_source_counters *source = &all->sources[i];
        const uint64_t pending = cameras[i].newest > cameras[i].served;
        assert_int_equal(source->offered, cameras[i].taken);
        assert_int_equal(source->replaced + source->failed + source->published + pending,
                         source->offered);
        offered += source->offered;
    }
    assert_int_equal(offered, frames);
    for (uint64_t i = 1; i <= frames; i++) {
        assert_true(fixture.released[i] <= 1);
        released += fixture.released[i];
    }
    assert_int_equal(released + fixture.outstanding, frames);
}

static void sixteen_sources_at_30_hz_miss_nothing_in_ten_minutes(void **state)
{
    (void)state;
    fixture.run_ns = 1500000;
    simulate(60 * SECOND);
    const size_t before = bytes_in_use();
    simulate(600 * SECOND);
    const rung_scene_counters all = counters();
    assert_int_equal(bytes_in_use(), before);
    assert_int_equal(all.missed_periods, 0);
    assert_true(all.ticks >= 17999);
    assert_int_equal(all.published + all.idle, all.ticks);
    assert_true(all.idle <= 1); /* the first one, before any picture was taken */
    assert_int_equal(all.batch.max, SOURCES * 1500000);
    assert_true(all.oldest.p95 <= PERIOD + all.batch.max);
    assert_true(all.oldest.max <= PERIOD + all.batch.max);
    assert_true(fixture.most_outstanding <= 2 * SOURCES + 1);
    counters_are_exact(&all);
    print_message("%llu ticks, oldest capture to commit p50 %.1f, p95 %.1f, at most %.1f ms\n",
                  (unsigned long long)all.ticks, (double)all.oldest.p50 / 1e6,
                  (double)all.oldest.p95 / 1e6, (double)all.oldest.max / 1e6);
}

static void what_fails_of_one_source_changes_nothing_for_the_others(void **state)
{
    (void)state;
    fixture.run_ns = 1500000;
    simulate(60 * SECOND);
    const rung_scene_counters well = counters();
    const uint32_t runs = fixture.runs;
    tear_down(state);
    assert_int_equal(set_up_rate(state), 0);
    fixture.run_ns = 1500000;
    fixture.failing_id = 5;
    fixture.failing_each = 3;
    simulate(60 * SECOND);
    const rung_scene_counters all = counters();
    assert_int_equal(fixture.runs, runs);
    assert_int_equal(all.missed_periods, 0);
    assert_int_equal(all.published, well.published);
    for (uint32_t i = 0; i < SOURCES; i++) {
        if (all.sources[i].source_id != 5)
            assert_memory_equal(&all.sources[i], &well.sources[i], sizeof all.sources[i]);
    }
    assert_int_equal(all.sources[4].failed, fixture.failing_runs / 3);
    assert_int_equal(all.sources[4].published + all.sources[4].failed, well.sources[4].published);
    counters_are_exact(&all);
}

static void under_overload_memory_is_flat_and_the_newest_frames_are_served(void **state)
{
    (void)state;
    fixture.run_ns = 4 * MS; /* 64 ms a batch, every 33 ms */
    simulate(60 * SECOND);
    const size_t before = bytes_in_use();
    simulate(600 * SECOND);
    const rung_scene_counters all = counters();
    assert_int_equal(bytes_in_use(), before);
    assert_true(fixture.most_outstanding <= 2 * SOURCES + 1);
    assert_int_equal(all.published + all.idle, all.ticks);
    assert_true(all.idle <= 1);
    assert_true(all.missed_periods > all.ticks * 9 / 10);
    assert_true(all.ticks >= 600 * SECOND / (SOURCES * 4 * MS)); /* one behind the other */
    for (uint32_t i = 0; i < SOURCES; i++) /* a picture's period, a run, the batch */
        assert_true(all.sources[i].max_age_ns <= PERIOD + MS + 4 * MS + SOURCES * 4 * MS);
    counters_are_exact(&all);
    print_message("%llu ticks, %llu missed periods, ages at most %.1f ms\n",
                  (unsigned long long)all.ticks, (unsigned long long)all.missed_periods,
                  (double)all.sources[15].max_age_ns / 1e6);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_rate, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sixteen_sources_at_30_hz_miss_nothing_in_ten_minutes),
        TEST(what_fails_of_one_source_changes_nothing_for_the_others),
        TEST(under_overload_memory_is_flat_and_the_newest_frames_are_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
