/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_WIDE_H
#define RUNG__BASE_WIDE_H

#include <wchar.h>

#include <rung/result.h>

/* Inside, text is UTF-8; the system's functions take and give UTF-16. */

/** Newly allocated; NULL and the error set to NO_MEMORY or, for text that is not UTF-8, to IO. */
wchar_t *rung__wide_new(const char *text);
/** Newly allocated; NULL and the error set to NO_MEMORY or IO. */
char *rung__wide_to_text(const wchar_t *wide);

/** rung__fail with ": " and the system's text of GetLastError() behind it. */
__attribute__((format(printf, 2, 3))) rung_result rung__fail_last(rung_result result,
                                                                  const char *format, ...);

#endif
