/* SPDX-License-Identifier: Apache-2.0 */
/* What a scene promises, tick by tick, on a clock of the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "scene_fixture.h"

#define PERIOD (10 * MS)

static const rung_scene_options usual = {.period_ns = PERIOD};
static const rung_scene_options aborting = {.period_ns = PERIOD, .policy = RUNG_SCENE_POLICY_ABORT};

static uint64_t next_due;

/** Steps when the next tick is due. */
static void tick(void)
{
    next_due = tick_at(next_due);
}

static int set_up_scene(void **state)
{
    next_due = 0;
    return set_up(state);
}

static void each_was_released_once(uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i <= last; i++)
        assert_int_equal(fixture.released[i % FRAMES], 1);
}

/** Each frame that was offered has become of it just one thing. */
static void counts_add_up(uint64_t pending)
{
    const rung_scene_counters all = counters();
    uint64_t rest = 0;
    for (uint32_t i = 0; i < all.source_count; i++) {
        const rung_scene_source_counters *source = &all.sources[i];
        rest += source->offered - source->replaced - source->stale - source->failed -
                source->discarded - source->published;
    }
    assert_int_equal(rest, pending);
    assert_int_equal(all.ticks, all.published + all.idle + all.aborted + all.dropped);
    assert_int_equal(all.batch.count, all.published);
}

static void a_source_answers_what_its_frame_answers_moved_to_its_place(void **state)
{
    (void)state;
    uint64_t packet[512];
    make_scene(usual, 2);
    for (uint64_t source = 1; source <= 2; source++) {
        rung_frame frame = frame_of(source, source);
        frame.release = NULL;
        assert_int_equal(
            rung_detect(fixture.context, &frame, (rung_span){packet, sizeof packet}, NULL, NULL),
            RUNG_OK);
        const uint32_t count = ((rung_packet_header *)packet)->count;
        const rung_target *alone = (const rung_target *)((rung_packet_header *)packet + 1);
        assert_true(count > 0);
        offer(source, source);
        tick();
        const rung_scene_view *view = newest();
        const rung_target *placed = (const rung_target *)(view->packet + 1);
        assert_int_equal(view->packet->count, count);
        assert_int_equal(view->sources[source - 1].targets, count);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(placed[i].x, alone[i].x + ((int32_t)source - 1) * SIDE * 256);
            assert_int_equal(placed[i].y, alone[i].y);
            assert_int_equal(placed[i].w, alone[i].w);
            assert_int_equal(placed[i].confidence, alone[i].confidence);
            assert_int_equal(placed[i].source_id, source);
            assert_int_equal(placed[i].display_id, 100 + source);
        }
    }
}

static void the_batch_runs_in_the_order_of_the_sources(void **state)
{
    (void)state;
    static const uint64_t ids[] = {9, 2, 40, 7, 1};
    make_scene(usual, 0);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(rung_scene_add_source(fixture.scene, ids[i]), RUNG_OK);
    for (size_t i = 0; i < 5; i++)
        offer(ids[4 - i], i + 1);
    tick();
    static const uint64_t sorted[] = {1, 2, 7, 9, 40};
    assert_int_equal(fixture.runs, 5);
    const rung_scene_view *view = newest();
    assert_int_equal(view->source_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(fixture.ran[i], sorted[i]);
        assert_int_equal(view->sources[i].source_id, sorted[i]);
        assert_int_equal(view->sources[i].status, RUNG_SCENE_SOURCE_FRESH);
    }
    assert_int_equal(view->flags, 0);
    each_was_released_once(1, 5);
    counts_add_up(0);
}

