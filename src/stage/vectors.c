/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/vectors.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "stage/vectors_reader.h"

/** Groups by name; that of a decode group is this prefix and the head's. */
static const char decode_prefix[] = "decode_";

static const struct rung__names group_names = {
    "group",
    (const struct rung__name[]){{RUNG__VECTORS_FIT, "fit"},
                                {RUNG__VECTORS_AXIS, "triangle_axis"},
                                {RUNG__VECTORS_ADMISSION, "admission"},
                                {RUNG__VECTORS_PREPROCESS, "preprocess"},
                                {RUNG__VECTORS_MATH, "math"},
                                {RUNG__VECTORS_SELECT, "select"},
                                {RUNG__VECTORS_E2E, "e2e"}},
    7};

static rung__vectors_read_fn *const read_parts[RUNG__VECTORS_KINDS] = {
    [RUNG__VECTORS_FIT] = rung__vectors_read_fit,
    [RUNG__VECTORS_AXIS] = rung__vectors_read_axis,
    [RUNG__VECTORS_ADMISSION] = rung__vectors_read_admission,
    [RUNG__VECTORS_PREPROCESS] = rung__vectors_read_preprocess,
    [RUNG__VECTORS_MATH] = rung__vectors_read_math,
    [RUNG__VECTORS_DECODE] = rung__vectors_read_decode,
    [RUNG__VECTORS_SELECT] = rung__vectors_read_select,
    [RUNG__VECTORS_E2E] = rung__vectors_read_e2e,
};

/* ---- one case -------------------------------------------------------------------------------- */

rung_result rung__vectors_read(const struct rung__vectors *vectors, size_t i,
                               struct rung__vectors_case *out)
{
    struct rung__json_reader reader;
    const json_t *object = json_array_get(vectors->cases, i);
    const char *id = json_string_value(json_object_get(object, "id"));
    memset(out, 0, sizeof *out);
    out->id = id ? id : "";
    out->kind = vectors->kind;
    rung__text_format(out->where, sizeof out->where, "%s: case %zu", vectors->where, i);
    rung__json_reader_init(&reader, object, out->where);
    rung__json_text(&reader, "id", true);
    if (strlen(out->id) < 1 || strlen(out->id) > RUNG__VECTORS_ID_MAX)
        rung__json_refuse(&reader, "\"id\" must have 1 to %u bytes", RUNG__VECTORS_ID_MAX);
    else
        rung__text_format(out->where, sizeof out->where, "%s: case %s", vectors->where, out->id);
    rung__json_text(&reader, "what", false);
    read_parts[vectors->kind](out, &reader);
    if (reader.result == RUNG_OK && vectors->head != out->decode.head &&
        vectors->kind == RUNG__VECTORS_DECODE)
        rung__json_refuse(&reader, "the head is not that of the group, \"%s\"", vectors->group);
    return rung__json_reader_end(&reader);
}

void rung__vectors_case_finish(struct rung__vectors_case *vector)
{
    for (size_t i = 0; i < vector->owned_count; i++)
        free(vector->owned[i]);
    vector->owned_count = 0;
}

/* ---- a file ---------------------------------------------------------------------------------- */

/** "decode_yolo_obj" is of head "yolo-obj". */
static bool is_decode_group(const char *group, uint32_t *head)
{
    char name[32] = "";
    const size_t prefix = sizeof decode_prefix - 1;
    if (strncmp(group, decode_prefix, prefix) != 0 ||
        !rung__text_format(name, sizeof name, "%s", group + prefix))
        return false;
    for (char *at = name; (at = strchr(at, '_'));)
        *at = '-';
    return rung__name_value(&rung__head_names, name, head) && *head != RUNG_HEAD_NONE;
}

static void read_group(struct rung__vectors *vectors, struct rung__json_reader *reader)
{
    uint32_t kind = RUNG__VECTORS_DECODE;
    vectors->group = rung__json_text(reader, "group", true);
    if (!vectors->group)
        return;
    if (!is_decode_group(vectors->group, &vectors->head) &&
        !rung__name_value(&group_names, vectors->group, &kind)) {
        char list[256];
        rung__names_list(&group_names, list, sizeof list);
        rung__json_refuse(reader, "there is no group \"%s\"; the groups are %s, and %s with a head",
                          vectors->group, list, decode_prefix);
    }
    vectors->kind = (enum rung__vectors_kind)kind;
}

static rung_result read_head(struct rung__vectors *vectors)
{
    struct rung__json_reader reader;
    rung__json_reader_init(&reader, vectors->root, vectors->where);
    read_group(vectors, &reader);
    rung__json_u64(&reader, "format", 1, 1, true, 1);
    rung__json_text(&reader, "note", false);
    vectors->cases = rung__vectors_array(&reader, "cases", 1, SIZE_MAX);
    vectors->count = json_array_size(vectors->cases);
    return rung__json_reader_end(&reader);
}

/** Reads a case for its mistakes only, and notes its id. */
static rung_result try_case(const struct rung__vectors *vectors, size_t i, json_t *ids)
{
    struct rung__vectors_case vector;
    rung_result result = rung__vectors_read(vectors, i, &vector);
    if (result == RUNG_OK && json_object_get(ids, vector.id))
        result = rung__fail(RUNG_INVALID_ARGUMENT, "%s: two cases have this id", vector.where);
    if (result == RUNG_OK && json_object_set_new(ids, vector.id, json_true()) != 0)
        result = rung__fail(RUNG_NO_MEMORY, "%s: no memory for the ids", vectors->where);
    rung__vectors_case_finish(&vector);
    return result;
}

rung_result rung__vectors_parse(struct rung__bytes text, const char *where,
                                struct rung__vectors *out)
{
    json_t *ids = json_object();
    *out = (struct rung__vectors){.where = where};
    rung_result result = ids ? rung__json_parse(text, where, &out->root)
                             : rung__fail(RUNG_NO_MEMORY, "%s: no memory to read it", where);
    if (result == RUNG_OK)
        result = read_head(out);
    for (size_t i = 0; result == RUNG_OK && i < out->count; i++)
        result = try_case(out, i, ids);
    json_decref(ids);
    return result;
}

void rung__vectors_finish(struct rung__vectors *vectors)
{
    json_decref(vectors->root);
    *vectors = (struct rung__vectors){0};
}
