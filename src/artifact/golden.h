/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_GOLDEN_H
#define RUNG__ARTIFACT_GOLDEN_H

#include "artifact/format.h"

/** Where the input of a golden sample comes from. */
enum rung__golden_input {
    RUNG__GOLDEN_STORED = 1,   /**< it is in the section */
    RUNG__GOLDEN_GENERATED = 2 /**< a picture of the canvas's size from a formula, then stored as
                                    preprocessing stores pixels (docs/artifact.md) */
};

/** Section 4: an input, and what the model answers to it. */
struct rung__golden {
    uint32_t input_kind;      /**< rung__golden_input */
    float tolerance;          /**< of the relative L2 distance of each output */
    struct rung__bytes input; /**< empty when generated */
    struct rung__bytes outputs[RUNG__OUTPUTS_MAX]; /**< in the order of section 2 */
    uint32_t output_count;
};

/** Reads section 4 and compares its sizes with section 2. Results: OK, INTEGRITY. */
rung_result rung__golden_parse(struct rung__bytes section, const struct rung__tensors *tensors,
                               struct rung__golden *out);

/** Appends section 4. Results: OK, NO_MEMORY. */
rung_result rung__golden_encode(const struct rung__golden *golden, struct rung__buffer *to);

#endif