static void a_view_tells_times_epochs_and_ages(void **state)
{
    (void)state;
    make_scene(usual, 2);
    fixture.run_ns = 2 * MS;
    const uint64_t start = fixture.now;
    rung_frame first = frame_of(1, 1), second = frame_of(2, 2);
    first.topology_epoch = second.topology_epoch = 5;
    first.transform_epoch = second.transform_epoch = 6;
    first.session_epoch = 7;
    second.session_epoch = 8;
    assert_int_equal(offer_frame(&first), RUNG_OK);
    second.capture_ns = start + MS;
    fixture.now = start + 3 * MS;
    assert_int_equal(offer_frame(&second), RUNG_OK);
    tick();
    const rung_scene_view *view = newest();
    assert_int_equal(view->sequence, 1);
    assert_int_equal(view->due_ns, start + 3 * MS);
    assert_int_equal(view->began_ns, start + 3 * MS);
    assert_int_equal(view->committed_ns, start + 7 * MS);
    assert_int_equal(view->oldest_capture_ns, start);
    assert_int_equal(view->topology_epoch, 5);
    assert_int_equal(view->transform_epoch, 6);
    assert_int_equal(view->sources[0].age_ns, 7 * MS);
    assert_int_equal(view->sources[1].age_ns, 6 * MS);
    assert_int_equal(view->sources[1].frame_id, 2);
    assert_int_equal(view->sources[1].display_id, 102);
    assert_int_equal(view->packet->space, RUNG_SPACE_DESKTOP);
    assert_int_equal(view->packet->scene_epoch, 1);
    assert_int_equal(view->packet->topology_epoch, 5);
    assert_int_equal(view->packet->transform_epoch, 6);
    assert_int_equal(view->packet->session_epoch, 8);
    assert_int_equal(view->packet->source_id, 0);
    const rung_scene_counters all = counters();
    assert_int_equal(all.batch.last, 4 * MS);
    assert_int_equal(all.oldest.last, 7 * MS);
    assert_int_equal(all.sources[0].max_age_ns, 7 * MS);
}

static void a_frame_without_a_capture_time_is_of_the_time_of_its_offer(void **state)
{
    (void)state;
    make_scene(usual, 1);
    rung_frame frame = frame_of(1, 1);
    frame.capture_ns = 0;
    assert_int_equal(offer_frame(&frame), RUNG_OK);
    const uint64_t offered = fixture.now;
    fixture.now += MS;
    tick();
    assert_int_equal(newest()->oldest_capture_ns, offered);
}

static void only_the_newest_frame_of_a_source_is_run(void **state)
{
    (void)state;
    make_scene(usual, 1);
    for (uint64_t i = 1; i <= 5; i++)
        offer(1, i);
    each_was_released_once(1, 4);
    tick();
    assert_int_equal(fixture.runs, 1);
    assert_int_equal(newest()->sources[0].frame_id, 5);
    assert_int_equal(counters().sources[0].replaced, 4);
    each_was_released_once(1, 5);
    counts_add_up(0);
}

static void offer_one_more(struct fixture *of, const rung_frame *running)
{
    if (running->frame_id == 1) {
        offer(1, 10);
        offer(2, 20);
    }
    (void)of;
}

static void frames_that_come_meanwhile_are_the_next_ticks(void **state)
{
    (void)state;
    make_scene(usual, 2);
    fixture.meanwhile = offer_one_more;
    offer(1, 1);
    offer(2, 2);
    tick();
    assert_int_equal(newest()->sources[0].frame_id, 1);
    assert_int_equal(newest()->sources[1].frame_id, 2);
    tick();
    assert_int_equal(newest()->sources[0].frame_id, 10);
    assert_int_equal(newest()->sources[1].frame_id, 20);
    assert_int_equal(fixture.runs, 4);
    counts_add_up(0);
}

