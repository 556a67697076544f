/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_OUTPUT_H
#define RUNG_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/** Writes a file whole or not at all, with the folders above it. False with a sentence. */
bool output_write(const char *path, const void *data, size_t size, char *why, size_t why_size);

/** True when both paths lead to the same existing file. */
bool output_is_same(const char *a, const char *b);

#endif
