/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/vectors_reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Members of a case that several groups have in the same form. */

void *rung__vectors_own(struct rung__vectors_case *vector, struct rung__json_reader *reader,
                        size_t count, size_t size)
{
    if (reader->result != RUNG_OK)
        return NULL;
    void *memory = NULL;
    if (vector->owned_count < sizeof vector->owned / sizeof *vector->owned)
        memory = calloc(count ? count : 1, size);
    if (!memory)
        reader->result =
            rung__fail(RUNG_NO_MEMORY, "%s: no memory for %zu bytes", reader->where, count * size);
    else
        vector->owned[vector->owned_count++] = memory;
    return memory;
}

void rung__vectors_enter(struct rung__json_reader *reader, const char *key,
                         struct rung__json_reader *inner)
{
    const json_t *object = rung__json_member(reader, key);
    if (!json_is_object(object))
        rung__json_refuse(reader, "\"%s\" must be an object", key);
    rung__json_reader_init(inner, reader->result == RUNG_OK ? object : NULL, reader->where);
    inner->result = reader->result;
}

void rung__vectors_leave(struct rung__json_reader *reader, struct rung__json_reader *inner)
{
    const rung_result result = rung__json_reader_end(inner);
    if (reader->result == RUNG_OK)
        reader->result = result;
}

/* ---- numbers and words ----------------------------------------------------------------------- */

const json_t *rung__vectors_array(struct rung__json_reader *reader, const char *key, size_t low,
                                  size_t high)
{
    const json_t *array = rung__json_member(reader, key);
    const size_t size = json_array_size(array);
    if (json_is_array(array) && size >= low && size <= high)
        return array;
    if (high == SIZE_MAX)
        rung__json_refuse(reader, "\"%s\" must be an array of at least %zu", key, low);
    else if (low == high)
        rung__json_refuse(reader, "\"%s\" must be an array of %zu", key, low);
    else
        rung__json_refuse(reader, "\"%s\" must be an array of %zu to %zu", key, low, high);
    return NULL;
}

int64_t rung__vectors_item(struct rung__json_reader *reader, const char *key, const json_t *array,
                           size_t i, int64_t low, int64_t high)
{
    const json_t *item = json_array_get(array, i);
    const int64_t number = json_integer_value(item);
    if (json_is_integer(item) && number >= low && number <= high)
        return number;
    rung__json_refuse(reader, "\"%s\"[%zu] must be a whole number in %" PRId64 "..%" PRId64, key, i,
                      low, high);
    return low;
}

uint32_t rung__vectors_u32(struct rung__json_reader *reader, const char *key)
{
    return (uint32_t)rung__json_u64(reader, key, 0, UINT32_MAX, true, 0);
}

void rung__vectors_u32s(struct rung__json_reader *reader, const char *key, uint32_t high,
                        uint32_t *to, size_t count)
{
    const json_t *array = rung__vectors_array(reader, key, count, count);
    for (size_t i = 0; array && i < count; i++)
        to[i] = (uint32_t)rung__vectors_item(reader, key, array, i, 0, high);
}

uint64_t rung__vectors_bits(struct rung__json_reader *reader, const char *key, const json_t *value,
                            size_t digits)
{
    const char *text = json_string_value(value);
    bool good = text && strlen(text) == digits + 2 && text[0] == '0' && text[1] == 'x';
    for (size_t i = 0; good && i < digits; i++)
        good = isxdigit((unsigned char)text[i + 2]) != 0;
    if (good)
        return strtoull(text, NULL, 16);
    rung__json_refuse(reader, "\"%s\" must be \"0x\" and %zu hexadecimal digits", key, digits);
    return 0;
}

uint64_t rung__vectors_bits64(struct rung__json_reader *reader, const char *key)
{
    return rung__vectors_bits(reader, key, rung__json_member(reader, key), 16);
}

void rung__vectors_bits32s(struct rung__json_reader *reader, const char *key, uint32_t *to,
                           size_t count)
{
    const json_t *array = rung__vectors_array(reader, key, count, count);
    for (size_t i = 0; array && i < count && reader->result == RUNG_OK; i++)
        to[i] = (uint32_t)rung__vectors_bits(reader, key, json_array_get(array, i), 8);
}

