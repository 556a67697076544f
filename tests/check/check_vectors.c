/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every case of the test vectors comes out byte for byte with every implementation, as `rung
 * vectors` runs them, but with every block of memory in front of a guard page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/file.h"
#include "guard.h"
#include "kernel/cpu_flags.h"
#include "stage/vectors_check.h"

#define FOLDER     TEST_DATA "/vectors/"
#define FILE_BYTES ((size_t)16 << 20)

static void *take_guarded(size_t size)
{
    return guard_bytes(size, 0xa5).bytes;
}

static void give_guarded(void *memory, size_t size)
{
    struct guarded guarded = guard_around(memory, size);
    guard_free(&guarded);
}

static const struct rung__vectors_memory guarded_memory = {take_guarded, give_guarded};

static void open_vectors(const char *path, struct rung__vectors *vectors)
{
    struct rung__buffer text = {0};
    rung_result result = rung__file_load(path, FILE_BYTES, &text);
    if (result == RUNG_OK)
        result = rung__vectors_parse(rung__buffer_bytes(&text), path, vectors);
    rung__buffer_finish(&text);
    if (result != RUNG_OK)
        fail_msg("%s", rung_last_error());
}

static void check_case(const struct rung__vectors *vectors, size_t i,
                       const struct rung__cpu_level *level)
{
    struct rung__vectors_case vector;
    assert_int_equal(rung__vectors_read(vectors, i, &vector), RUNG_OK);
    const rung_result result = rung__vectors_check(&vector, level->flags, &guarded_memory);
    if (result != RUNG_OK)
        fail_msg("%s: %s: %s", vector.where, level->name, rung_last_error());
    rung__vectors_case_finish(&vector);
}

static void check_file(const char *path)
{
    struct rung__vectors vectors = {0};
    const struct rung__cpu_level *level;
    open_vectors(path, &vectors);
    for (size_t i = 0; (level = rung__cpu_level(i)); i++) {
        for (size_t k = 0; k < vectors.count; k++)
            check_case(&vectors, k, level);
        print_message("%s with %s: %zu cases\n", vectors.group, level->name, vectors.count);
    }
    rung__vectors_finish(&vectors);
}

static void fit_comes_out_exactly(void **state)
{
    (void)state;
    check_file(FOLDER "fit.json");
}

static void triangle_weights_come_out_exactly(void **state)
{
    (void)state;
    check_file(FOLDER "triangle_axis.json");
}

static void scale_and_bias_are_admitted_by_the_rules(void **state)
{
    (void)state;
    check_file(FOLDER "admission.json");
}

static void exp_and_sigmoid_come_out_exactly(void **state)
{
    (void)state;
    check_file(FOLDER "math.json");
}

static void tensors_come_out_exactly(void **state)
{
    (void)state;
    check_file(FOLDER "preprocess.json");
}

static void rows_are_decoded_exactly(void **state)
{
    (void)state;
    check_file(FOLDER "decode_rows.json");
}

static void yolo_is_decoded_exactly(void **state)
{
    (void)state;
    check_file(FOLDER "decode_yolo.json");
}

static void yolo_obj_is_decoded_exactly(void **state)
{
    (void)state;
    check_file(FOLDER "decode_yolo_obj.json");
}

static void yolo_e2e_is_decoded_exactly(void **state)
{
    (void)state;
    check_file(FOLDER "decode_yolo_e2e.json");
}

static void detr_is_decoded_exactly(void **state)
{
    (void)state;
    check_file(FOLDER "decode_detr.json");
}

static void centernet_is_decoded_exactly(void **state)
{
    (void)state;
    check_file(FOLDER "decode_centernet.json");
}

static void packets_come_out_exactly(void **state)
{
    (void)state;
    check_file(FOLDER "select.json");
}

static void model_outputs_become_packets_exactly(void **state)
{
    (void)state;
    check_file(FOLDER "e2e.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_comes_out_exactly),
        cmocka_unit_test(triangle_weights_come_out_exactly),
        cmocka_unit_test(scale_and_bias_are_admitted_by_the_rules),
        cmocka_unit_test(exp_and_sigmoid_come_out_exactly),
        cmocka_unit_test(tensors_come_out_exactly),
        cmocka_unit_test(rows_are_decoded_exactly),
        cmocka_unit_test(yolo_is_decoded_exactly),
        cmocka_unit_test(yolo_obj_is_decoded_exactly),
        cmocka_unit_test(yolo_e2e_is_decoded_exactly),
        cmocka_unit_test(detr_is_decoded_exactly),
        cmocka_unit_test(centernet_is_decoded_exactly),
        cmocka_unit_test(packets_come_out_exactly),
        cmocka_unit_test(model_outputs_become_packets_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
