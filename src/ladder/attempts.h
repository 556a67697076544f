/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_ATTEMPTS_H
#define RUNG__LADDER_ATTEMPTS_H

#include <stdbool.h>
#include <stdint.h>

#include <rung/result.h>

#include "base/sha256.h"
#include "ladder/store.h"

/*
 * A rung that kills its process, or the machine, twice in a row with a model is not tried a third
 * time. Each try has a file in the folder "attempts" of the user's state folder while it runs, and
 * keeps it when it ended in a death. Whoever tries holds the lock of probes, so that a file that
 * says "running" is one that nobody came back to.
 */

#define RUNG__STRIKES_MOST 2u

/** A try on its way. All zero is none. */
struct rung__attempt {
    char *path;
    char rung[RUNG__RUNG_ID_BYTES];
    char model[2 * RUNG__SHA256_BYTES + 1];
    char fingerprint[2 * RUNG__SHA256_BYTES + 1]; /**< the digest of its text */
    uint32_t strikes;                             /**< so far */
    bool refused;                                 /**< there are too many: it must not be tried */
};

/**
 * Begins a try, or refuses it. Strikes of another fingerprint do not count. A try that was left
 * running counts as a strike when the machine was started again since: it went down in the middle.
 * On a machine that ran on, the one who waited was ended, which says nothing of the rung. Results:
 * OK, PERMISSION (the folder is not the user's alone), IO, NO_MEMORY. End with rung__attempt_end,
 * also after a failure.
 */
rung_result rung__attempt_begin(const char *folder, const char *fingerprint, const char *rung,
                                const char *model, struct rung__attempt *out);

/** Ends it: a death is a strike, anything else forgets those before. Results: OK, IO, NO_MEMORY. */
rung_result rung__attempt_end(struct rung__attempt *attempt, bool died);

#endif
