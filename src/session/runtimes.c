/* SPDX-License-Identifier: Apache-2.0 */
#include "session/runtimes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "hardware/cpus.h"
#include "ladder/rungs.h"
#include "session/instance.h"
#include "session/standing.h"

/* What is preferred comes before every rank; what cannot be loaded behind all. */
#define SCORE_PREFERRED (RUNG__RANK_VENDOR + 1)
#define SCORE_NONE      (-1)

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to look for a runtime");
}

void rung__instance_runtimes_finish(struct rung__instance_runtimes *own)
{
    for (size_t i = 0; own->outcomes && i < own->libraries.count; i++)
        free(own->outcomes[i].reason);
    free(own->outcomes);
    rung__libraries_finish(&own->libraries);
}

struct rung__runtime_places rung__instance_places(const struct rung_instance *instance)
{
    return (struct rung__runtime_places){
        .only = instance->environment.runtime,
        .option = instance->runtime_path,
        .environment = instance->environment.runtime_path,
        .library = instance->library,
    };
}

/* ---- which there are, and what they are ------------------------------------------------------ */

static struct rung__library_finder finder_of(const struct rung_instance *instance)
{
    struct rung__cpus cpus;
    rung__cpus_read(rung__instance_hardware_root(instance), &cpus);
    return (struct rung__library_finder){
        .places = rung__instance_places(instance),
        .helper = instance->helper,
        .state = instance->state,
        .at_once = cpus.logical,
        .log = &instance->log,
    };
}

/* What follows is called with the mutex held. */

static rung_result find_once(struct rung_instance *instance,
                             const struct rung__library_finder *finder)
{
    struct rung__instance_runtimes *own = &instance->runtimes;
    struct rung__libraries found;
    if (own->found)
        return RUNG_OK;
    const rung_result result = rung__libraries_find(finder, &found);
    struct rung__runtime_outcome *outcomes = calloc(found.count + 1, sizeof *outcomes);
    if (result != RUNG_OK || !outcomes) {
        free(outcomes);
        rung__libraries_finish(&found);
        return result == RUNG_OK ? no_memory() : result;
    }
    own->libraries = found;
    own->outcomes = outcomes;
    own->found = true;
    return RUNG_OK;
}

/** The outcome of one that is known not to load. */
static rung_result note_refusal(struct rung__runtime_outcome *outcome,
                                const struct rung__known_library *library)
{
    if (!library->described || library->facts.result == RUNG_OK || outcome->tried)
        return RUNG_OK;
    outcome->reason = rung__text_new("%s", library->facts.reason);
    if (!outcome->reason)
        return no_memory();
    outcome->result = library->facts.result;
    outcome->tried = true;
    return RUNG_OK;
}

/** Those of one runtime alone: a start waits for nothing that it does not need. */
static rung_result describe_once(struct rung_instance *instance,
                                 const struct rung__runtime *runtime)
{
    struct rung__instance_runtimes *own = &instance->runtimes;
    bool *described = &own->of[runtime - rung__runtimes].described;
    if (*described)
        return RUNG_OK;
    const struct rung__library_finder finder = finder_of(instance);
    rung_result result = find_once(instance, &finder);
    if (result == RUNG_OK)
        result = rung__libraries_describe(&finder, runtime, &own->libraries);
    for (size_t i = 0; result == RUNG_OK && i < own->libraries.count; i++)
        if (own->libraries.items[i].runtime == runtime)
            result = note_refusal(&own->outcomes[i], &own->libraries.items[i]);
    *described = result == RUNG_OK;
    return result;
}

static rung_result digest_once(struct rung_instance *instance)
{
    struct rung__instance_runtimes *own = &instance->runtimes;
    rung_result result = RUNG_OK;
    if (own->digested)
        return RUNG_OK;
    for (size_t r = 0; r < RUNG__RUNTIMES && result == RUNG_OK; r++)
        result = describe_once(instance, &rung__runtimes[r]);
    const struct rung__library_finder finder = finder_of(instance);
    if (result == RUNG_OK)
        result = rung__libraries_digest(&finder, &own->libraries);
    own->digested = result == RUNG_OK;
    return result;
}

