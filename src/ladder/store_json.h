/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_STORE_JSON_H
#define RUNG__LADDER_STORE_JSON_H

#include "base/bytes.h"
#include "ladder/store.h"

/** Reads the file's text, which anybody may have written. `path` is for the sentence. Results: OK,
 * INTEGRITY, NO_MEMORY. */
rung_result rung__store_parse(struct rung__bytes text, const char *path, struct rung__store *out);

/** Writes it. Results: OK, NO_MEMORY. */
rung_result rung__store_print(const struct rung__store *store, struct rung__buffer *to);

#endif
