/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

#define SCHEMA 1
#define RUNGS  RUNG__VERDICT_RUNGS /* at most: a verdict has to hold them */

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for the ladder");
}

static void append(struct rung__table *table, const struct rung__rung *rung)
{
    table->own[table->count++] = *rung;
}

void rung__table_default(struct rung__table *out)
{
    *out = (struct rung__table){.rungs = rung__rungs, .count = rung__rung_count};
}

const struct rung__rung *rung__table_find(const struct rung__table *table, const char *id)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (strcmp(table->rungs[i].id, id) == 0)
            return &table->rungs[i];
    return NULL;
}

rung_result rung__table_add(struct rung__table *table, const struct rung__rung *rung)
{
    if (table->count >= RUNGS)
        return rung__fail(RUNG_CAPACITY, "there are %u rungs, as many as there may be", RUNGS);
    if (!table->own) {
        table->own = calloc(RUNGS, sizeof *table->own);
        if (!table->own)
            return no_memory();
        memcpy(table->own, table->rungs, table->count * sizeof *table->own);
        table->rungs = table->own;
    }
    append(table, rung);
    return RUNG_OK;
}

static const struct rung__rung *find_made(const struct rung__table *table, const char *id)
{
    for (uint32_t i = 0; i < table->made_count; i++)
        if (table->made[i].rung.id && strcmp(table->made[i].rung.id, id) == 0)
            return &table->made[i].rung;
    return NULL;
}

/** The rung of an id, as the file has changed it. */
static const struct rung__rung *find_any(const struct rung__table *table, const char *id)
{
    const struct rung__rung *made = find_made(table, id);
    return made ? made : rung__rung_named(id);
}

static bool is_in(const struct rung__table *table, const char *id)
{
    return rung__table_find(table, id) != NULL;
}

static rung_result read_entries(const json_t *list, const char *path, struct rung__table *to)
{
    const size_t count = json_array_size(list);
    if (list && (!json_is_array(list) || count > RUNGS))
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: \"rungs\" is a list of at most %u rungs",
                          path, RUNGS);
    to->made = calloc(count + 1, sizeof *to->made);
    if (!to->made)
        return no_memory();
    for (size_t i = 0; i < count; i++) {
        struct rung__made_rung *made = &to->made[to->made_count];
        rung_result result = rung__made_rung_read(json_array_get(list, i), path, made);
        if (result == RUNG_OK && find_made(to, made->rung.id))
            result = rung__fail(RUNG_INVALID_ARGUMENT, "%s: rung \"%s\" stands there twice", path,
                                made->rung.id);
        to->made_count++; /* also what has to be finished */
        if (result != RUNG_OK)
            return result;
    }
    return RUNG_OK;
}

/** Which rungs there are, as the file says. */
static rung_result take_order(const json_t *order, const char *path, struct rung__table *to)
{
    const size_t count = json_array_size(order);
    if (!json_is_array(order) || !count || count > RUNGS)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: \"order\" is a list of 1 to %u rungs", path,
                          RUNGS);
    for (size_t i = 0; i < count; i++) {
        const char *id = json_string_value(json_array_get(order, i));
        const struct rung__rung *rung = id ? find_any(to, id) : NULL;
        if (!rung)
            return rung__fail(RUNG_INVALID_ARGUMENT, "%s: \"order\": there is no rung \"%.64s\"",
                              path, id ? id : "");
        if (is_in(to, id))
            return rung__fail(RUNG_INVALID_ARGUMENT, "%s: \"order\": %s stands there twice", path,
                              id);
        append(to, rung);
    }
    return RUNG_OK;
}

/** Those of this version in their order, each with those above it that are like it. */
static rung_result keep_order(const char *path, struct rung__table *to)
{
    if (rung__rung_count + to->made_count > RUNGS)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: more than %u rungs; \"order\" removes some",
                          path, RUNGS);
    for (uint32_t i = 0; i < rung__rung_count; i++) {
        for (uint32_t m = 0; m < to->made_count; m++) {
            const struct rung__rung *made = &to->made[m].rung;
            const json_t *entry = json_array_get(json_object_get(to->json, "rungs"), m);
            const char *like = json_string_value(json_object_get(entry, "like"));
            if (like && strcmp(like, rung__rungs[i].id) == 0)
                append(to, made);
        }
        append(to, find_any(to, rung__rungs[i].id));
    }
    return RUNG_OK;
}

