/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_ERROR_H
#define RUNG__BASE_ERROR_H

#include <stddef.h>

#include <rung/result.h>

/** The length of a detail text with its zero; longer ones are cut at a character. */
#define RUNG__ERROR_BYTES 1024

/**
 * Sets this thread's detail text and returns `result`, so that a failing function reads
 * `return rung__fail(RUNG_IO, "…")`. The text names the thing, the reason and the remedy.
 * Arguments may point into the present text. Control characters in it become spaces, and bytes that
 * are not UTF-8 become '?': names from outside end up in terminals and logs.
 */
__attribute__((format(printf, 2, 3))) rung_result rung__fail(rung_result result, const char *format,
                                                             ...);

/** The same with ": " and the system's text of an errno value behind it. */
__attribute__((format(printf, 3, 4))) rung_result rung__fail_errno(rung_result result, int error,
                                                                   const char *format, ...);

/** How many detail texts this thread has had, modulo 2^32: whether a call from outside set one. */
uint32_t rung__error_count(void);

/** The system's text of an errno value (base/<platform>/). */
void rung__error_text(int error, char *to, size_t size);

#endif
