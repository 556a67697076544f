/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest vectors are those of the greatest cosine, and files of vectors are NumPy's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../../cli/near.h"
#include "../../cli/npy.h"

#define COLUMNS 19

static struct near_set set_of(const float rows[][COLUMNS], size_t count)
{
    struct near_set set = {.columns = COLUMNS};
    for (size_t i = 0; i < count; i++)
        assert_true(near_add(&set, rows[i]));
    return set;
}

static const float vectors[6][COLUMNS] = {
    [0] = {[0] = 1, [18] = 0},
    [1] = {[0] = 3, [18] = 4},
    [2] = {[18] = 2},
    [3] = {[0] = -5},
    [4] = {0},
    [5] = {[0] = 30, [18] = 40},
};

static void the_nearest_come_first_and_of_equal_ones_the_first(void **state)
{
    static const struct near_match expected[] = {{1, 1.0}, {5, 1.0}, {2, 0.8},
                                                 {0, 0.6}, {4, 0.0}, {3, -0.6}};
    struct near_match best[8];
    struct near_set set = set_of(vectors, 6);
    (void)state;
    assert_int_equal(near_find(&set, vectors[1], NEAR_NO_ROW, best, 8), 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(best[i].row, expected[i].row);
        assert_true(best[i].cosine - expected[i].cosine < 1e-15);
        assert_true(expected[i].cosine - best[i].cosine < 1e-15);
    }
    near_finish(&set);
}

static void only_as_many_as_are_wanted_and_not_itself(void **state)
{
    struct near_match best[2];
    struct near_set set = set_of(vectors, 6);
    (void)state;
    assert_int_equal(near_find(&set, vectors[1], 1, best, 2), 2);
    assert_int_equal(best[0].row, 5);
    assert_int_equal(best[1].row, 2);
    assert_int_equal(near_find(&set, vectors[3], NEAR_NO_ROW, best, 1), 1);
    assert_int_equal(best[0].row, 3);
    assert_int_equal(near_find(&set, vectors[3], 3, best, 0), 0);
    near_finish(&set);
    assert_int_equal(near_find(&set, vectors[3], NEAR_NO_ROW, best, 2), 0);
}

static void zeros_have_cosine_0_with_all(void **state)
{
    struct near_match best[6];
    struct near_set set = set_of(vectors, 6);
    (void)state;
    assert_int_equal(near_find(&set, vectors[4], NEAR_NO_ROW, best, 6), 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(best[i].row, i);
        assert_true(best[i].cosine == 0.0);
    }
    near_finish(&set);
}

static void many_vectors_stay_what_they_were(void **state)
{
    struct near_set set = {.columns = COLUMNS};
    struct near_match best[1];
    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        float vector[COLUMNS] = {1, (float)i};
        assert_true(near_add(&set, vector));
    }
    const float vector[COLUMNS] = {2, 2 * 777};
    assert_int_equal(near_find(&set, vector, NEAR_NO_ROW, best, 1), 1);
    assert_int_equal(best[0].row, 777);
    near_finish(&set);
}

/* ---- files ------------------------------------------------------------------------------- */

static void a_header_is_read_as_it_was_written(void **state)
{
    static const struct npy_shape shapes[] = {{0, 1}, {2, 3}, {999999999999999, 65536}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char bytes[NPY_HEADER_BYTES];
        struct npy_shape shape = {77, 77};
        npy_header(shapes[i], bytes);
        assert_int_equal(npy_read_header(bytes, sizeof bytes, &shape), NPY_HEADER_BYTES);
        assert_true(shape.rows == shapes[i].rows);
        assert_int_equal(shape.columns, shapes[i].columns);
        for (size_t size = 0; size < sizeof bytes; size++)
            assert_int_equal(npy_read_header(bytes, size, &shape), 0);
    }
}

/** With numpy's own text of another length. */
static size_t read_text(const char *text)
{
    char bytes[256] = "\x93NUMPY\x01\x00";
    struct npy_shape shape;
    bytes[8] = (char)strlen(text);
    for (size_t i = 0; text[i]; i++)
        bytes[10 + i] = text[i];
    return npy_read_header(bytes, sizeof bytes, &shape);
}

static void only_rows_of_f32_are_taken(void **state)
{
    static const char *const others[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } \n",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), } \n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), } \n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), } \n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), } \n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000000, 3), } \n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 65537), } \n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 0), } \n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } ",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }x\n",
        "",
    };
    (void)state;
    assert_int_equal(read_text("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }    \n"),
                     10 + 64);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(read_text(others[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_come_first_and_of_equal_ones_the_first),
        cmocka_unit_test(only_as_many_as_are_wanted_and_not_itself),
        cmocka_unit_test(zeros_have_cosine_0_with_all),
        cmocka_unit_test(many_vectors_stay_what_they_were),
        cmocka_unit_test(a_header_is_read_as_it_was_written),
        cmocka_unit_test(only_rows_of_f32_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
