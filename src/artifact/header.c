/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/header.h"

#include <string.h>

#include "artifact/heads.h"
#include "artifact/names.h"
#include "base/error.h"

#define FORMAT_VERSION 1u

/* Offsets of the fields (docs/artifact.md). */
enum {
    AT_MAGIC = 0,
    AT_VERSION = 4,
    AT_HEADER_BYTES = 8,
    AT_FLAGS = 12,
    AT_FILE_BYTES = 16,
    AT_DIGEST = 24,
    AT_NAME = 56,
    AT_ROLE = 120,
    AT_KIND = 124,
    AT_FORM = 128,
    AT_HEAD = 132,
    AT_CANVAS = 136,
    AT_DTYPE = 148,
    AT_LAYOUT = 149,
    AT_NORMALISED = 150,
    AT_ZERO_TENSOR = 151,
    AT_FIT = 152,
    AT_ROUNDING = 153,
    AT_RESAMPLER = 154,
    AT_ORDER = 155,
    AT_SCALE = 156,
    AT_BIAS = 168,
    AT_FILL = 180,
    AT_ZERO_FILL = 183,
    AT_SELECTION = 184,
    AT_CAPACITY = 196,
    AT_MAX_TARGETS = 200,
    AT_EMBEDDING = 204,
    AT_MAX_OUTPUT = 208,
    AT_PROVIDERS = 216,
    AT_SECTION_COUNT = 224,
    AT_ZERO_SECTIONS = 228,
    AT_SIGNATURE = 232,
    AT_KEY_ID = 240,
    AT_CONSIDERED = 248,
    AT_ZERO_END = 252
};

static const uint8_t magic[4] = {'R', 'U', 'N', 'G'};

bool rung__header_has_magic(struct rung__bytes head)
{
    return head.size >= sizeof magic && memcmp(head.data, magic, sizeof magic) == 0;
}

bool rung__kind_is_bundle(uint32_t kind)
{
    return kind == RUNG_ARTIFACT_COREML;
}

uint64_t rung__header_message_bytes(const struct rung__header *header)
{
    return header->flags & RUNG__FLAG_SIGNED ? header->signature_offset : header->file_bytes;
}

/* ---- bytes ------------------------------------------------------------------------------- */

static void read_canvas(const uint8_t *at, struct rung__canvas *canvas)
{
    canvas->width = rung__get_u32(at + AT_CANVAS);
    canvas->height = rung__get_u32(at + AT_CANVAS + 4);
    canvas->channels = rung__get_u32(at + AT_CANVAS + 8);
    canvas->dtype = at[AT_DTYPE];
    canvas->layout = at[AT_LAYOUT];
    canvas->normalised = at[AT_NORMALISED];
    canvas->fit = at[AT_FIT];
    canvas->rounding = at[AT_ROUNDING];
    canvas->resampler = at[AT_RESAMPLER];
    canvas->order = at[AT_ORDER];
    for (size_t c = 0; c < 3; c++) {
        canvas->scale[c] = rung__get_f32(at + AT_SCALE + 4 * c);
        canvas->bias[c] = rung__get_f32(at + AT_BIAS + 4 * c);
        canvas->fill[c] = at[AT_FILL + c];
    }
}

static void write_canvas(const struct rung__canvas *canvas, uint8_t *at)
{
    rung__put_u32(at + AT_CANVAS, canvas->width);
    rung__put_u32(at + AT_CANVAS + 4, canvas->height);
    rung__put_u32(at + AT_CANVAS + 8, canvas->channels);
    at[AT_DTYPE] = canvas->dtype;
    at[AT_LAYOUT] = canvas->layout;
    at[AT_NORMALISED] = canvas->normalised;
    at[AT_FIT] = canvas->fit;
    at[AT_ROUNDING] = canvas->rounding;
    at[AT_RESAMPLER] = canvas->resampler;
    at[AT_ORDER] = canvas->order;
    for (size_t c = 0; c < 3; c++) {
        rung__put_f32(at + AT_SCALE + 4 * c, canvas->scale[c]);
        rung__put_f32(at + AT_BIAS + 4 * c, canvas->bias[c]);
        at[AT_FILL + c] = canvas->fill[c];
    }
}

