/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "check_operations.h"
#include "kernel/embedding.h"
#include "kernel/exact.h"

#define EXPONENTS 254u /* of finite numbers; 0: zero and the subnormals */

/** What the numbers of a case are drawn from. */
enum drawn { ANY, NEAR, TINY, ZEROS, DRAWN };

static float draw(struct sweep *sweep, uint32_t from)
{
    const uint32_t bits = sweep_bits(sweep), fraction = bits & 0x807fffffu;
    switch (from) {
    case ANY:
        return rung__f32_from_bits(fraction | sweep_range(sweep, 0, EXPONENTS) << 23);
    case NEAR: /* exponents about 60 apart: what is just kept and what is just dropped */
        return rung__f32_from_bits(fraction | (sweep_range(sweep, 0, 1) * 60 + bits % 3 + 60)
                                                  << 23);
    case TINY:
        return rung__f32_from_bits(fraction | sweep_range(sweep, 0, 2) << 23);
    default:
        return rung__f32_from_bits(bits & 0x80000000u);
    }
}

static void normalise(uint64_t flags, const struct guarded *values, struct guarded *to)
{
    struct rung__embedding_kernels kernels;
    rung__embedding_init(&kernels, flags);
    kernels.normalise((const float *)(void *)values->bytes,
                      (uint32_t)(values->size / sizeof(float)), (float *)(void *)to->bytes);
}

static void check_count(struct kernel_check *check, uint32_t count, uint32_t from)
{
    const size_t bytes = count * sizeof(float);
    struct guarded values = guard_bytes(bytes, 0);
    struct guarded actual = guard_bytes(bytes, 0xa5), expected = guard_bytes(bytes, 0x5a);
    for (uint32_t i = 0; i < count; i++) {
        const float value = draw(&check->sweep, from);
        memcpy(values.bytes + i * sizeof value, &value, sizeof value);
    }
    normalise(check->flags, &values, &actual);
    normalise(0, &values, &expected);
    kernel_check_same(check, actual.bytes, expected.bytes, bytes, "%u numbers of kind %u", count,
                      from);
    guard_free(&expected);
    guard_free(&actual);
    guard_free(&values);
}

void check_normalise(struct kernel_check *check)
{
    for (uint32_t from = ANY; from < DRAWN; from++) {
        for (uint32_t count = 1; count <= 70; count++)
            check_count(check, count, from);
        for (uint32_t i = 0; i < 50 * check->effort; i++)
            check_count(check, sweep_range(&check->sweep, 1, 2000), from);
    }
}

/* ---- times ----------------------------------------------------------------------------------- */

struct timing {
    struct guarded values, to;
};

static void run_timing(void *user, uint64_t flags)
{
    struct timing *timing = user;
    normalise(flags, &timing->values, &timing->to);
}

void time_normalise(struct kernel_check *check)
{
    static const uint32_t counts[] = {512, 4096};
    struct sweep sweep = {1};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const size_t bytes = counts[i] * sizeof(float);
        struct timing timing = {guard_bytes(bytes, 0), guard_bytes(bytes, 0)};
        char what[80];
        for (uint32_t at = 0; at < counts[i]; at++) {
            const float value = (float)(int32_t)sweep_bits(&sweep) * 0x1p-31f;
            memcpy(timing.values.bytes + at * sizeof value, &value, sizeof value);
        }
        snprintf(what, sizeof what, "%u numbers", counts[i]);
        kernel_check_time(check, what, run_timing, &timing);
        guard_free(&timing.to);
        guard_free(&timing.values);
    }
}
