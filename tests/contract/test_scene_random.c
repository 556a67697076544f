/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random calls, valid and invalid, from eight threads at once: each answers what its documentation
 * allows, no view changes while it is held, and every frame that was accepted is given back once.
 * RUNG_TEST_CALLS sets how many calls there are in all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "scene_fixture.h"

#define THREADS       8
#define CALLS_DEFAULT 1000000u
#define IDS           20u /* more than there may be sources */
#define HELD          2

/** Results as bits. */
#define BIT(result) (1u << -(result))

struct caller {
    struct rung__thread thread;
    uint32_t random;
    unsigned calls;
    const rung_scene_view *held[HELD];
    uint64_t sequences[HELD];
    uint64_t last; /**< that it saw */
};

static atomic_uint numbers;

static uint32_t next_random(struct caller *caller, uint32_t limit)
{
    caller->random = caller->random * 1664525u + 1013904223u;
    return (caller->random >> 8) % limit;
}

static void allow(const char *what, rung_result result, uint32_t allowed)
{
    if (result <= 0 && result > -32 && BIT(result) & allowed)
        return;
    print_error("%s: %s (%s)\n", what, rung_result_name(result), rung_last_error());
    abort();
}

static void offer_any(struct caller *caller)
{
    const unsigned number = atomic_fetch_add(&numbers, 1) + 1;
    if (number >= FRAMES)
        return;
    rung_frame frame = frame_of(1 + next_random(caller, IDS), number);
    frame.capture_ns = next_random(caller, 2) ? rung__clock_now() : 0;
    frame.transform_epoch = number / 1000 - (number > 1000 ? next_random(caller, 2) : 0);
    const bool is_bad = next_random(caller, 8) == 0;
    if (is_bad)
        frame.width = 0;
    const rung_result result = offer_frame(&frame);
    allow("rung_scene_offer", result,
          is_bad ? BIT(RUNG_INVALID_ARGUMENT)
                 : BIT(RUNG_OK) | BIT(RUNG_NOT_FOUND) | BIT(RUNG_BUSY));
    if (result != RUNG_OK)
        atomic_fetch_add(&fixture.released[number], 1); /* it is still ours */
}

static void change_sources(struct caller *caller)
{
    const uint64_t id = 1 + next_random(caller, IDS);
    if (next_random(caller, 3))
        allow("rung_scene_add_source", rung_scene_add_source(fixture.scene, id),
              BIT(RUNG_OK) | BIT(RUNG_ALREADY_EXISTS) | BIT(RUNG_CAPACITY));
    else
        allow("rung_scene_remove_source", rung_scene_remove_source(fixture.scene, id),
              BIT(RUNG_OK) | BIT(RUNG_NOT_FOUND) | BIT(RUNG_BUSY));
}

static void give_view_back(struct caller *caller, uint32_t at)
{
    const rung_scene_view *view = caller->held[at];
    if (view->sequence != caller->sequences[at] || view->packet->scene_epoch != view->sequence)
        abort();
    allow("rung_scene_release", rung_scene_release(fixture.scene, view), BIT(RUNG_OK));
    caller->held[at] = NULL;
}

static void read_any(struct caller *caller)
{
    const uint32_t at = next_random(caller, HELD);
    if (caller->held[at]) {
        give_view_back(caller, at);
        return;
    }
    const rung_result result = rung_scene_acquire(fixture.scene, &caller->held[at]);
    allow("rung_scene_acquire", result, BIT(RUNG_OK) | BIT(RUNG_NOT_FOUND));
    if (result != RUNG_OK)
        return;
    caller->sequences[at] = caller->held[at]->sequence;
    if (caller->sequences[at] < caller->last)
        abort(); /* the newest never becomes older */
    caller->last = caller->sequences[at];
}

