/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/describe.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "runtime/helper.h"

#define PROVIDER_BYTES 128

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to describe a library");
}

void rung__library_facts_finish(struct rung__library_facts *facts)
{
    for (uint32_t i = 0; i < facts->provider_count; i++)
        free(facts->providers[i]);
    free(facts->providers);
    free(facts->file);
    free(facts->reason);
    *facts = (struct rung__library_facts){0};
}

bool rung__library_offers(const struct rung__library_facts *facts, const char *provider)
{
    for (uint32_t i = 0; i < facts->provider_count; i++)
        if (strcmp(facts->providers[i], provider) == 0)
            return true;
    return false;
}

static rung_result read_providers(struct rung__json_reader *reader, struct rung__library_facts *out)
{
    const json_t *list = rung__json_member(reader, RUNG__DESCRIBE_PROVIDERS);
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count > RUNG__LIBRARY_PROVIDERS) {
        rung__json_refuse(reader, "its providers are no list of at most %u names",
                          RUNG__LIBRARY_PROVIDERS);
        return RUNG_OK;
    }
    out->providers = calloc(count + 1, sizeof *out->providers);
    if (!out->providers)
        return no_memory();
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!name || !*name || strlen(name) >= PROVIDER_BYTES) {
            rung__json_refuse(reader, "provider %zu has no name", i);
            return RUNG_OK;
        }
        char *copy = rung__text_new("%s", name);
        if (!copy)
            return no_memory();
        rung__text_clean(copy);
        out->providers[out->provider_count++] = copy;
    }
    return RUNG_OK;
}

rung_result rung__library_facts_read(struct rung__json_reader *reader,
                                     struct rung__library_facts *out)
{
    const char *file = rung__json_text(reader, RUNG__DESCRIBE_FILE, true);
    const char *version = rung__json_text(reader, RUNG__DESCRIBE_VERSION, true);
    out->api = (uint32_t)rung__json_u64(reader, RUNG__DESCRIBE_API, 0, UINT16_MAX, true, 0);
    if (file && *file && !(out->file = rung__text_new("%s", file)))
        return no_memory();
    if (version && !rung__text_format(out->version, sizeof out->version, "%s", version))
        rung__json_refuse(reader, "its version is too long");
    rung__text_clean(out->version);
    return read_providers(reader, out);
}

json_t *rung__library_facts_json(const struct rung__library_facts *facts)
{
    bool failed = false;
    json_t *providers = json_array();
    for (uint32_t i = 0; i < facts->provider_count; i++)
        rung__json_append(providers, json_string(facts->providers[i]), &failed);
    json_t *json =
        json_pack("{s:s,s:s,s:i,s:o}", RUNG__DESCRIBE_FILE, facts->file ? facts->file : "",
                  RUNG__DESCRIBE_VERSION, facts->version, RUNG__DESCRIBE_API, (int)facts->api,
                  RUNG__DESCRIBE_PROVIDERS, providers);
    if (!failed)
        return json;
    json_decref(json);
    return NULL;
}

/** Takes what loading it came to, with the last error as the reason. */
static rung_result refuse(struct rung__library_facts *out, rung_result result)
{
    rung__library_facts_finish(out);
    out->result = result;
    out->reason = rung__text_new("%s", rung_last_error());
    return out->reason ? RUNG_OK : no_memory();
}

/** What it offers, of a library that loaded. */
static rung_result take_facts(const struct rung__helper_answer *answer,
                              struct rung__library_facts *out)
{
    struct rung__json_reader reader;
    rung__json_reader_init(&reader, answer->json, "the answer");
    (void)rung__json_member(&reader, RUNG__HELPER_RESULT);
    (void)rung__json_member(&reader, RUNG__HELPER_DETAIL);
    rung_result result = rung__library_facts_read(&reader, out);
    if (result != RUNG_OK)
        return result;
    result = rung__json_reader_end(&reader);
    return result == RUNG_OK || result == RUNG_NO_MEMORY ? result : refuse(out, RUNG_BACKEND);
}

/** The number that the helper gave, which its sentence goes with. */
static rung_result answered_result(const struct rung__helper_answer *answer)
{
    switch (json_integer_value(json_object_get(answer->json, RUNG__HELPER_RESULT))) {
    case RUNG_NOT_FOUND:
        return RUNG_NOT_FOUND;
    case RUNG_UNSUPPORTED:
        return RUNG_UNSUPPORTED;
    default:
        return RUNG_BACKEND;
    }
}

rung_result rung__runtime_describe(const char *helper, const struct rung__runtime *runtime,
                                   const char *path, struct rung__library_facts *out)
{
    const char *const arguments[] = {RUNG__DESCRIBE, runtime->name, path, NULL};
    struct rung__helper_answer answer;
    *out = (struct rung__library_facts){0};
    rung_result result = rung__helper_ask(
        &(struct rung__helper_task){
            .helper = helper, .arguments = arguments, .time_limit_ns = RUNG__LIBRARY_TIME_NS},
        &answer);
    if (result == RUNG_OK)
        result = take_facts(&answer, out);
    else if (answer.answered && result != RUNG_NO_MEMORY)
        result = refuse(out, answered_result(&answer));
    else if (result == RUNG_BACKEND) {
        (void)rung__fail(RUNG_BACKEND, "%s: loading it: %s", path, rung_last_error());
        result = refuse(out, RUNG_BACKEND);
    }
    rung__helper_answer_finish(&answer);
    return result;
}
