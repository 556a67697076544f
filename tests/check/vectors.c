/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "vectors_internal.h"

#define FILE_BYTES_MAX (16u << 20)
#define BLOB_BYTES_MAX (UINT64_C(1) << 31)

/* ---- files and cases ------------------------------------------------------------------------- */

static rung_result read_group(const char *path, const char *group, struct vectors *vectors)
{
    struct rung__json_reader reader;
    rung__json_reader_init(&reader, vectors->root, path);
    const char *name = rung__json_text(&reader, "group", true);
    if (name && strcmp(name, group) != 0)
        rung__json_refuse(&reader, "the group is \"%s\", not \"%s\"", name, group);
    rung__json_u64(&reader, "format", 1, 1, true, 1);
    rung__json_text(&reader, "note", false);
    vectors->cases = vectors_array(&reader, "cases", 1, SIZE_MAX);
    vectors->count = json_array_size(vectors->cases);
    return rung__json_reader_end(&reader);
}

rung_result vectors_open(const char *folder, const char *group, struct vectors *out)
{
    struct rung__buffer text = {0};
    char *path = rung__text_new("%s/%s.json", folder, group);
    *out = (struct vectors){0};
    rung_result result = path ? rung__file_load(path, FILE_BYTES_MAX, &text)
                              : rung__fail(RUNG_NO_MEMORY, "no memory");
    if (result == RUNG_OK)
        result = rung__json_parse(rung__buffer_bytes(&text), path, &out->root);
    if (result == RUNG_OK)
        result = read_group(path, group, out);
    if (result != RUNG_OK)
        vectors_close(out);
    rung__buffer_finish(&text);
    free(path);
    return result;
}

void vectors_close(struct vectors *vectors)
{
    json_decref(vectors->root);
    *vectors = (struct vectors){0};
}

void vectors_begin(const struct vectors *vectors, size_t i, struct vectors_case *vector,
                   struct rung__json_reader *reader)
{
    const json_t *object = json_array_get(vectors->cases, i);
    const char *id = json_string_value(json_object_get(object, "id"));
    *vector = (struct vectors_case){.id = id ? id : "(no id)"};
    rung__json_reader_init(reader, object, vector->id);
    rung__json_text(reader, "id", true);
    rung__json_text(reader, "what", false);
}

void vectors_case_finish(struct vectors_case *vector)
{
    for (size_t i = 0; i < vector->owned_count; i++)
        free(vector->owned[i]);
    vector->owned_count = 0;
}

void *vectors_own(struct vectors_case *vector, struct rung__json_reader *reader, size_t count,
                  size_t size)
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

/* ---- members --------------------------------------------------------------------------------- */

void vectors_enter(struct rung__json_reader *reader, const char *key,
                   struct rung__json_reader *inner)
{
    const json_t *object = rung__json_member(reader, key);
    if (!json_is_object(object))
        rung__json_refuse(reader, "\"%s\" must be an object", key);
    rung__json_reader_init(inner, object, reader->where);
    inner->result = reader->result;
}

void vectors_leave(struct rung__json_reader *reader, struct rung__json_reader *inner)
{
    const rung_result result = rung__json_reader_end(inner);
    if (reader->result == RUNG_OK)
        reader->result = result;
}

const json_t *vectors_array(struct rung__json_reader *reader, const char *key, size_t low,
                            size_t high)
{
    const json_t *array = rung__json_member(reader, key);
    const size_t size = json_array_size(array);
    if (json_is_array(array) && size >= low && size <= high)
        return array;
    rung__json_refuse(reader, "\"%s\" must be an array of %zu to %zu elements", key, low, high);
    return NULL;
}

