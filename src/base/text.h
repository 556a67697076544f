/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_TEXT_H
#define RUNG__BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * snprintf into an array of known size that says whether everything fitted. What is cut is cut
 * before a character, never inside one.
 */
__attribute__((format(printf, 3, 4))) bool rung__text_format(char *to, size_t size,
                                                             const char *format, ...);

bool rung__text_format_list(char *to, size_t size, const char *format, va_list list);

/** The length of the UTF-8 character at the start of `size` bytes; 0 when there is no valid one. */
size_t rung__text_character(const uint8_t *at, size_t size);

/** `length` without the character, if any, that the end of the text cuts apart. */
size_t rung__text_whole(const char *text, size_t length);

/**
 * Makes text from outside fit to be shown on one line: control characters become spaces, and bytes
 * that are not UTF-8 become '?'.
 */
void rung__text_clean(char *text);

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
