/* SPDX-License-Identifier: Apache-2.0 */
/* Every case of the test vectors comes out byte for byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "artifact/header.h"
#include "guard.h"
#include "kernel/exact.h"
#include "kernel/resample.h"
#include "vectors.h"

#define FOLDER TEST_DATA "/vectors"

#define REQUIRE(id, condition)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("%s: %s (%s)", id, #condition, rung_last_error());                            \
    } while (0)

typedef rung_result read_case(const struct vectors *vectors, size_t i, struct vectors_case *out);
typedef void check_case(const struct vectors_case *vector);

/** Heads that have a decoder; the others' cases wait for theirs. */
static bool has_decoder(uint32_t head)
{
    struct rung__decode_kernels kernels;
    rung__decode_init(&kernels, 0);
    return head <= RUNG_HEAD_SSD && kernels.heads[head];
}

/** Runs a group; with `by_head`, only the cases whose head has a decoder. */
static void run_group(const char *group, read_case *read, check_case *check, bool by_head)
{
    struct vectors vectors;
    size_t checked = 0;
    REQUIRE(group, vectors_open(FOLDER, group, &vectors) == RUNG_OK);
    for (size_t i = 0; i < vectors.count; i++) {
        struct vectors_case vector;
        if (by_head && !has_decoder(vectors_head(&vectors, i)))
            continue;
        REQUIRE(group, read(&vectors, i, &vector) == RUNG_OK);
        check(&vector);
        vectors_case_finish(&vector);
        checked++;
    }
    print_message("%s: %zu of %zu cases\n", group, checked, vectors.count);
    vectors_close(&vectors);
    assert_true(checked > 0);
}

static struct rung__placement place(const struct vectors_place *where)
{
    struct rung__placement placement;
    rung__fit(&where->canvas, &where->crop, &placement);
    return placement;
}

static bool is_placed(const struct rung__placement *actual, const struct rung__placement *expected)
{
    return actual->width == expected->width && actual->height == expected->height &&
           actual->x == expected->x && actual->y == expected->y;
}

/* ---- fit, axes, admission, arithmetic -------------------------------------------------------- */

static bool is_axis(const struct rung__axis *actual, const struct rung__axis *expected)
{
    return rung__f32_bits(actual->au) == rung__f32_bits(expected->au) &&
           rung__f32_bits(actual->bu) == rung__f32_bits(expected->bu) &&
           actual->low == expected->low && actual->high == expected->high;
}

static void check_fit(const struct vectors_case *vector)
{
    const struct vectors_fit *fit = &vector->fit;
    const struct rung__placement placement = place(&fit->place);
    struct rung__mapping mapping;
    rung__mapping(&placement, fit->place.source_width, fit->place.source_height, &mapping);
    REQUIRE(vector->id, is_placed(&placement, &fit->placement));
    REQUIRE(vector->id, mapping.k == fit->mapping.k);
    REQUIRE(vector->id, is_axis(&mapping.x, &fit->mapping.x));
    REQUIRE(vector->id, is_axis(&mapping.y, &fit->mapping.y));
}

static void fit_comes_out_exactly(void **state)
{
    (void)state;
    run_group("fit", vectors_read_fit, check_fit, false);
}

static void check_axis(const struct vectors_case *vector)
{
    const struct vectors_axis *axis = &vector->axis;
    const uint32_t taps = rung__axis_triangle_taps(axis->outputs, axis->samples);
    struct rung__window *windows = calloc(axis->outputs, sizeof *windows);
    uint32_t *weights = calloc((size_t)axis->outputs * taps, sizeof *weights);
    uint8_t *table = malloc((size_t)axis->outputs * (8 + (size_t)taps * 4));
    uint8_t *at = table;
    assert_true(windows && weights && table);
    rung__axis_triangle(axis->outputs, axis->samples, windows, weights);
    for (uint32_t i = 0; i < axis->outputs; i++) {
        rung__put_u32(at, windows[i].first);
        rung__put_u32(at + 4, windows[i].count);
        at += 8;
        for (uint32_t j = 0; j < windows[i].count; j++, at += 4)
            rung__put_u32(at, weights[(size_t)i * taps + j]);
    }
    REQUIRE(vector->id, vectors_blob_matches(&axis->table, table, (size_t)(at - table)));
    free(table);
    free(weights);
    free(windows);
}

static void triangle_weights_come_out_exactly(void **state)
{
    (void)state;
    run_group("triangle_axis", vectors_read_axis, check_axis, false);
}

static void check_admission(const struct vectors_case *vector)
{
    struct rung__canvas canvas = vector->admission.canvas;
    const rung_result expected = vector->admission.admitted ? RUNG_OK : RUNG_INTEGRITY;
    REQUIRE(vector->id, rung__canvas_admit(&canvas) == expected);
}

static void scale_and_bias_are_admitted_by_the_rules(void **state)
{
    (void)state;
    run_group("admission", vectors_read_admission, check_admission, false);
}

