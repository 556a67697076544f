/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: a view never changes while it is held, and neither readers nor the writer wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/thread.h"
#include "scene/publish.h"

#define WORDS   64
#define READERS 3

static struct rung__publication publication;

static int set_up(void **state)
{
    (void)state;
    memset(&publication, 0, sizeof publication);
    return rung__publication_init(&publication, READERS + 2, WORDS * sizeof(uint64_t));
}

static int tear_down(void **state)
{
    (void)state;
    rung__publication_finish(&publication);
    return 0;
}

/** False: all views were held. */
static bool publish(uint64_t sequence)
{
    struct rung__published_view *view = rung__publication_begin(&publication);
    if (!view)
        return false;
    uint64_t *words = view->packet;
    for (int i = 0; i < WORDS; i++)
        words[i] = sequence;
    view->view = (rung_scene_view){.sequence = sequence, .packet = view->packet};
    rung__publication_commit(&publication, view);
    return true;
}

static const rung_scene_view *pin(uint64_t sequence)
{
    const rung_scene_view *view = rung__publication_pin(&publication);
    assert_non_null(view);
    assert_int_equal(view->sequence, sequence);
    return view;
}

static void before_the_first_there_is_none(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_null(rung__publication_pin(&publication));
    assert_true(publish(1));
    (void)rung__publication_unpin(&publication, pin(1));
}

static void the_newest_is_read_and_the_older_stays_as_it_is(void **state)
{
    (void)state;
    assert_true(publish(1));
    const rung_scene_view *first = pin(1);
    for (uint64_t i = 2; i < 50; i++) {
        assert_true(publish(i));
        assert_true(rung__publication_unpin(&publication, pin(i)));
        assert_int_equal(first->sequence, 1);
        assert_int_equal(*(const uint64_t *)first->packet, 1);
    }
    assert_true(rung__publication_unpin(&publication, first));
}

static void with_as_many_views_held_as_readers_there_is_always_room(void **state)
{
    (void)state;
    const rung_scene_view *held[READERS] = {NULL};
    for (uint64_t i = 1; i < 100; i++) {
        assert_true(publish(i));
        if (held[i % READERS])
            assert_true(rung__publication_unpin(&publication, held[i % READERS]));
        held[i % READERS] = pin(i);
    }
    for (int i = 0; i < READERS; i++)
        assert_true(rung__publication_unpin(&publication, held[i]));
}

static void with_more_the_next_has_no_room_until_one_is_given_back(void **state)
{
    (void)state;
    const rung_scene_view *held[READERS + 1];
    for (uint64_t i = 1; i <= READERS + 1; i++) {
        assert_true(publish(i));
        held[i - 1] = pin(i);
    }
    assert_true(publish(9)); /* the last place */
    assert_false(publish(10));
    assert_true(rung__publication_unpin(&publication, held[0]));
    assert_true(publish(10));
    for (int i = 1; i <= READERS; i++)
        assert_true(rung__publication_unpin(&publication, held[i]));
}

static void many_pins_of_one_are_all_counted(void **state)
{
    (void)state;
    assert_true(publish(1));
    const rung_scene_view *view = NULL;
    for (int i = 0; i < 1000; i++)
        view = pin(1);
    for (int i = 0; i < 999; i++)
        assert_true(rung__publication_unpin(&publication, view));
    for (uint64_t i = 2; i < 20; i++)
        assert_true(publish(i));
    assert_int_equal(view->sequence, 1);
    assert_true(rung__publication_unpin(&publication, view));
    assert_true(publish(20));
}

static void what_is_no_view_is_refused(void **state)
{
    (void)state;
    const struct rung__published_view *views = publication.views;
    const rung_scene_view other = {0};
    assert_false(rung__publication_unpin(&publication, &other));
    assert_false(rung__publication_unpin(&publication, &views[publication.count].view));
    assert_false(rung__publication_unpin(
        &publication, (const rung_scene_view *)((const char *)&views[1].view + 8)));
}

static atomic_bool ending;

static void read_on(void *seen)
{
    uint64_t last = 0, *reads = seen;
    while (!atomic_load(&ending)) {
        const rung_scene_view *view = rung__publication_pin(&publication);
        if (!view)
            continue;
        const uint64_t *words = (const uint64_t *)view->packet;
        if (view->sequence < last)
            abort();
        for (int i = 0; i < WORDS; i++)
            if (words[i] != view->sequence)
                abort();
        last = view->sequence;
        ++*reads;
        (void)rung__publication_unpin(&publication, view);
    }
}

static void readers_see_whole_scenes_while_the_writer_goes_on(void **state)
{
    (void)state;
    struct rung__thread threads[READERS];
    uint64_t reads[READERS] = {0};
    atomic_store(&ending, false);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(rung__thread_start(&threads[i], "reads", read_on, &reads[i]), RUNG_OK);
    for (uint64_t i = 1; i <= 30000; i++)
        assert_true(publish(i)); /* each reader holds one at a time */
    atomic_store(&ending, true);
    for (int i = 0; i < READERS; i++)
        rung__thread_join(&threads[i]);
    assert_true(publish(30001));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(before_the_first_there_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_newest_is_read_and_the_older_stays_as_it_is, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(with_as_many_views_held_as_readers_there_is_always_room,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(with_more_the_next_has_no_room_until_one_is_given_back,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_pins_of_one_are_all_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_view_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(readers_see_whole_scenes_while_the_writer_goes_on, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
