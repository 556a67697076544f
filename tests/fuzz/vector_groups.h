/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_FUZZ_VECTOR_GROUPS_H
#define RUNG_FUZZ_VECTOR_GROUPS_H

/** The groups of vector files: name and reader. The first byte of an input is the place here. */
#define VECTOR_GROUPS(X)                                                                           \
    X(fit, vectors_read_fit)                                                                       \
    X(triangle_axis, vectors_read_axis)                                                            \
    X(admission, vectors_read_admission)                                                           \
    X(preprocess, vectors_read_preprocess)                                                         \
    X(math, vectors_read_math)                                                                     \
    X(decode_rows, vectors_read_decode)                                                            \
    X(decode_centernet, vectors_read_decode)                                                       \
    X(select, vectors_read_select)                                                                 \
    X(e2e, vectors_read_e2e)

#endif