static void check_math(const struct vectors_case *vector)
{
    const struct vectors_math *math = &vector->math;
    for (size_t i = 0; i < math->count; i++) {
        const float x = rung__f32_from_bits(math->x[i]);
        REQUIRE(vector->id, rung__f32_bits(rung__exp(x)) == math->exp[i]);
        REQUIRE(vector->id, rung__sigmoid_confidence(x) == math->sigmoid[i]);
    }
}

static void exp_and_sigmoid_come_out_exactly(void **state)
{
    (void)state;
    run_group("math", vectors_read_math, check_math, false);
}

/* ---- preprocess ------------------------------------------------------------------------------ */

/** Everything ends at a guard page: surface, workspace, tensor. */
static void check_preprocess(const struct vectors_case *vector)
{
    const struct vectors_preprocess *preprocess = &vector->preprocess;
    const struct rung__canvas *canvas = &preprocess->place.canvas;
    const struct rung__placement placement = place(&preprocess->place);
    struct rung__preprocess_kernels kernels;
    struct guarded pixels = guard_bytes((size_t)preprocess->surface_bytes, 0);
    struct guarded tensor = guard_bytes((size_t)rung__tensor_bytes(canvas), 0xa5);
    struct guarded workspace =
        guard_bytes((size_t)rung__preprocess_workspace(canvas, &placement), 0xa5);
    struct rung__surface surface = preprocess->surface;
    surface.pixels = pixels.bytes;
    REQUIRE(vector->id, vectors_make_surface(preprocess, pixels.bytes) == RUNG_OK);
    REQUIRE(vector->id, rung__surface_check(&surface, &preprocess->place.crop) == RUNG_OK);
    rung__preprocess_init(&kernels, 0);
    kernels.run(canvas, &placement, &surface, workspace.bytes, tensor.bytes);
    REQUIRE(vector->id, vectors_blob_matches(&preprocess->tensor, tensor.bytes, tensor.size));
    guard_free(&workspace);
    guard_free(&tensor);
    guard_free(&pixels);
}

static void tensors_come_out_exactly(void **state)
{
    (void)state;
    run_group("preprocess", vectors_read_preprocess, check_preprocess, false);
}

/* ---- decode ---------------------------------------------------------------------------------- */

/** A decoder's output; every array ends at a guard page. */
struct output {
    struct rung__decoded decoded;
    struct guarded candidates, points, rows;
};

static struct output run_decode(const struct vectors_decode *decode,
                                const struct rung__mapping *mapping)
{
    const size_t capacity = decode->selection.capacity;
    const size_t points_per = rung__head_points(decode->head);
    struct rung__decode_kernels kernels;
    struct rung__decode_request request = {
        &decode->place.canvas, mapping, &decode->selection, &decode->tensors, {{NULL, NULL}}};
    struct output output = {
        .candidates = guard_bytes(capacity * sizeof(struct rung__candidate), 0xa5),
        .points = guard_bytes(capacity * points_per * 8, 0xa5),
        .rows = guard_bytes(capacity * sizeof(uint32_t), 0xa5),
    };
    output.decoded.candidates = (struct rung__candidate *)output.candidates.bytes;
    output.decoded.points = points_per ? (int32_t *)output.points.bytes : NULL;
    output.decoded.rows = (uint32_t *)output.rows.bytes;
    for (uint32_t i = 0; i < decode->tensors.output_count; i++)
        request.outputs[i] = (struct rung__values){decode->data[i], &decode->tensors.outputs[i]};
    rung__decode_init(&kernels, 0);
    kernels.heads[decode->head](&request, &output.decoded);
    return output;
}

static void finish_output(struct output *output)
{
    guard_free(&output->rows);
    guard_free(&output->points);
    guard_free(&output->candidates);
}

static void check_output(const char *id, const struct vectors_decode *decode,
                         const struct rung__decoded *decoded)
{
    REQUIRE(id, decoded->survivors == decode->survivors);
    REQUIRE(id, decoded->count == decode->count);
    REQUIRE(id, (decoded->survivors > decoded->count) == decode->left_out);
    REQUIRE(id, decoded->points_per == rung__head_points(decode->head));
    REQUIRE(id, vectors_blob_matches(&decode->records, decoded->candidates,
                                     decoded->count * sizeof *decoded->candidates));
    for (uint32_t i = 0; decode->rows && i < decoded->count; i++)
        REQUIRE(id, decoded->rows[i] == decode->rows[i]);
    if (decode->points.size > 0)
        REQUIRE(id, vectors_blob_matches(&decode->points, decoded->points,
                                         (size_t)decoded->count * decoded->points_per * 8));
}

