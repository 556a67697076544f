/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_PROBE_TASK_H
#define RUNG_PROBE_TASK_H

#include <rung/instance.h>

#include "base/bytes.h"
#include "base/json.h"

/** What an instance hands over (session/handover.h); the texts are of `json`. */
struct task {
    json_t *json;
    const char *model, *library;
    uint32_t policy; /**< 0: by the load of the machine */
    const json_t *variables;
    rung_instance_options options;
};

/** Results: OK, INVALID_ARGUMENT, NO_MEMORY. */
rung_result task_read(struct rung__bytes input, struct task *to);

/** An instance like the one that hands over, whose environment this process takes: nothing else may
 * run in it yet. Results: those of rung_instance_create. */
rung_result task_instance(const struct task *task, rung_instance **out);

#endif
