/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: the newest frame of each source wins, no source displaces another, and each frame is
 * released exactly once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/thread.h"
#include "scene/source.h"

static struct rung__sources sources;
static atomic_uint released[4096]; /* by the number of the frame */

static void release(void *times, const void *pixels)
{
    (void)pixels;
    atomic_fetch_add((atomic_uint *)times, 1);
}

static int set_up(void **state)
{
    (void)state;
    rung__sources_init(&sources);
    memset(released, 0, sizeof released);
    return 0;
}

static struct rung__offered frame_of(uint64_t source, uintptr_t number)
{
    return (struct rung__offered){.frame = {.source_id = source,
                                            .frame_id = number,
                                            .release = release,
                                            .release_user = &released[number]}};
}

static rung_result offer(uint64_t source, uintptr_t number)
{
    const struct rung__offered offered = frame_of(source, number);
    return rung__sources_offer(&sources, &offered);
}

static rung_result offer_of_pair(uint64_t source, uintptr_t number, uint64_t topology,
                                 uint64_t transform)
{
    struct rung__offered offered = frame_of(source, number);
    offered.frame.topology_epoch = topology;
    offered.frame.transform_epoch = transform;
    return rung__sources_offer(&sources, &offered);
}

static struct rung__source *source_at(uint64_t id)
{
    for (uint32_t i = 0; i < RUNG__SOURCE_PLACES; i++)
        if (sources.places[i].active && sources.places[i].id == id)
            return &sources.places[i];
    return NULL;
}

/** The number of the frame that a tick takes, and releases when it is told to; 0: there is none. */
static uintptr_t take(uint64_t id, bool releases)
{
    struct rung__source *source = source_at(id);
    const struct rung__offered *offered = rung__source_take(source);
    const uintptr_t number = offered ? (uintptr_t)offered->frame.frame_id : 0;
    if (offered && releases)
        rung__offered_release(offered);
    return number;
}

static uint64_t count_of(uint64_t id, enum rung__source_count count)
{
    return source_at(id)->counts[count];
}

static void each_was_released_once(uintptr_t first, uintptr_t last)
{
    for (uintptr_t i = first; i <= last; i++)
        assert_int_equal(released[i], 1);
}

static void the_newest_frame_wins_and_the_others_are_given_back(void **state)
{
    (void)state;
    assert_int_equal(rung__sources_add(&sources, 5), RUNG_OK);
    for (uintptr_t i = 1; i <= 10; i++)
        assert_int_equal(offer(5, i), RUNG_OK);
    each_was_released_once(1, 9);
    assert_int_equal(released[10], 0);
    assert_int_equal(take(5, true), 10);
    assert_int_equal(take(5, true), 0);
    assert_int_equal(count_of(5, RUNG__FRAMES_OFFERED), 10);
    assert_int_equal(count_of(5, RUNG__FRAMES_REPLACED), 9);
    rung__sources_finish(&sources);
    each_was_released_once(1, 10);
}

static void a_frame_that_the_tick_has_stays_while_newer_ones_come(void **state)
{
    (void)state;
    assert_int_equal(rung__sources_add(&sources, 5), RUNG_OK);
    assert_int_equal(offer(5, 1), RUNG_OK);
    const struct rung__offered *offered = rung__source_take(source_at(5));
    for (uintptr_t i = 2; i <= 9; i++)
        assert_int_equal(offer(5, i), RUNG_OK);
    assert_int_equal(offered->frame.frame_id, 1);
    assert_int_equal(released[1], 0);
    rung__offered_release(offered);
    assert_int_equal(take(5, true), 9);
    each_was_released_once(1, 9);
    rung__sources_finish(&sources);
    each_was_released_once(1, 9);
}

static void what_is_put_back_is_pending_unless_a_newer_one_is(void **state)
{
    (void)state;
    assert_int_equal(rung__sources_add(&sources, 5), RUNG_OK);
    assert_int_equal(offer(5, 1), RUNG_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(take(5, false), 1);
        rung__source_put_back(source_at(5));
    }
    assert_int_equal(take(5, false), 1);
    assert_int_equal(offer(5, 2), RUNG_OK);
    rung__source_put_back(source_at(5));
    each_was_released_once(1, 1);
    assert_int_equal(count_of(5, RUNG__FRAMES_REPLACED), 1);
    assert_int_equal(take(5, true), 2);
    rung__sources_finish(&sources);
    each_was_released_once(1, 2);
}

