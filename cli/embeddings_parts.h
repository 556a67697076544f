/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_EMBEDDINGS_PARTS_H
#define RUNG_CLI_EMBEDDINGS_PARTS_H

#include <stddef.h>
#include <stdint.h>

/* What writing and reading embeddings share; nobody else includes this. */

#define EMBEDDINGS_CHECKSUM_START UINT64_C(0xcbf29ce484222325)
#define EMBEDDINGS_CHECKSUM_TEXT  17 /* digits and a zero */

/** FILE.jsonl of FILE.npy, newly allocated; NULL without memory. */
char *embeddings_index_path(const char *path);

uint64_t embeddings_checksum(uint64_t checksum, const void *data, size_t size);

#endif
