/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_ORT_PLACEMENT_H
#define RUNG__RUNTIME_ORT_PLACEMENT_H

#include "runtime/ort/ort.h"

/* A model that is asked to run on an accelerator may run on the CPU in silence. */

/**
 * Before a session is made: its parts are recorded, or, by a library older than 1.24 that cannot, a
 * model that would run on the CPU as much as in part is refused. Results: OK, BACKEND.
 */
rung_result rung__ort_forbid_silence(const struct rung__ort *ort,
                                     struct rung__ort_options *options);

/**
 * Of a session: names the one provider that has all nodes, or each with the number of its nodes.
 * Results: OK; BACKEND when `provider` has none of them.
 */
rung_result rung__ort_placement(const struct rung__ort *ort, const struct rung__ort_handle *session,
                                const char *provider, char *to, size_t size);

#endif
