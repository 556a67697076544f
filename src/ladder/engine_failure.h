/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_ENGINE_FAILURE_H
#define RUNG__LADDER_ENGINE_FAILURE_H

#include <stdbool.h>

#include "ladder/engine_record.h"
#include "ladder/outcome.h"

/*
 * An engine that could not be built is not tried again until something that it is made of changes:
 * the folder "unbuilt" of the user's state folder has a file of its key's name with the reason.
 */

/** Copies the reason; false when nothing is known. `state` NULL: there is no folder. */
bool rung__engine_failure_find(const char *state, const struct rung__engine_key *key,
                               char reason[RUNG__OUTCOME_REASON]);

/** Remembers one, and forgets those of other devices and libraries. Results: OK, PERMISSION, IO,
 * NO_MEMORY. */
rung_result rung__engine_failure_put(const char *state, const struct rung__engine_key *key,
                                     const char *reason);

/** Forgets one, if there is one. */
void rung__engine_failure_forget(const char *state, const struct rung__engine_key *key);

/** Tells of each, in the order of their names; what cannot be read is passed over. Results: OK, IO,
 * NO_MEMORY. */
typedef void (*rung__engine_failure_callback)(void *user, const struct rung__engine_key *key,
                                              const char *reason);
rung_result rung__engine_failure_list(const char *state, rung__engine_failure_callback callback,
                                      void *user);

/** Forgets all. Results: OK, IO, NO_MEMORY. */
rung_result rung__engine_failure_clear(const char *state);

#endif
