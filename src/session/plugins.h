/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_PLUGINS_H
#define RUNG__SESSION_PLUGINS_H

#include "runtime/search.h"

/**
 * Lists the plugin libraries, which bring an execution provider to an ONNX Runtime that was not
 * built with it, in the places where runtimes are looked for. Nothing is loaded. Results: OK,
 * NO_MEMORY. End with rung__runtime_candidates_finish.
 */
rung_result rung__plugins_search(const struct rung__runtime_places *places,
                                 struct rung__runtime_candidates *out);

#endif
