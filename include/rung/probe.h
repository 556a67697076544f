/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_PROBE_H
#define RUNG_PROBE_H

#include <rung/export.h>
#include <rung/instance.h>
#include <rung/result.h>
#include <rung/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of rung_probe_options. */
enum {
    /** The stages around the model are not validated behind the verdict (rung/plan.h). */
    RUNG_PROBE_RUNGS_ONLY = 1u << 0
};

/** How a model is probed. All zero (but for size and version) is a good default. */
typedef struct rung_probe_options {
    uint32_t struct_size;     /**< sizeof(rung_probe_options) */
    uint32_t version;         /**< RUNG_STRUCT_VERSION */
    uint32_t flags;           /**< RUNG_PROBE_RUNGS_ONLY, or 0 */
    uint32_t threads;         /**< threads of one run; 0: the usable physical cores, and on four or
                                 fewer also one, the faster of which counts */
    uint32_t time_limit_ms;   /**< of each rung; 0: 60000 */
    rung_probe_policy policy; /**< DEFAULT: all; not OFF */
    uint64_t reserved[6];
} rung_probe_options;

/** What became of one rung. The strings live for the callback, and none is NULL. */
typedef struct rung_probe_rung {
    uint32_t struct_size; /**< sizeof(rung_probe_rung), set by the library */
    uint32_t version;     /**< RUNG_STRUCT_VERSION, set by the library */
    uint32_t flags;       /**< 0 */
    uint32_t runs;        /**< that were timed; 0: it did not answer, and the figures are 0 */
    const char *rung;
    const char *outcome; /**< "chosen", "slower", "wrong", "failed", "crashed", "timeout", "absent",
                              "refused" or "unmeasured" (docs/ladder.md) */
    const char *reason;  /**< one line */
    const char *executed_by; /**< the execution provider below; "" when it did not answer */
    uint64_t build_ns;       /**< until it could run */
    uint64_t first_ns;       /**< of the first run */
    uint64_t median_ns;      /**< of the runs behind it */
    uint64_t peak_bytes;     /**< of the memory of the process that tried it */
    uint32_t threads;        /**< of one run with these figures; 0: it did not answer */
    uint32_t reserved_0;
    uint64_t reserved[5];
} rung_probe_rung;

/** Receives the rungs in the order of the table, on the calling thread. */
typedef void (*rung_probe_callback)(void *user, const rung_probe_rung *rung);

/**
 * Finds out which rung serves a model best on this machine, and remembers it.
 *
 * Each rung that can run here is tried in a child process of low priority under a time limit, one
 * after the other: built, run, timed, and its answers compared with those of the floor. What dies,
 * hangs or answers wrong numbers there is an outcome, not a failure of this call. The verdict is
 * stored in the user's state folder ($XDG_STATE_HOME/rung, default ~/.local/state/rung), and
 * rung_model_open follows it as long as all that it depends on is unchanged; where it cannot be
 * stored the log says so, and the call succeeds.
 *
 * Of a model in f32 the other forms that lie in its folder and passed their gate are measured
 * behind it, each as a model of its own (docs/ladder.md#forms); `callback` is told of the model
 * itself, and rung_model_forms of what they came to.
 *
 * Behind the verdict the stages around the model are validated on the rung that was chosen, as
 * rung_model_validate does it (rung/plan.h), in a child process too and for half a minute at most;
 * whatever becomes of that is a line in the log.
 *
 * Without the helper program, or with RUNG_INSTANCE_NO_CHILDREN, each is tried on a thread of this
 * process. What dies there takes the process with it, and is not tried a third time; what does not
 * come back in time stays on its thread, and nothing more is tried.
 *
 * `options` may be NULL, `callback` too. It takes seconds; one probe at a time runs for a user, and
 * others wait. Safe from any thread. Results: those of rung_model_open for a file that is not
 * admitted, OK, UNSUPPORTED (no rung can run it), TIMEOUT (another probe does not end), NO_MEMORY.
 */
RUNG_API rung_result rung_model_probe(rung_instance *instance, const char *path,
                                      const rung_probe_options *options,
                                      rung_probe_callback callback, void *user);

/**
 * Says that this process is about to end in an orderly way, for a handler of SIGINT or SIGTERM that
 * ends it.
 *
 * While a model is loaded on an accelerator there is a record of it in the state folder, and a
 * process that dies in the middle leaves it: two in a row, and the rung is refused for that model.
 * exit() takes the record away by itself; a signal that ends the process does not. Safe in a signal
 * handler, and from any thread; it touches nothing but those records.
 */
RUNG_API void rung_cancel_tries(void);

#ifdef __cplusplus
}
#endif

#endif
