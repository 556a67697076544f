/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_TRIAL_H
#define RUNG__LADDER_TRIAL_H

#include "ladder/outcome.h"
#include "ladder/rungs.h"

/** A rung to be tried in this process, whose runtime is loaded. */
struct rung__trial_request {
    const struct rung__rung *rung;
    const struct rung__artifact_view *artifact;
    const char *plugin;  /**< that brings the execution provider; NULL: none does */
    uint32_t threads;    /**< at least 1 */
    const char *engines; /**< the folder for what is compiled, NULL: nothing is kept */
    bool expendable;     /**< this process is there for the trial, and ends with it */
};

/** A model loaded on a rung, ready to run. */
struct rung__trial_session {
    const struct rung__provider *provider;
    struct rung__model_report report;
    void *model, *context;
    struct rung__model_memory memory;
};

/** Loads; for a process that ends with it. Results: those of rung__provider_load. */
rung_result rung__trial_open(const struct rung__trial_request *request,
                             struct rung__trial_session *out);

/**
 * Builds a session, runs it on the golden input (else a picture that is the same everywhere), and
 * times it. `outputs` receives those of the first run, and behind them those of one that answered
 * otherwise, if any did. Results: those of rung__provider_load and of
 * running.
 */
rung_result rung__trial_run(const struct rung__trial_request *request,
                            struct rung__outcome *figures, struct rung__buffer *outputs);

#endif