static void read_selection(const uint8_t *at, struct rung__selection *selection)
{
    selection->min_confidence = rung__get_u16(at + AT_SELECTION);
    selection->band_confidence = rung__get_u16(at + AT_SELECTION + 2);
    selection->band_min = rung__get_u16(at + AT_SELECTION + 4);
    selection->band_max = rung__get_u16(at + AT_SELECTION + 6);
    selection->iou = rung__get_u16(at + AT_SELECTION + 8);
    selection->flags = rung__get_u16(at + AT_SELECTION + 10);
    selection->capacity = rung__get_u32(at + AT_CAPACITY);
    selection->max_targets = rung__get_u32(at + AT_MAX_TARGETS);
    selection->considered = rung__get_u32(at + AT_CONSIDERED);
}

static void write_selection(const struct rung__selection *selection, uint8_t *at)
{
    rung__put_u16(at + AT_SELECTION, selection->min_confidence);
    rung__put_u16(at + AT_SELECTION + 2, selection->band_confidence);
    rung__put_u16(at + AT_SELECTION + 4, selection->band_min);
    rung__put_u16(at + AT_SELECTION + 6, selection->band_max);
    rung__put_u16(at + AT_SELECTION + 8, selection->iou);
    rung__put_u16(at + AT_SELECTION + 10, selection->flags);
    rung__put_u32(at + AT_CAPACITY, selection->capacity);
    rung__put_u32(at + AT_MAX_TARGETS, selection->max_targets);
    rung__put_u32(at + AT_CONSIDERED, selection->considered);
}

static void read_fields(const uint8_t *at, struct rung__header *header)
{
    *header = (struct rung__header){
        .flags = rung__get_u32(at + AT_FLAGS),
        .file_bytes = rung__get_u64(at + AT_FILE_BYTES),
        .role = rung__get_u32(at + AT_ROLE),
        .kind = rung__get_u32(at + AT_KIND),
        .form = rung__get_u32(at + AT_FORM),
        .head = rung__get_u32(at + AT_HEAD),
        .embedding_length = rung__get_u32(at + AT_EMBEDDING),
        .max_output_bytes = rung__get_u64(at + AT_MAX_OUTPUT),
        .providers = rung__get_u64(at + AT_PROVIDERS),
        .section_count = rung__get_u32(at + AT_SECTION_COUNT),
        .signature_offset = rung__get_u64(at + AT_SIGNATURE),
    };
    memcpy(header->digest, at + AT_DIGEST, sizeof header->digest);
    memcpy(header->name, at + AT_NAME, RUNG__NAME_BYTES);
    memcpy(header->key_id, at + AT_KEY_ID, sizeof header->key_id);
    read_canvas(at, &header->canvas);
    read_selection(at, &header->selection);
}

void rung__header_encode(const struct rung__header *header, uint8_t to[RUNG__HEADER_BYTES])
{
    memset(to, 0, RUNG__HEADER_BYTES);
    memcpy(to + AT_MAGIC, magic, sizeof magic);
    rung__put_u32(to + AT_VERSION, FORMAT_VERSION);
    rung__put_u32(to + AT_HEADER_BYTES, RUNG__HEADER_BYTES);
    rung__put_u32(to + AT_FLAGS, header->flags);
    rung__put_u64(to + AT_FILE_BYTES, header->file_bytes);
    memcpy(to + AT_DIGEST, header->digest, sizeof header->digest);
    memcpy(to + AT_NAME, header->name, RUNG__NAME_BYTES);
    rung__put_u32(to + AT_ROLE, header->role);
    rung__put_u32(to + AT_KIND, header->kind);
    rung__put_u32(to + AT_FORM, header->form);
    rung__put_u32(to + AT_HEAD, header->head);
    write_canvas(&header->canvas, to);
    write_selection(&header->selection, to);
    rung__put_u32(to + AT_EMBEDDING, header->embedding_length);
    rung__put_u64(to + AT_MAX_OUTPUT, header->max_output_bytes);
    rung__put_u64(to + AT_PROVIDERS, header->providers);
    rung__put_u32(to + AT_SECTION_COUNT, header->section_count);
    rung__put_u64(to + AT_SIGNATURE, header->signature_offset);
    memcpy(to + AT_KEY_ID, header->key_id, sizeof header->key_id);
}

/* ---- the file around it ------------------------------------------------------------------ */

