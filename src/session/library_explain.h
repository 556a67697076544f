/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_LIBRARY_EXPLAIN_H
#define RUNG__SESSION_LIBRARY_EXPLAIN_H

#include "base/json.h"
#include "session/instance.h"

/** A list of those that are loaded in search order: what each is, what became of it here, and what
 * lies beside it. What lacked memory shows in `*failed`. */
json_t *rung__explain_libraries(struct rung_instance *instance, bool *failed);

/** The file of a library, NULL when a bare name led to none that is known. */
const char *rung__library_file(const struct rung__known_library *library);

/** The same of plugin libraries, which are not loaded but by a rung that needs one. */
json_t *rung__explain_plugins(struct rung_instance *instance, bool *failed);

#endif
