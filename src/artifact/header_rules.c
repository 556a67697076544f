/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/header.h"

#include <string.h>

#include "artifact/heads.h"
#include "artifact/names.h"
#include "base/error.h"

/* The rules about values; the bytes are in header.c. */

#define MAGNITUDE_MASK     0x7fffffffu
#define MAGNITUDE_INFINITE 0x7f800000u
#define MAGNITUDE_LEAST    0x21800000u /* 2^-60 */
#define MAGNITUDE_MOST     0x49800000u /* 2^20 */

static rung_result check_value(const struct rung__names *names, uint32_t value)
{
    if (rung__name_text(names, value))
        return RUNG_OK;
    char list[256];
    rung__names_list(names, list, sizeof list);
    return rung__fail(RUNG_INTEGRITY, "%s is %u, which is none of: %s", names->what, value, list);
}

static rung_result check_side(const char *name, uint32_t side)
{
    if (side < 1 || side > RUNG__SIDE_MAX)
        return rung__fail(RUNG_INTEGRITY, "canvas: %s is %u, not 1..%u", name, side,
                          RUNG__SIDE_MAX);
    return RUNG_OK;
}

/* A -0 would make a result depend on whether an implementation adds a bias of zero. */
static rung_result admit_factor(const char *name, size_t channel, float *value)
{
    uint32_t bits;
    memcpy(&bits, value, sizeof bits);
    const uint32_t magnitude = bits & MAGNITUDE_MASK;

    if (magnitude == 0) {
        *value = 0.0f;
        return RUNG_OK;
    }
    if (magnitude >= MAGNITUDE_INFINITE)
        return rung__fail(RUNG_INTEGRITY, "%s[%zu] is not finite", name, channel);
    if (magnitude < MAGNITUDE_LEAST || magnitude > MAGNITUDE_MOST)
        return rung__fail(RUNG_INTEGRITY,
                          "%s[%zu] is %.9g; its magnitude must be 0 or within 2^-60..2^20", name,
                          channel, (double)*value);
    return RUNG_OK;
}

static rung_result admit_factors(struct rung__canvas *canvas)
{
    for (size_t c = 0; c < 3; c++) {
        rung_result result = admit_factor("scale", c, &canvas->scale[c]);
        if (result == RUNG_OK)
            result = admit_factor("bias", c, &canvas->bias[c]);
        if (result != RUNG_OK)
            return result;
        if (canvas->dtype == RUNG_DTYPE_U8 && (canvas->scale[c] != 1.0f || canvas->bias[c] != 0.0f))
            return rung__fail(RUNG_INTEGRITY,
                              "a u8 tensor keeps the pixels as they are: scale[%zu] must be 1 and "
                              "bias[%zu] 0",
                              c, c);
    }
    return RUNG_OK;
}

static rung_result check_canvas_values(const struct rung__canvas *canvas)
{
    const struct {
        const struct rung__names *names;
        uint32_t value;
    } rows[] = {
        {&rung__dtype_names, canvas->dtype},
        {&rung__layout_names, canvas->layout},
        {&rung__fit_names, canvas->fit},
        {&rung__rounding_names, canvas->rounding},
        {&rung__resampler_names, canvas->resampler},
        {&rung__order_names, canvas->order},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rung_result result = check_value(rows[i].names, rows[i].value);
        if (result != RUNG_OK)
            return result;
    }
    return RUNG_OK;
}

rung_result rung__canvas_admit(struct rung__canvas *canvas)
{
    rung_result result = check_side("width", canvas->width);
    if (result == RUNG_OK)
        result = check_side("height", canvas->height);
    if (result == RUNG_OK)
        result = check_canvas_values(canvas);
    if (result != RUNG_OK)
        return result;

    if (canvas->channels != 3)
        return rung__fail(RUNG_INTEGRITY, "canvas: channels is %u, and only 3 is in use",
                          canvas->channels);
    if (canvas->normalised > 1)
        return rung__fail(RUNG_INTEGRITY, "normalised is %u, not 0 or 1", canvas->normalised);
    if (canvas->layout == RUNG_LAYOUT_BGRA &&
        (canvas->dtype != RUNG_DTYPE_U8 || canvas->order != RUNG_CHANNEL_ORDER_BGR))
        return rung__fail(RUNG_INTEGRITY, "layout bgra needs dtype u8 and order BGR");
    return admit_factors(canvas);
}

static rung_result check_band(const struct rung__selection *selection)
{
    if (!selection->band_confidence && !selection->band_min && !selection->band_max)
        return RUNG_OK;
    if (selection->band_confidence == 0 || selection->band_confidence > selection->min_confidence)
        return rung__fail(RUNG_INTEGRITY,
                          "band: confidence is %u/65535; it must be above 0 and at most "
                          "min_confidence, %u/65535",
                          selection->band_confidence, selection->min_confidence);
    if (selection->band_min >= selection->band_max)
        return rung__fail(RUNG_INTEGRITY, "band: min is %u/8 pixels, not below max, %u/8 pixels",
                          selection->band_min, selection->band_max);
    return RUNG_OK;
}