static void no_source_displaces_another_and_the_seventeenth_has_no_room(void **state)
{
    (void)state;
    for (uint64_t id = 1; id <= RUNG_SCENE_SOURCES_MAX; id++) {
        assert_int_equal(rung__sources_add(&sources, id), RUNG_OK);
        assert_int_equal(offer(id, (uintptr_t)id), RUNG_OK);
    }
    assert_int_equal(rung__sources_add(&sources, 3), RUNG_ALREADY_EXISTS);
    assert_int_equal(rung__sources_add(&sources, 99), RUNG_CAPACITY);
    assert_int_equal(offer(99, 99), RUNG_NOT_FOUND);
    assert_int_equal(released[99], 0); /* it is still the caller's */
    for (uint64_t id = 1; id <= RUNG_SCENE_SOURCES_MAX; id++)
        assert_int_equal(take(id, true), id);
    assert_int_equal(rung__sources_remove(&sources, 3), RUNG_OK);
    assert_int_equal(rung__sources_add(&sources, 99), RUNG_OK);
    rung__sources_finish(&sources);
}

static void removing_gives_the_pending_frame_back(void **state)
{
    (void)state;
    assert_int_equal(rung__sources_add(&sources, 5), RUNG_OK);
    assert_int_equal(offer(5, 1), RUNG_OK);
    assert_int_equal(rung__sources_remove(&sources, 5), RUNG_OK);
    each_was_released_once(1, 1);
    assert_int_equal(rung__sources_remove(&sources, 5), RUNG_NOT_FOUND);
    assert_int_equal(offer(5, 2), RUNG_NOT_FOUND);
    assert_int_equal(rung__sources_add(&sources, 5), RUNG_OK);
    assert_int_equal(count_of(5, RUNG__FRAMES_OFFERED), 0);
    assert_int_equal(take(5, true), 0);
    rung__sources_finish(&sources);
}

static void a_place_that_the_tick_is_in_is_not_used_again(void **state)
{
    (void)state;
    uint64_t id;
    for (uint64_t i = 0; i < RUNG_SCENE_SOURCES_MAX; i++)
        assert_int_equal(rung__sources_add(&sources, i), RUNG_OK);
    for (uint32_t i = 0; i < RUNG_SCENE_SOURCES_MAX; i++)
        assert_true(rung__source_enter(&sources.places[i], &id));
    assert_false(rung__source_enter(&sources.places[RUNG_SCENE_SOURCES_MAX], &id));
    for (uint64_t i = 0; i < RUNG_SCENE_SOURCES_MAX; i++) {
        assert_int_equal(rung__sources_remove(&sources, i), RUNG_OK);
        assert_int_equal(rung__sources_add(&sources, 100 + i), RUNG_OK);
    }
    for (uint32_t i = 0; i < RUNG_SCENE_SOURCES_MAX; i++) {
        assert_false(sources.places[i].active);
        rung__source_leave(&sources.places[i]);
    }
    assert_int_equal(rung__sources_remove(&sources, 100), RUNG_OK);
    assert_int_equal(rung__sources_add(&sources, 7), RUNG_OK);
    assert_true(sources.places[0].active);
    rung__sources_finish(&sources);
}

/** The exchange of places comes out the same as before the tick took its frame. */
static void what_is_put_back_into_a_source_that_was_removed_is_given_back(void **state)
{
    (void)state;
    uint64_t id;
    for (uintptr_t offers = 0; offers < 3; offers++) {
        assert_int_equal(rung__sources_add(&sources, 5), RUNG_OK);
        struct rung__source *source = source_at(5);
        assert_true(rung__source_enter(source, &id));
        assert_int_equal(offer(5, 10 * offers + 1), RUNG_OK);
        assert_non_null(rung__source_take(source));
        for (uintptr_t i = 0; i < offers; i++)
            assert_int_equal(offer(5, 10 * offers + 2 + i), RUNG_OK);
        assert_int_equal(rung__sources_remove(&sources, 5), RUNG_OK);
        rung__source_put_back(source);
        each_was_released_once(10 * offers + 1, 10 * offers + 1 + offers);
        rung__source_leave(source);
    }
    rung__sources_finish(&sources);
}

static void a_frame_of_an_older_desktop_than_its_source_is_stale(void **state)
{
    (void)state;
    assert_int_equal(rung__sources_add(&sources, 5), RUNG_OK);
    assert_int_equal(offer_of_pair(5, 1, 2, 7), RUNG_OK);
    assert_int_equal(offer_of_pair(5, 2, 2, 6), RUNG_OK); /* an older transform */
    assert_int_equal(offer_of_pair(5, 3, 1, 9), RUNG_OK); /* an older topology */
    each_was_released_once(2, 3);
    assert_int_equal(count_of(5, RUNG__FRAMES_STALE), 2);
    assert_int_equal(released[1], 0);
    assert_int_equal(offer_of_pair(5, 4, 3, 0), RUNG_OK);
    each_was_released_once(1, 3);
    assert_int_equal(take(5, true), 4);
    rung__sources_finish(&sources);
}

