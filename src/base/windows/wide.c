/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wide.h"

#include <stdarg.h>
#include <stdlib.h>
#include <windows.h>

#include "base/error.h"
#include "base/text.h"

wchar_t *rung__wide_new(const char *text)
{
    int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    if (!length) {
        rung__fail(RUNG_IO, "\"%s\" is not UTF-8", text);
        return NULL;
    }
    wchar_t *wide = malloc((size_t)length * sizeof *wide);
    if (wide)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, length);
    else
        rung__fail(RUNG_NO_MEMORY, "no memory for a text of the system");
    return wide;
}

char *rung__wide_to_text(const wchar_t *wide)
{
    int length = WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, wide, -1, NULL, 0, NULL, NULL);
    if (!length) {
        rung__fail(RUNG_IO, "the system gave a text that is not UTF-16");
        return NULL;
    }
    char *text = malloc((size_t)length);
    if (text)
        WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, wide, -1, text, length, NULL, NULL);
    else
        rung__fail(RUNG_NO_MEMORY, "no memory for a text of the system");
    return text;
}

rung_result rung__fail_last(rung_result result, const char *format, ...)
{
    const DWORD error = GetLastError();
    const DWORD flags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
    wchar_t wide[256];
    char text[RUNG__ERROR_BYTES];
    va_list list;
    va_start(list, format);
    (void)rung__text_format_list(text, sizeof text, format, list);
    va_end(list);

    DWORD length = FormatMessageW(flags, NULL, error, 0, wide, sizeof wide / sizeof *wide, NULL);
    while (length && (wide[length - 1] == L'\n' || wide[length - 1] == L'\r'))
        wide[--length] = 0;
    char *reason = length ? rung__wide_to_text(wide) : NULL;
    if (reason)
        rung__fail(result, "%s: %s", text, reason);
    else
        rung__fail(result, "%s: error %lu", text, (unsigned long)error);
    free(reason);
    return result;
}
