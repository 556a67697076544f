/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_GATES_H
#define RUNG__LADDER_GATES_H

#include <jansson.h>

#include "ladder/rungs.h"

/** What the gate record of a model file (section 5) says of a rung. */
enum rung__gate {
    RUNG__GATE_NONE,   /**< nothing */
    RUNG__GATE_MISSED, /**< this payload was measured there, and missed */
    RUNG__GATE_PASSED
};

/** A record that was read. All zero is an empty one. */
struct rung__gates {
    json_t *record;
    struct rung__header header;
    char digest[2 * RUNG__SHA256_BYTES + 1];    /**< of the payload that an entry has to be of */
    char canonical[2 * RUNG__SHA256_BYTES + 1]; /**< of its model in f32; "" when it tells none */
    bool saturates;                             /**< sums of 8-bit products, on this processor */
    bool unsafe;                                /**< it was packed although it had not passed */
};

/** Reads the record of a file that was verified. One that cannot be read is empty. End with
 * rung__gates_finish. */
void rung__gates_read(const struct rung__artifact_view *artifact, struct rung__gates *out);
void rung__gates_finish(struct rung__gates *gates);

/** What it says of this very payload on the rung, in the precision that it has there: one entry
 * that passed is enough. On a floor in 8 bits only those count that a processor measured on which
 * sums of products saturate as on this one. */
enum rung__gate rung__gates_of(const struct rung__gates *gates, const struct rung__rung *rung);

/** True when a file's record, read for this alone, says that it passed there. */
bool rung__gates_passed(const struct rung__artifact_view *artifact, const struct rung__rung *rung);

#endif