static void frames_of_an_older_desktop_are_stale(void **state)
{
    (void)state;
    make_scene(usual, 3);
    rung_frame frame = frame_of(1, 1);
    frame.topology_epoch = 2;
    assert_int_equal(offer_frame(&frame), RUNG_OK);
    frame = frame_of(2, 2);
    frame.topology_epoch = 1;
    frame.transform_epoch = 9;
    assert_int_equal(offer_frame(&frame), RUNG_OK);
    frame = frame_of(3, 3);
    frame.topology_epoch = 2;
    frame.transform_epoch = 1;
    assert_int_equal(offer_frame(&frame), RUNG_OK);
    tick();
    const rung_scene_view *view = newest();
    assert_int_equal(fixture.runs, 1);
    assert_int_equal(view->topology_epoch, 2);
    assert_int_equal(view->transform_epoch, 1);
    assert_int_equal(view->sources[0].status, RUNG_SCENE_SOURCE_STALE);
    assert_int_equal(view->sources[1].status, RUNG_SCENE_SOURCE_STALE);
    assert_int_equal(view->sources[2].status, RUNG_SCENE_SOURCE_FRESH);
    assert_int_equal(view->flags, RUNG_SCENE_INCOMPLETE);
    each_was_released_once(1, 3);
    assert_int_equal(counters().sources[0].stale, 1);
    assert_int_equal(counters().sources[1].stale, 1);
    /* The desktop never goes back, not even where all that comes is of an older one. */
    frame = frame_of(2, 4);
    frame.topology_epoch = 1;
    frame.transform_epoch = 10;
    assert_int_equal(offer_frame(&frame), RUNG_OK);
    tick();
    assert_int_equal(newest()->sequence, 1);
    assert_int_equal(counters().idle, 1);
    each_was_released_once(4, 4);
    counts_add_up(0);
}

static void change_desktop(struct fixture *of, const rung_frame *running)
{
    rung_frame frame = frame_of(2, 50);
    frame.transform_epoch = running->transform_epoch + 1;
    assert_int_equal(offer_frame(&frame), RUNG_OK);
    of->meanwhile = NULL;
}

static void a_scene_whose_desktop_is_gone_is_marked_and_nothing_in_it_actionable(void **state)
{
    (void)state;
    make_scene(usual, 2);
    offer(1, 1);
    tick();
    const rung_target *targets = (const rung_target *)(newest()->packet + 1);
    bool was_actionable = false;
    for (uint32_t i = 0; i < newest()->packet->count; i++)
        was_actionable |= targets[i].flags & RUNG_TARGET_ACTIONABLE;
    assert_true(was_actionable);
    offer(1, 1 + 4); /* the same pixels */
    fixture.meanwhile = change_desktop;
    tick();
    assert_int_equal(newest()->flags, RUNG_SCENE_INCOMPLETE | RUNG_SCENE_STALE);
    assert_true(newest()->packet->count > 0);
    for (uint32_t i = 0; i < newest()->packet->count; i++)
        assert_int_equal(targets[i].flags | targets[i].capabilities, 0);
    tick();
    assert_int_equal(newest()->flags, RUNG_SCENE_INCOMPLETE);
    assert_int_equal(newest()->transform_epoch, 1);
}

static void a_late_source_leaves_the_scene_incomplete_and_its_age_grows(void **state)
{
    (void)state;
    make_scene(usual, 3);
    offer(1, 1);
    offer(2, 2);
    tick();
    assert_int_equal(newest()->flags, RUNG_SCENE_INCOMPLETE);
    assert_int_equal(newest()->packet->flags & RUNG_PACKET_INCOMPLETE, RUNG_PACKET_INCOMPLETE);
    assert_int_equal(newest()->sources[2].status, RUNG_SCENE_SOURCE_LATE);
    assert_int_equal(newest()->sources[2].captured_ns, 0);
    assert_int_equal(newest()->sources[2].age_ns, 0);
    fixture.now = next_due;
    offer(1, 3);
    tick();
    const rung_scene_view *view = newest();
    assert_int_equal(view->sources[1].status, RUNG_SCENE_SOURCE_LATE);
    assert_int_equal(view->sources[1].targets, 0);
    assert_int_equal(view->sources[1].age_ns, PERIOD);
    assert_int_equal(view->sources[0].age_ns, 0);
    assert_int_equal(counters().sources[1].age_ns, PERIOD);
}

static void without_any_frame_nothing_is_published(void **state)
{
    const rung_scene_view *view;
    (void)state;
    make_scene(usual, 3);
    tick();
    assert_int_equal(rung_scene_acquire(fixture.scene, &view), RUNG_NOT_FOUND);
    assert_null(view);
    offer(1, 1);
    tick();
    tick();
    assert_int_equal(newest()->sequence, 1);
    assert_int_equal(counters().idle, 2);
    assert_int_equal(counters().published, 1);
}

