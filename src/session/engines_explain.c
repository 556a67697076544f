/* SPDX-License-Identifier: Apache-2.0 */
#include "session/engines_explain.h"

#include <rung/engines.h>

#include "session/engines.h"

struct list {
    json_t *json;
    bool *failed;
};

static void add(void *user, const rung_engine *engine)
{
    const struct list *list = user;
    json_t *object =
        json_pack("{s:s,s:s,s:s,s:s,s:s,s:I}", "model", engine->model, "rung", engine->rung,
                  "precision", engine->precision, "artifact", engine->artifact, "state",
                  engine->state, "bytes", (json_int_t)engine->bytes);
    if (engine->reason[0])
        rung__json_set(object, "reason", json_string(engine->reason), list->failed);
    rung__json_append(list->json, object, list->failed);
}

rung_result rung__explain_engines(struct rung_instance *instance, json_t *to, bool *failed)
{
    struct list list = {json_array(), failed};
    const rung_result result = rung_engines_list(instance, add, &list);
    if (result != RUNG_OK && result != RUNG_NO_MEMORY)
        rung__instance_tell_cache(instance);
    rung__json_set(to, "engines", list.json, failed);
    return result == RUNG_NO_MEMORY ? result : RUNG_OK;
}
