/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/exact.h"
#include "kernel/scan.h"

static void mark(const float *scores, uint32_t count, struct rung__scan_range range,
                 struct rung__scan_marks *marks)
{
    uint32_t marked = 0;
    for (uint32_t i = 0; i < count; i++) {
        marks->positions[marked] = i;
        marks->scores[marked] = scores[i];
        marked += scores[i] >= range.least && scores[i] < range.below;
    }
    marks->count = marked;
}

static void rate(bool is_logit, struct rung__scan_marks *marks)
{
    for (uint32_t i = 0; i < marks->count; i++)
        marks->confidences[i] = is_logit ? rung__sigmoid_confidence(marks->scores[i])
                                         : rung__confidence(marks->scores[i]);
}

/** Of one row, whose values are `step` apart. */
static float best_of(const float *values, size_t step, uint32_t others, uint32_t classes)
{
    const float none = rung__f32_from_bits(0xff800000u);
    float best = none;
    for (uint32_t i = 0; i < others; i++)
        if (!rung__is_usable(values[i * step]))
            return none;
    for (uint32_t i = others; i < others + classes; i++) {
        const float score = values[i * step];
        if (!rung__is_usable(score))
            return none;
        best = score > best ? score : best;
    }
    return best;
}

void rung__scan_best_of_planes_c(const struct rung__scan_rows *rows, uint32_t first, uint32_t count,
                                 float *scores)
{
    for (uint32_t i = 0; i < count; i++)
        scores[i] = best_of(rows->values + first + i, rows->step, rows->others, rows->classes);
}

void rung__scan_best_of_table_c(const struct rung__scan_rows *rows, uint32_t first, uint32_t count,
                                float *scores)
{
    for (uint32_t i = 0; i < count; i++)
        scores[i] = best_of(rows->values + (size_t)(first + i) * rows->step, 1, rows->others,
                            rows->classes);
}

static uint32_t count_in(const float *scores, uint32_t count, struct rung__scan_range range)
{
    uint32_t in = 0;
    for (uint32_t i = 0; i < count; i++)
        in += scores[i] >= range.least && scores[i] < range.below;
    return in;
}

static void fold(const float *scores, uint32_t count, uint32_t width, float *greatest)
{
    for (uint32_t i = 0; i < width; i++)
        greatest[i] = rung__f32_from_bits(0xff800000u);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t to = i & (width - 1);
        greatest[to] = scores[i] > greatest[to] ? scores[i] : greatest[to];
    }
}

void rung__scan_init_c(struct rung__scan_kernels *kernels)
{
    kernels->mark = mark;
    kernels->rate = rate;
    kernels->best_of_planes = rung__scan_best_of_planes_c;
    kernels->best_of_table = rung__scan_best_of_table_c;
    kernels->count_in = count_in;
    kernels->fold = fold;
}
