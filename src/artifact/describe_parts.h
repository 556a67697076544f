/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_DESCRIBE_PARTS_H
#define RUNG__ARTIFACT_DESCRIBE_PARTS_H

#include "artifact/artifact.h"
#include "base/json.h"

/* What the spec and the report of a model file have in common. */

json_t *rung__describe_text(struct rung__bytes text);
json_t *rung__describe_hex(struct rung__bytes bytes);

/** Name to max_output_bytes, in the order of the spec in docs/artifact.md. */
void rung__describe_header(const struct rung__artifact_view *view, json_t *object, bool *failed);

/** Input, outputs, parameters, labels, capabilities, canonical. */
void rung__describe_tensors(const struct rung__artifact_view *view, json_t *object, bool *failed);
void rung__describe_labels(const struct rung__artifact_view *view, json_t *object, bool *failed);

/**
 * Sets `gated`, the gate record in short (docs/artifact.md, section 5): whether this model passed
 * anywhere, and each measurement with its main figures. Texts of it are made fit to be shown.
 */
void rung__describe_gates(const struct rung__artifact_view *view, json_t *object, bool *failed);

#endif
