/* SPDX-License-Identifier: Apache-2.0 */
/* One rung of a ladder file. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "ladder/table.h"

#define NAME_LIMIT  128u
#define VALUE_LIMIT 1024u
#define WHERE_BYTES 300u

bool rung__rung_id_is_valid(const char *id)
{
    static const char known[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    const size_t length = strnlen(id, RUNG__RUNG_ID_BYTES);
    return length > 0 && length < RUNG__RUNG_ID_BYTES && id[0] != '-' &&
           strspn(id, known) == length;
}

static bool is_printable(const char *text, size_t limit)
{
    const size_t length = strnlen(text, limit + 1);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return false;
    return length > 0 && length <= limit;
}

bool rung__rung_text_is_valid(const char *text)
{
    return is_printable(text, RUNG__RUNG_TEXT_MOST) &&
           rung__bytes_are_text((struct rung__bytes){(const uint8_t *)text, strlen(text)});
}

/**
 * Options of execution providers can name libraries to load and files to write. A ladder file may
 * name none but those of the folder for engines.
 */
static bool reaches_out(const char *name, const char *value)
{
    static const char *const words[] = {"path", "file", "dir", "folder", "library"};
    static const char engines[] = "{engines}";
    bool names_file = strpbrk(value, "/\\") != NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char lower[NAME_LIMIT + 1];
        size_t length = 0;
        for (; name[length] && length < NAME_LIMIT; length++)
            lower[length] =
                (char)(name[length] | (name[length] >= 'A' && name[length] <= 'Z' ? 0x20 : 0));
        lower[length] = '\0';
        names_file = names_file || strstr(lower, words[i]);
    }
    return names_file && (strncmp(value, engines, strlen(engines)) != 0 || strstr(value, ".."));
}

static uint32_t count_options(const struct rung__option *options)
{
    uint32_t count = 0;
    while (options[count].name)
        count++;
    return count;
}

/** Takes one away, so that those behind it move up. */
static void drop_option(struct rung__option *options, uint32_t at)
{
    for (; options[at].name; at++)
        options[at] = options[at + 1];
}

/** Sets an option, or for null takes it away. */
static void set_option(struct rung__json_reader *reader, const char *name, const json_t *json,
                       struct rung__option *options)
{
    const uint32_t count = count_options(options);
    const char *value = json_string_value(json);
    uint32_t at = 0;
    while (at < count && strcmp(options[at].name, name) != 0)
        at++;
    if (!is_printable(name, NAME_LIMIT))
        rung__json_refuse(reader, "the name of an option is 1 to %u printable characters",
                          NAME_LIMIT);
    else if (json_is_null(json))
        drop_option(options, at);
    else if (!value || json_string_length(json) != strlen(value) ||
             !is_printable(value, VALUE_LIMIT))
        rung__json_refuse(reader, "option %s: 1 to %u printable characters as text, or null", name,
                          VALUE_LIMIT);
    else if (reaches_out(name, value))
        rung__json_refuse(reader, "option %s names a file; only one in {engines} may be named here",
                          name);
    else if (at == RUNG__EXECUTION_OPTIONS)
        rung__json_refuse(reader, "more than %u options", RUNG__EXECUTION_OPTIONS);
    else
        options[at] = (struct rung__option){name, value};
}

static void read_options(struct rung__json_reader *reader, const char *key,
                         const struct rung__option *base, struct rung__option *to)
{
    const bool there = rung__json_member(reader, key) != NULL;
    json_t *object = there ? json_object_get(reader->object, key) : NULL, *value;
    const char *name;
    memcpy(to, base, (count_options(base) + 1) * sizeof *to);
    if (object && !json_is_object(object))
        rung__json_refuse(reader, "%s must be an object", key);
    json_object_foreach(object, name, value)
    {
        set_option(reader, name, value, to);
    }
}

/** The rung of this version that an entry is made of; NULL after a refusal. */
static const struct rung__rung *read_base(struct rung__json_reader *reader, const char *id)
{
    const char *like = rung__json_text(reader, "like", false);
    if (!id)
        return NULL;
    const struct rung__rung *same = rung__rung_named(id);
    const struct rung__rung *base = like ? rung__rung_named(like) : same;
    if (!rung__rung_id_is_valid(id))
        rung__json_refuse(reader, "\"rung\" is 1 to %u of a-z, 0-9 and -", RUNG__RUNG_ID_BYTES - 1);
    else if (like && same)
        rung__json_refuse(reader, "it is a rung of this version; leave \"like\" out");
    else if (!base)
        rung__json_refuse(reader, "%s is no rung of this version%s", like ? like : id,
                          like ? "" : "; \"like\" says which one it is like");
    else if (!base->automatic)
        rung__json_refuse(reader, "%s is for tests", base->id);
    else
        return base;
    return NULL;
}

/** What an option makes it compute in has to be said, since results are named by it. */
static void read_precision(struct rung__json_reader *reader, struct rung__rung *to)
{
    uint32_t form = 0;
    const char *precision = rung__json_text(reader, "precision", false);
    if (!precision)
        return;
    if (!rung__name_value(&rung__form_names, precision, &form) ||
        (form != RUNG_FORM_F32 && form != RUNG_FORM_F16))
        rung__json_refuse(reader, "\"precision\" is f32 or f16");
    else
        to->precision = form;
}

static void read_members(struct rung__json_reader *reader, const struct rung__rung *base,
                         const char *id, struct rung__made_rung *to)
{
    const char *text = rung__json_text(reader, "text", false);
    to->rung = *base;
    to->rung.id = id;
    to->rung.session = to->session;
    to->rung.options = to->options;
    if (text && !is_printable(text, RUNG__RUNG_TEXT_MOST))
        rung__json_refuse(reader, "\"text\" is 1 to %u printable characters", RUNG__RUNG_TEXT_MOST);
    if (text)
        to->rung.text = text;
    to->rung.automatic = rung__json_bool(reader, "automatic", false, base->automatic);
    read_precision(reader, &to->rung);
    read_options(reader, "session", base->session, to->session);
    read_options(reader, "options", base->options, to->options);
}

rung_result rung__made_rung_read(const void *json, const char *path, struct rung__made_rung *out)
{
    char where[WHERE_BYTES];
    struct rung__json_reader reader;
    *out = (struct rung__made_rung){0};
    const char *shown = json_string_value(json_object_get(json, "rung"));
    (void)rung__text_format(where, sizeof where, "%.*s: rung \"%.*s\"", 200, path, 40,
                            shown ? shown : "");
    rung__json_reader_init(&reader, json, where);
    if (!json_is_object((const json_t *)json))
        rung__json_refuse(&reader, "each of \"rungs\" is an object");
    const char *id = rung__json_text(&reader, "rung", true);
    const struct rung__rung *base = read_base(&reader, id);
    if (base)
        read_members(&reader, base, id, out);
    const rung_result result = rung__json_reader_end(&reader);
    if (result != RUNG_OK)
        return result;
    const size_t size = json_dumpb(json, NULL, 0, JSON_COMPACT);
    out->told = size ? malloc(size + 1) : NULL;
    if (!out->told || json_dumpb(json, out->told, size, JSON_COMPACT) != size)
        return rung__fail(RUNG_NO_MEMORY, "no memory for the ladder");
    out->told[size] = '\0';
    out->rung.told = out->told;
    return RUNG_OK;
}

void rung__made_rung_finish(struct rung__made_rung *made)
{
    free(made->told);
    *made = (struct rung__made_rung){0};
}
