/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_INSTANCE_H
#define RUNG__SESSION_INSTANCE_H

#include <stdatomic.h>

#include <rung/instance.h>

#include "artifact/trust.h"
#include "base/environment.h"
#include "base/thread.h"
#include "ladder/table.h"
#include "session/background.h"
#include "session/engines_queue.h"
#include "session/runtimes.h"

struct rung__external;

struct rung_instance {
    uint32_t flags;
    struct rung__log log;
    struct rung__environment environment;
    struct rung__trust trust;
    struct rung__table table;         /**< the rungs */
    struct rung__external *externals; /**< the providers of some of them; NULL: none */
    atomic_bool providers_closed;     /**< no more of these */
    uint64_t cpu_flags;               /**< what kernels may use (kernel/cpu_flags.h) */
    char *cache;                      /**< the user's own cache folder, or NULL */
    char *state;                      /**< the user's own state folder, or NULL */
    char *runtime_path;               /**< the application's list, or NULL */
    char *trust_path;                 /**< likewise */
    char *helper;                     /**< rung-probe, a file; NULL: no process can be made */
    char *library;           /**< the library file that this one stands for; NULL: itself */
    rung_probe_policy probe; /**< the application's, else the user's */
    uint64_t engine_bytes;   /**< that all engines together may take */
    struct rung__mutex background_mutex; /**< one prepares at a time */
    struct rung__background background;
    atomic_bool told_of_state; /**< that it is of no use */
    atomic_bool told_of_cache;
    _Atomic uint64_t tickets; /**< that were given out: their generations */
    struct rung__engine_builder builder;
    struct rung__mutex mutex; /**< guards what is below */
    struct rung__instance_runtimes runtimes;
};

/** Below which folder this machine's hardware is read: "", or what RUNG_HARDWARE_ROOT says. */
static inline const char *rung__instance_hardware_root(const struct rung_instance *instance)
{
    const char *root = instance->environment.hardware_root;
    return root ? root : "";
}

/** A text of the two-call form: copies it with its zero. Results: OK, CAPACITY. */
rung_result rung__text_give(const char *text, rung_span to, size_t *needed);

#endif
