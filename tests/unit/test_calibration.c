/* SPDX-License-Identifier: Apache-2.0 */
/* Thresholds of a context: the artifact's, unless its calibration is overridden by leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "artifact/header.h"
#include "session/calibration.h"

static const struct rung__header detector = {
    .name = "subject",
    .role = RUNG_ROLE_DETECTOR,
    .selection = {.min_confidence = 20000,
                  .band_confidence = 10000,
                  .band_min = 8,
                  .band_max = 80,
                  .iou = 30000,
                  .flags = RUNG_SUPPRESS,
                  .capacity = 100,
                  .considered = 50,
                  .max_targets = 10},
};

static struct rung__selection calibrate(rung_context_options options)
{
    struct rung__selection selection;
    bool overridden = false;
    options.flags = RUNG_CONTEXT_OVERRIDE_CALIBRATION;
    assert_int_equal(rung__calibrate(&detector, &options, &selection, &overridden), RUNG_OK);
    assert_true(overridden);
    assert_int_equal(rung__selection_check(&selection), RUNG_OK);
    return selection;
}

static void without_wishes_they_are_the_artifacts(void **state)
{
    const rung_context_options options = {.flags = RUNG_CONTEXT_OVERRIDE_CALIBRATION};
    struct rung__selection selection;
    bool overridden = true;
    (void)state;
    assert_int_equal(rung__calibrate(&detector, &options, &selection, &overridden), RUNG_OK);
    assert_false(overridden);
    assert_memory_equal(&selection, &detector.selection, sizeof selection);
}

static void a_lower_confidence_finds_room_for_more_rows(void **state)
{
    struct rung__selection selection = calibrate((rung_context_options){.min_confidence = 15000});
    (void)state;
    assert_int_equal(selection.min_confidence, 15000);
    assert_int_equal(selection.band_confidence, 10000);
    assert_int_equal(selection.capacity, RUNG__CAPACITY_MAX);
    selection = calibrate((rung_context_options){.min_confidence = 40000});
    assert_int_equal(selection.min_confidence, 40000);
    assert_int_equal(selection.capacity, 100);
}

static void a_band_that_would_ask_for_more_is_off(void **state)
{
    const struct rung__selection selection =
        calibrate((rung_context_options){.min_confidence = 9999});
    (void)state;
    assert_int_equal(selection.band_confidence, 0);
    assert_int_equal(selection.band_min, 0);
    assert_int_equal(selection.band_max, 0);
}

static void more_targets_raise_the_limits_before_them(void **state)
{
    struct rung__selection selection = calibrate((rung_context_options){.max_targets = 60});
    (void)state;
    assert_int_equal(selection.max_targets, 60);
    assert_int_equal(selection.considered, 60);
    assert_int_equal(selection.capacity, 100);
    selection = calibrate((rung_context_options){.max_targets = 10000, .iou = 65535});
    assert_int_equal(selection.considered, 10000);
    assert_int_equal(selection.capacity, 10000);
    assert_int_equal(selection.iou, 65535);
    selection = calibrate((rung_context_options){.max_targets = 1});
    assert_int_equal(selection.considered, 50);
}

static void refuse(const struct rung__header *header, rung_context_options options,
                   const char *word)
{
    struct rung__selection selection;
    bool overridden;
    assert_int_equal(rung__calibrate(header, &options, &selection, &overridden),
                     RUNG_INVALID_ARGUMENT);
    if (!strstr(rung_last_error(), word))
        fail_msg("\"%s\" is not in \"%s\"", word, rung_last_error());
}

static void a_wish_that_cannot_be_is_a_sentence(void **state)
{
    const uint32_t leave = RUNG_CONTEXT_OVERRIDE_CALIBRATION;
    struct rung__header other = detector;
    (void)state;
    refuse(&detector, (rung_context_options){.min_confidence = 1}, "OVERRIDE_CALIBRATION");
    refuse(&detector, (rung_context_options){.flags = leave, .min_confidence = 65536}, "1..65535");
    refuse(&detector, (rung_context_options){.flags = leave, .iou = 65536}, "iou is 65536");
    refuse(&detector, (rung_context_options){.flags = leave, .max_targets = 10001}, "1..10000");
    other.selection.flags = 0;
    refuse(&other, (rung_context_options){.flags = leave, .iou = 1}, "does not suppress");
    other.role = RUNG_ROLE_EMBEDDER;
    refuse(&other, (rung_context_options){.flags = leave, .max_targets = 1}, "for detectors");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_wishes_they_are_the_artifacts),
        cmocka_unit_test(a_lower_confidence_finds_room_for_more_rows),
        cmocka_unit_test(a_band_that_would_ask_for_more_is_off),
        cmocka_unit_test(more_targets_raise_the_limits_before_them),
        cmocka_unit_test(a_wish_that_cannot_be_is_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
