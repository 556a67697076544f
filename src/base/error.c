/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

static _Thread_local char last_error[RUNG__ERROR_BYTES];
static _Thread_local uint32_t error_count;

/* The text is made beside the present one, which the arguments may point into. */
static void set_text(const char *format, va_list list, const char *reason)
{
    char text[RUNG__ERROR_BYTES];
    (void)rung__text_format_list(text, sizeof text, format, list);
    size_t length = strlen(text);
    if (reason)
        (void)rung__text_format(text + length, sizeof text - length, ": %s", reason);
    rung__text_clean(text);
    memcpy(last_error, text, strlen(text) + 1);
    error_count++;
}

rung_result rung__fail(rung_result result, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    set_text(format, list, NULL);
    va_end(list);
    return result;
}

rung_result rung__fail_errno(rung_result result, int error, const char *format, ...)
{
    char reason[256];
    rung__error_text(error, reason, sizeof reason);

    va_list list;
    va_start(list, format);
    set_text(format, list, reason);
    va_end(list);
    return result;
}

uint32_t rung__error_count(void)
{
    return error_count;
}

const char *rung_last_error(void)
{
    return last_error;
}
