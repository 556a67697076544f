/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries that may be loaded, for explanations. */
#include "session/library_explain.h"

#include "session/library_set.h"

static const char *state_of(const struct rung__known_library *library,
                            const struct rung__runtime_outcome *outcome)
{
    if (!outcome->tried)
        return library->runtime == &rung__runtimes[RUNG__RUNTIME_PLUGIN] ? "loads" : "not tried";
    return outcome->result == RUNG_OK          ? "loaded"
           : outcome->result == RUNG_NOT_FOUND ? "missing"
                                               : "refused";
}

const char *rung__library_file(const struct rung__known_library *library)
{
    if (library->facts.file)
        return library->facts.file;
    return rung__path_name(library->path) == library->path ? NULL : library->path;
}

static json_t *explain_providers(const struct rung__library_facts *facts, bool *failed)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < facts->provider_count; i++)
        rung__json_append(list, json_string(facts->providers[i]), failed);
    return list;
}

/** What is known of a library that loads. */
static void explain_facts(const struct rung__known_library *library, json_t *to, bool *failed)
{
    const struct rung__library_facts *facts = &library->facts;
    rung__json_set(to, "file", json_string(rung__library_file(library)), failed);
    if (*facts->version)
        rung__json_set(to, "version", json_string(facts->version), failed);
    if (facts->api)
        rung__json_set(to, "api", json_integer(facts->api), failed);
    if (facts->provider_count)
        rung__json_set(to, "providers", explain_providers(facts, failed), failed);
}

static json_t *explain_library(const struct rung__instance_runtimes *own, size_t index,
                               bool *failed)
{
    const struct rung__known_library *library = &own->libraries.items[index];
    const struct rung__runtime_outcome *outcome = &own->outcomes[index];
    const char *file = rung__library_file(library);
    json_t *object =
        json_pack("{s:s,s:s,s:s,s:s}", "runtime", library->runtime->name, "path", library->path,
                  "origin", library->origin, "state", state_of(library, outcome));
    if (outcome->reason)
        rung__json_set(object, "reason", json_string(outcome->reason), failed);
    if (*library->digest)
        rung__json_set(object, "digest", json_string(library->digest), failed);
    if (rung__library_is_usable(library))
        explain_facts(library, object, failed);
    if (file && outcome->result != RUNG_NOT_FOUND)
        rung__json_set(object, "set", rung__library_set_json(file, failed), failed);
    return object;
}

/** Of one kind of runtime, or of all others. */
static json_t *explain_some(struct rung_instance *instance, bool plugins, bool *failed)
{
    const struct rung__runtime *kind = &rung__runtimes[RUNG__RUNTIME_PLUGIN];
    const struct rung__libraries *libraries;
    json_t *list = json_array();
    if (rung__instance_libraries(instance, &libraries) != RUNG_OK) {
        *failed = true;
        return list;
    }
    for (size_t i = 0; i < libraries->count; i++)
        if ((libraries->items[i].runtime == kind) == plugins &&
            !rung__library_is_no_plugin(&libraries->items[i]))
            rung__json_append(list, explain_library(&instance->runtimes, i, failed), failed);
    return list;
}

json_t *rung__explain_libraries(struct rung_instance *instance, bool *failed)
{
    return explain_some(instance, false, failed);
}

json_t *rung__explain_plugins(struct rung_instance *instance, bool *failed)
{
    return explain_some(instance, true, failed);
}
