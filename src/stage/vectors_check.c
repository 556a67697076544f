/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/vectors_check.h"

#include <stdlib.h>

#include "base/memory.h"

#include "stage/vectors_compare.h"

static void *take_heap(size_t size)
{
    return rung__memory_new(size);
}

static void give_heap(void *memory, size_t size)
{
    (void)size;
    free(memory);
}

const struct rung__vectors_memory rung__vectors_heap = {take_heap, give_heap};

static rung__vectors_check_fn *const checks[RUNG__VECTORS_KINDS] = {
    [RUNG__VECTORS_FIT] = rung__vectors_check_fit,
    [RUNG__VECTORS_AXIS] = rung__vectors_check_axis,
    [RUNG__VECTORS_ADMISSION] = rung__vectors_check_admission,
    [RUNG__VECTORS_PREPROCESS] = rung__vectors_check_preprocess,
    [RUNG__VECTORS_MATH] = rung__vectors_check_math,
    [RUNG__VECTORS_DECODE] = rung__vectors_check_decode,
    [RUNG__VECTORS_SELECT] = rung__vectors_check_select,
    [RUNG__VECTORS_E2E] = rung__vectors_check_e2e,
};

rung_result rung__vectors_check(const struct rung__vectors_case *vector, uint64_t cpu_flags,
                                const struct rung__vectors_memory *memory)
{
    struct rung__vectors_run run = {.cpu_flags = cpu_flags, .memory = memory};
    const rung_result result = checks[vector->kind](&run, vector);
    for (size_t i = 0; i < run.block_count; i++)
        memory->give(run.blocks[i].memory, run.blocks[i].size);
    return result;
}