int64_t vectors_item(struct rung__json_reader *reader, const char *key, const json_t *array,
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

void vectors_u32s(struct rung__json_reader *reader, const char *key, uint32_t high, uint32_t *to,
                  size_t count)
{
    const json_t *array = vectors_array(reader, key, count, count);
    for (size_t i = 0; i < count; i++)
        to[i] = (uint32_t)vectors_item(reader, key, array, i, 0, high);
}

uint64_t vectors_bits_of(struct rung__json_reader *reader, const char *key, const json_t *value,
                         size_t digits)
{
    const char *text = json_string_value(value);
    uint64_t bits = 0;
    bool good = text && strlen(text) == digits + 2 && text[0] == '0' && text[1] == 'x';
    for (size_t i = 0; good && i < digits; i++)
        good = isxdigit((unsigned char)text[i + 2]) != 0;
    if (good)
        bits = strtoull(text, NULL, 16);
    else
        rung__json_refuse(reader, "\"%s\" must be \"0x\" and %zu hexadecimal digits", key, digits);
    return bits;
}

void vectors_bits32(struct rung__json_reader *reader, const char *key, uint32_t *to, size_t count)
{
    const json_t *array = vectors_array(reader, key, count, count);
    for (size_t i = 0; i < count && reader->result == RUNG_OK; i++)
        to[i] = (uint32_t)vectors_bits_of(reader, key, json_array_get(array, i), 8);
}

uint64_t vectors_bits64(struct rung__json_reader *reader, const char *key)
{
    return vectors_bits_of(reader, key, rung__json_member(reader, key), 16);
}

uint32_t vectors_word(struct rung__json_reader *reader, const char *key, const char *const words[])
{
    const char *text = rung__json_text(reader, key, true);
    for (uint32_t i = 0; text && words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    rung__json_refuse(reader, "\"%s\" is an unknown word", key);
    return 0;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

uint8_t *vectors_hex(struct vectors_case *vector, struct rung__json_reader *reader, const char *key,
                     size_t limit, size_t *size)
{
    const char *text = rung__json_text(reader, key, true);
    const size_t digits = text ? strlen(text) : 0;
    *size = digits / 2;
    if (digits % 2 != 0 || *size > limit)
        rung__json_refuse(reader, "\"%s\" must be at most %zu bytes in hexadecimal", key, limit);
    uint8_t *bytes = vectors_own(vector, reader, *size, 1);
    for (size_t i = 0; bytes && i < *size; i++) {
        const int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            rung__json_refuse(reader, "\"%s\" has a character that is no digit", key);
        else
            bytes[i] = (uint8_t)(high * 16 + low);
    }
    return bytes;
}

void vectors_digest(struct rung__json_reader *reader, const char *key,
                    uint8_t digest[RUNG__SHA256_BYTES])
{
    struct vectors_case scratch = {0};
    size_t size;
    const uint8_t *bytes = vectors_hex(&scratch, reader, key, RUNG__SHA256_BYTES, &size);
    if (bytes && size == RUNG__SHA256_BYTES)
        memcpy(digest, bytes, size);
    else
        rung__json_refuse(reader, "\"%s\" must be 64 digits", key);
    vectors_case_finish(&scratch);
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

uint8_t *vectors_base64(struct vectors_case *vector, struct rung__json_reader *reader,
                        const char *key, size_t limit, size_t *size)
{
    const char *text = rung__json_text(reader, key, true);
    size_t digits = text ? strlen(text) : 0;
    if (digits % 4 != 0 || digits / 4 * 3 > limit + 2)
        rung__json_refuse(reader, "\"%s\" must be at most %zu bytes in base64", key, limit);
    for (int padding = 0; padding < 2 && digits > 0 && text[digits - 1] == '='; padding++)
        digits--;
    *size = digits * 3 / 4;
    uint8_t *bytes = vectors_own(vector, reader, *size + 1, 1);
    uint32_t bits = 0;
    for (size_t i = 0; bytes && i < digits; i++) {
        const int digit = base64_digit(text[i]);
        if (digit < 0) {
            rung__json_refuse(reader, "\"%s\" has a character that is not base64", key);
            break;
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 != 0) /* 2, 4, 6 bits too many behind the second, third, fourth digit */
            bytes[i / 4 * 3 + i % 4 - 1] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
    }
    return bytes;
}

void vectors_blob(struct vectors_case *vector, struct rung__json_reader *reader, const char *key,
                  struct vectors_blob *out)
{
    struct rung__json_reader inner;
    if (key)
        vectors_enter(reader, key, &inner);
    struct rung__json_reader *at = key ? &inner : reader;
    out->size = rung__json_u64(at, "bytes", 0, BLOB_BYTES_MAX, true, 0);
    vectors_digest(at, "sha256", out->digest);
    if (rung__json_member(at, "base64")) {
        size_t size;
        out->bytes = vectors_base64(vector, at, "base64", FILE_BYTES_MAX, &size);
        if (size != out->size)
            rung__json_refuse(at, "%zu bytes of base64, %" PRIu64 " were promised", size,
                              out->size);
    }
    if (key)
        vectors_leave(reader, &inner);
}

bool vectors_blob_matches(const struct vectors_blob *blob, const void *bytes, size_t size)
{
    uint8_t digest[RUNG__SHA256_BYTES];
    if (size != blob->size)
        return rung__fail(RUNG_INTEGRITY, "%zu bytes instead of %" PRIu64, size, blob->size) ==
               RUNG_OK;
    for (size_t i = 0; blob->bytes && i < size; i++)
        if (((const uint8_t *)bytes)[i] != blob->bytes[i])
            return rung__fail(RUNG_INTEGRITY, "byte %zu is 0x%02x instead of 0x%02x", i,
                              ((const uint8_t *)bytes)[i], blob->bytes[i]) == RUNG_OK;
    if (rung__sha256_of(bytes, size, digest) != RUNG_OK)
        return false;
    if (memcmp(digest, blob->digest, sizeof digest) != 0)
        return rung__fail(RUNG_INTEGRITY, "the digest of %zu bytes differs", size) == RUNG_OK;
    return true;
}
