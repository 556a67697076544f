/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/pack.h"

#include <string.h>

#include "artifact/bundle.h"
#include "artifact/header.h"
#include "artifact/onnx.h"
#include "artifact/signature.h"
#include "artifact/view.h"
#include "base/error.h"
#include "base/file.h"

#define MODE_PUBLIC 0644u

static rung_result check_payload(const struct rung__spec *spec, struct rung__bytes payload)
{
    if (rung__kind_is_bundle(spec->header.kind))
        return rung__locator_check(payload);
    return rung__onnx_check(payload, &spec->tensors);
}

static uint64_t aligned(uint64_t offset)
{
    return (offset + RUNG__SECTION_ALIGNMENT - 1) / RUNG__SECTION_ALIGNMENT *
           RUNG__SECTION_ALIGNMENT;
}

static struct rung__bytes section_bytes(const struct rung__spec *spec, struct rung__bytes payload,
                                        uint32_t kind)
{
    return kind == RUNG__SECTION_PAYLOAD ? payload : rung__buffer_bytes(&spec->sections[kind]);
}

/* Sections lie in the order of their kinds, each at the first place it may have; gives the end. */
static uint64_t lay_out(const struct rung__spec *spec, struct rung__bytes payload,
                        struct rung__section_table *table)
{
    table->count = 0;
    for (uint32_t kind = 1; kind < RUNG__SECTION_KNOWN; kind++)
        if (section_bytes(spec, payload, kind).size)
            table->rows[table->count++].kind = kind;

    uint64_t end = RUNG__HEADER_BYTES + (uint64_t)table->count * RUNG__SECTION_ENTRY_BYTES;
    for (uint32_t i = 0; i < table->count; i++) {
        struct rung__section *row = &table->rows[i];
        row->offset = aligned(end);
        row->bytes = section_bytes(spec, payload, row->kind).size;
        end = row->offset + row->bytes;
    }
    return end;
}

static void make_header(const struct rung__spec *spec, const struct rung__payload *payload,
                        const uint8_t *key_id, uint64_t message_bytes, uint32_t section_count,
                        struct rung__header *header)
{
    *header = spec->header;
    header->section_count = section_count;
    header->file_bytes = message_bytes;
    if (key_id) {
        header->flags |= RUNG__FLAG_SIGNED;
        header->file_bytes += RUNG__SIGNATURE_BYTES;
        header->signature_offset = message_bytes;
        memcpy(header->key_id, key_id, RUNG__KEY_ID_BYTES);
    }
    memcpy(header->digest, payload->digest, sizeof header->digest);
}

static rung_result append_sections(const struct rung__spec *spec, struct rung__bytes payload,
                                   const struct rung__section_table *table,
                                   struct rung__buffer *message)
{
    rung_result result = RUNG_OK;
    for (uint32_t i = 0; i < table->count && result == RUNG_OK; i++) {
        const struct rung__bytes bytes = section_bytes(spec, payload, table->rows[i].kind);
        result = rung__buffer_append(message, NULL, (size_t)table->rows[i].offset - message->size);
        if (result == RUNG_OK)
            result = rung__buffer_append(message, bytes.data, bytes.size);
    }
    return result;
}

static rung_result write_message(const struct rung__spec *spec, const struct rung__payload *payload,
                                 const uint8_t *key_id, struct rung__buffer *message)
{
    struct rung__section_table table;
    struct rung__header header;
    uint8_t head[RUNG__HEAD_BYTES_MAX];
    const uint64_t end = lay_out(spec, payload->bytes, &table);

    make_header(spec, payload, key_id, end, table.count, &header);
    rung__header_encode(&header, head);
    rung__section_table_encode(&table, head + RUNG__HEADER_BYTES);
    rung_result result = rung__buffer_append(
        message, head, RUNG__HEADER_BYTES + table.count * RUNG__SECTION_ENTRY_BYTES);
    if (result == RUNG_OK)
        result = append_sections(spec, payload->bytes, &table, message);
    return result;
}

/* The rules that only show in the whole, such as a precision map that is missing. */
static rung_result check_layout(const struct rung__buffer *message, const uint8_t *key_id,
                                const char *where)
{
    struct rung__layout layout;
    const uint64_t file_bytes = message->size + (key_id ? RUNG__SIGNATURE_BYTES : 0);
    rung_result result = rung__layout_read(rung__buffer_bytes(message), file_bytes, &layout);
    if (result == RUNG_INTEGRITY)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: %s", where, rung_last_error());
    return result;
}

rung_result rung__pack(const struct rung__spec *spec, const char *where,
                       const struct rung__payload *payload, const uint8_t *key_id,
                       struct rung__buffer *message)
{
    rung_result result = check_payload(spec, payload->bytes);
    if (result == RUNG_OK)
        result = write_message(spec, payload, key_id, message);
    if (result == RUNG_OK)
        result = check_layout(message, key_id, where);
    return result;
}

static rung_result append_signature(void *key, struct rung__buffer *message)
{
    uint8_t digest[RUNG__SHA256_BYTES], signature[RUNG__SIGNATURE_BYTES];
    rung_result result = rung__sha256_of(message->data, message->size, digest);
    if (result == RUNG_OK)
        result = rung__signature_make(key, digest, signature);
    if (result == RUNG_OK)
        result = rung__buffer_append(message, signature, sizeof signature);
    return result;
}

rung_result rung__pack_save(struct rung__buffer *message, void *key, const char *path)
{
    const rung_result result = key ? append_signature(key, message) : RUNG_OK;
    return result == RUNG_OK ? rung__file_save(path, rung__buffer_bytes(message), MODE_PUBLIC, true)
                             : result;
}
