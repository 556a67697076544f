/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_DECODE_SCAN_H
#define RUNG__KERNEL_DECODE_SCAN_H

#include "kernel/decode_common.h"

/*
 * Heads that scan all rows for those that can pass (scan.h) and decode these alone. Each is in the
 * file of its oracle, with which it shares what becomes of a row, and has the same bytes.
 */

rung__decode_fn rung__decode_rows_scan;
rung__decode_fn rung__decode_yolo_scan;
rung__decode_fn rung__decode_yolo_obj_scan;
rung__decode_fn rung__decode_yolo_e2e_scan;
rung__decode_fn rung__decode_detr_scan;
rung__decode_fn rung__decode_centernet_scan;
rung__decode_fn rung__decode_strided_scan;
rung__decode_fn rung__decode_ssd_scan;
rung__decode_fn rung__decode_fastestdet_scan;

/** The usable scores whose confidence may be `least` or more: all of them, and few others. */
struct rung__scan_range rung__decode_range(uint16_t least, bool is_logit);

/** The same of what rung__decode_join makes of two scores. */
struct rung__scan_range rung__decode_range_of_two(uint16_t least, bool is_logit);

/**
 * One number for two scores that make a confidence together (rung__decode_score_of_two): their
 * product, or the lesser of two logits, below which their confidence is, too. Scores `b` lie `step`
 * apart.
 */
void rung__decode_join(const float *a, const float *b, size_t step, uint32_t count, bool is_logit,
                       float *joint);

/**
 * A confidence that at least `wanted` of the logits have, and not many more as long as that is well
 * below RUNG__SCAN_FOLD_MAX; `least` when it is not so many that have that.
 */
uint16_t rung__decode_reached(const struct rung__scan_kernels *scan, const float *logits,
                              uint32_t count, uint32_t wanted, uint16_t least);

/** The index of the first of `count` scores, `step` apart, that is `best`: it is one of them. */
uint32_t rung__decode_find(const float *scores, size_t count, size_t step, float best);

#endif
