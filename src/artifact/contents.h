/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_CONTENTS_H
#define RUNG__ARTIFACT_CONTENTS_H

#include "artifact/format.h"

#define RUNG__LABELS_BYTES_MAX  65536u
#define RUNG__RECORD_BYTES_MAX  262144u /**< the JSON of a gate record or a precision map */
#define RUNG__LICENCE_BYTES_MAX 1048576u

#define RUNG__CAPABILITIES_VERSION 1u
#define RUNG__CAPABILITIES_PREFIX  8u

/**
 * Checks the sections that hold neither the graph nor its tensors: labels, gate, precision,
 * licence, canonical, capabilities, device. Results: OK, INTEGRITY, NO_MEMORY.
 */
rung_result rung__contents_check(const struct rung__artifact_view *view);

/** The number of labels in section 3, or the reason that it is none. Results: OK, INTEGRITY. */
rung_result rung__labels_check(struct rung__bytes section, uint32_t *count);

#endif
