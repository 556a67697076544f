/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_FUZZ_H
#define RUNG_FUZZ_H

#include <stdint.h>

#include "artifact/artifact.h"

/** What libFuzzer calls with each input; always 0. A finding is a sanitizer's, or a broken REQUIRE.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Ends the program, which libFuzzer reports as a finding, when a promise does not hold. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_trap();                                                                      \
    } while (0)

/**
 * Every rung__file_load of a target that lists in_memory.c gives these bytes, whatever the path: no
 * target touches a disk.
 */
extern struct rung__bytes in_memory_file;

/** Reads a model file as admission does, but for digest, signature and trust. */
rung_result read_model(struct rung__bytes file, struct rung__artifact *out);

/** Appends the smallest ONNX graph with these inputs and outputs. */
void make_suiting_graph(const struct rung__tensors *tensors, struct rung__buffer *to);

#endif