rung_result rung__selection_check(const struct rung__selection *selection)
{
    const uint32_t known = RUNG_SUPPRESS | RUNG_SUPPRESS_CONTAINMENT | RUNG_SUPPRESS_PER_CLASS;

    if (selection->flags & ~known)
        return rung__fail(RUNG_INTEGRITY, "the header has unknown suppression flags 0x%x",
                          selection->flags & ~known);
    if (selection->capacity < 1 || selection->capacity > RUNG__CAPACITY_MAX)
        return rung__fail(RUNG_INTEGRITY, "capacity is %u, not 1..%u", selection->capacity,
                          RUNG__CAPACITY_MAX);
    if (selection->max_targets < 1 || selection->max_targets > RUNG__TARGETS_MAX)
        return rung__fail(RUNG_INTEGRITY, "max_targets is %u, not 1..%u", selection->max_targets,
                          RUNG__TARGETS_MAX);
    if (selection->considered < selection->max_targets ||
        selection->considered > selection->capacity)
        return rung__fail(RUNG_INTEGRITY,
                          "considered is %u, not within max_targets, %u, and capacity, %u",
                          selection->considered, selection->max_targets, selection->capacity);
    return check_band(selection);
}

static bool is_name_character(char c, bool first)
{
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
        return true;
    return !first && (c == '.' || c == '_' || c == '-');
}

/** The characters from the first on that a name may have. */
static size_t name_length(const char *name)
{
    size_t length = 0;
    while (length < RUNG__NAME_BYTES && is_name_character(name[length], length == 0))
        length++;
    return length;
}

bool rung__name_is_valid(const char *name)
{
    size_t length = name_length(name);
    return length > 0 && name[length] == '\0';
}

static rung_result check_name(const char name[RUNG__NAME_BYTES + 1])
{
    size_t length = name_length(name);
    bool padded = length > 0;
    for (size_t i = length; i < RUNG__NAME_BYTES; i++)
        padded = padded && name[i] == '\0';
    if (!padded)
        return rung__fail(RUNG_INTEGRITY,
                          "name must be 1..%u characters of a-z, 0-9, '.', '_' and '-', and begin "
                          "with a letter or digit",
                          RUNG__NAME_BYTES);
    return RUNG_OK;
}

static rung_result check_role(const struct rung__header *header)
{
    const bool detector = header->role == RUNG_ROLE_DETECTOR;
    const bool embedder = header->role == RUNG_ROLE_EMBEDDER;

    if (detector != (header->head != RUNG_HEAD_NONE))
        return rung__fail(RUNG_INTEGRITY,
                          "head is %s, but role is %s: a detector has a head, and "
                          "no other role has one",
                          rung__name_text(&rung__head_names, header->head),
                          rung__name_text(&rung__role_names, header->role));
    if (embedder &&
        (header->embedding_length < 1 || header->embedding_length > RUNG__EMBEDDING_MAX))
        return rung__fail(RUNG_INTEGRITY, "embedding_length is %u, not 1..%u",
                          header->embedding_length, RUNG__EMBEDDING_MAX);
    if (!embedder && (header->embedding_length != 0 || header->canvas.normalised))
        return rung__fail(RUNG_INTEGRITY,
                          "embedding_length and normalised are for embedders alone");
    return RUNG_OK;
}

static rung_result check_output(const struct rung__header *header)
{
    const uint64_t needed = rung__head_packet_bytes(header);
    if (header->max_output_bytes < needed || header->max_output_bytes > RUNG__OUTPUT_BYTES_MAX)
        return rung__fail(RUNG_INTEGRITY,
                          "max_output_bytes is %llu; the packet needs up to %llu, and the limit is "
                          "%llu",
                          (unsigned long long)header->max_output_bytes, (unsigned long long)needed,
                          (unsigned long long)RUNG__OUTPUT_BYTES_MAX);
    return RUNG_OK;
}

static rung_result check_providers(uint64_t providers)
{
    const uint64_t known = (UINT64_C(1) << rung__provider_names.count) - 1;
    if (providers == 0)
        return rung__fail(RUNG_INTEGRITY, "providers is empty: nothing could run the model");
    if (providers & ~known)
        return rung__fail(RUNG_INTEGRITY, "providers has unknown bits 0x%llx",
                          (unsigned long long)(providers & ~known));
    return RUNG_OK;
}

rung_result rung__header_admit(struct rung__header *header)
{
    rung_result result = check_name(header->name);
    if (result == RUNG_OK)
        result = check_value(&rung__role_names, header->role);
    if (result == RUNG_OK)
        result = check_value(&rung__kind_names, header->kind);
    if (result == RUNG_OK)
        result = check_value(&rung__form_names, header->form);
    if (result == RUNG_OK)
        result = check_value(&rung__head_names, header->head);
    if (result == RUNG_OK)
        result = rung__canvas_admit(&header->canvas);
    if (result == RUNG_OK)
        result = check_role(header);
    if (result == RUNG_OK)
        result = rung__selection_check(&header->selection);
    if (result == RUNG_OK)
        result = check_providers(header->providers);
    if (result == RUNG_OK)
        result = check_output(header);
    return result;
}
