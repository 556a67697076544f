/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_ORT_ORT_H
#define RUNG__RUNTIME_ORT_ORT_H

#include <rung/result.h>

#include "artifact/format.h"
#include "base/log.h"
#include "runtime/execution.h"
#include "runtime/ort/abi.h"

/**
 * The ONNX Runtime of this process. There is at most one, whoever asks: the vendor bridges of two
 * builds clash. It is never unloaded, and its one environment lives as long as the process.
 */
struct rung__ort {
    char *path;
    char version[32];
    uint32_t api; /**< negotiated version of the table */
    struct rung__ort_calls call;
    struct rung__ort_env *env;
    struct rung__ort_memory *cpu_memory;
    struct rung__ort_allocator *allocator;
    char **providers; /**< execution providers that it offers */
    uint32_t provider_count;
};

/**
 * Loads the library at `path`, or gives the one that is loaded already, whatever its path.
 * Results: OK, NOT_FOUND, BACKEND (the loader's or the library's reason, its log included),
 * UNSUPPORTED (too old, or no ONNX Runtime), NO_MEMORY. Safe from any thread.
 */
rung_result rung__ort_open(const char *path, const struct rung__ort **out);

/** The one that is loaded, or NULL. */
const struct rung__ort *rung__ort_loaded(void);

/** Lines of the library's log go to `log` until it is removed; `log` is compared by address. */
rung_result rung__ort_listen(const struct rung__log *log);
void rung__ort_unlisten(const struct rung__log *log);

/**
 * Turns a status of the library into a result and releases it: BACKEND with "what: its message",
 * and the last warning of its log, where the true reason often is. NULL is OK.
 */
rung_result rung__ort_check(const struct rung__ort *ort, rung__ort_result status, const char *what);

/** Forgets the last warning, so that what is attached to the next error belongs to it. */
void rung__ort_forget_log(void);

/** A loaded model. */
struct rung__ort_session {
    const struct rung__ort *ort;
    struct rung__ort_handle *handle;
    struct rung__tensor input;
    struct rung__tensor outputs[RUNG__OUTPUTS_MAX];
    uint32_t input_count,
        output_count; /**< of the model; more inputs than one are told, not kept */
    char executed_by[RUNG__EXECUTED_BY_BYTES];
    bool copies_input; /**< binding takes a copy of the input to a device's own memory */
    bool takes_turns;  /**< its provider's device is one thread's at a time (turns.h) */
};

/**
 * Loads a model from memory, which must stay as it is for the call only, on an execution provider
 * (NULL: on the CPU), with `threads` threads that do not spin. A model that would run on the CPU in
 * silence is refused. Results: OK, UNSUPPORTED (the provider is not offered), BACKEND, INTEGRITY
 * (inputs or outputs that Rung does not carry), NO_MEMORY.
 */
rung_result rung__ort_session_create(const struct rung__ort *ort, struct rung__bytes model,
                                     uint32_t threads, const struct rung__execution *execution,
                                     struct rung__ort_session *out);
void rung__ort_session_finish(struct rung__ort_session *session);

#define RUNG__ORT_VALUES_MAX (1 + RUNG__OUTPUTS_MAX)

/** Buffers of the caller tied to a model's input and outputs. */
struct rung__ort_run {
    const struct rung__ort_session *session;
    struct rung__ort_binding *binding;
    struct rung__ort_run_options *options;                /**< by which it can be ended early */
    struct rung__ort_value *values[RUNG__ORT_VALUES_MAX]; /**< the input, then the outputs */
};

/** `outputs` are in the order of the session's. Sizes follow from the shapes. OK, BACKEND,
 * NO_MEMORY. */
rung_result rung__ort_run_create(const struct rung__ort_session *session, void *input,
                                 void *const *outputs, struct rung__ort_run *out);
/** Runs once on the calling thread. Results: OK, BACKEND. One caller at a time for each run object.
 */
rung_result rung__ort_run_once(struct rung__ort_run *run);

/**
 * Ends the run that is under way early, from another thread: it then fails. What is terminated
 * stays so, for later runs too, until that is taken back (false).
 */
void rung__ort_run_terminate(const struct rung__ort_run *run, bool terminate);
void rung__ort_run_finish(struct rung__ort_run *run);

#endif
