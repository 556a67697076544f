/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/sections.h"

#include <string.h>

#include "artifact/header.h"
#include "artifact/names.h"
#include "base/error.h"

static uint64_t table_end(uint32_t count)
{
    return RUNG__HEADER_BYTES + (uint64_t)count * RUNG__SECTION_ENTRY_BYTES;
}

const struct rung__section *rung__section_find(const struct rung__section_table *table,
                                               uint32_t kind)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (table->rows[i].kind == kind)
            return &table->rows[i];
    return NULL;
}

static rung_result check_kind(const struct rung__section_table *table, uint32_t kind)
{
    if (kind >= RUNG__SECTION_FOREIGN)
        return RUNG_OK;
    const char *name = rung__name_text(&rung__section_names, kind);
    if (!name)
        return rung__fail(RUNG_INTEGRITY, "section kind %u is unknown", kind);
    if (rung__section_find(table, kind))
        return rung__fail(RUNG_INTEGRITY, "there are two %s sections", name);
    return RUNG_OK;
}

/* `before` is where the section may begin at the earliest, `end` where all of them end. */
static rung_result check_place(const struct rung__section *section, uint32_t index, uint64_t before,
                               uint64_t end)
{
    if (section->offset % RUNG__SECTION_ALIGNMENT != 0)
        return rung__fail(RUNG_INTEGRITY, "section %u is at %llu, which is no multiple of %u",
                          index, (unsigned long long)section->offset, RUNG__SECTION_ALIGNMENT);
    if (section->offset < before)
        return rung__fail(RUNG_INTEGRITY,
                          "section %u is at %llu, before the end of what precedes "
                          "it at %llu",
                          index, (unsigned long long)section->offset, (unsigned long long)before);
    if (section->bytes == 0)
        return rung__fail(RUNG_INTEGRITY, "section %u is empty", index);
    if (section->offset > end || section->bytes > end - section->offset)
        return rung__fail(RUNG_INTEGRITY, "section %u does not end within the first %llu bytes",
                          index, (unsigned long long)end);
    return RUNG_OK;
}

static rung_result parse_entry(const uint8_t *at, const struct rung__header *header,
                               struct rung__section_table *table)
{
    const uint32_t index = table->count;
    const struct rung__section section = {.kind = rung__get_u32(at),
                                          .offset = rung__get_u64(at + 8),
                                          .bytes = rung__get_u64(at + 16)};
    const struct rung__section *last = index ? &table->rows[index - 1] : NULL;
    const uint64_t before = last ? last->offset + last->bytes : table_end(header->section_count);

    if (rung__get_u32(at + 4) != 0)
        return rung__fail(RUNG_INTEGRITY, "the reserved field of section %u is not zero", index);
    rung_result result = check_kind(table, section.kind);
    if (result == RUNG_OK)
        result = check_place(&section, index, before, rung__header_message_bytes(header));
    if (result != RUNG_OK)
        return result;
    table->rows[table->count++] = section;
    return RUNG_OK;
}

static rung_result check_presence(const struct rung__header *header,
                                  const struct rung__section_table *table)
{
    if (!rung__section_find(table, RUNG__SECTION_PAYLOAD))
        return rung__fail(RUNG_INTEGRITY, "there is no payload section");
    if (!rung__section_find(table, RUNG__SECTION_TENSORS))
        return rung__fail(RUNG_INTEGRITY, "there is no tensors section");
    if (header->form != RUNG_FORM_F32 && !rung__section_find(table, RUNG__SECTION_PRECISION))
        return rung__fail(
            RUNG_INTEGRITY,
            "a model of form %s needs a precision section; rung-model quantize writes "
            "what goes into it",
            rung__name_text(&rung__form_names, header->form));
    const bool is_engine = header->kind == RUNG_ARTIFACT_ENGINE;
    if (is_engine != (rung__section_find(table, RUNG__SECTION_DEVICE) != NULL))
        return rung__fail(RUNG_INTEGRITY, is_engine ? "an engine needs a device section"
                                                    : "a device section is for engines alone");
    return RUNG_OK;
}

rung_result rung__section_table_parse(struct rung__bytes head, const struct rung__header *header,
                                      struct rung__section_table *out)
{
    out->count = 0;
    struct rung__bytes table;
    if (table_end(header->section_count) > rung__header_message_bytes(header) ||
        !rung__bytes_slice(head, RUNG__HEADER_BYTES,
                           header->section_count * RUNG__SECTION_ENTRY_BYTES, &table))
        return rung__fail(RUNG_INTEGRITY, "the table of %u sections does not fit into the file",
                          header->section_count);

    for (uint32_t i = 0; i < header->section_count; i++) {
        rung_result result =
            parse_entry(table.data + (size_t)i * RUNG__SECTION_ENTRY_BYTES, header, out);
        if (result != RUNG_OK)
            return result;
    }
    return check_presence(header, out);
}

static rung_result check_zeros(struct rung__bytes file, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        if (file.data[i] != 0)
            return rung__fail(RUNG_INTEGRITY, "byte %llu lies between sections and is not zero",
                              (unsigned long long)i);
    return RUNG_OK;
}

rung_result rung__section_gaps_check(struct rung__bytes file, const struct rung__header *header,
                                     const struct rung__section_table *table)
{
    uint64_t end = table_end(table->count);
    for (uint32_t i = 0; i < table->count; i++) {
        rung_result result = check_zeros(file, end, table->rows[i].offset);
        if (result != RUNG_OK)
            return result;
        end = table->rows[i].offset + table->rows[i].bytes;
    }
    return check_zeros(file, end, rung__header_message_bytes(header));
}

void rung__section_table_encode(const struct rung__section_table *table, uint8_t *to)
{
    for (uint32_t i = 0; i < table->count; i++, to += RUNG__SECTION_ENTRY_BYTES) {
        rung__put_u32(to, table->rows[i].kind);
        rung__put_u32(to + 4, 0);
        rung__put_u64(to + 8, table->rows[i].offset);
        rung__put_u64(to + 16, table->rows[i].bytes);
    }
}
