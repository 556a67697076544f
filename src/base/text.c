/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path_rules.h"

size_t rung__text_character(const uint8_t *at, size_t size)
{
    if (!size)
        return 0;
    uint8_t lead = at[0];
    if (lead < 0x80)
        return 1;
    size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead < 0xc2 || lead > 0xf4 || size < length)
        return 0;

    /* Unicode, table 3-7: these bounds leave out overlong forms, surrogates and what is too high.
     */
    uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

size_t rung__text_whole(const char *text, size_t length)
{
    size_t start = length;
    while (start > 0 && length - start < 3 && ((uint8_t)text[start - 1] & 0xc0) == 0x80)
        start--;
    if (!start)
        return length;
    start--;
    uint8_t lead = (uint8_t)text[start];
    size_t expected = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    return length - start < expected ? start : length;
}

void rung__text_clean(char *text)
{
    size_t size = strlen(text);
    for (size_t at = 0, length; at < size; at += length) {
        const uint8_t *character = (const uint8_t *)text + at;
        length = rung__text_character(character, size - at);
        if (!length) {
            length = 1;
            text[at] = '?';
        } else if (character[0] < 0x20 || character[0] == 0x7f) {
            text[at] = ' ';
        } else if (character[0] == 0xc2 && character[1] < 0xa0) {
            text[at] = text[at + 1] = ' '; /* U+0080..U+009F, commands to some terminals */
        }
    }
}

bool rung__text_format_list(char *to, size_t size, const char *format, va_list list)
{
    if (!size)
        return false;
    int length = vsnprintf(to, size, format, list);
    if (length < 0) {
        to[0] = 0;
        return false;
    }
    if ((size_t)length < size)
        return true;
    to[rung__text_whole(to, size - 1)] = 0;
    return false;
}

bool rung__text_format(char *to, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    bool whole = rung__text_format_list(to, size, format, list);
    va_end(list);
    return whole;
}

void rung__text_hex(char *to, const void *data, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) {
        to[2 * i] = digits[bytes[i] >> 4];
        to[2 * i + 1] = digits[bytes[i] & 15];
    }
    to[2 * size] = 0;
}

char *rung__text_new(const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

bool rung__text_next_path(const char **list, const char **item, size_t *length)
{
    const char *at = *list;
    while (*at == RUNG__PATH_LIST_SEPARATOR)
        at++;
    const char *end = at;
    while (*end && *end != RUNG__PATH_LIST_SEPARATOR)
        end++;
    *item = at;
    *length = (size_t)(end - at);
    *list = end;
    return end != at;
}
