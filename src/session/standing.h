/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_STANDING_H
#define RUNG__SESSION_STANDING_H

#include "ladder/rungs.h"
#include "session/instance.h"

#define RUNG__STANDING_REASON 600

/** How a rung stands on an instance before a model is known. */
struct rung__standing {
    const char *outcome; /**< "available", "by name only", "absent", "unmeasured" */
    char reason[RUNG__STANDING_REASON];
    bool can_run;   /**< in a process of its own */
    bool can_serve; /**< also a model without wishes of its own, before any probe */
    /** The library that it runs on: the first that offers what it needs. "" without one. */
    const char *library, *digest;
    const char *plugin; /**< that brings its execution provider to that library; NULL: none does */
    bool elsewhere;     /**< that is another one than this process has loaded */
};

/** The machine that an instance is on, newly allocated: too much for the stack of a caller's
 * thread. Results: OK, NO_MEMORY. */
rung_result rung__instance_hardware(const struct rung_instance *instance,
                                    struct rung__hardware **out);

/** Loads what the rung runs on, if it is not loaded yet, and tells. Results: OK (whatever stands in
 * its way is in `out`), NO_MEMORY. */
rung_result rung__rung_stand(struct rung_instance *instance, const struct rung__hardware *hardware,
                             const struct rung__rung *rung, struct rung__standing *out);

#endif
