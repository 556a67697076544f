/* SPDX-License-Identifier: Apache-2.0 */
#include "session/recall.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#define LINE_BYTES 4352

/** A library that is there, and which state of it. What only the system finds is told by version
 * when it is loaded, which is too late here. */
static rung_result add_library(struct rung__fingerprint *to, const char *runtime, size_t index,
                               const char *path)
{
    char key[64], value[LINE_BYTES];
    struct rung__file file;
    if (rung__path_kind(path) != RUNG__PATH_FILE || rung__file_open(path, &file) != RUNG_OK)
        return RUNG_OK;
    (void)rung__text_format(key, sizeof key, "runtime.%s.%zu", runtime, index);
    (void)rung__text_format(value, sizeof value, "%s %llu %lld", path,
                            (unsigned long long)file.stamp.size, (long long)file.stamp.modified_ns);
    rung__file_close(&file);
    return rung__fingerprint_add(to, key, value);
}

static rung_result add_runtime(struct rung__fingerprint *to, const struct rung_instance *instance,
                               const struct rung__runtime *runtime)
{
    struct rung__runtime_candidates found;
    const struct rung__runtime_places places = rung__instance_places(instance);
    rung_result result = rung__runtime_search(runtime, &places, &found);
    if (result != RUNG_OK)
        return result;
    for (size_t i = 0; i < found.count && result == RUNG_OK; i++)
        result = add_library(to, runtime->name, i, found.items[i].path);
    rung__runtime_candidates_finish(&found);
    return result;
}

/** Too much for the stack of a caller's thread. */
struct work {
    struct rung__hardware hardware;
    struct rung__fingerprint fingerprint;
};

static rung_result make_fingerprint(const struct rung_instance *instance,
                                    enum rung__fingerprint_scope scope, struct work *work)
{
    rung_result result =
        rung__hardware_read(rung__instance_hardware_root(instance), &work->hardware);
    if (result == RUNG_OK)
        result = rung__fingerprint_text(&work->hardware, scope, &work->fingerprint);
    for (size_t i = 0; i < RUNG__RUNTIMES && result == RUNG_OK; i++)
        result = add_runtime(&work->fingerprint, instance, &rung__runtimes[i]);
    if (result == RUNG_OK && instance->table.path)
        result = rung__fingerprint_add(&work->fingerprint, "ladder", instance->table.digest);
    /* More libraries than there is room for are still told from as many others. */
    return result == RUNG_CAPACITY ? RUNG_OK : result;
}

rung_result rung__instance_fingerprint(const struct rung_instance *instance,
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
