/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include "base/error.h"

#define MOST_BYTES  ((size_t)16 << 20)
#define MOST_LEVELS 64
/* A value takes jansson about 200 bytes, so that this also bounds the memory. */
#define MOST_VALUES ((size_t)1 << 20)

/* What jansson would only notice after it had allocated and recursed. */
struct extent {
    size_t depth, deepest, values;
};

static struct extent measure(struct rung__bytes text)
{
    struct extent extent = {.values = 1};
    bool quoted = false;
    for (size_t at = 0; at < text.size; at++) {
        uint8_t byte = text.data[at];
        if (quoted && byte == '\\') {
            at++;
        } else if (byte == '"') {
            quoted = !quoted;
        } else if (quoted) {
            continue;
        } else if (byte == '[' || byte == '{') {
            extent.values++;
            if (++extent.depth > extent.deepest)
                extent.deepest = extent.depth;
        } else if (byte == ']' || byte == '}') {
            extent.depth -= extent.depth > 0;
        } else if (byte == ',') {
            extent.values++;
        }
    }
    return extent;
}

static json_t *load(struct rung__bytes text, json_error_t *error)
{
    const char *data = text.size ? (const char *)text.data : "";
    return json_loadb(data, text.size, JSON_REJECT_DUPLICATES, error);
}

/* jansson often leaves its report empty when it has no memory. */
static bool is_of_memory(const json_error_t *error)
{
    return json_error_code(error) == json_error_out_of_memory || !error->text[0];
}

/* Without memory for a long string jansson leaves characters out, or calls the token wrong. What
 * the text really says is told twice: the same values, or the same mistake. */
static json_t *load_twice(struct rung__bytes text, json_error_t *error)
{
    json_error_t second_error;
    json_t *first = load(text, error);
    if (!first && is_of_memory(error))
        return NULL;
    json_t *second = load(text, &second_error);
    const bool same = first ? second && json_equal(first, second)
                            : !second && second_error.position == error->position;
    json_decref(second);
    if (same)
        return first;
    json_decref(first);
    error->text[0] = '\0';
    return NULL;
}

rung_result rung__json_parse(struct rung__bytes text, const char *what, json_t **out)
{
    *out = NULL;
    if (text.size > MOST_BYTES)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s is larger than %zu bytes", what, MOST_BYTES);
    struct extent extent = measure(text);
    if (extent.deepest > MOST_LEVELS)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s is nested deeper than %d levels", what,
                          MOST_LEVELS);
    if (extent.values > MOST_VALUES)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s holds more than %zu values", what,
                          MOST_VALUES);

    json_error_t error;
    *out = load_twice(text, &error);
    if (*out)
        return RUNG_OK;
    if (is_of_memory(&error))
        return rung__fail(RUNG_NO_MEMORY, "no memory for %s", what);
    return rung__fail(RUNG_INVALID_ARGUMENT, "%s, line %d, column %d: %s", what, error.line,
                      error.column, error.text);
}

rung_result rung__json_write(const json_t *json, rung_span to, size_t *needed)
{
    size_t length = json_dumpb(json, NULL, 0, JSON_COMPACT);
    if (!length)
        return rung__fail(RUNG_NO_MEMORY, "no memory to write JSON");
    if (needed)
        *needed = length + 1;
    if (!to.data || to.size < length + 1)
        return rung__fail(RUNG_CAPACITY, "the text needs %zu bytes, and there is room for %zu",
                          length + 1, to.size);
    if (json_dumpb(json, to.data, length, JSON_COMPACT) != length)
        return rung__fail(RUNG_NO_MEMORY, "no memory to write JSON");
    ((char *)to.data)[length] = 0;
    return RUNG_OK;
}

void rung__json_set(json_t *object, const char *key, json_t *value, bool *failed)
{
    if (json_object_set_new(object, key, value) != 0)
        *failed = true;
}

void rung__json_append(json_t *array, json_t *value, bool *failed)
{
    if (json_array_append_new(array, value) != 0)
        *failed = true;
}

rung_result rung__json_append_line(const json_t *json, const char *what, struct rung__buffer *to)
{
    const size_t before = to->size;
    size_t size = 0;
    rung_result result = rung__fail(RUNG_NO_MEMORY, "no memory for %s", what);
    if (json)
        result = rung__json_write(json, (rung_span){NULL, 0}, &size);
    if (result == RUNG_CAPACITY)
        result = rung__buffer_append(to, NULL, size);
    if (result == RUNG_OK)
        result = rung__json_write(json, (rung_span){to->data + before, size}, &size);
    if (result == RUNG_OK)
        to->data[before + size - 1] = '\n'; /* in place of the zero */
    return result;
}
