/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_ENGINES_H
#define RUNG__SESSION_ENGINES_H

#include "artifact/artifact.h"
#include "ladder/engine_store.h"
#include "session/instance.h"

/** The user's engines. `cache` is NULL where the user has no cache folder: there are none. */
struct rung__engine_store rung__instance_engines(const struct rung_instance *instance);

/** The key of a model's engine as this machine is now. Results: OK, NO_MEMORY, UNSUPPORTED
 * (libcrypto refuses). */
rung_result rung__instance_engine_key(struct rung_instance *instance, const struct rung__rung *rung,
                                      const struct rung__artifact *artifact,
                                      struct rung__engine_key *out);

/**
 * The engine that a rung serves a model with. For a rung that compiles nothing there is none, and
 * it needs none. One that was damaged is removed, which is logged; a folder that is of no use is
 * logged once. Results: OK (`out->folder`, or NULL: none is needed), NOT_FOUND (it is not built
 * yet), UNSUPPORTED (it could not be built: the sentence tells), NO_MEMORY. End with
 * rung__engine_use_finish when the model is unloaded.
 */
rung_result rung__engine_ready(struct rung_instance *instance, const struct rung__rung *rung,
                               const struct rung__artifact *artifact, struct rung__engine_use *out);

/** The engine of a key. Results: those of rung__engine_ready, with an engine when OK. */
rung_result rung__engine_take(struct rung_instance *instance, const struct rung__engine_key *key,
                              struct rung__engine_use *out);

/** True when there is an engine, right or not, at the cost of a look. */
bool rung__engine_is_built(struct rung_instance *instance, const struct rung__rung *rung,
                           const struct rung__artifact *artifact);

/** Says once in an instance that engines cannot be kept, with the last error. */
void rung__instance_tell_cache(struct rung_instance *instance);

#endif
