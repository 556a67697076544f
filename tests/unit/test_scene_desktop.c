/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: the way to the desktop is rounded half up, what does not show is cut off or left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/packet.h"
#include "scene/desktop.h"

#define Q8(pixels) ((pixels)*INT32_C(256))

static struct rung__desktop_map map_of(uint32_t width, uint32_t height, rung_desktop_rect placement,
                                       rung_desktop_rect visible)
{
    const rung_scene_frame frame = {.placement = placement, .visible = visible};
    struct rung__desktop_map map;
    assert_int_equal(rung__desktop_map_init(&map, &frame, width, height), RUNG_OK);
    return map;
}

static rung_target target_at(int32_t x, int32_t y, int32_t w, int32_t h)
{
    return (rung_target){
        .target_id = 1,
        .source_id = 7,
        .display_id = 3,
        .x = x,
        .y = y,
        .w = w,
        .h = h,
        .safe_x = x + w / 2,
        .safe_y = y + h / 2,
        .confidence = 60000,
        .class_id = 2,
        .source_bits = 1,
        .capabilities = 6,
        .flags = RUNG_TARGET_ACTIONABLE,
        .order = 5,
    };
}

static void a_frame_of_the_same_size_only_moves(void **state)
{
    (void)state;
    const struct rung__desktop_map map = map_of(
        100, 50, (rung_desktop_rect){-Q8(30), Q8(20), Q8(100), Q8(50)}, (rung_desktop_rect){0});
    const rung_target source = target_at(Q8(10) + 3, Q8(5) + 255, Q8(20), Q8(30));
    rung_target target;
    assert_true(rung__desktop_target(&map, &source, &target));
    assert_int_equal(target.x, -Q8(20) + 3);
    assert_int_equal(target.y, Q8(25) + 255);
    assert_int_equal(target.w, Q8(20));
    assert_int_equal(target.h, Q8(30));
    assert_int_equal(target.safe_x, -Q8(10) + 3);
    assert_int_equal(target.safe_y, Q8(40) + 255);
    assert_int_equal(target.flags, RUNG_TARGET_ACTIONABLE);
    assert_int_equal(target.capabilities, 6);
    assert_int_equal(target.source_id, 7);
    assert_int_equal(target.display_id, 3);
    assert_int_equal(target.order, 5);
}

static void a_half_is_rounded_up_wherever_the_frame_lies(void **state)
{
    (void)state;
    /* Twice as many pixels as Q8 units of the desktop: v / 512. */
    const struct rung__desktop_map halves =
        map_of(2, 1, (rung_desktop_rect){0, 0, 256, 256}, (rung_desktop_rect){0});
    const struct rung__desktop_map left =
        map_of(2, 1, (rung_desktop_rect){-1000, 0, 256, 256}, (rung_desktop_rect){0});
    static const struct {
        int32_t from, to;
    } cases[] = {{0, 0}, {1, 1}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {511, 256}, {512, 256}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(rung__desktop_x(&halves, cases[i].from), cases[i].to);
        assert_int_equal(rung__desktop_x(&left, cases[i].from), cases[i].to - 1000);
    }
}

/** ⌊2a + 1 / 2⌋ by comparison alone: the result r has 2r − 1 <= 2·exact < 2r + 1. */
static void check_rounding(int32_t v, int32_t length, uint32_t side)
{
    const struct rung__desktop_map map =
        map_of(side, side, (rung_desktop_rect){-5, 17, length, length}, (rung_desktop_rect){0});
    const int64_t twice = (int64_t)2 * v * length, whole = (int64_t)side * 256;
    const int64_t x = rung__desktop_x(&map, v) + 5, y = rung__desktop_y(&map, v) - 17;
    assert_true((2 * x - 1) * whole <= twice && twice < (2 * x + 1) * whole);
    assert_true(x == y);
}

static void every_coordinate_is_the_nearest_and_the_ends_are_the_placements(void **state)
{
    (void)state;
    static const uint32_t sides[] = {1, 2, 3, 255, 640, 1919, 1920, 8191, 30000, 65535};
    static const int32_t lengths[] = {1, 2, 255, 256, 257, 491520, 491521, INT32_MAX - 17};
    uint32_t random = 1;
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            const int32_t end = (int32_t)sides[s] * 256;
            check_rounding(0, lengths[l], sides[s]);
            check_rounding(end, lengths[l], sides[s]);
            for (int i = 0; i < 200; i++) {
                random = random * 1664525u + 1013904223u;
                check_rounding((int32_t)(random % (uint32_t)end), lengths[l], sides[s]);
            }
        }
    }
}

static void what_lies_outside_is_left_out_and_what_sticks_out_is_cut(void **state)
{
    (void)state;
    const struct rung__desktop_map map =
        map_of(100, 100, (rung_desktop_rect){0, 0, Q8(100), Q8(100)},
               (rung_desktop_rect){Q8(50), Q8(50), Q8(200), Q8(20)});
    rung_target target, source = target_at(Q8(10), Q8(55), Q8(40), Q8(5)); /* touches */
    assert_false(rung__desktop_target(&map, &source, &target));
    source = target_at(Q8(60), Q8(70), Q8(10), Q8(10));
    assert_false(rung__desktop_target(&map, &source, &target));
    source = target_at(Q8(10), Q8(40), Q8(60), Q8(40));
    assert_true(rung__desktop_target(&map, &source, &target));
    assert_int_equal(target.x, Q8(50));
    assert_int_equal(target.y, Q8(50));
    assert_int_equal(target.w, Q8(20));
    assert_int_equal(target.h, Q8(20));
}

