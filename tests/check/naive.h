/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NAIVE_H
#define NAIVE_H

#include "kernel/preprocess.h"

/*
 * preprocess.md once more, pixel by pixel and in the most direct words, sharing nothing with the
 * kernels. Slow: for small pictures.
 */

/** Where the picture goes. */
struct rung__placement naive_fit(const struct rung__canvas *canvas, const struct rung__crop *crop);

/** Binary16 by looking for the nearest of all its values; finite inputs. */
uint16_t naive_f16(float value);

/** Nearest whole number, halves to even, for magnitudes below 2^52. */
int64_t naive_round(double value);

/** The whole tensor. */
void naive_preprocess(const struct rung__canvas *canvas, const struct rung__crop *crop,
                      const struct rung__surface *surface, uint8_t *tensor);

#endif
