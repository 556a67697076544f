/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

static const char *kind_of(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
        return "a whole number";
    case JSON_REAL:
        return "a number with a fraction";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        break;
    }
    return "null";
}

void rung__json_reader_init(struct rung__json_reader *reader, const json_t *object,
                            const char *where)
{
    *reader = (struct rung__json_reader){.object = object, .where = where};
    if (object && !json_is_object(object))
        rung__json_refuse(reader, "an object is needed, not %s", kind_of(object));
}

void rung__json_refuse(struct rung__json_reader *reader, const char *format, ...)
{
    if (reader->result)
        return;
    char text[RUNG__ERROR_BYTES];
    va_list list;
    va_start(list, format);
    (void)rung__text_format_list(text, sizeof text, format, list);
    va_end(list);
    reader->result = rung__fail(RUNG_INVALID_ARGUMENT, "%s: %s", reader->where, text);
}

static bool was_asked(const struct rung__json_reader *reader, const char *key)
{
    for (size_t i = 0; i < reader->asked_count; i++)
        if (!strcmp(reader->asked[i], key))
            return true;
    return false;
}

const json_t *rung__json_member(struct rung__json_reader *reader, const char *key)
{
    if (reader->result)
        return NULL;
    if (!was_asked(reader, key)) {
        assert(reader->asked_count < sizeof reader->asked / sizeof *reader->asked);
        reader->asked[reader->asked_count++] = key;
    }
    return json_object_get(reader->object, key);
}

static const json_t *member(struct rung__json_reader *reader, const char *key, bool required)
{
    const json_t *value = rung__json_member(reader, key);
    if (!value && required)
        rung__json_refuse(reader, "\"%s\" is missing", key);
    return value;
}

uint64_t rung__json_u64(struct rung__json_reader *reader, const char *key, uint64_t low,
                        uint64_t high, bool required, uint64_t fallback)
{
    const json_t *value = member(reader, key, required);
    if (!value)
        return fallback;
    if (!json_is_integer(value)) {
        rung__json_refuse(reader, "\"%s\" must be a whole number, not %s", key, kind_of(value));
        return fallback;
    }
    json_int_t number = json_integer_value(value);
    if (number < 0 || (uint64_t)number < low || (uint64_t)number > high) {
        rung__json_refuse(reader, "\"%s\" is %lld and must be in %llu..%llu", key,
                          (long long)number, (unsigned long long)low, (unsigned long long)high);
        return fallback;
    }
    return (uint64_t)number;
}

/* Checks one number, which goes by `name` in the sentence. */
static bool take_number(struct rung__json_reader *reader, const json_t *value, const char *name,
                        double low, double high, double *to)
{
    if (!json_is_number(value)) {
        rung__json_refuse(reader, "%s must be a number, not %s", name, kind_of(value));
        return false;
    }
    double number = json_number_value(value);
    if (!(number >= low && number <= high)) {
        rung__json_refuse(reader, "%s is %g and must be in %g..%g", name, number, low, high);
        return false;
    }
    *to = number;
    return true;
}

double rung__json_real(struct rung__json_reader *reader, const char *key, double low, double high,
                       bool required, double fallback)
{
    const json_t *value = member(reader, key, required);
    double number = fallback;
    char name[128];
    if (value) {
        (void)rung__text_format(name, sizeof name, "\"%s\"", key);
        (void)take_number(reader, value, name, low, high, &number);
    }
    return number;
}

bool rung__json_bool(struct rung__json_reader *reader, const char *key, bool required,
                     bool fallback)
{
    const json_t *value = member(reader, key, required);
    if (!value)
        return fallback;
    if (!json_is_boolean(value)) {
        rung__json_refuse(reader, "\"%s\" must be true or false, not %s", key, kind_of(value));
        return fallback;
    }
    return json_is_true(value);
}

const char *rung__json_text(struct rung__json_reader *reader, const char *key, bool required)
{
    const json_t *value = member(reader, key, required);
    if (!value)
        return NULL;
    if (!json_is_string(value)) {
        rung__json_refuse(reader, "\"%s\" must be a text, not %s", key, kind_of(value));
        return NULL;
    }
    const char *text = json_string_value(value);
    if (strlen(text) != json_string_length(value)) {
        rung__json_refuse(reader, "\"%s\" has a zero inside", key);
        return NULL;
    }
    return text;
}

void rung__json_copy_text(struct rung__json_reader *reader, const char *key, char *to, size_t size)
{
    const char *text = rung__json_text(reader, key, true);
    if (text && !rung__text_format(to, size, "%s", text))
        rung__json_refuse(reader, "%s is longer than %zu bytes", key, size - 1);
    if (text)
        rung__text_clean(to);
}

void rung__json_reals(struct rung__json_reader *reader, const char *key, double low, double high,
                      bool required, double *to, size_t count)
{
    const json_t *array = member(reader, key, required);
    if (!array)
        return;
    if (!json_is_array(array)) {
        rung__json_refuse(reader, "\"%s\" must be an array, not %s", key, kind_of(array));
        return;
    }
    if (json_array_size(array) != count) {
        rung__json_refuse(reader, "\"%s\" has %zu numbers and needs %zu", key,
                          json_array_size(array), count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        char name[128];
        (void)rung__text_format(name, sizeof name, "\"%s\"[%zu]", key, i);
        if (!take_number(reader, json_array_get(array, i), name, low, high, &to[i]))
            return;
    }
}

rung_result rung__json_reader_end(struct rung__json_reader *reader)
{
    const char *key;
    json_t *value;
    if (reader->result || !reader->object)
        return reader->result;
    json_object_foreach((json_t *)reader->object, key, value)
    {
        if (!was_asked(reader, key)) {
            rung__json_refuse(reader, "there is no \"%s\" here; remove it or correct its name",
                              key);
            break;
        }
    }
    return reader->result;
}
