/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"

#define FIRST_CAPACITY 256

static rung_result reserve(struct rung__buffer *buffer, size_t extra)
{
    if (extra <= buffer->capacity - buffer->size)
        return RUNG_OK;
    if (extra > SIZE_MAX / 2 - buffer->size)
        return rung__fail(RUNG_NO_MEMORY, "no memory for %zu more bytes", extra);

    size_t needed = buffer->size + extra;
    size_t capacity = buffer->capacity + buffer->capacity / 2;
    if (capacity < needed)
        capacity = needed < FIRST_CAPACITY ? FIRST_CAPACITY : needed;
    uint8_t *data = realloc(buffer->data, capacity);
    if (!data)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a buffer of %zu bytes", capacity);
    buffer->data = data;
    buffer->capacity = capacity;
    return RUNG_OK;
}

rung_result rung__buffer_append(struct rung__buffer *buffer, const void *data, size_t size)
{
    if (!size)
        return RUNG_OK;
    rung_result result = reserve(buffer, size);
    if (result)
        return result;
    if (data)
        memcpy(buffer->data + buffer->size, data, size);
    else
        memset(buffer->data + buffer->size, 0, size);
    buffer->size += size;
    return RUNG_OK;
}

void rung__buffer_finish(struct rung__buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct rung__buffer){0};
}

bool rung__bytes_are_text(struct rung__bytes bytes)
{
    for (size_t at = 0; at < bytes.size;) {
        size_t length = rung__text_character(bytes.data + at, bytes.size - at);
        if (!length || !bytes.data[at])
            return false;
        at += length;
    }
    return true;
}
