/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define PATH_BYTES   1024
#define NUMBER_BYTES 32
#define LINE_BYTES   512

static bool full_path(const struct rung__machine *machine, const char *path, char to[PATH_BYTES])
{
    return rung__text_format(to, PATH_BYTES, "%s%s", machine->root, path);
}

size_t rung__machine_bytes(struct rung__machine *machine, const char *path, void *to, size_t size)
{
    char full[PATH_BYTES];
    size_t got = 0;
    if (!full_path(machine, path, full)) {
        machine->unread++;
        return 0;
    }
    const rung_result result = rung__file_peek(full, to, size, &got);
    if (result == RUNG_OK)
        return got;
    machine->unread += result != RUNG_NOT_FOUND;
    return 0;
}

bool rung__machine_text(struct rung__machine *machine, const char *path, char *to, size_t size)
{
    const size_t got = rung__machine_bytes(machine, path, to, size - 1);
    to[got] = '\0';
    return *to != '\0';
}

static bool is_space(char character)
{
    return character == ' ' || character == '\t' || character == '\r';
}

bool rung__machine_line(struct rung__machine *machine, const char *path, char *to, size_t size)
{
    char text[LINE_BYTES];
    *to = '\0';
    if (!rung__machine_text(machine, path, text, sizeof text))
        return false;
    const char *from = text;
    while (is_space(*from))
        from++;
    size_t length = strcspn(from, "\n");
    while (length && is_space(from[length - 1]))
        length--;
    if (length == 0 || length >= size)
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    rung__text_clean(to);
    return true;
}

bool rung__machine_number64(struct rung__machine *machine, const char *path, uint64_t *out)
{
    char text[NUMBER_BYTES], *end;
    if (!rung__machine_line(machine, path, text, sizeof text) || *text < '0' || *text > '9')
        return false;
    const bool hexadecimal = text[0] == '0' && text[1] == 'x';
    errno = 0;
    const unsigned long long number = strtoull(text, &end, hexadecimal ? 16 : 10);
    if (*end || errno)
        return false;
    *out = number;
    return true;
}

bool rung__machine_number(struct rung__machine *machine, const char *path, uint32_t most,
                          uint32_t *out)
{
    uint64_t number;
    if (!rung__machine_number64(machine, path, &number) || number > most)
        return false;
    *out = (uint32_t)number;
    return true;
}

bool rung__machine_name_is_plain(const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    return *name && *name != '.' && name[strspn(name, plain)] == '\0';
}

bool rung__machine_link(const struct rung__machine *machine, const char *path, char *to,
                        size_t size)
{
    char full[PATH_BYTES];
    if (full_path(machine, path, full) && rung__path_link_name(full, to, size) &&
        rung__machine_name_is_plain(to))
        return true;
    *to = '\0';
    return false;
}

bool rung__machine_has(const struct rung__machine *machine, const char *path)
{
    char full[PATH_BYTES];
    return full_path(machine, path, full) && rung__path_kind(full) != RUNG__PATH_MISSING;
}

rung_result rung__machine_list(struct rung__machine *machine, const char *path, size_t limit,
                               struct rung__folder *out)
{
    char full[PATH_BYTES];
    *out = (struct rung__folder){0};
    if (!full_path(machine, path, full)) {
        machine->unread++;
        return RUNG_OK;
    }
    const rung_result result = rung__folder_list(full, limit, out);
    if (result == RUNG_NO_MEMORY)
        return result;
    machine->unread += result != RUNG_OK && result != RUNG_NOT_FOUND;
    return RUNG_OK;
}
