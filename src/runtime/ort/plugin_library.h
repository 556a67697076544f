/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_ORT_PLUGIN_LIBRARY_H
#define RUNG__RUNTIME_ORT_PLUGIN_LIBRARY_H

#include <rung/result.h>

#include "runtime/runtime.h"

/*
 * A plugin library brings an execution provider to any ONNX Runtime from 1.22 on. Its files are
 * named like the bridges of full builds, libonnxruntime_providers_NAME.so, which serve the build
 * they lie beside alone; what tells it is the function that it exports.
 */

/**
 * Loads it, to be described: no ONNX Runtime is needed for that. A bridge is not loaded, as it
 * expects its own build in the process. Results: OK, NOT_FOUND, UNSUPPORTED (it is no plugin),
 * BACKEND (the loader's reason), IO, NO_MEMORY.
 */
rung_result rung__ort_plugin_open(const char *path);

/** Of the last one that was loaded; false without one. */
bool rung__ort_plugin_describe(struct rung__runtime_description *out);

#endif