static void while_one_thread_offers_another_is_told_busy(void **state)
{
    (void)state;
    assert_int_equal(rung__sources_add(&sources, 5), RUNG_OK);
    atomic_store(&source_at(5)->offering, true); /* as in the midst of it */
    assert_int_equal(offer(5, 1), RUNG_BUSY);
    assert_int_equal(rung__sources_remove(&sources, 5), RUNG_BUSY);
    assert_int_equal(released[1], 0); /* it is still the caller's */
    atomic_store(&source_at(5)->offering, false);
    assert_int_equal(offer(5, 1), RUNG_OK);
    assert_int_equal(count_of(5, RUNG__FRAMES_OFFERED), 1);
    rung__sources_finish(&sources);
}

/** An owner of many frames whose threads offer, take, put back, add and remove at once. */
struct owner {
    uintptr_t first, count;
    uint64_t id;
};

static atomic_bool ending;

static void offer_all(void *argument)
{
    const struct owner *owner = argument;
    for (uintptr_t i = 0; i < owner->count;) {
        const rung_result result = offer(owner->id, owner->first + i);
        if (result == RUNG_OK)
            i++;
        else if (result != RUNG_BUSY && result != RUNG_NOT_FOUND)
            abort();
    }
}

static void add_and_remove(void *argument)
{
    const uint64_t id = *(const uint64_t *)argument;
    while (!atomic_load(&ending)) {
        const rung_result removed = rung__sources_remove(&sources, id);
        if (removed != RUNG_OK && removed != RUNG_BUSY)
            abort();
        if (removed == RUNG_OK && rung__sources_add(&sources, id) != RUNG_OK)
            abort();
    }
}

static void tick(unsigned *random)
{
    uint64_t id;
    for (uint32_t i = 0; i < RUNG__SOURCE_PLACES; i++) {
        struct rung__source *source = &sources.places[i];
        if (!rung__source_enter(source, &id))
            continue;
        const struct rung__offered *offered = rung__source_take(source);
        *random = *random * 1664525u + 1013904223u;
        if (offered && *random >> 31)
            rung__offered_release(offered);
        else if (offered)
            rung__source_put_back(source);
        rung__source_leave(source);
    }
}

static void tick_on(void *unused)
{
    unsigned random = 1;
    (void)unused;
    while (!atomic_load(&ending))
        tick(&random);
}

static void every_frame_is_released_once_whatever_threads_do(void **state)
{
    enum { OFFERERS = 3 };
    const uintptr_t each = 1000;
    struct rung__thread offering[OFFERERS], removing, ticking;
    struct owner owners[OFFERERS];
    uint64_t removed_id = 1; /* the third thread offers to the same source as the second */
    (void)state;
    atomic_store(&ending, false);
    assert_int_equal(rung__sources_add(&sources, 0), RUNG_OK);
    assert_int_equal(rung__sources_add(&sources, 1), RUNG_OK);
    assert_int_equal(rung__thread_start(&ticking, "ticks", tick_on, NULL), RUNG_OK);
    assert_int_equal(rung__thread_start(&removing, "removes", add_and_remove, &removed_id),
                     RUNG_OK);
    for (uintptr_t i = 0; i < OFFERERS; i++) {
        owners[i] = (struct owner){1 + i * each, each, i ? 1 : 0};
        assert_int_equal(rung__thread_start(&offering[i], "offers", offer_all, &owners[i]),
                         RUNG_OK);
    }
    for (int i = 0; i < OFFERERS; i++)
        rung__thread_join(&offering[i]);
    atomic_store(&ending, true);
    rung__thread_join(&removing);
    rung__thread_join(&ticking);
    rung__sources_finish(&sources);
    each_was_released_once(1, OFFERERS * each);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_newest_frame_wins_and_the_others_are_given_back, set_up),
        cmocka_unit_test_setup(a_frame_that_the_tick_has_stays_while_newer_ones_come, set_up),
        cmocka_unit_test_setup(what_is_put_back_is_pending_unless_a_newer_one_is, set_up),
        cmocka_unit_test_setup(no_source_displaces_another_and_the_seventeenth_has_no_room, set_up),
        cmocka_unit_test_setup(removing_gives_the_pending_frame_back, set_up),
        cmocka_unit_test_setup(a_place_that_the_tick_is_in_is_not_used_again, set_up),
        cmocka_unit_test_setup(what_is_put_back_into_a_source_that_was_removed_is_given_back,
                               set_up),
        cmocka_unit_test_setup(a_frame_of_an_older_desktop_than_its_source_is_stale, set_up),
        cmocka_unit_test_setup(while_one_thread_offers_another_is_told_busy, set_up),
        cmocka_unit_test_setup(every_frame_is_released_once_whatever_threads_do, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
