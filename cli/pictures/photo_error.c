/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "photo_parts.h"

/**
 * What decoders say, in lower case, and what it means. The end of the file is seen by photo_file.c
 * already; these are for the decoders that compare lengths before they read.
 */
static const struct {
    const char *phrase, *code;
} phrases[] = {
    {"end of file", "TRUNCATED"},       {"end_of_file", "TRUNCATED"},
    {"unexpected end", "TRUNCATED"},    {"premature", "TRUNCATED"},
    {"truncated", "TRUNCATED"},         {"bytes, expected", "TRUNCATED"},
    {"out of memory", "NO_MEMORY"},     {"memory allocation", "NO_MEMORY"},
    {"unsupported", "UNSUPPORTED"},     {"not supported", "UNSUPPORTED"},
    {"not implemented", "UNSUPPORTED"}, {"no decoding plugin", "UNSUPPORTED"},
};

bool photo_refuse(struct photo_error *error, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->code = code;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return false;
}

static const char *code_of(const char *text)
{
    char *lower = g_ascii_strdown(text, -1);
    const char *code = "CORRUPT";
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (strstr(lower, phrases[i].phrase)) {
            code = phrases[i].code;
            break;
        }
    g_free(lower);
    return code;
}

/** The first line, without the name of the part that speaks, and without control characters. */
static char *first_line(char *text)
{
    text[strcspn(text, "\n")] = '\0';
    for (char *at = text; *at; at++)
        if (g_ascii_iscntrl(*at))
            *at = ' ';
    char *colon = strstr(text, ": ");
    return colon && colon[2] ? colon + 2 : text;
}

static bool refuse_with_text(struct photo_error *error)
{
    char *text = vips_error_buffer_copy(); /* and clears it */
    const char *code = code_of(text);
    const char *line = first_line(text);
    if (strcmp(code, "TRUNCATED") == 0)
        photo_refuse(error, code, "ends before the picture does: %s", line);
    else if (strcmp(code, "UNSUPPORTED") == 0)
        photo_refuse(error, code, "is of a kind that is not read: %s", line);
    else if (strcmp(code, "NO_MEMORY") == 0)
        photo_refuse(error, code, "there is no memory to decode it: %s", line);
    else
        photo_refuse(error, code, "is damaged: %s", *line ? line : "it cannot be decoded");
    g_free(text);
    return false;
}

/** WebP is decoded from memory, so its decoder reads no further; but it says how long it is. */
static bool is_cut_container(const struct photo_file *file)
{
    uint8_t head[8];
    struct photo_error ignored;
    if (!photo_file_read(file, head, sizeof head, 0, &ignored) || memcmp(head, "RIFF", 4) != 0)
        return false;
    const int64_t size = head[4] | head[5] << 8 | head[6] << 16 | (int64_t)head[7] << 24;
    return file->size < size + 8;
}

bool photo_refuse_decoder(struct photo_error *error, const struct photo_file *file, bool alone)
{
    if (file->error)
        return photo_refuse(error, file->error == ENOMEM ? "NO_MEMORY" : "IO", "cannot be read: %s",
                            strerror(file->error));
    if (file->ended)
        return photo_refuse(error, "TRUNCATED", "ends before the picture does");
    if (is_cut_container(file))
        return photo_refuse(error, "TRUNCATED", "ends before the picture does");
    error->code = NULL;
    return alone && refuse_with_text(error);
}
