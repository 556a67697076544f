/* SPDX-License-Identifier: Apache-2.0 */
#include "session/serving.h"

#include <stdlib.h>

#include "session/model.h"

static void unload(struct rung__serving *serving)
{
    if (serving->loaded)
        serving->rung->provider->destroy_model(serving->loaded);
    serving->loaded = NULL;
}

void rung__serving_destroy(struct rung__serving *serving)
{
    while (serving) {
        struct rung__serving *before = serving->before;
        unload(serving);
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
        unload(before);
}

struct rung__serving *rung__model_take_serving(struct rung_model *model)
{
    rung__mutex_lock(&model->mutex);
    struct rung__serving *better = rung__model_load_better(model);
    if (better)
        succeed(model, better);
    struct rung__serving *serving = model->serving;
    serving->contexts++;
    rung__mutex_unlock(&model->mutex);
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
        unload(serving);
    rung__mutex_unlock(&model->mutex);
}
