/* SPDX-License-Identifier: Apache-2.0 */
#include "session/override.h"

#include "base/error.h"
#include "base/text.h"
#include "ladder/overrides.h"
#include "session/recall.h"

static rung_result read_kept(struct rung_instance *instance, struct rung__override *out)
{
    const rung_result result = rung__override_read(instance->state, out->id);
    if (result == RUNG_NO_MEMORY)
        return result;
    if (result != RUNG_OK)
        rung__instance_tell_state(instance, "what \"rung use\" kept is not followed");
    out->from = "rung use";
    out->rung = rung__table_find(&instance->table, out->id);
    if (*out->id && !out->rung) {
        (void)rung__fail(RUNG_NOT_FOUND, "there is no rung \"%s\"; rung explain lists them",
                         out->id);
        rung__instance_tell_state(instance, "what \"rung use\" kept is not followed");
    }
    return RUNG_OK;
}

const char *rung__override_reason(const struct rung__override *override)
{
    return override->strict ? "named by RUNG_RUNG" : "wanted by the user (rung use)";
}

rung_result rung__instance_override(struct rung_instance *instance, struct rung__override *out)
{
    const char *variable = instance->environment.rung;
    *out = (struct rung__override){0};
    if (!variable)
        return instance->state ? read_kept(instance, out) : RUNG_OK;
    (void)rung__text_format(out->id, sizeof out->id, "%s", variable);
    out->from = "RUNG_RUNG";
    out->rung = rung__table_find(&instance->table, variable);
    out->strict = true;
    return RUNG_OK;
}

rung_result rung_instance_use(rung_instance *instance, const char *id)
{
    if (!instance)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_instance_use: instance is NULL");
    const struct rung__rung *rung = id ? rung__table_find(&instance->table, id) : NULL;
    if (id && !rung)
        return rung__fail(RUNG_NOT_FOUND, "there is no rung \"%s\"; rung explain lists them", id);
    if (rung && !rung->automatic)
        return rung__fail(RUNG_UNSUPPORTED,
                          "%s is taken by name alone (--rung); it is not kept for all models", id);
    if (!instance->state)
        return rung__fail(RUNG_UNSUPPORTED, "there is no state folder to keep it in: neither "
                                            "XDG_STATE_HOME nor HOME is set");
    return rung__override_write(instance->state, id);
}
