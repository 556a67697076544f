/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_EMBEDDINGS_H
#define RUNG_CLI_EMBEDDINGS_H

#include <jansson.h>

#include "near.h"
#include "output.h"

/*
 * Embeddings in two files (docs/embeddings.md): FILE.npy has the numbers, FILE.jsonl says whose
 * they are: a line about the model, a line for each row, and a line that closes it with a checksum
 * of the numbers, so that one cannot be taken for the other's.
 */

/** Both files while they are written: whole or not at all. */
struct embeddings_writer {
    struct output numbers, index; /**< .file is -1: there is none */
    char *index_path;
    uint32_t columns;
    size_t rows;
    uint64_t checksum;
};

/** Begins FILE.npy and what lies beside it. `model`: the members of the first line. An exit
 * status, after a message. */
int embeddings_begin(struct embeddings_writer *writer, const char *path, uint32_t columns,
                     const json_t *model);
/** Adds a row; `about` says whose it is. */
int embeddings_add(struct embeddings_writer *writer, const float *vector, const json_t *about);
/** Adds a line of the index without a row. */
int embeddings_note(struct embeddings_writer *writer, const json_t *about);
/** Puts both files in place. */
int embeddings_commit(struct embeddings_writer *writer);
void embeddings_abandon(struct embeddings_writer *writer);

/** Both files as they were read. */
struct embeddings {
    json_t *model; /**< the first line */
    json_t *rows;  /**< an array of what is said of each row */
    struct near_set set;
};

/** Reads FILE.npy and its index, and checks that they belong together. An exit status, after a
 * message; embeddings_finish is called in any case. */
int embeddings_read(struct embeddings *embeddings, const char *path);
void embeddings_finish(struct embeddings *embeddings);

#endif