static void a_safe_point_that_does_not_show_goes_to_the_centre(void **state)
{
    (void)state;
    const struct rung__desktop_map map =
        map_of(100, 100, (rung_desktop_rect){0, 0, Q8(100), Q8(100)},
               (rung_desktop_rect){0, 0, Q8(50), Q8(100)});
    rung_target target, source = target_at(Q8(40), Q8(10), Q8(20), Q8(20)); /* safe x is 50 */
    assert_true(rung__desktop_target(&map, &source, &target));
    assert_int_equal(target.safe_x, Q8(45));
    assert_int_equal(target.safe_y, Q8(20));
    source = target_at(Q8(30), Q8(10), Q8(30) + 1, Q8(21));
    assert_true(rung__desktop_target(&map, &source, &target)); /* still inside */
    assert_int_equal(target.safe_x, source.safe_x);
    assert_int_equal(target.safe_y, source.safe_y);
}

static void the_id_is_that_of_the_record_on_the_desktop(void **state)
{
    (void)state;
    const struct rung__desktop_map map =
        map_of(10, 10, (rung_desktop_rect){-Q8(10), 0, Q8(10), Q8(10)}, (rung_desktop_rect){0});
    const rung_target source = target_at(Q8(1), Q8(2), Q8(3), Q8(4));
    rung_target target;
    assert_true(rung__desktop_target(&map, &source, &target));
    const int32_t x = -Q8(9), y = Q8(2), w = Q8(3), h = Q8(4);
    const uint64_t fields[7] = {7, (uint64_t)x, (uint64_t)y, (uint64_t)w, (uint64_t)h, 2, 1};
    assert_true(target.target_id == rung__target_id(fields));
}

static void what_is_left_must_be_more_than_two_pixels_to_be_actionable(void **state)
{
    (void)state;
    const struct rung__desktop_map map =
        map_of(100, 100, (rung_desktop_rect){0, 0, Q8(100), Q8(100)},
               (rung_desktop_rect){0, 0, Q8(50), Q8(100)});
    rung_target target, source = target_at(Q8(48), 0, Q8(20), Q8(20));
    assert_true(rung__desktop_target(&map, &source, &target));
    assert_int_equal(target.flags, 0);
    assert_int_equal(target.capabilities, 0);
    source = target_at(Q8(48) - 1, 0, Q8(20), Q8(20));
    assert_true(rung__desktop_target(&map, &source, &target));
    assert_int_equal(target.flags, RUNG_TARGET_ACTIONABLE);
    assert_int_equal(target.capabilities, 6);
}

static void a_box_that_rounds_to_nothing_is_left_out(void **state)
{
    (void)state;
    const struct rung__desktop_map map =
        map_of(1000, 1000, (rung_desktop_rect){0, 0, 100, 100}, (rung_desktop_rect){0});
    const rung_target source = target_at(Q8(10), Q8(10), Q8(4), Q8(900));
    rung_target target;
    assert_false(rung__desktop_target(&map, &source, &target));
}

static void refuse(rung_desktop_rect placement, rung_desktop_rect visible, const char *word)
{
    const rung_scene_frame frame = {.placement = placement, .visible = visible};
    struct rung__desktop_map map;
    assert_int_equal(rung__desktop_map_init(&map, &frame, 10, 10), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), word));
}

static void a_rectangle_that_is_none_is_refused(void **state)
{
    (void)state;
    const rung_desktop_rect good = {-Q8(5), Q8(5), Q8(10), Q8(10)}, none = {0};
    refuse(none, none, "placement");
    refuse((rung_desktop_rect){0, 0, -1, 1}, none, "placement");
    refuse((rung_desktop_rect){1, 0, INT32_MAX, 1}, none, "placement");
    refuse((rung_desktop_rect){0, 2, 1, INT32_MAX - 1}, none, "placement");
    refuse(good, (rung_desktop_rect){0, 0, 0, 1}, "visible");
    refuse(good, (rung_desktop_rect){INT32_MAX, 0, 1, 1}, "visible");
}

static void what_shows_elsewhere_shows_nothing(void **state)
{
    (void)state;
    const struct rung__desktop_map map =
        map_of(10, 10, (rung_desktop_rect){INT32_MIN, INT32_MIN, Q8(10), Q8(10)},
               (rung_desktop_rect){Q8(50), Q8(50), Q8(10), Q8(10)});
    const rung_target source = target_at(0, 0, Q8(10), Q8(10));
    rung_target target;
    assert_false(rung__desktop_target(&map, &source, &target));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_of_the_same_size_only_moves),
        cmocka_unit_test(a_half_is_rounded_up_wherever_the_frame_lies),
        cmocka_unit_test(every_coordinate_is_the_nearest_and_the_ends_are_the_placements),
        cmocka_unit_test(what_lies_outside_is_left_out_and_what_sticks_out_is_cut),
        cmocka_unit_test(a_safe_point_that_does_not_show_goes_to_the_centre),
        cmocka_unit_test(the_id_is_that_of_the_record_on_the_desktop),
        cmocka_unit_test(what_is_left_must_be_more_than_two_pixels_to_be_actionable),
        cmocka_unit_test(a_box_that_rounds_to_nothing_is_left_out),
        cmocka_unit_test(a_rectangle_that_is_none_is_refused),
        cmocka_unit_test(what_shows_elsewhere_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
