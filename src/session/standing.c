/* SPDX-License-Identifier: Apache-2.0 */
#include "session/standing.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "session/plugins.h"

rung_result rung__instance_hardware(const struct rung_instance *instance,
                                    struct rung__hardware **out)
{
    *out = malloc(sizeof **out);
    if (!*out)
        return rung__fail(RUNG_NO_MEMORY, "no memory to look at this machine");
    return rung__hardware_read(rung__instance_hardware_root(instance), *out);
}

static void set(struct rung__standing *standing, const char *outcome, const char *reason)
{
    standing->outcome = outcome;
    (void)rung__text_format(standing->reason, sizeof standing->reason, "%s", reason);
}

static bool lacks_helper(const struct rung_instance *instance, const struct rung__rung *rung)
{
    return rung->provider && rung->provider->needs_helper &&
           (!instance->helper || rung__path_kind(instance->helper) != RUNG__PATH_FILE);
}

/** The runtime below a rung, NULL: none. What this version cannot run is of ONNX Runtime. */
static const struct rung__runtime *runtime_of(const struct rung__rung *rung)
{
    return rung->provider ? rung->provider->runtime : &rung__runtimes[RUNG__RUNTIME_ORT];
}

rung_result rung__rung_stand(struct rung_instance *instance, const struct rung__hardware *hardware,
                             const struct rung__rung *rung, struct rung__standing *out)
{
    const struct rung__runtime *runtime = runtime_of(rung);
    struct rung__runtime_description ort;
    rung_result result = runtime ? rung__instance_load_runtime(instance, runtime) : RUNG_OK;
    *out = (struct rung__standing){0};
    if (result != RUNG_OK && result != RUNG_UNSUPPORTED)
        return result;
    if (result == RUNG_UNSUPPORTED && rung->provider) {
        set(out, "absent", rung_last_error());
        return RUNG_OK;
    }
    const bool has_ort = rung__runtimes[RUNG__RUNTIME_ORT].describe(&ort);
    if (!rung__rung_is_present(rung, hardware, has_ort ? &ort : NULL,
                               rung__instance_plugin(instance, rung) != NULL, out->reason,
                               sizeof out->reason)) {
        out->outcome = "absent";
        return RUNG_OK;
    }
    if (lacks_helper(instance, rung)) {
        set(out, "absent", "the helper program rung-probe is missing beside the library");
        return RUNG_OK;
    }
    out->can_run = true;
    out->can_serve = rung->automatic && rung->floor;
    if (!rung->automatic)
        set(out, "by name only", rung->text);
    else if (rung->floor)
        set(out, "available", rung->text);
    else
        set(out, "unmeasured", "all that it needs is here; rung probe finds out what it is worth");
    return RUNG_OK;
}
