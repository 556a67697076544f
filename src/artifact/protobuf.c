/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/protobuf.h"

#define VARINT_BYTES_MAX 10u

static bool take_varint(struct rung__bytes *rest, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < VARINT_BYTES_MAX && i < rest->size; i++) {
        value |= (uint64_t)(rest->data[i] & 0x7f) << 7 * i;
        if (!(rest->data[i] & 0x80)) {
            rest->data += i + 1;
            rest->size -= i + 1;
            *out = value;
            return true;
        }
    }
    return false;
}

static bool take_bytes(struct rung__bytes *rest, uint64_t size, struct rung__bytes *out)
{
    if (!rung__bytes_slice(*rest, 0, size, out))
        return false;
    rest->data += out->size;
    rest->size -= out->size;
    return true;
}

static bool take_value(struct rung__bytes *rest, struct rung__proto_field *field)
{
    uint64_t size;
    switch (field->wire) {
    case RUNG__PROTO_VARINT:
        return take_varint(rest, &field->value);
    case RUNG__PROTO_FIXED64:
        return take_bytes(rest, 8, &field->bytes);
    case RUNG__PROTO_BYTES:
        return take_varint(rest, &size) && take_bytes(rest, size, &field->bytes);
    case RUNG__PROTO_FIXED32:
        return take_bytes(rest, 4, &field->bytes);
    default:
        return false;
    }
}

enum rung__proto_step rung__proto_next(struct rung__bytes *rest, struct rung__proto_field *field)
{
    if (rest->size == 0)
        return RUNG__PROTO_END;

    uint64_t tag;
    if (!take_varint(rest, &tag) || tag > UINT32_MAX || tag >> 3 == 0)
        return RUNG__PROTO_BROKEN;
    *field = (struct rung__proto_field){.number = (uint32_t)(tag >> 3), .wire = tag & 7};
    return take_value(rest, field) ? RUNG__PROTO_FIELD : RUNG__PROTO_BROKEN;
}
