/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_ONNX_H
#define RUNG__ARTIFACT_ONNX_H

#include "artifact/format.h"

/** What a graph says of itself, read from its protobuf without building it. */
struct rung__onnx {
    int64_t ir_version;
    int64_t opset;                 /**< of the default domain */
    struct rung__tensor inputs[4]; /**< graph inputs that are no initialisers */
    uint32_t input_count;
    struct rung__tensor outputs[RUNG__OUTPUTS_MAX];
    uint32_t output_count;
};

/**
 * Walks an ONNX ModelProto: bounded depth, no allocation, never outside `payload`. External data in
 * any tensor, anywhere (also an empty location), is refused. A dimension that is not a fixed number
 * reads as 0, a type that Rung does not carry as dtype 0. Results: OK, INTEGRITY (no ONNX, external
 * data, too many or too long names).
 */
rung_result rung__onnx_read(struct rung__bytes payload, struct rung__onnx *out);

/**
 * Compares a real model with what the file declares: names, types, shapes of input and outputs,
 * each difference by name. `whose` begins the sentence ("the graph", "the loaded model").
 * Results: OK, INTEGRITY.
 */
rung_result rung__tensors_compare(const char *whose, const struct rung__tensors *declared,
                                  const struct rung__tensor *inputs, uint32_t input_count,
                                  const struct rung__tensor *outputs, uint32_t output_count);

/** Reads a graph, and compares it: opset, inputs, outputs. Results: OK, INTEGRITY. */
rung_result rung__onnx_check(struct rung__bytes payload, const struct rung__tensors *declared);

#endif
