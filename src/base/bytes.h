/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_BYTES_H
#define RUNG__BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rung/result.h>

/** Borrowed bytes that are only read. */
struct rung__bytes {
    const uint8_t *data;
    size_t size;
};

/** A growing array of bytes; all zero is empty. */
struct rung__buffer {
    uint8_t *data;
    size_t size, capacity;
};

/** Appends `size` bytes (zeros when `data` is NULL). Results: OK, NO_MEMORY; unchanged on failure.
 */
rung_result rung__buffer_append(struct rung__buffer *buffer, const void *data, size_t size);
void rung__buffer_finish(struct rung__buffer *buffer);

static inline struct rung__bytes rung__buffer_bytes(const struct rung__buffer *buffer)
{
    return (struct rung__bytes){buffer->data, buffer->size};
}

/** `*out` = the part of `bytes` at `offset`; false when it does not lie inside. */
static inline bool rung__bytes_slice(struct rung__bytes bytes, uint64_t offset, uint64_t size,
                                     struct rung__bytes *out)
{
    if (offset > bytes.size || size > bytes.size - offset)
        return false;
    out->data = bytes.data + offset;
    out->size = (size_t)size;
    return true;
}

/** True when the bytes are UTF-8 without a zero and without surrogates. */
bool rung__bytes_are_text(struct rung__bytes bytes);

/* Little-endian access without alignment. */
static inline uint16_t rung__get_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t rung__get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t rung__get_u64(const uint8_t *at)
{
    return (uint64_t)rung__get_u32(at) | (uint64_t)rung__get_u32(at + 4) << 32;
}

static inline float rung__get_f32(const uint8_t *at)
{
    uint32_t bits = rung__get_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void rung__put_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void rung__put_u32(uint8_t *at, uint32_t value)
{
    rung__put_u16(at, (uint16_t)value);
    rung__put_u16(at + 2, (uint16_t)(value >> 16));
}

static inline void rung__put_u64(uint8_t *at, uint64_t value)
{
    rung__put_u32(at, (uint32_t)value);
    rung__put_u32(at + 4, (uint32_t)(value >> 32));
}

static inline void rung__put_f32(uint8_t *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    rung__put_u32(at, bits);
}

#endif
