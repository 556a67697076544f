/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/spec_parts.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/contents.h"
#include "artifact/golden.h"
#include "artifact/numbers.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#define SAMPLE_BYTES_MAX ((size_t)256 << 20) /* one tensor of a golden sample */

/* ---- bytes from a file or from the spec itself -------------------------------------------- */

static void load_file(struct rung__json_reader *reader, const char *folder, const char *name,
                      size_t limit, struct rung__buffer *to)
{
    char *path = rung__path_join(folder, name);
    if (path)
        rung__spec_note(reader, rung__file_load(path, limit, to));
    else
        rung__spec_note(reader, rung__fail(RUNG_NO_MEMORY, "no memory for a path"));
    free(path);
}

static void append_hex(struct rung__json_reader *reader, const char *text, struct rung__buffer *to)
{
    const size_t length = strlen(text), bytes = length / 2, before = to->size;
    rung_result result = rung__buffer_append(to, NULL, bytes);
    if (result != RUNG_OK)
        rung__spec_note(reader, result);
    else if (length % 2 != 0 || (bytes && !rung__hex_read(text, length, to->data + before)))
        rung__json_refuse(reader, "\"hex\" is not an even number of hexadecimal digits");
}

/* An object with "file" and, in its place, `inline_key`: "text" or "hex". */
static void read_bytes(struct rung__json_reader *reader, const json_t *object, const char *where,
                       const char *folder, const char *inline_key, size_t limit,
                       struct rung__buffer *to)
{
    struct rung__json_reader part;
    if (reader->result != RUNG_OK)
        return; /* the sentence of the first failure stays */
    rung__json_reader_init(&part, object, where);
    const char *file = rung__json_text(&part, "file", false);
    const char *text = rung__json_text(&part, inline_key, false);

    if (!file == !text)
        rung__json_refuse(&part, "either \"file\" or \"%s\" is needed", inline_key);
    else if (file)
        load_file(&part, folder, file, limit, to);
    else if (strcmp(inline_key, "hex") == 0)
        append_hex(&part, text, to);
    else
        rung__spec_note(&part, rung__buffer_append(to, text, strlen(text)));
    if (part.result == RUNG_OK && to->size == 0)
        rung__json_refuse(&part, "it is empty");
    rung__spec_note(reader, rung__json_reader_end(&part));
}

static void read_text_section(struct rung__json_reader *reader, const char *key, size_t limit,
                              const char *folder, struct rung__buffer *to)
{
    char where[RUNG__WHERE_BYTES];
    const json_t *object = rung__json_member(reader, key);
    if (!object)
        return;
    rung__text_format(where, sizeof where, "%s: %s", reader->where, key);
    read_bytes(reader, object, where, folder, "text", limit, to);
}

/* ---- labels, capabilities, canonical ------------------------------------------------------ */

static void read_labels(struct rung__json_reader *reader, struct rung__buffer *to)
{
    const json_t *array = rung__json_member(reader, "labels"), *item;
    size_t i;
    if (!array)
        return;
    if (json_array_size(array) < 1 || json_array_size(array) > RUNG__CLASSES_MAX)
        rung__json_refuse(reader, "\"labels\" must be an array of 1..%u texts", RUNG__CLASSES_MAX);
    json_array_foreach(array, i, item)
    {
        const char *label = json_string_value(item);
        if (!label || strchr(label, '\n') || strlen(label) != json_string_length(item)) {
            rung__json_refuse(reader, "\"labels\"[%zu] is no text of one line", i);
            return;
        }
        rung__spec_note(reader, rung__buffer_append(to, label, strlen(label)));
        rung__spec_note(reader, rung__buffer_append(to, "\n", 1));
    }
}

static void read_capabilities(struct rung__json_reader *reader, struct rung__buffer *to)
{
    const json_t *array = rung__json_member(reader, "capabilities"), *item;
    uint8_t field[RUNG__CAPABILITIES_PREFIX];
    size_t i;
    if (!array)
        return;
    if (json_array_size(array) < 1 || json_array_size(array) > RUNG__CLASSES_MAX)
        rung__json_refuse(reader, "\"capabilities\" must be an array of 1..%u whole numbers",
                          RUNG__CLASSES_MAX);
    rung__put_u32(field, RUNG__CAPABILITIES_VERSION);
    rung__put_u32(field + 4, (uint32_t)json_array_size(array));
    rung__spec_note(reader, rung__buffer_append(to, field, sizeof field));
    json_array_foreach(array, i, item)
    {
        const json_int_t value = json_is_integer(item) ? json_integer_value(item) : -1;
        if (value < 0 || value > UINT32_MAX) {
            rung__json_refuse(reader, "\"capabilities\"[%zu] is no whole number below 2^32", i);
            return;
        }
        rung__put_u32(field, (uint32_t)value);
        rung__spec_note(reader, rung__buffer_append(to, field, 4));
    }
}

