/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_REPORT_H
#define RUNG__SESSION_REPORT_H

#include <rung/report.h>

#include "base/json.h"

/* What follows is to be called under the lock: a rebuild changes what the context runs on. What
 * only counts goes on meanwhile. */
void rung__report_lock(const struct rung_context *context);
void rung__report_unlock(const struct rung_context *context);

/** All of a context's report but its size and version. */
void rung__report_fill(const struct rung_context *context, rung_report *out);

/** A tensor of it. Results: OK, NOT_FOUND. */
rung_result rung__report_tensor(const struct rung_context *context, uint32_t index,
                                rung_tensor_info *out);

/** The package that the context's runtime came in, as rung__library_set_json tells of it; NULL:
 * there is none. What lacked memory shows in `*failed`. */
json_t *rung__report_package(const struct rung_context *context, bool *failed);

#endif
