/* SPDX-License-Identifier: Apache-2.0 */
#include "session/serving.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "session/model.h"

void rung__serving_unload(struct rung__serving *serving)
{
    if (serving->loaded)
        serving->rung->provider->destroy_model(serving->loaded);
    serving->loaded = NULL;
    rung__engine_use_finish(&serving->engine);
}

void rung__serving_destroy(struct rung__serving *serving)
{
    while (serving) {
        struct rung__serving *before = serving->before;
        rung__serving_unload(serving);
        free(serving->identity);
        free(serving->reason);
        free(serving);
        serving = before;
    }
}

/** Takes over from the newest, which is unloaded when nothing runs on it. */
static void succeed(struct rung_model *model, struct rung__serving *next)
{
    struct rung__serving *before = model->serving;
    next->before = before;
    model->serving = next;
    if (before->contexts == 0)
        rung__serving_unload(before);
}

/** The newest that is loaded, has its device, and is of this identity (NULL: any). */
static struct rung__serving *find(const struct rung_model *model, const char *identity)
{
    struct rung__serving *serving = model->serving;
    while (serving && identity &&
           (!serving->loaded || serving->lost || strcmp(serving->identity, identity) != 0))
        serving = serving->before;
    return serving;
}

/** One that is to take over. Results: OK (with NULL: none), those of rung__model_load_next. */
static rung_result load_successor(struct rung_model *model, const rung_context_options *options,
                                  struct rung__serving **out)
{
    *out = NULL;
    if (model->serving->lost)
        return rung__model_load_next(model, out);
    if (!(options->flags & RUNG_CONTEXT_STAY))
        *out = rung__model_load_better(model);
    return RUNG_OK;
}

rung_result rung__model_take_serving(struct rung_model *model, const rung_context_options *options,
                                     struct rung__serving **out)
{
    struct rung__serving *successor;
    rung__mutex_lock(&model->mutex);
    rung_result result = load_successor(model, options, &successor);
    if (successor)
        succeed(model, successor);
    *out = result == RUNG_OK ? find(model, options->identity) : NULL;
    if (*out)
        (*out)->contexts++;
    else if (result == RUNG_OK)
        result = rung__fail(RUNG_IDENTITY,
                            "rung_context_options.identity is %s, and results on %s are of %s",
                            options->identity, model->serving->rung->id, model->serving->identity);
    rung__mutex_unlock(&model->mutex);
    return result;
}

void rung__model_lose_serving(struct rung_model *model, struct rung__serving *serving)
{
    rung__mutex_lock(&model->mutex);
    serving->lost = true;
    rung__mutex_unlock(&model->mutex);
}

bool rung__model_has_lost(const struct rung_model *model, const struct rung__rung *rung)
{
    const struct rung__serving *serving = model->serving;
    while (serving && !(serving->lost && serving->rung == rung))
        serving = serving->before;
    return serving;
}

const struct rung__serving *rung__model_serving(const struct rung_model *model)
{
    struct rung__mutex *mutex = (struct rung__mutex *)&model->mutex;
    rung__mutex_lock(mutex);
    const struct rung__serving *serving = model->serving;
    rung__mutex_unlock(mutex);
    return serving;
}

void rung__model_return_serving(struct rung_model *model, struct rung__serving *serving)
{
    rung__mutex_lock(&model->mutex);
    serving->contexts--;
    if (serving->contexts == 0 && serving != model->serving)
        rung__serving_unload(serving);
    rung__mutex_unlock(&model->mutex);
}
