/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES 16 /* "-4294967295" and a NUL */

bool names_start(struct names *names, size_t count)
{
    size_t slots = 16;
    while (slots < 2 * count)
        slots *= 2;
    names->mask = slots - 1;
    names->slots = calloc(slots, sizeof *names->slots);
    return names->slots != NULL;
}

void names_finish(struct names *names)
{
    free(names->slots);
    *names = (struct names){0};
}

/** FNV-1a, 64 bits. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash;
}

/** The slot of the name, or the empty one where it belongs; half of all are empty. */
static struct name *find(struct names *names, const char *text)
{
    uint64_t at = hash_of(text);
    while (names->slots[at & names->mask].text &&
           strcmp(names->slots[at & names->mask].text, text) != 0)
        at++;
    return &names->slots[at & names->mask];
}

void names_claim(struct names *names, const char *text)
{
    struct name *name = find(names, text);
    if (!name->text)
        *name = (struct name){text, 2};
}

static void add_number(char *fresh, size_t size, const char *text, unsigned number)
{
    const char *slash = strrchr(text, '/');
    const char *dot = strrchr(slash ? slash : text, '.');
    const int stem = (int)(dot ? (size_t)(dot - text) : strlen(text));
    snprintf(fresh, size, "%.*s-%u%s", stem, text, number, dot ? dot : "");
}

bool names_make_unique(struct names *names, char **text)
{
    struct name *taken = find(names, *text);
    const size_t size = strlen(*text) + NUMBER_BYTES;
    if (taken->text == *text)
        return true;
    char *fresh = malloc(size);
    if (!fresh)
        return false;
    do
        add_number(fresh, size, *text, taken->next++);
    while (find(names, fresh)->text);
    names_claim(names, fresh);
    free(*text);
    *text = fresh;
    return true;
}
