/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_STORE_H
#define RUNG__LADDER_STORE_H

#include <rung/result.h>

#include "artifact/format.h"
#include "base/file.h"
#include "ladder/outcome.h"

/* What probes found, kept in verdict.json of the user's state folder. It is believed only while the
 * fingerprint is the same: the text of everything that a verdict depends on. */

#define RUNG__STORE_FILE    "verdict.json"
#define RUNG__VERDICT_RUNGS 32u
#define RUNG__VERDICTS      64u /**< models that are remembered; the oldest goes */
#define RUNG__RUNG_ID_BYTES 32u

/** What a probe of one model found. */
struct rung__verdict {
    char model[2 * RUNG__SHA256_BYTES + 1]; /**< content digest of the artifact */
    char name[RUNG__NAME_BYTES + 1];
    uint32_t threads;
    uint32_t rung_count;
    struct {
        char rung[RUNG__RUNG_ID_BYTES];
        struct rung__outcome outcome;
    } rungs[RUNG__VERDICT_RUNGS];
};

/** All of them; the first is the device's, which also speaks for models without one. */
struct rung__store {
    char *fingerprint;
    struct rung__verdict *verdicts;
    uint32_t count;
};

/**
 * Reads the file of a folder. Results: OK, NOT_FOUND (there is none, or no folder), PERMISSION
 * (the folder is not the user's alone), INTEGRITY (truncated, foreign, of another schema), IO,
 * NO_MEMORY. End with rung__store_finish, also after a failure.
 */
rung_result rung__store_read(const char *folder, struct rung__store *out);
void rung__store_finish(struct rung__store *store);

/** What tells the file's present state from another; all zero: there is none. */
void rung__store_stamp(const char *folder, struct rung__file_stamp *out);

/**
 * Adds a verdict, in place of the one of the same model, and drops all those of another
 * fingerprint. What the file was before when it cannot be read is no matter. The folder is made,
 * 0700; between processes there is a lock. Results: OK, TIMEOUT (the lock), PERMISSION, IO,
 * NO_MEMORY.
 */
rung_result rung__store_put(const char *folder, const char *fingerprint,
                            const struct rung__verdict *verdict);

/** The verdict of a model, NULL without. */
const struct rung__verdict *rung__store_find(const struct rung__store *store, const char *model);

/** The index of the chosen rung, or `rung_count`: none was. */
uint32_t rung__verdict_chosen(const struct rung__verdict *verdict);

/** What a verdict says of a rung, NULL: nothing. */
const struct rung__outcome *rung__verdict_of(const struct rung__verdict *verdict, const char *rung);

#endif
