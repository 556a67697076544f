/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_NAMES_H
#define RUNG_CLI_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/** A name, and the number that the next one who wants it gets behind it. */
struct name {
    const char *text; /* NULL: nobody's; the table does not own it */
    unsigned next;
};

/** Names that are taken, found by their hash: 100,000 equal ones take a moment, not an hour. */
struct names {
    struct name *slots;
    size_t mask; /* the number of slots, a power of two, less one */
};

/** Makes room for `count` names. */
bool names_start(struct names *names, size_t count);
void names_finish(struct names *names);

/** Takes a name for the owner of `text`, where it is the first. The text must stay. */
void names_claim(struct names *names, const char *text);

/** "a/x.jpg", when another took it, becomes "a/x-2.jpg", or the first number that is free. */
bool names_make_unique(struct names *names, char **text);

#endif