rung_result rung__instance_libraries(struct rung_instance *instance,
                                     const struct rung__libraries **out)
{
    rung__mutex_lock(&instance->mutex);
    const rung_result result = digest_once(instance);
    rung__mutex_unlock(&instance->mutex);
    *out = &instance->runtimes.libraries;
    return result;
}

const struct rung__known_library *rung__instance_library_of(struct rung_instance *instance,
                                                            const struct rung__runtime *runtime,
                                                            const char *execution_provider)
{
    const struct rung__libraries *libraries = &instance->runtimes.libraries;
    rung__mutex_lock(&instance->mutex);
    const rung_result result = describe_once(instance, runtime);
    rung__mutex_unlock(&instance->mutex);
    for (size_t i = 0; result == RUNG_OK && i < libraries->count; i++)
        if (libraries->items[i].runtime == runtime &&
            rung__library_is_usable(&libraries->items[i]) &&
            rung__library_offers(&libraries->items[i].facts, execution_provider))
            return &libraries->items[i];
    return NULL;
}

const struct rung__known_library *rung__instance_library_loaded(struct rung_instance *instance,
                                                                const struct rung__runtime *runtime)
{
    const struct rung__instance_runtimes *own = &instance->runtimes;
    const size_t r = (size_t)(runtime - rung__runtimes);
    rung__mutex_lock(&instance->mutex);
    const struct rung__known_library *loaded =
        own->of[r].loaded ? &own->libraries.items[own->of[r].library] : NULL;
    rung__mutex_unlock(&instance->mutex);
    return loaded;
}

void rung__instance_prefer_library(struct rung_instance *instance,
                                   const char digest[RUNG__LIBRARY_DIGEST])
{
    rung__mutex_lock(&instance->mutex);
    memcpy(instance->runtimes.preferred, digest, RUNG__LIBRARY_DIGEST);
    rung__mutex_unlock(&instance->mutex);
}

/* ---- which one is loaded --------------------------------------------------------------------- */

/** The best rung that a library can be had for here. */
static int rank_of(const struct rung__table *table, const struct rung__library_facts *facts,
                   const struct rung__hardware *hardware)
{
    int best = RUNG__RANK_CPU;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct rung__rung *rung = &table->rungs[i];
        if (rung->executed_by && (rung->platforms & RUNG__PLATFORM) && (int)rung->rank > best &&
            rung__library_offers(facts, rung->executed_by) &&
            (!rung->matches || rung->matches(hardware)))
            best = (int)rung->rank;
    }
    return best;
}

static size_t count_usable(const struct rung__libraries *libraries,
                           const struct rung__runtime *runtime)
{
    size_t count = 0;
    for (size_t i = 0; i < libraries->count; i++)
        count +=
            libraries->items[i].runtime == runtime && rung__library_is_usable(&libraries->items[i]);
    return count;
}

static int score(const struct rung_instance *instance, size_t index,
                 const struct rung__runtime *runtime, const struct rung__hardware *hardware)
{
    const struct rung__instance_runtimes *own = &instance->runtimes;
    const struct rung__known_library *library = &own->libraries.items[index];
    if (library->runtime != runtime || own->outcomes[index].tried)
        return SCORE_NONE;
    const int rank = hardware && library->described
                         ? rank_of(&instance->table, &library->facts, hardware)
                         : RUNG__RANK_CPU;
    const bool preferred = *own->preferred && strcmp(library->digest, own->preferred) == 0;
    return preferred ? SCORE_PREFERRED + rank : rank;
}

