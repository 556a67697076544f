/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/device.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/contents.h"
#include "artifact/header.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to read an engine's device");
}

static bool is_digest(const char *text)
{
    return strlen(text) == (size_t)2 * RUNG__SHA256_BYTES &&
           strspn(text, "0123456789abcdef") == (size_t)2 * RUNG__SHA256_BYTES;
}

static rung_result digest_of(const char *text, char hex[2 * RUNG__SHA256_BYTES + 1])
{
    uint8_t digest[RUNG__SHA256_BYTES];
    const rung_result result = rung__sha256_of(text, strlen(text), digest);
    if (result == RUNG_OK)
        rung__text_hex(hex, digest, sizeof digest);
    return result;
}

/* ---- reading ----------------------------------------------------------------------------- */

/** A line is shown to people as it is. */
static bool is_line(const json_t *item)
{
    const char *text = json_string_value(item);
    if (!text || strlen(text) != json_string_length(item))
        return false;
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return false;
    return true;
}

static void append_line(struct rung__json_reader *reader, const json_t *item,
                        struct rung__buffer *to)
{
    rung_result result = rung__buffer_append(to, json_string_value(item), json_string_length(item));
    if (result == RUNG_OK)
        result = rung__buffer_append(to, "\n", 1);
    if (reader->result == RUNG_OK)
        reader->result = result;
}

static void read_lines(struct rung__json_reader *reader, struct rung__engine_device *out)
{
    const json_t *array = rung__json_member(reader, "depends_on"), *item;
    struct rung__buffer lines = {0};
    size_t i;
    if (!json_is_array(array))
        rung__json_refuse(reader, "\"depends_on\" must be an array of lines");
    json_array_foreach(array, i, item)
    {
        if (is_line(item))
            append_line(reader, item, &lines);
        else
            rung__json_refuse(reader, "\"depends_on\"[%zu] is no line of text", i);
    }
    if (reader->result == RUNG_OK && !lines.size)
        rung__json_refuse(reader, "\"depends_on\" is empty");
    if (reader->result == RUNG_OK)
        out->depends_on = rung__text_new("%.*s", (int)lines.size, (const char *)lines.data);
    if (reader->result == RUNG_OK && !out->depends_on)
        reader->result = no_memory();
    rung__buffer_finish(&lines);
}

static void check_values(struct rung__json_reader *reader, const struct rung__engine_device *device)
{
    if (!rung__name_is_valid(device->rung) || !rung__name_is_valid(device->precision))
        rung__json_refuse(reader, "\"rung\" and \"precision\" must be names");
    if (!is_digest(device->artifact) || !is_digest(device->fingerprint))
        rung__json_refuse(reader, "\"artifact\" and \"fingerprint\" must be 64 hexadecimal digits");
}

static rung_result check_fingerprint(const struct rung__engine_device *device)
{
    char digest[2 * RUNG__SHA256_BYTES + 1];
    const rung_result result = digest_of(device->depends_on, digest);
    if (result != RUNG_OK || strcmp(digest, device->fingerprint) == 0)
        return result;
    return rung__fail(RUNG_INTEGRITY,
                      "device: \"fingerprint\" is not the SHA-256 of the lines of \"depends_on\"");
}

static rung_result read_members(const json_t *json, struct rung__engine_device *out)
{
    struct rung__json_reader reader;
    rung__json_reader_init(&reader, json, "device");
    rung__json_u64(&reader, "schema", RUNG__DEVICE_SCHEMA, RUNG__DEVICE_SCHEMA, true, 0);
    rung__json_copy_text(&reader, "rung", out->rung, sizeof out->rung);
    rung__json_copy_text(&reader, "precision", out->precision, sizeof out->precision);
    rung__json_copy_text(&reader, "artifact", out->artifact, sizeof out->artifact);
    rung__json_copy_text(&reader, "fingerprint", out->fingerprint, sizeof out->fingerprint);
    read_lines(&reader, out);
    check_values(&reader, out);
    const rung_result result = rung__json_reader_end(&reader);
    return result == RUNG_OK ? check_fingerprint(out) : result;
}

rung_result rung__device_parse(struct rung__bytes section, struct rung__engine_device *out)
{
    json_t *json = NULL;
    *out = (struct rung__engine_device){0};
    if (section.size > RUNG__RECORD_BYTES_MAX)
        return rung__fail(RUNG_INTEGRITY, "device: %zu bytes, more than %u", section.size,
                          RUNG__RECORD_BYTES_MAX);
    rung_result result = rung__json_parse(section, "device", &json);
    if (result == RUNG_OK && !json_is_object(json))
        result = rung__fail(RUNG_INTEGRITY, "device: not a JSON object");
    if (result == RUNG_OK)
        result = read_members(json, out);
    json_decref(json);
    return result == RUNG_INVALID_ARGUMENT ? rung__fail(RUNG_INTEGRITY, "%s", rung_last_error())
                                           : result;
}

void rung__device_finish(struct rung__engine_device *device)
{
    free(device->depends_on);
    *device = (struct rung__engine_device){0};
}

/* ---- writing ----------------------------------------------------------------------------- */

static json_t *lines_of(const char *text, bool *failed)
{
    json_t *list = json_array();
    while (*text) {
        const size_t length = strcspn(text, "\n");
        rung__json_append(list, json_stringn(text, length), failed);
        text += length + (text[length] == '\n');
    }
    return list;
}

rung_result rung__device_print(const struct rung__engine_device *device, struct rung__buffer *to)
{
    char fingerprint[2 * RUNG__SHA256_BYTES + 1];
    bool failed = false;
    rung_result result = digest_of(device->depends_on, fingerprint);
    if (result != RUNG_OK)
        return result;
    json_t *json =
        json_pack("{s:i,s:s,s:s,s:s,s:s,s:o}", "schema", RUNG__DEVICE_SCHEMA, "rung", device->rung,
                  "precision", device->precision, "artifact", device->artifact, "fingerprint",
                  fingerprint, "depends_on", lines_of(device->depends_on, &failed));
    result = failed ? no_memory() : rung__json_append_line(json, "an engine's device", to);
    json_decref(json);
    return result;
}

rung_result rung__artifact_model_digest(const struct rung__artifact_view *view,
                                        char hex[2 * RUNG__SHA256_BYTES + 1])
{
    struct rung__engine_device device;
    rung__text_hex(hex, view->header.digest, sizeof view->header.digest);
    if (view->header.kind != RUNG_ARTIFACT_ENGINE)
        return RUNG_OK;
    const rung_result result = rung__device_parse(view->sections[RUNG__SECTION_DEVICE], &device);
    if (result == RUNG_OK)
        memcpy(hex, device.artifact, sizeof device.artifact);
    rung__device_finish(&device);
    return result;
}
