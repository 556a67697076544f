/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_ORT_APPEND_H
#define RUNG__RUNTIME_ORT_APPEND_H

#include "runtime/execution.h"
#include "runtime/ort/ort.h"

/**
 * Gives a session that is about to be made its execution provider and its options. A provider that
 * the library does not offer is never appended: a failed append has left a process that crashed
 * later. Results: OK, UNSUPPORTED (not offered), BACKEND (the library's reason), NO_MEMORY.
 */
rung_result rung__ort_append(const struct rung__ort *ort, const struct rung__execution *execution,
                             struct rung__ort_options *options);

#endif
