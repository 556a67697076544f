/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_TENSORS_H
#define RUNG__ARTIFACT_TENSORS_H

#include "artifact/format.h"

#define RUNG__ELEMENTS_MAX (UINT64_C(1) << 31)

/** Reads section 2. Parameters point into `section`. Results: OK, INTEGRITY. */
rung_result rung__tensors_parse(struct rung__bytes section, struct rung__tensors *out);

/** Appends section 2. Results: OK, NO_MEMORY. */
rung_result rung__tensors_encode(const struct rung__tensors *tensors, struct rung__buffer *to);

/** The number of elements; 0 when a dimension is 0 or it is more than RUNG__ELEMENTS_MAX. */
uint64_t rung__tensor_elements(const struct rung__tensor *tensor);

/** The bytes of one element of a rung_dtype, 0 for an unknown one. */
uint32_t rung__dtype_bytes(uint32_t dtype);

/** The bytes of a tensor without padding. */
uint64_t rung__tensor_size(const struct rung__tensor *tensor);

/** The room for the text of a shape. */
#define RUNG__SHAPE_TEXT 96u

/** Writes "[1,3,640,640]"; a dimension that is not fixed reads "?". */
void rung__tensor_shape_text(const struct rung__tensor *tensor, char to[RUNG__SHAPE_TEXT]);

#endif
