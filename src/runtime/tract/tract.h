/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_TRACT_TRACT_H
#define RUNG__RUNTIME_TRACT_TRACT_H

#include <rung/result.h>

#include "artifact/format.h"
#include "runtime/tract/abi.h"

/**
 * The tract of this process: at most one, whoever asks, and never unloaded. It prints nothing of
 * its own and keeps no thread. A panic inside it ends the process, so a model is tried in a child
 * (runtime/tract/trial.h) before it is loaded here.
 */
struct rung__tract {
    char *path;
    char version[32];
    struct rung__tract_calls call;
};

/**
 * Loads the library at `path`, or gives the one that is loaded already, whatever its path.
 * Results: OK, NOT_FOUND, BACKEND (the loader's reason), UNSUPPORTED (another version, or no
 * tract), NO_MEMORY. Safe from any thread.
 */
rung_result rung__tract_open(const char *path, const struct rung__tract **out);

/** The one that is loaded, or NULL. */
const struct rung__tract *rung__tract_loaded(void);

/**
 * Turns a result of the library into ours: BACKEND with "what: " and the first line of its message
 * (a backtrace may follow). To be called on the thread of the call, before the next one.
 */
rung_result rung__tract_check(const struct rung__tract *tract, rung__tract_result status,
                              const char *what);

/** A loaded model: shared by any number of runs on any threads. */
struct rung__tract_session {
    const struct rung__tract *tract;
    struct rung__tract_runnable *runnable;
    struct rung__tensor input;
    struct rung__tensor outputs[RUNG__OUTPUTS_MAX];
    uint32_t input_count, output_count;
};

/**
 * Loads a model with one input from memory, which must stay as it is for the call only. The names
 * are the graph's, the types and shapes those that tract found. Results: OK, BACKEND, INTEGRITY
 * (inputs or outputs that Rung does not carry), NO_MEMORY.
 */
rung_result rung__tract_session_create(const struct rung__tract *tract, struct rung__bytes model,
                                       struct rung__tract_session *out);
void rung__tract_session_finish(struct rung__tract_session *session);

/**
 * Runs once on the calling thread, from `input` to `outputs`, which are in the order of the
 * session's. Sizes follow from the shapes. Results: OK, BACKEND.
 */
rung_result rung__tract_run_once(const struct rung__tract_session *session, void *input,
                                 void *const *outputs);

#endif