static rung_result check_zeros(const uint8_t *at)
{
    static const struct {
        uint8_t offset, bytes;
    } zeros[] = {{AT_ZERO_TENSOR, 1}, {AT_ZERO_FILL, 1}, {AT_ZERO_SECTIONS, 4}, {AT_ZERO_END, 4}};

    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++)
        for (uint32_t k = 0; k < zeros[i].bytes; k++)
            if (at[zeros[i].offset + k] != 0)
                return rung__fail(RUNG_INTEGRITY, "the header's reserved byte %u is not zero",
                                  zeros[i].offset + k);
    return RUNG_OK;
}

static rung_result check_flags(uint32_t flags)
{
    const uint32_t known = RUNG__FLAG_SIGNED | RUNG__FLAG_BUNDLE;
    if (flags & ~known)
        return rung__fail(RUNG_INTEGRITY, "the header has unknown flags 0x%x", flags & ~known);
    return RUNG_OK;
}

static rung_result check_bundle(const struct rung__header *header)
{
    const bool is = header->flags & RUNG__FLAG_BUNDLE, must = rung__kind_is_bundle(header->kind);
    if (is != must)
        return rung__fail(RUNG_INTEGRITY,
                          "the header says %s bundle, but a payload of kind %s is %s",
                          is ? "a" : "no", rung__name_text(&rung__kind_names, header->kind),
                          must ? "one" : "none");
    return RUNG_OK;
}

static bool is_zero(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i])
            return false;
    return true;
}

static rung_result check_signature_place(const struct rung__header *header)
{
    if (!(header->flags & RUNG__FLAG_SIGNED)) {
        if (header->signature_offset != 0 || !is_zero(header->key_id, RUNG__KEY_ID_BYTES))
            return rung__fail(RUNG_INTEGRITY,
                              "the header says unsigned but has a signature offset or a key id");
        return RUNG_OK;
    }
    if (header->file_bytes < RUNG__HEADER_BYTES + RUNG__SIGNATURE_BYTES ||
        header->signature_offset != header->file_bytes - RUNG__SIGNATURE_BYTES)
        return rung__fail(RUNG_INTEGRITY,
                          "the signature offset %llu is not the file's last %u bytes",
                          (unsigned long long)header->signature_offset, RUNG__SIGNATURE_BYTES);
    return RUNG_OK;
}

static rung_result check_file(const struct rung__header *header, uint64_t file_bytes)
{
    if (header->file_bytes != file_bytes)
        return rung__fail(RUNG_INTEGRITY,
                          "the header says %llu bytes but the file has %llu: it was cut or "
                          "extended; fetch it again",
                          (unsigned long long)header->file_bytes, (unsigned long long)file_bytes);
    if (file_bytes > RUNG__FILE_BYTES_MAX)
        return rung__fail(RUNG_INTEGRITY, "the file has %llu bytes, more than 4 GiB",
                          (unsigned long long)file_bytes);
    if (header->section_count < 1 || header->section_count > RUNG__SECTIONS_MAX)
        return rung__fail(RUNG_INTEGRITY, "the header says %u sections, not 1..%u",
                          header->section_count, RUNG__SECTIONS_MAX);
    return check_signature_place(header);
}

rung_result rung__header_parse(struct rung__bytes head, uint64_t file_bytes,
                               struct rung__header *out)
{
    if (head.size < RUNG__HEADER_BYTES || !rung__header_has_magic(head))
        return rung__fail(RUNG_INTEGRITY, "there is no header of a model file");

    const uint32_t version = rung__get_u32(head.data + AT_VERSION);
    if (version != FORMAT_VERSION)
        return rung__fail(RUNG_VERSION,
                          "the file has format version %u, and this library reads version %u",
                          version, FORMAT_VERSION);
    const uint32_t header_bytes = rung__get_u32(head.data + AT_HEADER_BYTES);
    if (header_bytes != RUNG__HEADER_BYTES)
        return rung__fail(RUNG_INTEGRITY, "the header says it has %u bytes, not %u", header_bytes,
                          RUNG__HEADER_BYTES);

    read_fields(head.data, out);
    rung_result result = check_flags(out->flags);
    if (result == RUNG_OK)
        result = check_zeros(head.data);
    if (result == RUNG_OK)
        result = check_file(out, file_bytes);
    if (result == RUNG_OK)
        result = rung__header_admit(out);
    if (result == RUNG_OK)
        result = check_bundle(out);
    return result;
}