/** The best one that was not tried; the first of equals. `count`: there is none. */
static size_t choose(const struct rung_instance *instance, const struct rung__runtime *runtime,
                     const struct rung__hardware *hardware)
{
    const size_t count = instance->runtimes.libraries.count;
    size_t best = count;
    int best_score = SCORE_NONE;
    for (size_t i = 0; i < count; i++) {
        const int own_score = score(instance, i, runtime, hardware);
        if (own_score > best_score) {
            best = i;
            best_score = own_score;
        }
    }
    return best;
}

static rung_result try_best(struct rung_instance *instance, const struct rung__runtime *runtime,
                            const struct rung__hardware *hardware)
{
    struct rung__instance_runtimes *own = &instance->runtimes;
    const size_t r = (size_t)(runtime - rung__runtimes);
    size_t i;
    while (!own->of[r].loaded && (i = choose(instance, runtime, hardware)) < own->libraries.count) {
        struct rung__runtime_outcome *outcome = &own->outcomes[i];
        outcome->tried = true;
        outcome->result = runtime->open(own->libraries.items[i].path);
        own->of[r].loaded = outcome->result == RUNG_OK;
        own->of[r].library = i;
        if (outcome->result != RUNG_OK &&
            !(outcome->reason = rung__text_new("%s", rung_last_error())))
            return no_memory();
    }
    return RUNG_OK;
}

/** Of those before the one that serves. Missing ones are no news, and where none loads the error
 * says it all. */
static void tell_passed_over(const struct rung_instance *instance,
                             const struct rung__runtime *runtime)
{
    const struct rung__instance_runtimes *own = &instance->runtimes;
    const size_t r = (size_t)(runtime - rung__runtimes);
    for (size_t i = 0; own->of[r].loaded && i < own->of[r].library; i++)
        if (own->libraries.items[i].runtime == runtime && own->outcomes[i].reason &&
            own->outcomes[i].result != RUNG_NOT_FOUND)
            rung__log_write(&instance->log, RUNG_LOG_WARNING, "runtime passed over: %s",
                            own->outcomes[i].reason);
}

/** With the mutex held. The machine is looked at only where there is a choice. */
static rung_result load_once(struct rung_instance *instance, const struct rung__runtime *runtime)
{
    struct rung__instance_runtimes *own = &instance->runtimes;
    const size_t r = (size_t)(runtime - rung__runtimes);
    struct rung__hardware *hardware = NULL;
    if (own->of[r].searched)
        return RUNG_OK;
    rung_result result = describe_once(instance, runtime);
    if (result == RUNG_OK && count_usable(&own->libraries, runtime) > 1)
        result = rung__instance_hardware(instance, &hardware);
    if (result == RUNG_OK)
        result = try_best(instance, runtime, hardware);
    free(hardware);
    own->of[r].searched = result == RUNG_OK;
    if (result == RUNG_OK)
        tell_passed_over(instance, runtime);
    return result;
}

/** The reason that says most: of the first library that is there but does not load. */
static const char *first_reason(const struct rung_instance *instance,
                                const struct rung__runtime *runtime)
{
    const struct rung__instance_runtimes *own = &instance->runtimes;
    for (size_t i = 0; i < own->libraries.count; i++)
        if (own->libraries.items[i].runtime == runtime && own->outcomes[i].reason &&
            own->outcomes[i].result != RUNG_NOT_FOUND)
            return own->outcomes[i].reason;
    return instance->environment.runtime && runtime->by_name
               ? "the file that RUNG_RUNTIME names is missing"
               : "none is installed";
}

rung_result rung__instance_load_runtime(struct rung_instance *instance,
                                        const struct rung__runtime *runtime)
{
    rung__mutex_lock(&instance->mutex);
    rung_result result = load_once(instance, runtime);
    if (result == RUNG_OK && !instance->runtimes.of[runtime - rung__runtimes].loaded)
        result = rung__fail(RUNG_UNSUPPORTED,
                            "no %s could be loaded: %s (scripts/fetch-runtimes brings %s)",
                            runtime->text, first_reason(instance, runtime), runtime->name);
    rung__mutex_unlock(&instance->mutex);
    return result;
}
