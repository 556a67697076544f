/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_common.h"

#include <string.h>

#include <rung/targets.h>

#include "artifact/heads.h"
#include "kernel/exact.h"
#include "kernel/select.h"

#define MAX_LOGARITHM 40.0f /* exp of it times a stride stays finite */
#define POINT_BITS    5u    /* from Q3 to Q8 */

void rung__decode_start(struct rung__decoded *decoded, uint32_t points_per)
{
    decoded->count = 0;
    decoded->survivors = 0;
    decoded->points_per = points_per;
}

uint32_t rung__decode_parameter(const struct rung__decode_request *request, uint32_t key,
                                uint32_t i)
{
    const struct rung__parameter *parameter = rung__head_parameter(request->tensors, key);
    if (!parameter || i >= parameter->count)
        return 0;
    return rung__get_u32(parameter->values.data + (size_t)i * 4);
}

float rung__decode_factor(const struct rung__decode_request *request, uint32_t key, uint32_t i)
{
    return rung__f32_from_bits(rung__decode_parameter(request, key, i));
}

uint32_t rung__decode_dim(const struct rung__values *values, uint32_t from_last)
{
    return values->tensor->dims[values->tensor->rank - 1 - from_last];
}

uint16_t rung__decode_score(float value, bool is_logit)
{
    return is_logit ? rung__sigmoid_confidence(value) : rung__confidence(value);
}

uint16_t rung__decode_score_of_two(float a, float b, bool is_logit)
{
    if (!is_logit)
        return rung__confidence(a * b);
    const uint32_t p = rung__sigmoid_confidence(a), q = rung__sigmoid_confidence(b);
    return (uint16_t)((p * q + 32767) / 65535);
}

uint16_t rung__decode_least(const struct rung__selection *selection)
{
    /* The band is on when its confidence is not 0, and never asks for more than the minimum. */
    const uint16_t least =
        selection->band_confidence ? selection->band_confidence : selection->min_confidence;
    return least ? least : 1;
}

bool rung__decode_may_pass(const struct rung__selection *selection, uint16_t confidence)
{
    return confidence >= rung__decode_least(selection);
}

bool rung__decode_class(float value, uint8_t *out)
{
    uint32_t bits = rung__f32_bits(value);
    if (bits == 0x80000000u)
        bits = 0;
    if (bits > rung__f32_bits(255.0f)) /* negative ones and NaN too */
        return false;
    const uint8_t whole = (uint8_t)rung__round_even(value);
    /* Told from the bits: a subnormal is no 0, even where arithmetic takes it for one. */
    if (rung__f32_bits((float)whole) != bits)
        return false;
    *out = whole;
    return true;
}

bool rung__decode_usable(const float *values, size_t count, size_t step)
{
    for (size_t i = 0; i < count; i++)
        if (!rung__is_usable(values[i * step]))
            return false;
    return true;
}

/** The order of numbers as the order of integers; −0 is 0, and a subnormal is not. */
static int32_t rank_of(float value)
{
    const uint32_t bits = rung__f32_bits(value);
    const int32_t magnitude = (int32_t)(bits & 0x7fffffffu);
    return bits >> 31 ? -magnitude : magnitude;
}

uint32_t rung__decode_best(const float *scores, size_t count, size_t step)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        if (rank_of(scores[i * step]) > rank_of(scores[best * step]))
            best = i;
    return best;
}

float rung__decode_side(float logarithm, float stride)
{
    return rung__exp(logarithm < MAX_LOGARITHM ? logarithm : MAX_LOGARITHM) * stride;
}

struct rung__box rung__decode_centred(float cx, float cy, float width, float height)
{
    const float half_width = width * 0.5f, half_height = height * 0.5f;
    return (struct rung__box){
        .left = cx - half_width,
        .right = cx + half_width,
        .top = cy - half_height,
        .bottom = cy + half_height,
    };
}

bool rung__decode_candidate(const struct rung__decode_request *request, const struct rung__box *box,
                            uint16_t confidence, uint8_t class_id, struct rung__candidate *out)
{
    const struct rung__mapping *mapping = request->mapping;
    int32_t left, right, top, bottom;
    if (!rung__axis_edge(&mapping->x, box->left, &left) ||
        !rung__axis_edge(&mapping->x, box->right, &right) ||
        !rung__axis_edge(&mapping->y, box->top, &top) ||
        !rung__axis_edge(&mapping->y, box->bottom, &bottom))
        return false;
    if (right <= left || bottom <= top)
        return false;
    *out = (struct rung__candidate){
        .x = (uint16_t)left,
        .y = (uint16_t)top,
        .w = (uint16_t)(right - left),
        .h = (uint16_t)(bottom - top),
        .confidence = confidence,
        .class_id = class_id,
        .source_bits = RUNG__SOURCE_NEURAL,
        .flags = RUNG_TARGET_ACTIONABLE,
        .payload = RUNG__NO_PAYLOAD,
    };
    return rung__candidate_is_admitted(out, request->selection, mapping->k);
}

bool rung__decode_point(const struct rung__mapping *mapping, float x, float y, int32_t to[2])
{
    if (!rung__axis_edge(&mapping->x, x, &to[0]) || !rung__axis_edge(&mapping->y, y, &to[1]))
        return false;
    to[0] *= 1 << (POINT_BITS + mapping->k);
    to[1] *= 1 << (POINT_BITS + mapping->k);
    return true;
}

void rung__decode_keep_points(const struct rung__decode_request *request,
                              struct rung__decoded *decoded, struct rung__candidate *candidate,
                              const int32_t *points, uint32_t row)
{
    const size_t values = (size_t)decoded->points_per * 2;
    const uint32_t index = decoded->count;
    candidate->payload = (uint16_t)(index < RUNG__NO_PAYLOAD ? index : RUNG__NO_PAYLOAD);
    if (rung__decode_keep(request, decoded, candidate, row))
        memcpy(decoded->points + index * values, points, values * sizeof *points);
}
