/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_TEXT_H
#define RUNG__BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * snprintf into an array of known size that says whether everything fitted. What is cut is cut
 * before a character, never inside one.
 */
__attribute__((format(printf, 3, 4))) bool rung__text_format(char *to, size_t size,
                                                             const char *format, ...);

/** Lower-case hexadecimal digits and a zero: `to` has 2 × `size` + 1 bytes. */
void rung__text_hex(char *to, const void *data, size_t size);

/** A newly allocated formatted string, NULL without memory. */
__attribute__((format(printf, 1, 2))) char *rung__text_new(const char *format, ...);

/**
 * Walks a list such as "/a:/b": sets `*item` and `*length` to the next non-empty part and moves
 * `*list` behind it; false at the end. The separator is ':' (';' on Windows).
 */
bool rung__text_next_path(const char **list, const char **item, size_t *length);

#endif