static void a_source_that_fails_leaves_the_others_as_they_are(void **state)
{
    (void)state;
    uint64_t number = 0;
    make_scene(usual, 4);
    fixture.failing_id = 3;
    fixture.failing_each = 3;
    for (uint64_t round = 1; round <= 30; round++) {
        for (uint64_t source = 1; source <= 4; source++) {
            const rung_frame frame = frame_of(source, round);
            assert_int_equal(offer_frame(&frame), RUNG_OK);
            number++;
        }
        tick();
        const rung_scene_view *view = newest();
        const bool fails = round % 3 == 0;
        assert_int_equal(view->sequence, round);
        assert_int_equal(view->flags, fails ? RUNG_SCENE_INCOMPLETE : 0);
        for (uint32_t i = 0; i < 4; i++) {
            const bool is_failing = fails && i == 2;
            assert_int_equal(view->sources[i].status,
                             is_failing ? RUNG_SCENE_SOURCE_FAILED : RUNG_SCENE_SOURCE_FRESH);
            assert_int_equal(view->sources[i].result, is_failing ? RUNG_BACKEND : RUNG_OK);
        }
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(counters().sources[i].failed, i == 2 ? 10 : 0);
        assert_int_equal(counters().sources[i].published, i == 2 ? 20 : 30);
    }
    for (uint64_t round = 1; round <= 30; round++)
        assert_int_equal(fixture.released[round], 4);
    counts_add_up(0);
    assert_int_equal(number, 120);
}

static void a_device_that_is_lost_is_told_of_every_source_until_the_context_is_rebuilt(void **state)
{
    (void)state;
    make_scene(usual, 2);
    fixture.loses_device = true;
    for (uint64_t round = 0; round < 2; round++) {
        offer(1, 1 + 2 * round);
        offer(2, 2 + 2 * round);
        tick();
        assert_int_equal(newest()->packet->count, 0);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(newest()->sources[i].status, RUNG_SCENE_SOURCE_FAILED);
            assert_int_equal(newest()->sources[i].result, RUNG_DEVICE_LOST);
        }
    }
    assert_int_equal(fixture.runs, 1); /* the others were not even tried */
    each_was_released_once(1, 4);
    fixture.loses_device = false;
    assert_int_equal(rung_context_rebuild(fixture.context), RUNG_OK);
    offer(1, 5);
    offer(2, 6);
    tick();
    assert_int_equal(newest()->flags, 0);
    assert_true(newest()->packet->count > 0);
    assert_int_equal(newest()->packet->model_epoch, 1);
    each_was_released_once(1, 6);
    counts_add_up(0);
}

static void a_fence_that_is_not_ready_makes_its_source_late_and_nobody_waits(void **state)
{
    int ends[2];
    (void)state;
    make_scene(usual, 2);
    assert_int_equal(pipe(ends), 0);
    rung_frame frame = frame_of(1, 1);
    frame.flags = RUNG_FRAME_FENCE;
    frame.fence = ends[0];
    assert_int_equal(offer_frame(&frame), RUNG_OK);
    tick();
    assert_int_equal(counters().idle, 1);
    offer(2, 2);
    tick();
    assert_int_equal(newest()->sources[0].status, RUNG_SCENE_SOURCE_LATE);
    assert_int_equal(newest()->sources[0].frame_id, 0);
    assert_int_equal(newest()->sources[1].status, RUNG_SCENE_SOURCE_FRESH);
    assert_int_equal(fixture.released[1], 0);
    assert_int_equal(write(ends[1], "", 1), 1);
    tick();
    assert_int_equal(newest()->sources[0].status, RUNG_SCENE_SOURCE_FRESH);
    each_was_released_once(1, 2);
    counts_add_up(0);
    close(ends[0]);
    close(ends[1]);
}

