/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_DECODE_COMMON_H
#define RUNG__KERNEL_DECODE_COMMON_H

#include "kernel/decode.h"

/* What the heads share: a row of the model's output on its way to a candidate (targets.md). */

/** A box in canvas pixels. */
struct rung__box {
    float left, right, top, bottom;
};

/** The heads: one file each. */
rung__decode_fn rung__decode_rows_c;
rung__decode_fn rung__decode_yolo_c;
rung__decode_fn rung__decode_yolo_obj_c;
rung__decode_fn rung__decode_yolo_e2e_c;
rung__decode_fn rung__decode_detr_c;
rung__decode_fn rung__decode_centernet_c;
rung__decode_fn rung__decode_strided_c;
rung__decode_fn rung__decode_ssd_c;
rung__decode_fn rung__decode_fastestdet_c;

/** No candidates yet; each will have so many pairs of key points. */
void rung__decode_start(struct rung__decoded *decoded, uint32_t points_per);

/** Element `i` of a u32 parameter, 0 when the model file has none such. */
uint32_t rung__decode_parameter(const struct rung__decode_request *request, uint32_t key,
                                uint32_t i);

/** Element `i` of an f32 parameter, 0 when the model file has none such. */
float rung__decode_factor(const struct rung__decode_request *request, uint32_t key, uint32_t i);

/**
 * A whole number below 2^31 as f32. By way of a signed one: vector code converts unsigned ones with
 * a multiply-add of its own, which tests/check/contraction.py could not tell from a contraction.
 */
static inline float rung__decode_f32(uint32_t whole)
{
    return (float)(int32_t)whole;
}

/** A dimension of a tensor counted from its last one, 0. Leading ones do not matter so. */
uint32_t rung__decode_dim(const struct rung__values *values, uint32_t from_last);

/** A score as a confidence: a logit or a number in 0..1. */
uint16_t rung__decode_score(float value, bool is_logit);

/** A score that is the product of two, such as objectness and the best class. */
uint16_t rung__decode_score_of_two(float a, float b, bool is_logit);

/** The least confidence that Selection may admit, at least 1. */
uint16_t rung__decode_least(const struct rung__selection *selection);

/** False when Selection surely rejects this confidence, whatever the box is. */
bool rung__decode_may_pass(const struct rung__selection *selection, uint16_t confidence);

/** A class given as a number; false when it is not an integer 0..255. */
bool rung__decode_class(float value, uint8_t *out);

/** True when a head may use all of these values, which lie `step` apart. */
bool rung__decode_usable(const float *values, size_t count, size_t step);

/** The index of the greatest of `count` scores, `step` apart; the lower one of equals. */
uint32_t rung__decode_best(const float *scores, size_t count, size_t step);

/** A side that the model gives as a logarithm in strides. */
float rung__decode_side(float logarithm, float stride);

/** The box around a centre. */
struct rung__box rung__decode_centred(float cx, float cy, float width, float height);

/** Maps a box into record units and makes its candidate; false when the row is dropped. */
bool rung__decode_candidate(const struct rung__decode_request *request, const struct rung__box *box,
                            uint16_t confidence, uint8_t class_id, struct rung__candidate *out);

/** Counts a survivor and keeps it, unless the capacity is used up: then false. */
static inline bool rung__decode_keep(const struct rung__decode_request *request,
                                     struct rung__decoded *decoded,
                                     const struct rung__candidate *candidate, uint32_t row)
{
    decoded->survivors++;
    if (decoded->count >= request->selection->capacity)
        return false;
    if (decoded->rows)
        decoded->rows[decoded->count] = row;
    decoded->candidates[decoded->count++] = *candidate;
    return true;
}

/** A key point of canvas pixels in Q8 of the source; false when it is not finite. */
bool rung__decode_point(const struct rung__mapping *mapping, float x, float y, int32_t to[2]);

/** As rung__decode_keep for a candidate with decoded->points_per pairs of key points. */
void rung__decode_keep_points(const struct rung__decode_request *request,
                              struct rung__decoded *decoded, struct rung__candidate *candidate,
                              const int32_t *points, uint32_t row);

#endif
