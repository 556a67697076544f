/* SPDX-License-Identifier: Apache-2.0 */
/* Structures of callers that were compiled with other sizes are read and written as rung/types.h
 * says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include <rung/types.h>

#include "session/structure.h"

struct thing {
    uint32_t struct_size, version;
    uint64_t first, second;
};

static void an_older_shorter_one_reads_as_zero_behind_its_end(void **state)
{
    (void)state;
    const struct thing theirs = {16, RUNG_STRUCT_VERSION, 1, 2};
    struct thing ours;
    assert_int_equal(rung__structure_read(&ours, sizeof ours, &theirs, "thing"), RUNG_OK);
    assert_int_equal(ours.first, 1);
    assert_int_equal(ours.second, 0);
    assert_int_equal(ours.struct_size, sizeof ours);
}

static void a_field_that_it_cuts_is_not_read(void **state)
{
    (void)state;
    const struct thing theirs = {20, RUNG_STRUCT_VERSION, 1, UINT64_MAX};
    struct thing ours;
    assert_int_equal(rung__structure_read(&ours, sizeof ours, &theirs, "thing"), RUNG_OK);
    assert_int_equal(ours.first, 1);
    assert_int_equal(ours.second, 0); /* or half a pointer */
}

static void a_newer_longer_tail_is_ignored(void **state)
{
    (void)state;
    const struct {
        struct thing known;
        uint64_t tail;
    } theirs = {{sizeof theirs, RUNG_STRUCT_VERSION, 1, 2}, 3};
    struct {
        struct thing ours;
        uint64_t canary;
    } memory = {.canary = 77};
    assert_int_equal(rung__structure_read(&memory.ours, sizeof memory.ours, &theirs, "thing"),
                     RUNG_OK);
    assert_int_equal(memory.ours.second, 2);
    assert_int_equal(memory.canary, 77);
}

static void none_reads_as_defaults(void **state)
{
    (void)state;
    struct thing ours = {9, 9, 9, 9};
    assert_int_equal(rung__structure_read(&ours, sizeof ours, NULL, "thing"), RUNG_OK);
    assert_int_equal(ours.first, 0);
}

static void another_version_is_refused(void **state)
{
    (void)state;
    const struct thing theirs = {sizeof theirs, RUNG_STRUCT_VERSION + 1, 1, 2};
    struct thing ours;
    assert_int_equal(rung__structure_read(&ours, sizeof ours, &theirs, "thing"), RUNG_VERSION);
    assert_non_null(strstr(rung_last_error(), "thing.version"));
}

static void a_size_below_its_own_head_is_refused(void **state)
{
    (void)state;
    struct thing theirs = {7, RUNG_STRUCT_VERSION, 1, 2}, ours;
    assert_int_equal(rung__structure_read(&ours, sizeof ours, &theirs, "thing"),
                     RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung__structure_write(&theirs, &ours, sizeof ours, "thing"),
                     RUNG_INVALID_ARGUMENT);
    assert_int_equal(theirs.first, 1);
}

static void writing_fills_no_more_than_the_caller_has(void **state)
{
    (void)state;
    struct thing theirs = {16, RUNG_STRUCT_VERSION, 0, 77};
    const struct thing ours = {0, 0, 5, 6};
    assert_int_equal(rung__structure_write(&theirs, &ours, sizeof ours, "thing"), RUNG_OK);
    assert_int_equal(theirs.struct_size, 16);
    assert_int_equal(theirs.first, 5);
    assert_int_equal(theirs.second, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_shorter_one_reads_as_zero_behind_its_end),
        cmocka_unit_test(a_field_that_it_cuts_is_not_read),
        cmocka_unit_test(a_newer_longer_tail_is_ignored),
        cmocka_unit_test(none_reads_as_defaults),
        cmocka_unit_test(another_version_is_refused),
        cmocka_unit_test(a_size_below_its_own_head_is_refused),
        cmocka_unit_test(writing_fills_no_more_than_the_caller_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
