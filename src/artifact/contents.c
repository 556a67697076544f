/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/contents.h"

#include <jansson.h>
#include <string.h>

#include "artifact/artifact.h"
#include "artifact/device.h"
#include "artifact/names.h"
#include "base/error.h"
#include "base/json.h"

static bool has_control_character(struct rung__bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((text.data[i] < 0x20 && text.data[i] != '\n') || text.data[i] == 0x7f)
            return true;
    return false;
}

rung_result rung__labels_check(struct rung__bytes section, uint32_t *count)
{
    *count = 0;
    if (section.size > RUNG__LABELS_BYTES_MAX || !rung__bytes_are_text(section) ||
        has_control_character(section))
        return rung__fail(RUNG_INTEGRITY,
                          "labels: not at most %u bytes of UTF-8 without control characters",
                          RUNG__LABELS_BYTES_MAX);
    if (section.data[section.size - 1] != '\n')
        return rung__fail(RUNG_INTEGRITY, "labels: the last line has no line end");

    uint32_t lines = 0;
    for (size_t i = 0; i < section.size; i++)
        lines += section.data[i] == '\n';
    if (lines > RUNG__CLASSES_MAX)
        return rung__fail(RUNG_INTEGRITY, "labels: there are %u, more than %u", lines,
                          RUNG__CLASSES_MAX);
    *count = lines;
    return RUNG_OK;
}

static rung_result check_labels(struct rung__bytes section)
{
    uint32_t count;
    return rung__labels_check(section, &count);
}

static rung_result check_record(struct rung__bytes section, const char *name)
{
    if (section.size > RUNG__RECORD_BYTES_MAX)
        return rung__fail(RUNG_INTEGRITY, "%s: %zu bytes, more than %u", name, section.size,
                          RUNG__RECORD_BYTES_MAX);
    json_t *json = NULL;
    rung_result result = rung__json_parse(section, name, &json);
    if (result == RUNG_INVALID_ARGUMENT)
        return rung__fail(RUNG_INTEGRITY, "%s", rung_last_error());
    if (result != RUNG_OK)
        return result;
    const bool object = json_is_object(json);
    json_decref(json);
    return object ? RUNG_OK : rung__fail(RUNG_INTEGRITY, "%s: not a JSON object", name);
}

static rung_result check_gate(struct rung__bytes section)
{
    return check_record(section, "gate");
}

static rung_result check_precision(struct rung__bytes section)
{
    return check_record(section, "precision");
}

static rung_result check_licence(struct rung__bytes section)
{
    if (section.size > RUNG__LICENCE_BYTES_MAX || !rung__bytes_are_text(section))
        return rung__fail(RUNG_INTEGRITY, "licence: not at most %u bytes of UTF-8",
                          RUNG__LICENCE_BYTES_MAX);
    return RUNG_OK;
}

static rung_result check_canonical(struct rung__bytes section)
{
    if (section.size != RUNG__SHA256_BYTES)
        return rung__fail(RUNG_INTEGRITY, "canonical: %zu bytes, not the %d of a digest",
                          section.size, RUNG__SHA256_BYTES);
    return RUNG_OK;
}

static rung_result check_capabilities(struct rung__bytes section)
{
    if (section.size < RUNG__CAPABILITIES_PREFIX ||
        rung__get_u32(section.data) != RUNG__CAPABILITIES_VERSION)
        return rung__fail(RUNG_INTEGRITY, "capabilities: the section is not of version %u",
                          RUNG__CAPABILITIES_VERSION);
    const uint32_t count = rung__get_u32(section.data + 4);
    if (count < 1 || count > RUNG__CLASSES_MAX ||
        section.size != RUNG__CAPABILITIES_PREFIX + 4 * (size_t)count)
        return rung__fail(RUNG_INTEGRITY,
                          "capabilities: %zu bytes for %u classes; 1..%u of them, 4 bytes each, "
                          "follow the first %u bytes",
                          section.size, count, RUNG__CLASSES_MAX, RUNG__CAPABILITIES_PREFIX);
    return RUNG_OK;
}

static rung_result check_device(struct rung__bytes section)
{
    struct rung__engine_device device;
    const rung_result result = rung__device_parse(section, &device);
    rung__device_finish(&device);
    return result;
}

rung_result rung__contents_check(const struct rung__artifact_view *view)
{
    static const struct {
        uint32_t kind;
        rung_result (*check)(struct rung__bytes section);
    } rows[] = {
        {RUNG__SECTION_LABELS, check_labels},
        {RUNG__SECTION_GATE, check_gate},
        {RUNG__SECTION_PRECISION, check_precision},
        {RUNG__SECTION_LICENCE, check_licence},
        {RUNG__SECTION_CANONICAL, check_canonical},
        {RUNG__SECTION_CAPABILITIES, check_capabilities},
        {RUNG__SECTION_DEVICE, check_device},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct rung__bytes section = view->sections[rows[i].kind];
        const rung_result result = section.size ? rows[i].check(section) : RUNG_OK;
        if (result != RUNG_OK)
            return result;
    }
    return RUNG_OK;
}

uint32_t rung__artifact_label_count(const struct rung__artifact_view *view)
{
    const struct rung__bytes section = view->sections[RUNG__SECTION_LABELS];
    uint32_t lines = 0;
    for (size_t i = 0; i < section.size; i++)
        lines += section.data[i] == '\n';
    return lines;
}

struct rung__bytes rung__artifact_label(const struct rung__artifact_view *view, uint32_t index)
{
    struct rung__bytes rest = view->sections[RUNG__SECTION_LABELS];
    while (rest.size) {
        const uint8_t *end = memchr(rest.data, '\n', rest.size);
        const size_t length = (size_t)(end - rest.data);
        if (index-- == 0)
            return (struct rung__bytes){rest.data, length};
        rest = (struct rung__bytes){end + 1, rest.size - length - 1};
    }
    return (struct rung__bytes){0};
}

uint32_t rung__artifact_capabilities(const struct rung__artifact_view *view, uint32_t class_id)
{
    const struct rung__bytes section = view->sections[RUNG__SECTION_CAPABILITIES];
    if (!section.size || class_id >= rung__get_u32(section.data + 4))
        return 0;
    return rung__get_u32(section.data + RUNG__CAPABILITIES_PREFIX + 4 * (size_t)class_id);
}
