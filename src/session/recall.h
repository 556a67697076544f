/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_RECALL_H
#define RUNG__SESSION_RECALL_H

#include "hardware/fingerprint.h"
#include "ladder/rungs.h"
#include "ladder/store.h"
#include "session/instance.h"

/** What an earlier probe says. */
struct rung__recall {
    struct rung__file_stamp stamp; /**< of the file before it was read */
    const struct rung__table *table;
    struct rung__store store;
    const struct rung__verdict *verdict; /**< NULL: none that holds now */
    bool own;     /**< it is of this very model; else the device's, of another one */
    bool changed; /**< there is one, and what it depends on has changed */
};

/** The text of the device and of the libraries that are found, newly allocated. Results: OK,
 * NO_MEMORY. */
rung_result rung__instance_fingerprint(struct rung_instance *instance,
                                       enum rung__fingerprint_scope scope, char **out);

/**
 * Looks up the verdict for the model of a content digest (NULL: the device's), and prefers the
 * library that the rung it chose ran on. One that cannot be read is a missing one, which is said
 * once. Results: OK, NO_MEMORY. End with rung__recall_finish,
 * also after a failure.
 */
rung_result rung__instance_recall(struct rung_instance *instance, const char *model,
                                  struct rung__recall *out);
void rung__recall_finish(struct rung__recall *recall);

/** The rung that it chose, NULL without, or when this version cannot take that one. */
const struct rung__rung *rung__recall_rung(const struct rung__recall *recall);

/** Says once in an instance that the state folder is of no use, with the last error. */
void rung__instance_tell_state(struct rung_instance *instance, const char *what);

/** Where something cannot be remembered things go on, and that is said once. Results: OK,
 * NO_MEMORY. */
rung_result rung__instance_go_on(struct rung_instance *instance, const char *what,
                                 rung_result result);

#endif