static void with_abort_a_late_source_keeps_the_frames_pending(void **state)
{
    const rung_scene_view *view;
    (void)state;
    make_scene(aborting, 2);
    offer(1, 1);
    tick();
    assert_int_equal(rung_scene_acquire(fixture.scene, &view), RUNG_NOT_FOUND);
    assert_int_equal(fixture.runs, 0);
    assert_int_equal(counters().aborted, 1);
    assert_int_equal(fixture.released[1], 0);
    offer(2, 2);
    tick();
    assert_int_equal(newest()->flags, 0);
    assert_int_equal(fixture.runs, 2);
    each_was_released_once(1, 2);
    counts_add_up(0);
}

static void with_abort_a_failure_ends_the_tick(void **state)
{
    const rung_scene_view *view;
    (void)state;
    make_scene(aborting, 3);
    fixture.failing_id = 2;
    fixture.failing_each = 1;
    for (uint64_t i = 1; i <= 3; i++)
        offer(i, i);
    tick();
    assert_int_equal(rung_scene_acquire(fixture.scene, &view), RUNG_NOT_FOUND);
    assert_int_equal(fixture.runs, 2);
    assert_int_equal(counters().aborted, 1);
    assert_int_equal(counters().sources[0].discarded, 1);
    assert_int_equal(counters().sources[1].failed, 1);
    assert_int_equal(fixture.released[3], 0); /* it did not run, and is still pending */
    counts_add_up(1);
    fixture.failing_each = 0;
    offer(1, 4);
    offer(2, 5);
    tick();
    assert_int_equal(newest()->sequence, 1);
    assert_int_equal(newest()->sources[2].frame_id, 3);
    each_was_released_once(1, 5);
    counts_add_up(0);
}

static void a_late_wake_runs_one_tick_and_counts_the_skipped(void **state)
{
    (void)state;
    make_scene(usual, 1);
    const uint64_t start = fixture.now;
    offer(1, 1);
    tick();
    assert_int_equal(next_due, start + PERIOD);
    offer(1, 2);
    fixture.now = start + PERIOD - 1;
    assert_int_equal(tick_at(0), start + PERIOD); /* not yet */
    assert_int_equal(newest()->sequence, 1);
    next_due = tick_at(start + 5 * PERIOD + 3);
    assert_int_equal(next_due, start + 6 * PERIOD);
    assert_int_equal(newest()->sequence, 2);
    assert_int_equal(newest()->due_ns, start + 5 * PERIOD);
    assert_int_equal(counters().missed_periods, 4);
    assert_int_equal(counters().ticks, 2);
}

static void a_batch_of_more_than_a_period_leaves_one_tick_pending(void **state)
{
    (void)state;
    make_scene(usual, 1);
    const uint64_t start = fixture.now;
    fixture.run_ns = 25 * MS;
    offer(1, 1);
    tick();
    offer(1, 2);
    next_due = tick_at(0); /* at 25 ms: that of 20 is due, that of 10 was missed */
    assert_int_equal(newest()->sequence, 2);
    assert_int_equal(newest()->due_ns, start + 2 * PERIOD);
    assert_int_equal(next_due, start + 3 * PERIOD);
    assert_int_equal(counters().missed_periods, 1);
}

