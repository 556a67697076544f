/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_OUTPUT_H
#define RUNG_CLI_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Files are written whole or not at all: under another name in the same folder, then renamed. What
 * fails gives false with a sentence.
 */
struct output {
    const char *path; /**< the caller's; must live as long */
    int file;         /**< -1: there is none */
    char temporary[PATH_MAX];
};

/** Begins a file, with the folders above it. */
bool output_begin(struct output *output, const char *path, char *why, size_t why_size);
bool output_add(struct output *output, const void *data, size_t size, char *why, size_t why_size);
/** Puts it in place, or ends it as output_abandon does. */
bool output_commit(struct output *output, char *why, size_t why_size);
/** Ends it without a trace. Without a file nothing happens. */
void output_abandon(struct output *output);

/** Writes all of it to an open file, whatever interrupts. False with errno. */
bool output_write_all(int file, const char *data, size_t size);

/** Writes a file whole or not at all, with the folders above it. */
bool output_write(const char *path, const void *data, size_t size, char *why, size_t why_size);

/** FOLDER/INSIDE with the ending behind it, newly allocated; NULL without memory. */
char *output_path(const char *folder, const char *inside, const char *ending);

/** True when both paths lead to the same existing file. */
bool output_is_same(const char *a, const char *b);

#endif
