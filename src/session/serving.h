/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_SERVING_H
#define RUNG__SESSION_SERVING_H

#include <rung/context.h>

#include "ladder/rungs.h"
#include "session/engines.h"
#include "session/instance.h"

/*
 * A model as it is loaded on a rung. A context keeps the one it was made on: a job never changes
 * its rung. When a better rung is proven a model takes another one, and new contexts are made on
 * that. The old one is unloaded with its last context; its texts stay, as results point at them.
 */
struct rung__serving {
    const struct rung__rung *rung;
    void *loaded;                   /**< the provider's; NULL: unloaded */
    struct rung__engine_use engine; /**< that it was loaded with */
    struct rung__model_report report;
    uint32_t threads;             /**< of one run */
    uint64_t runtime_ns, load_ns; /**< that loading its runtime took, and the model */
    bool compiled,
        from_engine; /**< the model was compiled while it was loaded; or that was there */
    char *identity, *reason;
    const char *precision; /**< of the numbers that are executed */
    uint32_t contexts;
    bool lost;                    /**< its device was lost: no new context is made on it */
    struct rung__serving *before; /**< the one that it took over from, NULL: it is the first */
};

struct rung_model;

/** Whether a rung may compile a model that it has no engine of. */
enum rung__compiling { RUNG__COMPILE_NEVER, RUNG__COMPILE_NOW };

/**
 * Loads a model on a rung, whose runtime is loaded first if it is not. Results: those of
 * rung__guarded_load, NOT_FOUND (its engine is not built yet, and it may not compile now), those of
 * rung__instance_load_runtime and rung__artifact_check_unchanged.
 */
rung_result rung__serving_load(const struct rung_model *model, const struct rung__rung *rung,
                               uint32_t threads, enum rung__compiling compiling,
                               struct rung__serving *serving);

/** Names what was loaded, and hands it over; one that did not load (`result`), or has no reason for
 * want of memory, is ended. Results: `result`, NO_MEMORY. */
rung_result rung__serving_complete(const struct rung_model *model, struct rung__serving *serving,
                                   rung_result result, struct rung__serving **out);

/** Ends it and all before it. NULL is allowed. */
void rung__serving_destroy(struct rung__serving *serving);

/** Ends what is loaded, if anything is; the texts stay. */
void rung__serving_unload(struct rung__serving *serving);

/**
 * What a new context is made on, which then counts it: the model's newest, or the newest of the
 * identity that the options name. Where a better rung is proven since, that is loaded first, unless
 * they say RUNG_CONTEXT_STAY; one that does not load changes nothing, and the log says so. Where
 * the newest has lost its device the next one down is loaded. Results: OK, IDENTITY (none has that
 * identity), those of rung__model_load_next.
 */
rung_result rung__model_take_serving(struct rung_model *model, const rung_context_options *options,
                                     struct rung__serving **out);

/** The model's newest, to be read: what is in it stays as long as the model. */
const struct rung__serving *rung__model_serving(const struct rung_model *model);

/** From now on nothing new is made on it. */
void rung__model_lose_serving(struct rung_model *model, struct rung__serving *serving);

/** Whether this process lost the rung's device under the model. The caller holds the model's mutex,
 * or has the model alone. */
bool rung__model_has_lost(const struct rung_model *model, const struct rung__rung *rung);

/** One context less. */
void rung__model_return_serving(struct rung_model *model, struct rung__serving *serving);

#endif
