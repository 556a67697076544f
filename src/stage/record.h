/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_RECORD_H
#define RUNG__STAGE_RECORD_H

#include "base/json.h"
#include "base/sha256.h"
#include "stage/contract.h"

/*
 * Evidence that an implementation gives base's bytes on a device and is worth taking there
 * (docs/stages.md). Those of the library itself are in the metadata; others are earned by rung
 * validate and by probes, and kept in one file.
 */

#define RUNG__RECORDS_FILE      "stages.json"
#define RUNG__RECORDS_LOCK      "stages.lock"
#define RUNG__RECORDS_MAX       256u
#define RUNG__ENVIRONMENT_BYTES 384u

struct rung__record {
    enum rung__stage stage;
    char id[RUNG__STAGE_ID_BYTES];
    char environment[RUNG__ENVIRONMENT_BYTES]; /**< rung__record_environment */
    uint32_t width, height;                    /**< of the pictures; 0: it was no matter of them */
    uint64_t base_ns, p50_ns;                  /**< medians of base and of this one */
    char digest[2 * RUNG__SHA256_BYTES + 1];   /**< of the outputs, which are those of base */
    bool refused; /**< they were not: auto does not take it, whatever evidence ships */
};

/** At most RUNG__RECORDS_MAX; all zero holds none. End with rung__records_finish. */
struct rung__records {
    struct rung__record *rows;
    uint32_t count;
};

/** Where a record holds: device, driver and version, as one line; with the model's name for an
 * implementation whose use depends on that. */
void rung__record_environment(const struct rung__implementation *implementation,
                              const struct rung__stage_context *context,
                              char to[RUNG__ENVIRONMENT_BYTES]);

/** The earned record that holds here; NULL: there is none. */
const struct rung__record *rung__records_find(const struct rung__records *records,
                                              const struct rung__implementation *implementation,
                                              const struct rung__stage_context *context);

/** True when the library's own evidence covers this processor. */
bool rung__record_is_shipped(const struct rung__implementation *implementation,
                             const struct rung__stage_context *context);

/** Adds one, in place of an older one for the same implementation and environment; the oldest goes
 * when they are too many. Results: OK, NO_MEMORY. */
rung_result rung__records_put(struct rung__records *records, const struct rung__record *record);

/** Takes away the one for the implementation and the environment of this one, if there is one. */
void rung__records_drop(struct rung__records *records, const struct rung__record *like);

void rung__records_finish(struct rung__records *records);

/**
 * Changes the file of a state folder, one process at a time: each row takes the place of an older
 * one for the same implementation and environment; without a digest it only takes that away. A file
 * that cannot be understood says nothing, and is replaced. Results: OK, PERMISSION, TIMEOUT, IO,
 * NO_MEMORY.
 */
rung_result rung__records_change(const char *folder, const struct rung__record *rows,
                                 uint32_t count);

/** Reads the file of a state folder; none gives none. Results: OK, PERMISSION (the folder is not
 * the user's alone), INTEGRITY (these are no records), IO, NO_MEMORY. */
rung_result rung__records_read(const char *folder, struct rung__records *out);

/** Writes it; the folder is made, 0700. Results: OK, PERMISSION, IO, NO_MEMORY. */
rung_result rung__records_write(const char *folder, const struct rung__records *records);

/** One record as JSON; NULL without memory. */
json_t *rung__record_json(const struct rung__record *record);

#endif
