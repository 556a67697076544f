/* SPDX-License-Identifier: Apache-2.0 */
#include "session/recall.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "session/library_set.h"

/** A library that is there, by its content; whether it loads may depend on others. */
static rung_result add_library(struct rung__fingerprint *to, size_t number,
                               const struct rung__known_library *library)
{
    char key[64], value[RUNG__LIBRARY_DIGEST + 32];
    if (!*library->digest)
        return RUNG_OK;
    (void)rung__text_format(key, sizeof key, "runtime.%s.%zu", library->runtime->name, number);
    (void)rung__text_format(value, sizeof value, "%s%s", library->digest,
                            rung__library_is_usable(library) ? "" : " that does not load");
    return rung__fingerprint_add(to, key, value);
}

/** What lies beside one that loads: its providers are libraries of their own. */
static rung_result add_parts(struct rung__fingerprint *to, size_t number,
                             const struct rung__known_library *library)
{
    char key[64], value[RUNG__LIBRARY_DIGEST];
    if (!*library->digest || !rung__library_is_usable(library))
        return RUNG_OK;
    const rung_result result =
        rung__library_parts(library->facts.file ? library->facts.file : library->path, value);
    if (result != RUNG_OK || !*value)
        return result;
    (void)rung__text_format(key, sizeof key, "runtime.%s.%zu.parts", library->runtime->name,
                            number);
    return rung__fingerprint_add(to, key, value);
}

/** Numbered in search order, those of each runtime from 0. */
static rung_result add_libraries(struct rung__fingerprint *to, struct rung_instance *instance)
{
    const struct rung__libraries *libraries;
    rung_result result = rung__instance_libraries(instance, &libraries);
    size_t number = 0;
    for (size_t i = 0; result == RUNG_OK && i < libraries->count; i++) {
        const struct rung__known_library *library = &libraries->items[i];
        number = i && library->runtime == library[-1].runtime ? number + 1 : 0;
        result = add_library(to, number, library);
        if (result == RUNG_OK)
            result = add_parts(to, number, library);
    }
    return result;
}

/** Too much for the stack of a caller's thread. */
struct work {
    struct rung__hardware hardware;
    struct rung__fingerprint fingerprint;
};

static rung_result make_fingerprint(struct rung_instance *instance,
                                    enum rung__fingerprint_scope scope, struct work *work)
{
    rung_result result =
        rung__hardware_read(rung__instance_hardware_root(instance), &work->hardware);
    if (result == RUNG_OK)
        result = rung__fingerprint_text(&work->hardware, scope, &work->fingerprint);
    if (result == RUNG_OK)
        result = add_libraries(&work->fingerprint, instance);
    if (result == RUNG_OK && instance->table.path)
        result = rung__fingerprint_add(&work->fingerprint, "ladder", instance->table.digest);
    /* More libraries than there is room for are still told from as many others. */
    return result == RUNG_CAPACITY ? RUNG_OK : result;
}

rung_result rung__instance_fingerprint(struct rung_instance *instance,
                                       enum rung__fingerprint_scope scope, char **out)
{
    struct work *work = malloc(sizeof *work);
    *out = NULL;
    if (!work)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a fingerprint");
    rung_result result = make_fingerprint(instance, scope, work);
    if (result == RUNG_OK)
        *out = rung__text_new("%s", work->fingerprint.text);
    free(work);
    if (result == RUNG_OK && !*out)
        result = rung__fail(RUNG_NO_MEMORY, "no memory for a fingerprint");
    return result;
}

void rung__instance_tell_state(struct rung_instance *instance, const char *what)
{
    if (!atomic_exchange(&instance->told_of_state, true))
        rung__log_write(&instance->log, RUNG_LOG_WARNING, "%s: %s", what, rung_last_error());
}

rung_result rung__instance_go_on(struct rung_instance *instance, const char *what,
                                 rung_result result)
{
    if (result == RUNG_OK || result == RUNG_NO_MEMORY)
        return result;
    rung__instance_tell_state(instance, what);
    return RUNG_OK;
}

rung_result rung__instance_recall(struct rung_instance *instance, const char *model,
                                  struct rung__recall *out)
{
    char *now = NULL;
    *out = (struct rung__recall){.table = &instance->table};
    if (!instance->state)
        return RUNG_OK;
    rung__store_stamp(instance->state, &out->stamp);
    rung_result result = rung__store_read(instance->state, &out->store);
    if (result == RUNG_NOT_FOUND)
        return RUNG_OK;
    if (result != RUNG_OK && result != RUNG_NO_MEMORY) {
        rung__instance_tell_state(instance, "an earlier probe's verdict is not used");
        rung__store_finish(&out->store);
        return RUNG_OK;
    }
    if (result == RUNG_OK)
        result = rung__instance_fingerprint(instance, RUNG__FINGERPRINT_VERDICT, &now);
    if (result != RUNG_OK)
        return result;
    out->changed = !now || strcmp(now, out->store.fingerprint) != 0;
    free(now);
    if (out->changed)
        return RUNG_OK;
    out->verdict = model ? rung__store_find(&out->store, model) : NULL;
    out->own = out->verdict != NULL;
    if (!out->own)
        out->verdict = &out->store.verdicts[0];
    const uint32_t chosen = rung__verdict_chosen(out->verdict);
    if (chosen < out->verdict->rung_count)
        rung__instance_prefer_library(instance, out->verdict->rungs[chosen].outcome.library);
    return RUNG_OK;
}

void rung__recall_finish(struct rung__recall *recall)
{
    rung__store_finish(&recall->store);
    *recall = (struct rung__recall){0};
}

const struct rung__rung *rung__recall_rung(const struct rung__recall *recall)
{
    const struct rung__verdict *verdict = recall->verdict;
    const uint32_t chosen = verdict ? rung__verdict_chosen(verdict) : 0;
    if (!verdict || chosen == verdict->rung_count)
        return NULL;
    const struct rung__rung *rung = rung__table_find(recall->table, verdict->rungs[chosen].rung);
    return rung && rung->automatic ? rung : NULL;
}
