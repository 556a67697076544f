/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TEST_TINY_ONNX_H
#define RUNG_TEST_TINY_ONNX_H

#include <stdbool.h>

#include "base/bytes.h"

/*
 * Small ONNX files as bytes, so that none has to be stored. Field numbers are those of onnx.proto3.
 * Running out of memory ends the program.
 */

/* Protobuf fields behind what is in the buffer. */
void proto_varint(struct rung__buffer *to, uint32_t field, uint64_t value);
void proto_bytes(struct rung__buffer *to, uint32_t field, struct rung__bytes bytes);
void proto_text(struct rung__buffer *to, uint32_t field, const char *text);
/** The same with the content of `part`, which is emptied. */
void proto_message(struct rung__buffer *to, uint32_t field, struct rung__buffer *part);

/** A ValueInfoProto; a dimension of 0 becomes the name "n", one of -1 is left empty. */
void tiny_value(struct rung__buffer *to, const char *name, uint64_t element, const int64_t *dims,
                uint32_t rank);

/** A TensorProto of `count` f32. */
void tiny_tensor(struct rung__buffer *to, const char *name, const int64_t *dims, uint32_t rank,
                 const float *values, size_t count);

/** A ModelProto around the content of `graph`, which is emptied. */
void tiny_model(struct rung__buffer *to, struct rung__buffer *graph, uint64_t opset);

/** What tiny_rows makes. */
struct tiny_rows {
    const char *input, *output;
    int64_t width, height;
    const float *rows; /**< row_count × 6 */
    uint32_t row_count;
    uint64_t opset;
    size_t ballast; /**< bytes of a weight that nothing uses */
    bool bgra;      /**< the picture is u8 [1,height,width,4]; then there are no steps */
    uint32_t steps; /**< that it takes, one after the other, from its picture to its answer, which
                       is the same for every finite one; 0: it does not look at it */
};

/**
 * A valid model that answers [1,row_count,6], whatever its picture, else f32 [1,3,height,width].
 */
void tiny_rows(struct rung__buffer *to, const struct tiny_rows *model);

#endif
