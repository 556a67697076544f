/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_SET_H
#define RUNG__STAGE_SET_H

#include "base/log.h"
#include "stage/registry.h"

/** What a stage had for the last request. */
struct rung__stage_last {
    const struct rung__implementation *effective; /**< NULL: there was no request yet */
    struct rung__why reason;                      /**< "" unless it fell back */
};

/** Different fallbacks of requests that are warned of; further ones are served in silence. */
#define RUNG__WARNINGS_MAX 16u

struct rung__stage_warning {
    const struct rung__implementation *requested, *effective;
    struct rung__why reason;
};

/**
 * The five stages of one context: what its plan was resolved to, their objects, and what became of
 * requests. It is for one thread at a time, but that each stage may be on a thread of its own. The
 * objects of fallbacks are made when a request needs them first.
 */
struct rung__stage_set {
    const struct rung__catalog *catalog;
    struct rung__plan plan;
    struct rung__stage_context context;
    struct rung__log log;
    struct rung__resolution resolutions[RUNG__STAGES];
    void *objects[RUNG__STAGES];
    const struct rung__implementation *standby[RUNG__STAGES]; /**< the fallback with an object */
    void *standby_objects[RUNG__STAGES];
    struct rung__stage_last last[RUNG__STAGES];
    struct rung__stage_warning warnings[RUNG__STAGES][RUNG__WARNINGS_MAX];
    uint32_t warning_count[RUNG__STAGES];
};

/**
 * Resolves the plan and constructs what it came to, nothing else. What fell back is logged once.
 * The context's pointers live as long as the set. Results: those of rung__registry_resolve and
 * NO_MEMORY. End with rung__stage_set_finish, also after a failure.
 */
rung_result rung__stage_set_init(struct rung__stage_set *set, const struct rung__catalog *catalog,
                                 const struct rung__plan *plan,
                                 const struct rung__stage_context *context,
                                 const struct rung__records *records, const struct rung__log *log);
void rung__stage_set_finish(struct rung__stage_set *set);

/** Allocates what requests like this one need. Results: OK, NO_MEMORY. */
rung_result rung__stage_reserve(struct rung__stage_set *set, enum rung__stage stage,
                                const void *request);

/**
 * Runs one request, on the stage's fallback where the implementation cannot take it and the plan
 * allows that. A failure while it runs is a failure. Results: those of the stage, UNSUPPORTED.
 */
rung_result rung__stage_run(struct rung__stage_set *set, enum rung__stage stage, void *request);

/** What a request in several steps was begun on. */
struct rung__stage_begun {
    const struct rung__implementation *implementation;
    void *object;
};

/** rung__stage_run for the first step of such a request. */
rung_result rung__stage_begin(struct rung__stage_set *set, enum rung__stage stage, void *request,
                              struct rung__stage_begun *begun);

/** A further step, where the request was begun: work began, so that nothing falls back. It may be
 * on another thread than the steps of other requests. */
rung_result rung__stage_go_on(const struct rung__stage_begun *begun, void *request);

/** Plan, metadata, resolutions and the last requests as JSON; NULL without memory. */
json_t *rung__stage_set_json(const struct rung__stage_set *set);

/** A resolution as JSON; NULL without memory. */
json_t *rung__resolution_json(enum rung__stage stage, const struct rung__resolution *resolution);

#endif
