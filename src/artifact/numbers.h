/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_NUMBERS_H
#define RUNG__ARTIFACT_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers as people write them in a spec file, and the fields that they become. The way back gives
 * the shortest decimal that becomes the same field again, at most nine digits.
 */

/** The digits that tell any two f32 apart. */
#define RUNG__NUMBER_DIGITS 9

/** A fraction in 0..1 as u16, 65535 = 1.0, to nearest even. */
uint16_t rung__fraction_to_u16(double fraction);
double rung__fraction_from_u16(uint16_t field);

/** A decimal for an f32. */
double rung__decimal_of_f32(float field);

/** Sizes in pixels as u16 with 3 fraction bits; false when it is no multiple of 1/8. */
bool rung__pixels_to_q3(double pixels, uint16_t *field);
double rung__pixels_from_q3(uint16_t field);

/** Bytes of lower- or upper-case hexadecimal digits; `to` has length / 2. False when it is none. */
bool rung__hex_read(const char *text, size_t length, uint8_t *to);

#endif
