/* SPDX-License-Identifier: Apache-2.0 */
/* Why things are as they are, as JSON. */
#include <rung/engines.h>
#include <rung/instance.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "hardware/describe.h"
#include "ladder/pins.h"
#include "session/library_explain.h"
#include "session/strikes.h"
#include "session/survey.h"

#define CHANGES_TOLD 32u

/** A runtime that is loaded. */
static json_t *explain_runtime(const struct rung__runtime *runtime, bool *failed)
{
    struct rung__runtime_description loaded = {0};
    (void)runtime->describe(&loaded);
    json_t *object = json_pack("{s:s,s:s,s:s,s:s}", "name", runtime->name, "text", runtime->text,
                               "version", loaded.version, "path", loaded.path);
    if (!loaded.api)
        return object;
    json_t *providers = json_array();
    for (uint32_t i = 0; i < loaded.provider_count; i++)
        rung__json_append(providers, json_string(loaded.providers[i]), failed);
    rung__json_set(object, "api", json_integer(loaded.api), failed);
    rung__json_set(object, "providers", providers, failed);
    return object;
}

static json_t *explain_options(const struct rung__option *options, bool *failed)
{
    json_t *object = json_object();
    for (; options->name; options++)
        rung__json_set(object, options->name, json_string(options->value), failed);
    return object;
}

static json_t *explain_figures(const struct rung__outcome *outcome)
{
    return json_pack("{s:i,s:i,s:f,s:f,s:s,s:I}", "runs", (int)outcome->runs, "threads",
                     (int)outcome->threads, "build_ms", (double)outcome->build_ns / 1e6, "first_ms",
                     (double)outcome->first_ns / 1e6, "executed_by", outcome->executed_by,
                     "peak_bytes", (json_int_t)outcome->peak_bytes);
}

/** Milliseconds; null for none. */
static json_t *explain_ms(uint64_t ns)
{
    return ns ? json_real((double)ns / 1e6) : json_null();
}

/** What the table says of a rung, how it stands, and what a probe found. */
static json_t *explain_rung(const struct rung__survey *survey, uint32_t index, bool *failed)
{
    const struct rung__rung *rung = &survey->table->rungs[index];
    const struct rung__standing *standing = &survey->standings[index];
    const struct rung__outcome *probed = rung__survey_probed(survey, index);
    const bool timed = probed && probed->runs;
    json_t *object = json_pack(
        "{s:s,s:s,s:s,s:o,s:o,s:s,s:s,s:s?,s:s?,s:s?,s:s,s:s,s:b,s:b}", "rung", rung->id, "outcome",
        probed ? rung__name_text(&rung__outcome_names, probed->kind) : standing->outcome, "reason",
        probed ? probed->reason : standing->reason, "median_ms",
        explain_ms(timed ? probed->median_ns : 0), "floor_ms",
        explain_ms(timed ? rung__survey_floor_ns(survey) : 0), "text", rung->text, "provider",
        rung->provider->name, "executed_by", rung->executed_by, "device", rung->device, "fallback",
        rung->fallback, "model_form", rung__forms_text(rung->forms), "precision",
        rung__precision_text(rung->precision), "compiling", rung->compiling, "floor", rung->floor);
    if (timed)
        rung__json_set(object, "probe", explain_figures(probed), failed);
    rung__json_set(object, "session", explain_options(rung->session, failed), failed);
    rung__json_set(object, "options", explain_options(rung->options, failed), failed);
    return object;
}

static json_t *explain_rungs(const struct rung__survey *survey, bool *failed)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < survey->table->count; i++)
        rung__json_append(list, explain_rung(survey, i, failed), failed);
    return list;
}

static json_t *explain_runtimes(const struct rung_instance *instance, bool *failed)
{
    json_t *list = json_array();
    for (size_t r = 0; r < RUNG__RUNTIMES; r++)
        if (instance->runtimes.of[r].loaded)
            rung__json_append(list, explain_runtime(&rung__runtimes[r], failed), failed);
    return list;
}

struct engines {
    json_t *list;
    bool *failed;
};

static void add_engine(void *user, const rung_engine *engine)
{
    const struct engines *engines = user;
    rung__json_append(engines->list,
                      json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:I}", "rung", engine->rung, "model",
                                engine->model, "artifact", engine->artifact, "precision",
                                engine->precision, "state", engine->state, "reason", engine->reason,
                                "bytes", (json_int_t)engine->bytes),
                      engines->failed);
}

/** The engines that are kept. A folder that cannot be read has none that could be used. */
static rung_result explain_engines(struct rung_instance *instance, json_t *to, bool *failed)
{
    struct engines engines = {json_array(), failed};
    const rung_result result = rung_engines_list(instance, add_engine, &engines);
    rung__json_set(to, "engines", engines.list, failed);
    return result == RUNG_NO_MEMORY ? result : RUNG_OK;
}

