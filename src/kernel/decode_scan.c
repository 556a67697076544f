/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_scan.h"

#include "kernel/exact.h"

/**
 * A logit below all those of a confidence: the last step of 1/128 that has less, since confidences
 * rise with their logits (exact.h).
 */
static float least_logit(uint16_t least)
{
    int32_t below = -16 * 128, from = 16 * 128; /* confidences 0 and 65535 */
    while (from - below > 1) {
        const int32_t middle = (below + from) / 2;
        if (rung__sigmoid_confidence((float)middle * 0x1p-7f) >= least)
            from = middle;
        else
            below = middle;
    }
    return (float)below * 0x1p-7f;
}

struct rung__scan_range rung__decode_range(uint16_t least, bool is_logit)
{
    /* A confidence is at most half above its number, and f32 errs by less than another quarter. */
    const float share = ((float)least - 0.75f) / 65535.0f;
    return (struct rung__scan_range){
        .least = is_logit ? least_logit(least) : share, .below = 0x1p32f, /* rung__is_usable */
    };
}

struct rung__scan_range rung__decode_range_of_two(uint16_t least, bool is_logit)
{
    struct rung__scan_range range = rung__decode_range(least, is_logit);
    if (!is_logit) /* the product of two usable numbers */
        range.below = rung__f32_from_bits(0x7f800000u);
    return range;
}

void rung__decode_join(const float *a, const float *b, size_t step, uint32_t count, bool is_logit,
                       float *joint)
{
    for (uint32_t i = 0; i < count; i++)
        joint[i] = is_logit ? (a[i] < b[i * step] ? a[i] : b[i * step]) : a[i] * b[i * step];
}

/** Logits from here on have confidence 65,535. */
#define LOGIT_MAX 16.0f

/** Closer than so a logit that is reached need not be told. */
#define LOGIT_STEP 0x1p-10f

uint16_t rung__decode_reached(const struct rung__scan_kernels *scan, const float *logits,
                              uint32_t count, uint32_t wanted, uint16_t least)
{
    struct rung__scan_range range = rung__decode_range(least, true);
    float reached = range.least, above = LOGIT_MAX;
    float greatest[RUNG__SCAN_FOLD_MAX];
    uint32_t width = RUNG__SCAN_FOLD_MIN;
    while (width < 2 * wanted && width < RUNG__SCAN_FOLD_MAX)
        width *= 2;
    /* So few of the best logits meet that nearly as many of the greatest reach theirs. */
    scan->fold(logits, count, width, greatest);
    while (above - reached > LOGIT_STEP) {
        const uint32_t reaching = scan->count_in(greatest, width, range);
        if (reaching < wanted)
            above = range.least;
        else
            reached = range.least;
        if (reaching >= wanted && reaching <= wanted + wanted / 8)
            break;
        range.least = (reached + above) * 0.5f;
    }
    const uint16_t confidence = rung__sigmoid_confidence(reached);
    return confidence > least ? confidence : least;
}

uint32_t rung__decode_find(const float *scores, size_t count, size_t step, float best)
{
    uint32_t i = 0;
    while (i + 1 < count && scores[i * step] != best)
        i++;
    return i;
}
