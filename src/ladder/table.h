/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_TABLE_H
#define RUNG__LADDER_TABLE_H

#include "base/bytes.h"
#include "base/sha256.h"
#include "ladder/execution.h"
#include "ladder/rungs.h"
#include "ladder/store.h"

/*
 * The rungs of an instance: those of this version, or what a ladder file makes of them. Such a file
 * (docs/ladder.md) adds rungs that are like one of this version with other options, changes
 * options, and says which rungs there are and in what order. It cannot bring code: what a rung runs
 * on and which device it needs stay those of the rung that it is like.
 */

#define RUNG__TABLE_FILE_LIMIT (256u << 10)

/** A rung that a file made or changed. It points at itself, and at the file's own texts. */
struct rung__made_rung {
    struct rung__rung rung;
    struct rung__option session[RUNG__EXECUTION_OPTIONS + 1], options[RUNG__EXECUTION_OPTIONS + 1];
    char *told; /**< its entry as JSON, for another process */
};

/** All zero holds nothing; rung__table_default fills it. */
struct rung__table {
    const struct rung__rung *rungs; /**< best first */
    uint32_t count;
    char *path;                              /**< of the file, NULL: those of this version */
    char digest[2 * RUNG__SHA256_BYTES + 1]; /**< of its text; "" without */
    void *json;                              /**< what the texts are in */
    struct rung__rung *own;                  /**< NULL: they are those of this version */
    struct rung__made_rung *made;
    uint32_t made_count;
};

/** The rungs of this version. */
void rung__table_default(struct rung__table *out);

/** What the text of a file makes of them; `path` is for sentences. Results: OK, INVALID_ARGUMENT,
 * NO_MEMORY. End with rung__table_finish, also after a failure. */
rung_result rung__table_parse(struct rung__bytes text, const char *path, struct rung__table *out);

/** The same of a file. Results: those, and IO. */
rung_result rung__table_read(const char *path, struct rung__table *out);
void rung__table_finish(struct rung__table *table);

/** 1 to RUNG__RUNG_ID_BYTES - 1 of a-z, 0-9 and -, not beginning with -. */
bool rung__rung_id_is_valid(const char *id);

/** What a rung says of itself to people: one line of at most RUNG__RUNG_TEXT_MOST bytes. */
#define RUNG__RUNG_TEXT_MOST 200u
bool rung__rung_text_is_valid(const char *text);

/** Puts a rung of this process behind the others, which move: no pointer into the table may be
 * held. What it points at must outlive the table. Results: OK, CAPACITY, NO_MEMORY. */
rung_result rung__table_add(struct rung__table *table, const struct rung__rung *rung);

/** The rung of an id, or NULL. */
const struct rung__rung *rung__table_find(const struct rung__table *table, const char *id);

/**
 * A rung in a word for another process: its id, or the JSON that makes it. Lives as long as the
 * rung.
 */
const char *rung__rung_told(const struct rung__rung *rung);

/** The other end of it: `*out` points into the table, or at a rung of this version. Results:
 * OK, UNSUPPORTED (there is none), INVALID_ARGUMENT, NO_MEMORY. End with rung__table_finish. */
rung_result rung__rung_heard(const char *told, struct rung__table *table,
                             const struct rung__rung **out);

/** One entry of "rungs" (table_entry.c). `json` must outlive it. Results: OK, INVALID_ARGUMENT,
 * NO_MEMORY. End with rung__made_rung_finish, also after a failure. */
rung_result rung__made_rung_read(const void *json, const char *path, struct rung__made_rung *out);
void rung__made_rung_finish(struct rung__made_rung *made);

#endif
