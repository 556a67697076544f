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
rung__decode_fn rung__decode_centernet_c;

/** Element `i` of a u32 parameter, 0 when the model file has none such. */
uint32_t rung__decode_parameter(const struct rung__decode_request *request, uint32_t key,
                                uint32_t i);

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

/** False when Selection surely rejects this confidence, whatever the box is. */
bool rung__decode_may_pass(const struct rung__selection *selection, uint16_t confidence);

/** A class given as a number; false when it is not an integer 0..255. */
bool rung__decode_class(float value, uint8_t *out);

/** Maps a box into record units and makes its candidate; false when the row is dropped. */
bool rung__decode_candidate(const struct rung__decode_request *request, const struct rung__box *box,
                            uint16_t confidence, uint8_t class_id, struct rung__candidate *out);

/** Counts a survivor and keeps it, unless the capacity is used up: then false. */
bool rung__decode_keep(const struct rung__decode_request *request, struct rung__decoded *decoded,
                       const struct rung__candidate *candidate, uint32_t row);

#endif