uint32_t rung__vectors_word(struct rung__json_reader *reader, const char *key,
                            const struct rung__names *names)
{
    const char *text = rung__json_text(reader, key, true);
    uint32_t value = 0;
    if (text && !rung__name_value(names, text, &value)) {
        char list[256];
        rung__names_list(names, list, sizeof list);
        rung__json_refuse(reader, "\"%s\" is \"%s\", which is none of: %s", key, text, list);
    }
    return value;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static int digit_of(const char *digits, char c)
{
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/** False when one of the 2 × `size` characters is no digit. */
static bool decode_hex(const char *text, uint8_t *to, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        const int high = digit_of(digits, text[2 * i]), low = digit_of(digits, text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        to[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

const uint8_t *rung__vectors_hex(struct rung__vectors_case *vector,
                                 struct rung__json_reader *reader, const char *key, size_t limit,
                                 size_t *size)
{
    const char *text = rung__json_text(reader, key, true);
    const size_t digits = text ? strlen(text) : 0;
    *size = digits / 2;
    if (digits % 2 != 0 || *size > limit)
        rung__json_refuse(reader, "\"%s\" must be at most %zu bytes in hexadecimal", key, limit);
    uint8_t *bytes = rung__vectors_own(vector, reader, *size, 1);
    if (bytes && !decode_hex(text, bytes, *size))
        rung__json_refuse(reader, "\"%s\" has a character that is no digit", key);
    return bytes;
}

void rung__vectors_digest(struct rung__json_reader *reader, const char *key,
                          uint8_t digest[RUNG__SHA256_BYTES])
{
    const char *text = rung__json_text(reader, key, true);
    if (text && (strlen(text) != 2 * (size_t)RUNG__SHA256_BYTES ||
                 !decode_hex(text, digest, RUNG__SHA256_BYTES)))
        rung__json_refuse(reader, "\"%s\" must be 64 hexadecimal digits, 0-9 and a-f", key);
}

/** False when one of the characters is no digit; `to` has digits × 3 / 4 bytes and one more. */
static bool decode_base64(const char *text, size_t digits, uint8_t *to)
{
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    for (size_t i = 0; i < digits; i++) {
        const int digit = digit_of(all, text[i]);
        if (digit < 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 != 0) /* 4, 2, 0 bits too many behind the second, third, fourth digit */
            to[i / 4 * 3 + i % 4 - 1] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
    }
    return true;
}

const uint8_t *rung__vectors_base64(struct rung__vectors_case *vector,
                                    struct rung__json_reader *reader, const char *key, size_t limit,
                                    size_t *size)
{
    const char *text = rung__json_text(reader, key, true);
    size_t digits = text ? strlen(text) : 0;
    const bool is_whole = digits % 4 == 0;
    for (int padding = 0; padding < 2 && digits > 0 && text[digits - 1] == '='; padding++)
        digits--;
    *size = digits * 3 / 4;
    if (!is_whole || *size > limit)
        rung__json_refuse(reader, "\"%s\" must be at most %zu bytes in base64", key, limit);
    uint8_t *bytes = rung__vectors_own(vector, reader, *size + 1, 1);
    if (bytes && !decode_base64(text, digits, bytes))
        rung__json_refuse(reader, "\"%s\" has a character that is not base64", key);
    return bytes;
}

void rung__vectors_read_blob(struct rung__vectors_case *vector, struct rung__json_reader *reader,
                             const char *key, struct rung__vectors_blob *out)
{
    struct rung__json_reader inner;
    rung__vectors_enter(reader, key, &inner);
    out->size = rung__json_u64(&inner, "bytes", 0, RUNG__VECTORS_BYTES_MAX, true, 0);
    rung__vectors_digest(&inner, "sha256", out->digest);
    if (rung__json_member(&inner, "base64")) {
        size_t size;
        out->bytes =
            rung__vectors_base64(vector, &inner, "base64", (size_t)RUNG__VECTORS_BYTES_MAX, &size);
        if (size != out->size)
            rung__json_refuse(&inner, "\"%s\" has %zu bytes of base64 and promises %" PRIu64, key,
                              size, out->size);
    }
    rung__vectors_leave(reader, &inner);
}

/* ---- geometry -------------------------------------------------------------------------------- */

#define SOURCE_MAX 65535u

void rung__vectors_read_place(struct rung__json_reader *reader, struct rung__vectors_place *place)
{
    uint32_t crop[4] = {0}, canvas[2] = {0};
    uint32_t source[2] = {place->source_width, place->source_height};
    if (source[0] == 0)
        rung__vectors_u32s(reader, "source", SOURCE_MAX, source, 2);
    rung__vectors_u32s(reader, "crop", SOURCE_MAX, crop, 4);
    rung__vectors_u32s(reader, "canvas", RUNG__SIDE_MAX, canvas, 2);
    if (crop[2] == 0 || crop[0] + crop[2] > source[0] || crop[3] == 0 ||
        crop[1] + crop[3] > source[1] || canvas[0] == 0 || canvas[1] == 0)
        rung__json_refuse(reader, "the crop is not inside the source, or the canvas is empty");
    place->source_width = source[0];
    place->source_height = source[1];
    place->crop = (struct rung__crop){crop[0], crop[1], crop[2], crop[3]};
    place->canvas.width = canvas[0];
    place->canvas.height = canvas[1];
    place->canvas.channels = 3;
    place->canvas.fit = (uint8_t)rung__vectors_word(reader, "fit", &rung__fit_names);
    place->canvas.rounding = (uint8_t)rung__vectors_word(reader, "rounding", &rung__rounding_names);
}

void rung__vectors_read_placement(struct rung__json_reader *reader, struct rung__placement *out)
{
    uint32_t content[2] = {0}, origin[2] = {0};
    rung__vectors_u32s(reader, "content", RUNG__SIDE_MAX, content, 2);
    rung__vectors_u32s(reader, "origin", RUNG__SIDE_MAX, origin, 2);
    out->width = content[0];
    out->height = content[1];
    out->x = origin[0];
    out->y = origin[1];
}
