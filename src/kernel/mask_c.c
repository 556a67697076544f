/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/mask.h"

#include "kernel/exact.h"

/* The scalar oracle of masks (docs/packets.md). */

#define MAGNITUDE_MASK     0x7fffffffu
#define MAGNITUDE_INFINITE 0x7f800000u

/** The order of numbers as the order of integers; −0 is 0, and what is no number is the least. */
static int32_t rank_of(float value)
{
    const uint32_t bits = rung__f32_bits(value);
    const uint32_t magnitude = bits & MAGNITUDE_MASK;
    if (magnitude > MAGNITUDE_INFINITE)
        return INT32_MIN;
    return bits >> 31 ? -(int32_t)magnitude : (int32_t)magnitude;
}

static uint8_t best_class(const float *scores, uint32_t classes, size_t step)
{
    int32_t best_rank = rank_of(scores[0]);
    uint32_t best = 0;
    for (uint32_t i = 1; i < classes; i++) {
        const int32_t rank = rank_of(scores[i * step]);
        if (rank > best_rank) {
            best_rank = rank;
            best = i;
        }
    }
    return (uint8_t)best;
}

static bool is_sure(const struct rung__mask_request *request, float value)
{
    const uint16_t confidence =
        request->form.logits ? rung__sigmoid_confidence(value) : rung__confidence(value);
    return confidence >= request->min_confidence;
}

uint8_t rung__mask_class(const struct rung__mask_request *request, const float *scores, size_t step)
{
    if (request->form.channels == 1)
        return is_sure(request, scores[0]);
    return best_class(scores, request->form.channels, step);
}

void rung__mask_c(const struct rung__mask_request *request, uint8_t *to)
{
    const struct rung__placement *placement = request->placement;
    const size_t width = request->canvas->width, pixels = width * request->canvas->height;
    const size_t to_next = request->form.interleaved ? request->form.channels : 1;
    const size_t to_class = request->form.interleaved ? 1 : pixels;
    for (uint32_t y = 0; y < placement->height; y++) {
        const size_t first = (placement->y + y) * width + placement->x;
        const float *scores = request->values + first * to_next;
        for (uint32_t x = 0; x < placement->width; x++, scores += to_next)
            *to++ = rung__mask_class(request, scores, to_class);
    }
}