/** The next one of the chain below that is there, and stands below; else the first floor that does.
 */
static const char *find_fallback(const struct rung__table *table, const struct rung__rung *rung)
{
    const char *id = rung->fallback;
    for (uint32_t steps = 0; id && steps < rung__rung_count; steps++) {
        const struct rung__rung *below = rung__table_find(table, id);
        if (below && below > rung)
            return below->id;
        const struct rung__rung *known = rung__rung_named(id);
        id = known ? known->fallback : NULL;
    }
    for (const struct rung__rung *below = rung + 1; below < table->rungs + table->count; below++)
        if (below->floor)
            return below->id;
    return NULL;
}

static rung_result check_floor(const struct rung__table *table, const char *path)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (table->rungs[i].floor && table->rungs[i].automatic)
            return RUNG_OK;
    return rung__fail(RUNG_INVALID_ARGUMENT,
                      "%s: a floor has to stay that is taken without a name: ort-cpu or tract",
                      path);
}

static rung_result take_members(struct rung__json_reader *reader, const char *path,
                                struct rung__table *to)
{
    (void)rung__json_u64(reader, "schema", SCHEMA, SCHEMA, true, SCHEMA);
    const json_t *entries = rung__json_member(reader, "rungs");
    const json_t *order = rung__json_member(reader, "order");
    rung_result result = rung__json_reader_end(reader);
    if (result == RUNG_OK)
        result = read_entries(entries, path, to);
    if (result != RUNG_OK)
        return result;
    to->own = calloc(RUNGS, sizeof *to->own);
    if (!to->own)
        return no_memory();
    to->rungs = to->own;
    result = order ? take_order(order, path, to) : keep_order(path, to);
    if (result == RUNG_OK)
        result = check_floor(to, path);
    for (uint32_t i = 0; i < to->count && result == RUNG_OK; i++)
        to->own[i].fallback = find_fallback(to, &to->own[i]);
    return result;
}

rung_result rung__table_parse(struct rung__bytes text, const char *path, struct rung__table *out)
{
    uint8_t digest[RUNG__SHA256_BYTES];
    struct rung__json_reader reader;
    json_t *json = NULL;
    *out = (struct rung__table){0};
    rung_result result = rung__sha256_of(text.data, text.size, digest);
    if (result == RUNG_OK)
        result = rung__json_parse(text, path, &json);
    if (result != RUNG_OK)
        return result;
    out->json = json;
    rung__text_hex(out->digest, digest, sizeof digest);
    out->path = rung__text_new("%s", path);
    if (!out->path)
        return no_memory();
    rung__json_reader_init(&reader, json, out->path);
    return take_members(&reader, out->path, out);
}

rung_result rung__table_read(const char *path, struct rung__table *out)
{
    struct rung__buffer text = {0};
    *out = (struct rung__table){0};
    rung_result result = rung__file_load(path, RUNG__TABLE_FILE_LIMIT, &text);
    if (result == RUNG_OK)
        result = rung__table_parse(rung__buffer_bytes(&text), path, out);
    rung__buffer_finish(&text);
    return result;
}

void rung__table_finish(struct rung__table *table)
{
    for (uint32_t i = 0; i < table->made_count; i++)
        rung__made_rung_finish(&table->made[i]);
    free(table->made);
    free(table->own);
    free(table->path);
    json_decref(table->json);
    *table = (struct rung__table){0};
}

const char *rung__rung_told(const struct rung__rung *rung)
{
    return rung->told ? rung->told : rung->id;
}

rung_result rung__rung_heard(const char *told, struct rung__table *table,
                             const struct rung__rung **out)
{
    json_t *json = NULL;
    *table = (struct rung__table){0};
    *out = rung__rung_named(told);
    if (*out)
        return RUNG_OK;
    if (told[0] != '{')
        return rung__fail(RUNG_UNSUPPORTED, "there is no rung \"%s\"", told);
    table->made = calloc(1, sizeof *table->made);
    if (!table->made)
        return no_memory();
    table->made_count = 1;
    rung_result result = rung__json_parse((struct rung__bytes){(const uint8_t *)told, strlen(told)},
                                          "a rung", &json);
    table->json = json;
    if (result == RUNG_OK)
        result = rung__made_rung_read(json, "a rung", table->made);
    if (result == RUNG_OK)
        *out = &table->made->rung;
    return result;
}
