/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_STRIKES_H
#define RUNG__LADDER_STRIKES_H

#include <stdbool.h>
#include <stdint.h>

#include <rung/result.h>

#include "base/sha256.h"
#include "ladder/store.h"

/*
 * How often in a row a rung killed its process, or the machine, with a model: a file for each in
 * the folder "strikes" of the user's state folder. It is not in the cache: whoever empties that
 * must not forget a crash.
 */

#define RUNG__STRIKES_MOST   2u /**< with so many it is not tried again */
#define RUNG__STRIKES_LISTED 256u

/** What a try was. */
enum rung__try_kind {
    RUNG__TRY_PROBE, /**< in a child process */
    RUNG__TRY_BUILD  /**< in the process that serves */
};

extern const struct rung__names rung__try_names;

/** The record of a rung and a model. */
struct rung__strike {
    char rung[RUNG__RUNG_ID_BYTES];
    char model[2 * RUNG__SHA256_BYTES + 1];
    char fingerprint[2 * RUNG__SHA256_BYTES + 1]; /**< the digest of its text */
    enum rung__try_kind kind;                     /**< of the last one */
    uint32_t strikes;
    int64_t time; /**< of the last one, seconds since 1970 */
};

/** Reads one. What is missing, or is no record, says that there were none. Results: OK, NO_MEMORY.
 */
rung_result rung__strike_read(const char *path, struct rung__strike *out);

/** Adds a strike to those of the same fingerprint; those of another are forgotten. `strike` is left
 * as it was written. Results: OK, PERMISSION, IO, NO_MEMORY. */
rung_result rung__strike_add(const char *path, struct rung__strike *strike);

/** All that a state folder has, in the order of their names, newly allocated; without the folder
 * none. What is no record is left out. Results: OK, PERMISSION, IO, CAPACITY, NO_MEMORY. */
rung_result rung__strikes_list(const char *folder, struct rung__strike **out, uint32_t *count);

/** "FOLDER/strikes/NAME", newly allocated; NULL without memory. */
char *rung__strike_path(const char *folder, const char *name);

#endif