static struct rung__mapping map_back(const char *id, const struct vectors_decode *decode)
{
    const struct rung__placement placement = place(&decode->place);
    struct rung__mapping mapping;
    rung__mapping(&placement, decode->place.source_width, decode->place.source_height, &mapping);
    REQUIRE(id, is_placed(&placement, &decode->placement));
    REQUIRE(id, mapping.k == decode->k);
    return mapping;
}

static void check_decode(const struct vectors_case *vector)
{
    const struct rung__mapping mapping = map_back(vector->id, &vector->decode);
    struct output output = run_decode(&vector->decode, &mapping);
    check_output(vector->id, &vector->decode, &output.decoded);
    finish_output(&output);
}

static void rows_are_decoded_exactly(void **state)
{
    (void)state;
    run_group("decode_rows", vectors_read_decode, check_decode, false);
}

static void centernet_is_decoded_exactly(void **state)
{
    (void)state;
    run_group("decode_centernet", vectors_read_decode, check_decode, false);
}

/* ---- select ---------------------------------------------------------------------------------- */

/** A span one byte short gives the size that is needed and stays as it was. */
static void check_short_span(const char *id, const struct rung__packet_request *request,
                             size_t total)
{
    struct guarded span = guard_bytes(total - 1, 0x5a);
    size_t needed = 0;
    REQUIRE(id, rung__packet_write(request, span.bytes, span.size, &needed) == RUNG_CAPACITY);
    REQUIRE(id, needed == total);
    for (size_t i = 0; i < span.size; i++)
        REQUIRE(id, span.bytes[i] == 0x5a);
    guard_free(&span);
}

static void check_packet(const char *id, const struct vectors_select *select,
                         const struct rung__packet_request *request)
{
    struct guarded span = guard_bytes((size_t)select->bytes.size, 0x5a);
    size_t needed = 0;
    check_short_span(id, request, span.size);
    REQUIRE(id, rung__packet_write(request, span.bytes, span.size, &needed) == RUNG_OK);
    REQUIRE(id, rung__get_u32(span.bytes + offsetof(rung_packet_header, flags)) ==
                    select->packet_flags);
    REQUIRE(id, vectors_blob_matches(&select->bytes, span.bytes, needed));
    guard_free(&span);
}

static void check_order(const char *id, const struct vectors_select *select,
                        const struct rung__selected *selected)
{
    struct vectors_blob indices = {.size = selected->count * sizeof *selected->order};
    memcpy(indices.digest, select->indices_digest, sizeof indices.digest);
    REQUIRE(id, selected->admitted == select->admitted);
    REQUIRE(id, selected->accepted == select->accepted);
    REQUIRE(id, selected->count == select->count);
    for (uint32_t i = 0; select->indices && i < selected->count; i++)
        REQUIRE(id, selected->order[i] == select->indices[i]);
    REQUIRE(id, vectors_blob_matches(&indices, selected->order, (size_t)indices.size));
}

static void run_select(const char *id, const struct vectors_select *select,
                       const struct rung__candidate *candidates, uint32_t count,
                       struct rung__packet_request packet)
{
    struct rung__select_kernels kernels;
    struct guarded order = guard_bytes(select->selection.max_targets * sizeof(uint32_t), 0xa5);
    struct guarded workspace =
        guard_bytes((size_t)rung__select_workspace(&select->selection, count), 0xa5);
    struct rung__selected selected = {.order = (uint32_t *)order.bytes};
    rung__select_init(&kernels, 0);
    kernels.run(candidates, count, &select->selection, packet.k, workspace.bytes, &selected);
    check_order(id, select, &selected);
    packet.candidates = candidates;
    packet.selected = &selected;
    check_packet(id, select, &packet);
    guard_free(&workspace);
    guard_free(&order);
}

static void check_select(const struct vectors_case *vector)
{
    const struct vectors_select *select = &vector->select;
    run_select(vector->id, select, select->candidates, select->candidate_count, select->packet);
}

static void packets_come_out_exactly(void **state)
{
    (void)state;
    run_group("select", vectors_read_select, check_select, false);
}

static void check_e2e(const struct vectors_case *vector)
{
    const struct rung__mapping mapping = map_back(vector->id, &vector->decode);
    struct output output = run_decode(&vector->decode, &mapping);
    const struct rung__decoded *decoded = &output.decoded;
    struct rung__packet_request packet = vector->select.packet;
    check_output(vector->id, &vector->decode, decoded);
    packet.left_out = decoded->survivors > decoded->count;
    packet.points = (struct rung__points){decoded->points, NULL, decoded->points_per,
                                          decoded->points ? decoded->count : 0};
    run_select(vector->id, &vector->select, decoded->candidates, decoded->count, packet);
    finish_output(&output);
}

static void model_outputs_become_packets_exactly(void **state)
{
    (void)state;
    run_group("e2e", vectors_read_e2e, check_e2e, true);
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
        cmocka_unit_test(centernet_is_decoded_exactly),
        cmocka_unit_test(packets_come_out_exactly),
        cmocka_unit_test(model_outputs_become_packets_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
