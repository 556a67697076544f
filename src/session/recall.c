/* SPDX-License-Identifier: Apache-2.0 */
#include "session/recall.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "hardware/cpus.h"

/** Rises when the rules for choosing a rung change, so that every device is probed again. */
#define POLICY 1

static rung_result add_line(struct rung__buffer *to, char *line)
{
    rung_result result = line ? rung__buffer_append(to, line, strlen(line))
                              : rung__fail(RUNG_NO_MEMORY, "no memory for a fingerprint");
    free(line);
    return result;
}

/** A library that is there, and which state of it. What only the system finds is told by version
 * when it is loaded, which is too late here. */
static rung_result add_library(struct rung__buffer *to, const char *runtime, const char *path)
{
    struct rung__file file;
    if (rung__path_kind(path) != RUNG__PATH_FILE || rung__file_open(path, &file) != RUNG_OK)
        return RUNG_OK;
    char *line =
        rung__text_new("runtime.%s=%s %llu %lld\n", runtime, path,
                       (unsigned long long)file.stamp.size, (long long)file.stamp.modified_ns);
    rung__file_close(&file);
    return add_line(to, line);
}

static rung_result add_runtime(struct rung__buffer *to, const struct rung_instance *instance,
                               const struct rung__runtime *runtime)
{
    struct rung__runtime_candidates found;
    const struct rung__runtime_places places = rung__instance_places(instance);
    rung_result result = rung__runtime_search(runtime, &places, &found);
    if (result != RUNG_OK)
        return result;
    for (size_t i = 0; i < found.count && result == RUNG_OK; i++)
        result = add_library(to, runtime->name, found.items[i].path);
    rung__runtime_candidates_finish(&found);
    return result;
}

static rung_result add_cpus(struct rung__buffer *to, const struct rung_instance *instance)
{
    struct rung__cpus cpus;
    rung__cpus_read(rung__instance_hardware_root(instance), &cpus);
    return add_line(to, rung__text_new("cpus=%u of %u cores\n", cpus.logical, cpus.physical));
}

rung_result rung__instance_fingerprint(const struct rung_instance *instance,
                                       enum rung__fingerprint_use use, char **out)
{
    struct rung__buffer text = {0};
    rung_result result = RUNG_OK;
    if (use == RUNG__FINGERPRINT_OF_VERDICT)
        result = add_cpus(&text, instance);
    if (result == RUNG_OK)
        result = add_line(&text, rung__text_new("policy=%u\nrung=%s\n", POLICY, rung_version()));
    for (size_t i = 0; i < RUNG__RUNTIMES && result == RUNG_OK; i++)
        result = add_runtime(&text, instance, &rung__runtimes[i]);
    if (result == RUNG_OK)
        result = rung__buffer_append(&text, NULL, 1);
    if (result != RUNG_OK)
        rung__buffer_finish(&text);
    *out = (char *)text.data;
    return result;
}

void rung__instance_tell_state(struct rung_instance *instance, const char *what)
{
    if (!atomic_exchange(&instance->told_of_state, true))
        rung__log_write(&instance->log, RUNG_LOG_WARNING, "%s: %s", what, rung_last_error());
}

rung_result rung__instance_recall(struct rung_instance *instance, const char *model,
                                  struct rung__recall *out)
{
    char *now = NULL;
    *out = (struct rung__recall){0};
    if (!instance->state)
        return RUNG_OK;
    rung_result result = rung__store_read(instance->state, &out->store);
    if (result == RUNG_NOT_FOUND)
        return RUNG_OK;
    if (result != RUNG_OK && result != RUNG_NO_MEMORY) {
        rung__instance_tell_state(instance, "an earlier probe's verdict is not used");
        rung__store_finish(&out->store);
        return RUNG_OK;
    }
    if (result == RUNG_OK)
        result = rung__instance_fingerprint(instance, RUNG__FINGERPRINT_OF_VERDICT, &now);
    if (result != RUNG_OK)
        return result;
    out->changed = strcmp(now, out->store.fingerprint) != 0;
    free(now);
    if (out->changed)
        return RUNG_OK;
    out->verdict = model ? rung__store_find(&out->store, model) : NULL;
    out->own = out->verdict != NULL;
    if (!out->own)
        out->verdict = &out->store.verdicts[0];
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
    const struct rung__rung *rung = rung__rung_named(verdict->rungs[chosen].rung);
    return rung && rung->automatic && rung->provider ? rung : NULL;
}