/** What is wanted in place of what a probe chose; null for nothing. */
static json_t *explain_override(const struct rung__override *override)
{
    if (!*override->id)
        return json_null();
    return json_pack("{s:s,s:s}", "rung", override->id, "from", override->from);
}

/** Which verdict holds; null without one. */
static json_t *explain_verdict(const struct rung__recall *recall)
{
    if (!recall->verdict)
        return json_null();
    return json_pack("{s:s,s:s,s:i}", "name", recall->verdict->name, "model",
                     recall->verdict->model, "threads", (int)recall->verdict->threads);
}

/** What a verdict depends on, line by line. */
static json_t *explain_lines(const char *text, bool *failed)
{
    json_t *list = json_array();
    while (*text) {
        const size_t length = strcspn(text, "\n");
        rung__json_append(list, json_stringn(text, length), failed);
        text += length + (text[length] == '\n');
    }
    return list;
}

/** In words, what is other than when the last verdict was made. */
static json_t *explain_changes(const struct rung__recall *recall, const char *now, bool *failed)
{
    struct rung__fingerprint_change changes[CHANGES_TOLD];
    json_t *list = json_array();
    if (!recall->changed)
        return list;
    const size_t count =
        rung__fingerprint_changes(recall->store.fingerprint, now, changes, CHANGES_TOLD);
    for (size_t i = 0; i < count && i < CHANGES_TOLD; i++)
        rung__json_append(list, json_string(changes[i].text), failed);
    if (count > CHANGES_TOLD)
        rung__json_append(list, json_sprintf("%zu more", count - CHANGES_TOLD), failed);
    return list;
}

static rung_result explain_fingerprint(struct rung_instance *instance,
                                       const struct rung__recall *recall, json_t *to, bool *failed)
{
    char *now = NULL, digest[2 * RUNG__SHA256_BYTES + 1];
    rung_result result = rung__instance_fingerprint(instance, RUNG__FINGERPRINT_VERDICT, &now);
    if (result == RUNG_OK)
        result = rung__fingerprint_digest_of(now, digest);
    if (result == RUNG_OK) {
        rung__json_set(to, "fingerprint", json_string(digest), failed);
        rung__json_set(to, "depends_on", explain_lines(now, failed), failed);
        rung__json_set(to, "changed", explain_changes(recall, now, failed), failed);
    }
    free(now);
    return result;
}

static json_t *explain_all(struct rung_instance *instance, const struct rung__survey *survey,
                           bool *failed)
{
    return json_pack(
        "{s:i,s:s,s:o,s:{s:s?,s:s},s:o,s:s?,s:o,s:o,s:o,s:o,s:o,s:b,s:i}", "schema", 1, "version",
        rung_version(), "device", rung__hardware_json(survey->hardware, failed), "chosen", "rung",
        survey->chosen ? survey->chosen->id : NULL, "reason", survey->reason, "override",
        explain_override(&survey->override), "ladder", survey->table->path, "rungs",
        explain_rungs(survey, failed), "verdict", explain_verdict(&survey->recall), "loaded",
        explain_runtimes(instance, failed), "runtimes", rung__explain_libraries(instance, failed),
        "plugins", rung__explain_plugins(instance, failed), "allow_unsigned",
        (instance->flags & RUNG_INSTANCE_ALLOW_UNSIGNED) != 0, "trusted_keys",
        (int)instance->trust.count);
}

static rung_result explain(struct rung_instance *instance, const struct rung__survey *survey,
                           json_t **out)
{
    bool failed = false;
    *out = explain_all(instance, survey, &failed);
    rung_result result = *out ? RUNG_OK : RUNG_NO_MEMORY;
    if (result == RUNG_OK)
        result = explain_fingerprint(instance, &survey->recall, *out, &failed);
    if (result == RUNG_OK)
        result = rung__explain_strikes(instance, *out, &failed);
    if (result == RUNG_OK)
        result = explain_engines(instance, *out, &failed);
    if (result == RUNG_OK && !failed)
        return RUNG_OK;
    json_decref(*out);
    *out = NULL;
    return rung__fail(RUNG_NO_MEMORY, "no memory to explain");
}

rung_result rung_instance_explain(rung_instance *instance, rung_span to, size_t *needed)
{
    json_t *json = NULL;
    struct rung__survey survey;
    if (!instance || (!to.data && to.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_instance_explain: an argument is NULL");
    /* That no runtime loads is part of the answer. */
    rung_result result = rung__survey_make(instance, &survey);
    if (result == RUNG_OK)
        result = explain(instance, &survey, &json);
    rung__survey_finish(&survey);
    if (result != RUNG_OK)
        return result;
    result = rung__json_write(json, to, needed);
    json_decref(json);
    return result;
}
