/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_ORT_PLUGIN_H
#define RUNG__RUNTIME_ORT_PLUGIN_H

#include "runtime/execution.h"
#include "runtime/ort/ort.h"

/**
 * Loads the plugin library of an execution into the ONNX Runtime of this process, once, and gives
 * the session all devices that it offers. It stays loaded. Results: OK, UNSUPPORTED (the library
 * is older than 1.22, or the plugin finds no device here), CAPACITY (too many plugins), BACKEND.
 */
rung_result rung__ort_append_plugin(const struct rung__ort *ort,
                                    const struct rung__execution *execution,
                                    const char *const *keys, const char *const *values,
                                    size_t count, struct rung__ort_options *options);

#endif
