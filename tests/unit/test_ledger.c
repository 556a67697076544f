/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: what the stages take is in the ledger, and goes out of it with them; a frame that fits
 * enters nothing, and one that needs more memory, or a thread to be woken, enters just that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/cpu_flags.h"
#include "stage/buffer/buffer.h"
#include "stage/catalog.h"
#include "stage/implementations.h"
#include "stage/pre/pre.h"
#include "stage/schedule/schedule.h"

#define SIDE    64u
#define LARGER  640u
#define WORKERS 3u

static const struct rung__canvas canvas = {
    .width = SIDE,
    .height = SIDE,
    .channels = 3,
    .dtype = RUNG_DTYPE_F32,
    .layout = RUNG_LAYOUT_PLANAR,
    .fit = RUNG_FIT_STRETCH,
    .rounding = RUNG_ROUNDING_FLOOR,
    .resampler = RUNG_RESAMPLER_TRIANGLE,
    .order = RUNG_CHANNEL_ORDER_RGB,
    .scale = {1, 1, 1},
};

static struct rung__ledger ledger;

static struct rung__stage_context context_of(void)
{
    static const struct rung__selection selection = {.capacity = 100, .max_targets = 10};
    memset(&ledger, 0, sizeof ledger);
    return (struct rung__stage_context){
        .cpu_flags = rung__cpu_level_best()->flags,
        .workers = WORKERS,
        .canvas = &canvas,
        .selection = &selection,
        .ledger = &ledger,
    };
}

static void expect(uint64_t allocations, uint64_t hand_overs)
{
    assert_int_equal(ledger.allocations, allocations);
    assert_int_equal(ledger.hand_overs, hand_overs);
}

static void expect_empty(void)
{
    assert_int_equal(ledger.bytes, 0);
    assert_int_equal(ledger.threads, 0);
}

static void every_object_takes_its_entries_with_it(void **state)
{
    (void)state;
    for (uint32_t stage = 0; stage < RUNG__STAGES; stage++)
        for (const struct rung__implementation *const *each = rung__catalog.stages[stage]; *each;
             each++) {
            const struct rung__stage_context context = context_of();
            void *object = NULL;
            assert_int_equal((*each)->operations->create(&context, &object), RUNG_OK);
            assert_int_equal(ledger.bytes > 0, object != NULL);
            assert_int_equal(ledger.allocations, object != NULL);
            assert_int_equal(ledger.threads, ledger.threads_started);
            (*each)->operations->destroy(object);
            expect_empty();
        }
}

/** One frame of this side. */
static void preprocess(const struct rung__implementation *implementation, void *object,
                       uint32_t side)
{
    const struct rung__crop whole = {0, 0, side, side};
    uint8_t *pixels = calloc((size_t)side * side, 3);
    void *tensor = rung__memory_new(rung__tensor_bytes(&canvas));
    struct rung__placement placement;
    rung__fit(&canvas, &whole, &placement);
    const struct rung__surface surface = {pixels, (uint64_t)side * 3, side, side, RUNG_PIXEL_RGB8};
    struct rung__pre_request request = {
        .canvas = &canvas, .placement = &placement, .surface = &surface, .tensor = tensor};
    assert_non_null(pixels);
    assert_int_equal(implementation->operations->run(object, &request), RUNG_OK);
    free(pixels);
    free(tensor);
}

static void only_a_larger_frame_than_any_before_allocates(void **state)
{
    (void)state;
    const struct rung__stage_context context = context_of();
    void *object = NULL;
    assert_int_equal(rung__pre_base.operations->create(&context, &object), RUNG_OK);
    preprocess(&rung__pre_base, object, SIDE);
    const uint64_t allocations = ledger.allocations, bytes = ledger.bytes;
    preprocess(&rung__pre_base, object, SIDE);
    preprocess(&rung__pre_base, object, SIDE / 2);
    expect(allocations, 0);
    assert_int_equal(ledger.bytes, bytes);
    preprocess(&rung__pre_base, object, LARGER);
    assert_true(ledger.allocations > allocations && ledger.bytes > bytes);
    rung__pre_base.operations->destroy(object);
    expect_empty();
}

static void each_worker_of_a_frame_is_woken_and_answers(void **state)
{
    (void)state;
    const struct rung__stage_context context = context_of();
    void *object = NULL;
    assert_int_equal(rung__pre_threaded.operations->create(&context, &object), RUNG_OK);
    assert_int_equal(ledger.threads, WORKERS - 1);
    preprocess(&rung__pre_threaded, object, SIDE);
    const uint64_t allocations = ledger.allocations;
    expect(allocations, UINT64_C(2) * (WORKERS - 1));
    preprocess(&rung__pre_threaded, object, SIDE);
    expect(allocations, UINT64_C(4) * (WORKERS - 1));
    rung__pre_threaded.operations->destroy(object);
    expect_empty();
    assert_int_equal(ledger.threads_started, WORKERS - 1);
}

static void a_tensor_that_is_copied_needs_memory_once(void **state)
{
    (void)state;
    const struct rung__stage_context context = context_of();
    static _Alignas(64) uint8_t input[4096];
    void *object = NULL;
    assert_int_equal(rung__buffer_base.operations->create(&context, &object), RUNG_OK);
    for (uint64_t bytes = 1024; bytes <= sizeof input; bytes *= 4)
        for (int i = 0; i < 3; i++) {
            struct rung__buffer_request request = {RUNG__BUFFER_TARGET, input, bytes, NULL};
            assert_int_equal(rung__buffer_base.operations->run(object, &request), RUNG_OK);
            assert_ptr_not_equal(request.target, input);
        }
    expect(3, 0); /* itself, and two sizes */
    assert_true(ledger.bytes > sizeof input);
    rung__buffer_base.operations->destroy(object);
    expect_empty();
}

static bool two_frames(void *user, uint32_t slot)
{
    int *left = user;
    (void)slot;
    return (*left)-- > 0;
}

static void nothing(void *user, uint32_t slot)
{
    (void)user, (void)slot;
}

static void a_series_wakes_two_threads_for_each_frame(void **state)
{
    (void)state;
    const struct rung__stage_context context = context_of();
    void *object = NULL;
    int left = 2;
    assert_int_equal(rung__schedule_overlap.operations->create(&context, &object), RUNG_OK);
    assert_int_equal(ledger.threads, 1);
    struct rung__schedule_request request = {&left, two_frames, nothing, nothing};
    assert_int_equal(rung__schedule_overlap.operations->run(object, &request), RUNG_OK);
    expect(1, 2 * 2 + 3); /* of the series: its begin, that there is none more, and its end */
    rung__schedule_overlap.operations->destroy(object);
    expect_empty();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_object_takes_its_entries_with_it),
        cmocka_unit_test(only_a_larger_frame_than_any_before_allocates),
        cmocka_unit_test(each_worker_of_a_frame_is_woken_and_answers),
        cmocka_unit_test(a_tensor_that_is_copied_needs_memory_once),
        cmocka_unit_test(a_series_wakes_two_threads_for_each_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
