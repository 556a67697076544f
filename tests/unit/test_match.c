/* SPDX-License-Identifier: Apache-2.0 */
/* The threshold stands between what is the same and what is not, whatever the order of the
 * pictures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../cli/match.h"

#define PICTURES 8
#define COLUMNS  PICTURES

/** Picture i points along axis i, its middle a little to the next one: `aside` of f32, and of the
 * form. */
static void add(struct match_set *set, size_t i, float aside, float aside_of_form)
{
    float rows[MATCH_ROWS][COLUMNS] = {{0}};
    for (size_t row = 0; row < MATCH_ROWS; row++)
        rows[row][i] = 1;
    rows[MATCH_RIGHT_MIDDLE][(i + 1) % COLUMNS] = aside;
    rows[MATCH_FORM_MIDDLE][(i + 1) % COLUMNS] = aside_of_form;
    set->rows.columns = COLUMNS;
    assert_true(match_begin(set, i));
    for (size_t row = 0; row < MATCH_ROWS; row++)
        assert_true(near_add(&set->rows, rows[row]));
}

static bool is_near(double value, double expected)
{
    return fabs(value - expected) < 1e-9;
}

static void the_threshold_is_halfway_from_the_least_alike_to_the_most_alike_others(void **state)
{
    (void)state;
    struct match_set set = {0};
    struct match_fit right, form;
    for (size_t i = 0; i < PICTURES; i++)
        add(&set, i, i == 3 ? 1.0f : 0.0f, 0.0f);
    assert_true(match_fit(&set, &right, &form));
    assert_true(is_near(right.threshold, sqrt(0.5) / 2)); /* picture 3: a cosine of √½; others: 0 */
    assert_true(is_near(form.threshold, 0.5));
    match_finish(&set);
}

static void the_interval_holds_the_threshold_and_tells_how_uncertain_it_is(void **state)
{
    (void)state;
    struct match_set set = {0};
    struct match_fit right, form;
    for (size_t i = 0; i < PICTURES; i++)
        add(&set, i, i == 3 ? 1.0f : 0.0f, 0.0f);
    assert_true(match_fit(&set, &right, &form));
    /* A third of the draws are without picture 3. */
    assert_true(is_near(right.from, sqrt(0.5) / 2) && is_near(right.to, 0.5));
    match_finish(&set);
    for (size_t i = 0; i < PICTURES; i++)
        add(&set, i, 1.0f, 0.0f);
    assert_true(match_fit(&set, &right, &form));
    assert_true(is_near(right.from, right.threshold) && is_near(right.to, right.threshold));
    match_finish(&set);
}

static void a_same_one_that_is_less_alike_than_others_is_given_up(void **state)
{
    (void)state;
    struct match_set set = {0};
    struct match_fit right, form;
    for (size_t i = 0; i < PICTURES; i++)
        add(&set, i, 0.25f, 0.0f);
    /* The middle of another picture, which shows something else altogether. */
    float rows[MATCH_ROWS][COLUMNS] = {{0}};
    rows[MATCH_RIGHT][0] = rows[MATCH_RIGHT][1] = rows[MATCH_FORM][0] = 1;
    rows[MATCH_RIGHT_MIDDLE][5] = rows[MATCH_FORM_MIDDLE][5] = 1;
    assert_true(match_begin(&set, PICTURES));
    for (size_t row = 0; row < MATCH_ROWS; row++)
        assert_true(near_add(&set.rows, rows[row]));
    assert_true(match_fit(&set, &right, &form));
    assert_true(right.threshold > sqrt(0.5) && right.threshold < 1 / sqrt(1 + 0.0625));
    match_finish(&set);
}

static void whichever_thread_had_a_picture_the_fit_is_the_same(void **state)
{
    (void)state;
    struct match_set set = {0}, first = {0}, second = {0}, joined = {0};
    struct match_fit fits[4];
    for (size_t i = 0; i < PICTURES; i++)
        add(&set, i, 0.25f * (float)i, 0.5f);
    for (size_t i = PICTURES; i-- > 0;)
        add(i % 3 ? &first : &second, i, 0.25f * (float)i, 0.5f);
    assert_true(match_append(&joined, &first) && match_append(&joined, &second));
    assert_true(match_fit(&set, &fits[0], &fits[1]) && match_fit(&joined, &fits[2], &fits[3]));
    assert_true(fits[0].threshold == fits[2].threshold && fits[1].threshold == fits[3].threshold);
    assert_true(fits[0].from == fits[2].from && fits[0].to == fits[2].to);
    match_finish(&set);
    match_finish(&first);
    match_finish(&second);
    match_finish(&joined);
}

static void of_no_pictures_there_is_no_threshold(void **state)
{
    (void)state;
    struct match_set set = {0};
    struct match_fit right = {.threshold = 7}, form = {.threshold = 7};
    assert_true(match_fit(&set, &right, &form));
    assert_true(right.threshold == 0 && form.threshold == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_threshold_is_halfway_from_the_least_alike_to_the_most_alike_others),
        cmocka_unit_test(the_interval_holds_the_threshold_and_tells_how_uncertain_it_is),
        cmocka_unit_test(a_same_one_that_is_less_alike_than_others_is_given_up),
        cmocka_unit_test(whichever_thread_had_a_picture_the_fit_is_the_same),
        cmocka_unit_test(of_no_pictures_there_is_no_threshold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