static void with_all_views_held_a_scene_is_dropped_and_the_worker_goes_on(void **state)
{
    (void)state;
    const rung_scene_view *held[3];
    rung_scene_options options = usual;
    options.max_readers = 1;
    make_scene(options, 1);
    for (uint64_t i = 1; i <= 2; i++) {
        offer(1, i);
        tick();
        assert_int_equal(rung_scene_acquire(fixture.scene, &held[i - 1]), RUNG_OK);
    }
    offer(1, 3);
    tick();
    assert_int_equal(rung_scene_acquire(fixture.scene, &held[2]), RUNG_OK);
    offer(1, 4);
    tick();
    assert_int_equal(counters().dropped, 1);
    assert_int_equal(counters().sources[0].discarded, 1);
    assert_int_equal(held[0]->sequence, 1);
    assert_int_equal(held[1]->sequence, 2);
    assert_int_equal(held[2]->sequence, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(rung_scene_release(fixture.scene, held[i]), RUNG_OK);
    offer(1, 5);
    tick();
    assert_int_equal(newest()->sequence, 4);
    each_was_released_once(1, 5);
    counts_add_up(0);
}

static void the_users_filter_leaves_out_what_is_below(void **state)
{
    (void)state;
    make_scene(usual, 4);
    for (uint64_t i = 1; i <= 4; i++)
        offer(i, i);
    tick();
    const rung_target *targets = (const rung_target *)(newest()->packet + 1);
    const uint32_t all = newest()->packet->count;
    uint32_t above = 0;
    const uint32_t limit = targets[all / 2].confidence;
    for (uint32_t i = 0; i < all; i++)
        above += targets[i].confidence >= limit;
    assert_true(above < all);
    rung_scene_destroy(fixture.scene);
    rung_scene_options options = usual;
    options.min_confidence = limit;
    make_scene(options, 4);
    for (uint64_t i = 1; i <= 4; i++)
        offer(i, i);
    next_due = 0;
    tick();
    assert_int_equal(newest()->packet->count, above);
    assert_int_equal(newest()->flags, 0);
}

static void more_targets_than_there_is_room_for_are_told(void **state)
{
    (void)state;
    rung_scene_options options = usual;
    options.max_targets = 2;
    make_scene(options, 4);
    for (uint64_t i = 1; i <= 4; i++)
        offer(i, i);
    tick();
    assert_int_equal(newest()->packet->count, 2);
    assert_int_equal(newest()->flags, RUNG_SCENE_TRUNCATED);
    assert_int_equal(newest()->packet->flags & RUNG_PACKET_INCOMPLETE, RUNG_PACKET_INCOMPLETE);
}

static void the_end_gives_back_what_is_pending(void **state)
{
    (void)state;
    make_scene(usual, 16);
    for (uint64_t i = 1; i <= 16; i++)
        offer(i, i);
    assert_int_equal(rung_scene_remove_source(fixture.scene, 4), RUNG_OK);
    each_was_released_once(4, 4);
    rung_scene_destroy(fixture.scene);
    fixture.scene = NULL;
    each_was_released_once(1, 16);
}

static void remove_it(struct fixture *of, const rung_frame *running)
{
    if (running->source_id == 1)
        assert_int_equal(rung_scene_remove_source(of->scene, 2), RUNG_OK);
}

static void a_source_that_is_removed_meanwhile_is_in_that_scene_and_in_no_other(void **state)
{
    (void)state;
    make_scene(usual, 2);
    fixture.meanwhile = remove_it;
    offer(1, 1);
    offer(2, 2);
    tick();
    assert_int_equal(newest()->source_count, 2);
    fixture.meanwhile = NULL;
    offer(1, 3);
    tick();
    assert_int_equal(newest()->source_count, 1);
    assert_int_equal(newest()->flags, 0);
    each_was_released_once(1, 3);
}

/** Gives the frame back and offers the next one from inside. */
static void give_back_and_offer(void *user, const void *pixels)
{
    give_back(user, pixels);
    if (user == &fixture.released[1])
        offer(1, 5);
}

static void a_release_may_offer_the_next_frame(void **state)
{
    (void)state;
    make_scene(usual, 1);
    rung_frame frame = frame_of(1, 1);
    frame.release = give_back_and_offer;
    assert_int_equal(offer_frame(&frame), RUNG_OK);
    tick();
    tick();
    assert_int_equal(newest()->sources[0].frame_id, 5);
    each_was_released_once(1, 1);
    each_was_released_once(5, 5);
}

static void a_frame_that_is_refused_stays_the_callers(void **state)
{
    (void)state;
    make_scene(usual, 1);
    rung_frame frame = frame_of(1, 1);
    rung_scene_frame placed = {
        .struct_size = sizeof placed, .version = RUNG_STRUCT_VERSION, .frame = &frame};
    assert_int_equal(rung_scene_offer(fixture.scene, &placed), RUNG_INVALID_ARGUMENT); /* nowhere */
    placed.placement = (rung_desktop_rect){0, 0, 256, 256};
    placed.version = 2;
    assert_int_equal(rung_scene_offer(fixture.scene, &placed), RUNG_VERSION);
    placed.version = RUNG_STRUCT_VERSION;
    placed.frame = NULL;
    assert_int_equal(rung_scene_offer(fixture.scene, &placed), RUNG_INVALID_ARGUMENT);
    placed.frame = &frame;
    frame.version = 2;
    assert_int_equal(rung_scene_offer(fixture.scene, &placed), RUNG_VERSION);
    frame.version = RUNG_STRUCT_VERSION;
    frame.width = 0;
    assert_int_equal(rung_scene_offer(fixture.scene, &placed), RUNG_INVALID_ARGUMENT);
    frame.width = SIDE;
    frame.source_id = 2;
    assert_int_equal(rung_scene_offer(fixture.scene, &placed), RUNG_NOT_FOUND);
    assert_int_equal(rung_scene_offer(NULL, &placed), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_scene_offer(fixture.scene, NULL), RUNG_INVALID_ARGUMENT);
    tick();
    assert_int_equal(fixture.released[1], 0);
    assert_int_equal(counters().sources[0].offered, 0);
}

static void refuse(rung_scene_options options, rung_result result, const char *word)
{
    rung_scene *scene;
    options.struct_size = sizeof options;
    assert_int_equal(rung_scene_create(fixture.context, &options, &scene), result);
    assert_null(scene);
    assert_non_null(strstr(rung_last_error(), word));
}

static void options_out_of_their_range_are_refused_by_name(void **state)
{
    (void)state;
    rung_scene_clock none = {.struct_size = sizeof none, .version = RUNG_STRUCT_VERSION};
    refuse((rung_scene_options){.version = 2}, RUNG_VERSION, "version");
    refuse((rung_scene_options){.version = 1, .flags = 1}, RUNG_INVALID_ARGUMENT, "flags");
    refuse((rung_scene_options){.version = 1, .policy = (rung_scene_policy)3},
           RUNG_INVALID_ARGUMENT, "policy");
    refuse((rung_scene_options){.version = 1, .period_ns = 99999}, RUNG_INVALID_ARGUMENT,
           "period_ns");
    refuse((rung_scene_options){.version = 1, .max_targets = 10001}, RUNG_INVALID_ARGUMENT,
           "max_targets");
    refuse((rung_scene_options){.version = 1, .min_confidence = 65536}, RUNG_INVALID_ARGUMENT,
           "min_confidence");
    refuse((rung_scene_options){.version = 1, .max_readers = 65}, RUNG_INVALID_ARGUMENT,
           "max_readers");
    refuse((rung_scene_options){.version = 1, .clock = &none}, RUNG_INVALID_ARGUMENT, "now");
    assert_int_equal(rung_scene_create(NULL, NULL, &fixture.scene), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_scene_create(fixture.context, NULL, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_scene_create(fixture.context, NULL, &fixture.scene), RUNG_OK);
}

static void what_is_null_or_not_the_scenes_is_refused(void **state)
{
    const rung_scene_view *view;
    const rung_scene_view other = {0};
    rung_scene_counters counters = {.struct_size = sizeof counters};
    size_t needed = 0;
    uint64_t packet[512];
    (void)state;
    make_scene(usual, 1);
    assert_int_equal(rung_scene_copy(fixture.scene, (rung_span){packet, sizeof packet}, NULL, NULL),
                     RUNG_NOT_FOUND);
    offer(1, 1);
    tick();
    assert_int_equal(rung_scene_acquire(NULL, &view), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_scene_acquire(fixture.scene, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_scene_release(fixture.scene, NULL), RUNG_OK);
    assert_int_equal(rung_scene_release(fixture.scene, &other), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_scene_release(NULL, &other), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_scene_get_counters(fixture.scene, &counters), RUNG_VERSION);
    assert_int_equal(rung_scene_get_counters(NULL, &counters), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_scene_step(NULL, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_scene_stop(NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_scene_stop(fixture.scene), RUNG_OK);
    assert_int_equal(rung_scene_start(fixture.scene), RUNG_INVALID_ARGUMENT); /* it cannot wait */
    assert_int_equal(rung_scene_add_source(NULL, 1), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_scene_remove_source(NULL, 1), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_scene_copy(fixture.scene, (rung_span){packet, 95}, &needed, NULL),
                     RUNG_CAPACITY);
    assert_int_equal(needed, newest()->packet_bytes);
    assert_int_equal(
        rung_scene_copy(fixture.scene, (rung_span){(char *)packet + 4, 400}, NULL, NULL),
        RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_scene_describe(fixture.scene, (rung_span){NULL, 0}, &needed),
                     RUNG_CAPACITY);
    rung_scene_destroy(NULL);
}

static void counters_are_json_with_histograms(void **state)
{
    char text[8192];
    size_t needed;
    (void)state;
    make_scene(usual, 2);
    assert_int_equal(rung_scene_add_source(fixture.scene, UINT64_MAX), RUNG_OK);
    fixture.run_ns = 3 * MS;
    for (uint64_t i = 1; i <= 5; i++) {
        offer(1, i);
        tick();
    }
    assert_int_equal(rung_scene_describe(fixture.scene, (rung_span){text, sizeof text}, &needed),
                     RUNG_OK);
    assert_int_equal(needed, strlen(text) + 1);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    assert_int_equal(json_integer_value(json_object_get(json, "published")), 5);
    assert_int_equal(json_integer_value(json_object_get(json, "period_ns")), PERIOD);
    const json_t *batch = json_object_get(json, "batch");
    assert_int_equal(json_integer_value(json_object_get(batch, "total_ns")), 15 * MS);
    const json_t *buckets = json_object_get(batch, "histogram");
    assert_int_equal(json_array_size(buckets), 1);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(buckets, 0), 1)), 5);
    const json_t *sources = json_object_get(json, "sources");
    assert_int_equal(json_array_size(sources), 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(sources, 2), "source_id")),
                        "18446744073709551615");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(sources, 0), "published")),
                     5);
    json_decref(json);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_scene, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_source_answers_what_its_frame_answers_moved_to_its_place),
        TEST(the_batch_runs_in_the_order_of_the_sources),
        TEST(a_view_tells_times_epochs_and_ages),
        TEST(a_frame_without_a_capture_time_is_of_the_time_of_its_offer),
        TEST(only_the_newest_frame_of_a_source_is_run),
        TEST(frames_that_come_meanwhile_are_the_next_ticks),
        TEST(frames_of_an_older_desktop_are_stale),
        TEST(a_scene_whose_desktop_is_gone_is_marked_and_nothing_in_it_actionable),
        TEST(a_late_source_leaves_the_scene_incomplete_and_its_age_grows),
        TEST(without_any_frame_nothing_is_published),
        TEST(a_source_that_fails_leaves_the_others_as_they_are),
        TEST(a_device_that_is_lost_is_told_of_every_source_until_the_context_is_rebuilt),
        TEST(a_fence_that_is_not_ready_makes_its_source_late_and_nobody_waits),
        TEST(with_abort_a_late_source_keeps_the_frames_pending),
        TEST(with_abort_a_failure_ends_the_tick),
        TEST(a_late_wake_runs_one_tick_and_counts_the_skipped),
        TEST(a_batch_of_more_than_a_period_leaves_one_tick_pending),
        TEST(with_all_views_held_a_scene_is_dropped_and_the_worker_goes_on),
        TEST(the_users_filter_leaves_out_what_is_below),
        TEST(more_targets_than_there_is_room_for_are_told),
        TEST(the_end_gives_back_what_is_pending),
        TEST(a_source_that_is_removed_meanwhile_is_in_that_scene_and_in_no_other),
        TEST(a_release_may_offer_the_next_frame),
        TEST(a_frame_that_is_refused_stays_the_callers),
        TEST(options_out_of_their_range_are_refused_by_name),
        TEST(what_is_null_or_not_the_scenes_is_refused),
        TEST(counters_are_json_with_histograms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
