/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_DESCRIBE_H
#define RUNG__ARTIFACT_DESCRIBE_H

#include "artifact/artifact.h"
#include "base/json.h"

/**
 * The spec that packs, with the payload, to the same bytes. Results: OK, UNSUPPORTED (no spec does:
 * another tool laid the file out), NO_MEMORY. `*out` is the caller's.
 */
rung_result rung__describe_spec(const struct rung__artifact *artifact, json_t **out);

/** Everything in the file, for people and programs. Results: OK, NO_MEMORY. */
rung_result rung__describe_report(const struct rung__artifact *artifact, json_t **out);

#endif