static void read_canonical(struct rung__json_reader *reader, struct rung__buffer *to)
{
    uint8_t digest[RUNG__SHA256_BYTES];
    const char *text = rung__json_text(reader, "canonical", false);
    if (!text)
        return;
    if (strlen(text) != 2 * sizeof digest || !rung__hex_read(text, 2 * sizeof digest, digest))
        rung__json_refuse(reader, "\"canonical\" is no SHA-256 in hexadecimal digits");
    else
        rung__spec_note(reader, rung__buffer_append(to, digest, sizeof digest));
}

/* ---- golden ------------------------------------------------------------------------------ */

/* The samples of a golden section while it is put together. */
struct samples {
    struct rung__buffer input, outputs[RUNG__OUTPUTS_MAX];
    struct rung__golden golden;
};

static void read_golden_input(struct rung__json_reader *reader, const char *folder,
                              struct samples *samples)
{
    char where[RUNG__WHERE_BYTES];
    const json_t *input = rung__json_member(reader, "input");
    const char *text = json_string_value(input);
    if (text && strcmp(text, "generated") == 0) {
        samples->golden.input_kind = RUNG__GOLDEN_GENERATED;
        return;
    }
    if (!json_is_object(input)) {
        rung__json_refuse(reader,
                          "\"input\" must be \"generated\" or an object with \"file\" or \"hex\"");
        return;
    }
    samples->golden.input_kind = RUNG__GOLDEN_STORED;
    rung__text_format(where, sizeof where, "%s: input", reader->where);
    read_bytes(reader, input, where, folder, "hex", SAMPLE_BYTES_MAX, &samples->input);
    samples->golden.input = rung__buffer_bytes(&samples->input);
}

static void read_golden_outputs(struct rung__json_reader *reader, const char *folder,
                                struct samples *samples)
{
    const json_t *array = rung__json_member(reader, "outputs"), *item;
    size_t i;
    if (json_array_size(array) < 1 || json_array_size(array) > RUNG__OUTPUTS_MAX) {
        rung__json_refuse(reader, "\"outputs\" must be an array of 1..%u objects",
                          RUNG__OUTPUTS_MAX);
        return;
    }
    samples->golden.output_count = (uint32_t)json_array_size(array);
    json_array_foreach(array, i, item)
    {
        char where[RUNG__WHERE_BYTES];
        rung__text_format(where, sizeof where, "%s: outputs[%zu]", reader->where, i);
        read_bytes(reader, item, where, folder, "hex", SAMPLE_BYTES_MAX, &samples->outputs[i]);
        samples->golden.outputs[i] = rung__buffer_bytes(&samples->outputs[i]);
    }
}

static void read_golden(struct rung__json_reader *reader, const char *folder,
                        struct rung__buffer *to)
{
    struct samples samples = {0};
    struct rung__json_reader part;
    char where[RUNG__WHERE_BYTES];
    const json_t *object = rung__json_member(reader, "golden");
    if (!object)
        return;
    rung__text_format(where, sizeof where, "%s: golden", reader->where);
    rung__json_reader_init(&part, object, where);
    read_golden_input(&part, folder, &samples);
    samples.golden.tolerance = (float)rung__json_real(&part, "tolerance", 0, 1, true, 0);
    read_golden_outputs(&part, folder, &samples);
    if (part.result == RUNG_OK)
        part.result = rung__golden_encode(&samples.golden, to);
    rung__spec_note(reader, rung__json_reader_end(&part));

    rung__buffer_finish(&samples.input);
    for (size_t i = 0; i < RUNG__OUTPUTS_MAX; i++)
        rung__buffer_finish(&samples.outputs[i]);
}

void rung__spec_read_sections(struct rung__json_reader *reader,
                              const struct rung__spec_source *source)
{
    struct rung__buffer *sections = source->spec->sections;
    const char *folder = source->folder;
    read_labels(reader, &sections[RUNG__SECTION_LABELS]);
    read_golden(reader, folder, &sections[RUNG__SECTION_GOLDEN]);
    read_text_section(reader, "gate", RUNG__RECORD_BYTES_MAX, folder,
                      &sections[RUNG__SECTION_GATE]);
    read_text_section(reader, "precision", RUNG__RECORD_BYTES_MAX, folder,
                      &sections[RUNG__SECTION_PRECISION]);
    read_text_section(reader, "licence", RUNG__LICENCE_BYTES_MAX, folder,
                      &sections[RUNG__SECTION_LICENCE]);
    read_text_section(reader, "device", RUNG__RECORD_BYTES_MAX, folder,
                      &sections[RUNG__SECTION_DEVICE]);
    read_canonical(reader, &sections[RUNG__SECTION_CANONICAL]);
    read_capabilities(reader, &sections[RUNG__SECTION_CAPABILITIES]);
}
