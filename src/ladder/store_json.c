/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/store_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "hardware/fingerprint.h"

#define SCHEMA 1

#define NUMBER_MAX (UINT64_C(1) << 53)

static void take_kind(struct rung__json_reader *reader, struct rung__outcome *to)
{
    uint32_t kind = 0;
    const char *text = rung__json_text(reader, "outcome", true);
    if (text && !rung__name_value(&rung__outcome_names, text, &kind))
        rung__json_refuse(reader, "there is no such outcome");
    to->kind = (enum rung__outcome_kind)kind;
}

static rung_result read_rung(const json_t *json, char id[RUNG__RUNG_ID_BYTES],
                             struct rung__outcome *to)
{
    struct rung__json_reader reader;
    rung__json_reader_init(&reader, json, "a rung");
    rung__json_copy_text(&reader, "rung", id, RUNG__RUNG_ID_BYTES);
    take_kind(&reader, to);
    rung__json_copy_text(&reader, "reason", to->reason, sizeof to->reason);
    rung__json_copy_text(&reader, "executed_by", to->executed_by, sizeof to->executed_by);
    to->runs = (uint32_t)rung__json_u64(&reader, "runs", 0, UINT16_MAX, true, 0);
    to->threads = (uint32_t)rung__json_u64(&reader, "threads", 0, UINT16_MAX, true, 0);
    to->build_ns = rung__json_u64(&reader, "build_ns", 0, NUMBER_MAX, true, 0);
    to->first_ns = rung__json_u64(&reader, "first_ns", 0, NUMBER_MAX, true, 0);
    to->median_ns = rung__json_u64(&reader, "median_ns", 0, NUMBER_MAX, true, 0);
    to->peak_bytes = rung__json_u64(&reader, "peak_bytes", 0, NUMBER_MAX, true, 0);
    const char *library = rung__json_text(&reader, "library", false);
    if (library && !rung__text_format(to->library, sizeof to->library, "%s", library))
        rung__json_refuse(&reader, "library is longer than a digest");
    return rung__json_reader_end(&reader);
}

static rung_result read_verdict(const json_t *json, struct rung__verdict *to)
{
    struct rung__json_reader reader;
    rung__json_reader_init(&reader, json, "a verdict");
    rung__json_copy_text(&reader, "model", to->model, sizeof to->model);
    rung__json_copy_text(&reader, "name", to->name, sizeof to->name);
    to->threads = (uint32_t)rung__json_u64(&reader, "threads", 1, UINT16_MAX, true, 1);
    const json_t *rungs = rung__json_member(&reader, "rungs");
    const size_t count = json_array_size(rungs);
    if (!count || count > RUNG__VERDICT_RUNGS)
        rung__json_refuse(&reader, "it has %zu rungs; 1 to %u", count, RUNG__VERDICT_RUNGS);
    rung_result result = rung__json_reader_end(&reader);
    for (size_t i = 0; i < count && result == RUNG_OK; i++)
        result = read_rung(json_array_get(rungs, i), to->rungs[i].rung, &to->rungs[i].outcome);
    to->rung_count = (uint32_t)count;
    return result;
}

static rung_result read_verdicts(const json_t *list, struct rung__store *out)
{
    const size_t count = json_array_size(list);
    rung_result result = RUNG_OK;
    if (!count || count > RUNG__VERDICTS)
        return rung__fail(RUNG_INTEGRITY, "it has %zu models; 1 to %u", count, RUNG__VERDICTS);
    out->verdicts = calloc(count, sizeof *out->verdicts);
    if (!out->verdicts)
        return rung__fail(RUNG_NO_MEMORY, "no memory for the verdicts");
    for (; out->count < count && result == RUNG_OK; out->count++)
        result = read_verdict(json_array_get(list, out->count), &out->verdicts[out->count]);
    return result;
}

static rung_result read_store(const json_t *json, struct rung__store *out)
{
    struct rung__json_reader reader;
    rung__json_reader_init(&reader, json, "it");
    (void)rung__json_u64(&reader, "schema", SCHEMA, SCHEMA, true, SCHEMA);
    const char *fingerprint = rung__json_text(&reader, "fingerprint", true);
    const json_t *list = rung__json_member(&reader, "models");
    if (fingerprint && strlen(fingerprint) > (unsigned)RUNG__FINGERPRINT_BYTES)
        rung__json_refuse(&reader, "its fingerprint is longer than %u bytes",
                          (unsigned)RUNG__FINGERPRINT_BYTES);
    rung_result result = rung__json_reader_end(&reader);
    if (result != RUNG_OK)
        return result;
    out->fingerprint = rung__text_new("%s", fingerprint);
    if (!out->fingerprint)
        return rung__fail(RUNG_NO_MEMORY, "no memory for the verdicts");
    return read_verdicts(list, out);
}

rung_result rung__store_parse(struct rung__bytes text, const char *path, struct rung__store *out)
{
    json_t *json = NULL;
    rung_result result = rung__json_parse(text, path, &json);
    if (result == RUNG_OK)
        result = read_store(json, out);
    json_decref(json);
    if (result == RUNG_OK || result == RUNG_NO_MEMORY)
        return result;
    return rung__fail(RUNG_INTEGRITY, "%s is no list of verdicts: %s", path, rung_last_error());
}

static json_t *rung_json(const char *id, const struct rung__outcome *outcome)
{
    return json_pack("{s:s,s:s,s:s,s:s,s:s,s:i,s:i,s:I,s:I,s:I,s:I}", "rung", id, "outcome",
                     rung__name_text(&rung__outcome_names, outcome->kind), "reason",
                     outcome->reason, "executed_by", outcome->executed_by, "library",
                     outcome->library, "runs", (int)outcome->runs, "threads", (int)outcome->threads,
                     "build_ns", (json_int_t)outcome->build_ns, "first_ns",
                     (json_int_t)outcome->first_ns, "median_ns", (json_int_t)outcome->median_ns,
                     "peak_bytes", (json_int_t)outcome->peak_bytes);
}

static json_t *verdict_json(const struct rung__verdict *verdict, bool *failed)
{
    json_t *rungs = json_array();
    for (uint32_t i = 0; i < verdict->rung_count; i++)
        rung__json_append(rungs, rung_json(verdict->rungs[i].rung, &verdict->rungs[i].outcome),
                          failed);
    return json_pack("{s:s,s:s,s:i,s:o}", "model", verdict->model, "name", verdict->name, "threads",
                     (int)verdict->threads, "rungs", rungs);
}

rung_result rung__store_print(const struct rung__store *store, struct rung__buffer *to)
{
    bool failed = false;
    json_t *list = json_array();
    for (uint32_t i = 0; i < store->count; i++)
        rung__json_append(list, verdict_json(&store->verdicts[i], &failed), &failed);
    json_t *json = json_pack("{s:i,s:s,s:o}", "schema", SCHEMA, "fingerprint", store->fingerprint,
                             "models", list);
    rung_result result = rung__json_append_line(failed ? NULL : json, "the verdicts", to);
    json_decref(json);
    return result;
}