static void copy_any(struct caller *caller)
{
    uint64_t packet[1024];
    rung_scene_view view = {.struct_size = sizeof view,
                            .version = next_random(caller, 4) ? RUNG_STRUCT_VERSION : 7};
    const rung_span span = {packet, next_random(caller, 2) ? sizeof packet : 90};
    const rung_result result = rung_scene_copy(fixture.scene, span, NULL, &view);
    allow("rung_scene_copy", result,
          BIT(RUNG_OK) | BIT(RUNG_NOT_FOUND) | BIT(RUNG_CAPACITY) | BIT(RUNG_VERSION));
    if (result == RUNG_OK)
        allow("rung_packet_check", rung_packet_check(packet, (size_t)view.packet_bytes),
              BIT(RUNG_OK));
}

static void run_any(struct caller *caller)
{
    switch (next_random(caller, 8)) {
    case 0:
        allow("rung_scene_start", rung_scene_start(fixture.scene),
              BIT(RUNG_OK) | BIT(RUNG_STATE) | BIT(RUNG_BUSY));
        break;
    case 1:
        allow("rung_scene_stop", rung_scene_stop(fixture.scene), BIT(RUNG_OK) | BIT(RUNG_BUSY));
        break;
    default:
        allow("rung_scene_step", rung_scene_step(fixture.scene, NULL),
              BIT(RUNG_OK) | BIT(RUNG_STATE) | BIT(RUNG_BUSY));
    }
}

static void tell_any(struct caller *caller)
{
    static const rung_scene_view other;
    char text[64];
    rung_scene_counters all = {.struct_size = sizeof all, .version = RUNG_STRUCT_VERSION};
    switch (next_random(caller, 4)) {
    case 0:
        allow("rung_scene_describe",
              rung_scene_describe(fixture.scene, (rung_span){text, sizeof text}, NULL),
              BIT(RUNG_CAPACITY));
        break;
    case 1:
        allow("rung_scene_release", rung_scene_release(fixture.scene, &other),
              BIT(RUNG_INVALID_ARGUMENT));
        break;
    default:
        allow("rung_scene_get_counters", rung_scene_get_counters(fixture.scene, &all),
              BIT(RUNG_OK));
    }
}

static void call_on(void *argument)
{
    struct caller *caller = argument;
    for (unsigned i = 0; i < caller->calls; i++) {
        const uint32_t kind = next_random(caller, 100);
        if (kind < 40)
            offer_any(caller);
        else if (kind < 50)
            change_sources(caller);
        else if (kind < 75)
            read_any(caller);
        else if (kind < 80)
            copy_any(caller);
        else if (kind < 90)
            run_any(caller);
        else
            tell_any(caller);
    }
    for (uint32_t at = 0; at < HELD; at++)
        if (caller->held[at])
            give_view_back(caller, at);
}

static void whatever_is_called_every_frame_is_given_back_once(void **state)
{
    static struct caller callers[THREADS];
    const char *wanted = getenv("RUNG_TEST_CALLS");
    const unsigned calls = wanted ? (unsigned)strtoul(wanted, NULL, 10) : CALLS_DEFAULT;
    const rung_scene_options options = {.struct_size = sizeof options,
                                        .version = RUNG_STRUCT_VERSION,
                                        .period_ns = 100000,
                                        .max_readers = 5}; /* fewer than may be held */
    (void)state;
    fixture.failing_id = 3;
    fixture.failing_each = 3;
    assert_int_equal(rung_scene_create(fixture.context, &options, &fixture.scene), RUNG_OK);
    for (uint32_t i = 0; i < THREADS; i++) {
        callers[i] = (struct caller){.random = i + 1, .calls = calls / THREADS};
        assert_int_equal(rung__thread_start(&callers[i].thread, "calls", call_on, &callers[i]),
                         RUNG_OK);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        rung__thread_join(&callers[i].thread);
    const rung_scene_counters all = counters();
    rung_scene_destroy(fixture.scene);
    fixture.scene = NULL;
    for (unsigned i = 1; i <= numbers && i < FRAMES; i++)
        assert_int_equal(fixture.released[i], 1);
    assert_true(all.published > 0);
    print_message("%llu ticks, %llu published, %llu dropped, %u frames\n",
                  (unsigned long long)all.ticks, (unsigned long long)all.published,
                  (unsigned long long)all.dropped, (unsigned)numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whatever_is_called_every_frame_is_given_back_once, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
