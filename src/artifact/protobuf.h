/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_PROTOBUF_H
#define RUNG__ARTIFACT_PROTOBUF_H

#include "base/bytes.h"

/** How a field is written. Groups are refused: nothing that we read has any. */
enum rung__proto_wire {
    RUNG__PROTO_VARINT = 0,
    RUNG__PROTO_FIXED64 = 1,
    RUNG__PROTO_BYTES = 2,
    RUNG__PROTO_FIXED32 = 5
};

/** One field of a protobuf message. */
struct rung__proto_field {
    uint32_t number;
    uint32_t wire;            /**< rung__proto_wire */
    uint64_t value;           /**< of a varint */
    struct rung__bytes bytes; /**< of the others */
};

enum rung__proto_step { RUNG__PROTO_END, RUNG__PROTO_FIELD, RUNG__PROTO_BROKEN };

/** Reads the next field of `*rest` and moves behind it. */
enum rung__proto_step rung__proto_next(struct rung__bytes *rest, struct rung__proto_field *field);

#endif
