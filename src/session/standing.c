/* SPDX-License-Identifier: Apache-2.0 */
#include "session/standing.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
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
    return rung->provider->needs_helper && !instance->helper;
}

/** Which library of ONNX Runtime a rung runs on. What is known of none is told of the loaded one.
 */
static bool find_library(struct rung_instance *instance, const struct rung__rung *rung,
                         struct rung__runtime_description *ort, struct rung__standing *out)
{
    const struct rung__runtime *runtime = &rung__runtimes[RUNG__RUNTIME_ORT];
    const struct rung__known_library *offering =
        rung__instance_library_of(instance, runtime, rung->executed_by);
    const struct rung__known_library *loaded = rung__instance_library_loaded(instance, runtime);
    if (!offering)
        return runtime->describe(ort);
    const struct rung__library_facts *facts = &offering->facts;
    *ort = (struct rung__runtime_description){facts->file, facts->version, facts->api,
                                              facts->providers, facts->provider_count};
    out->digest = offering->digest;
    out->elsewhere = loaded && strcmp(loaded->digest, offering->digest) != 0;
    return true;
}

static void take_loaded(struct rung_instance *instance, const struct rung__runtime *runtime,
                        struct rung__standing *out)
{
    struct rung__runtime_description loaded;
    const struct rung__known_library *library = rung__instance_library_loaded(instance, runtime);
    if (runtime->describe(&loaded))
        out->library = loaded.path;
    if (library)
        out->digest = library->digest;
}

/** False, with an outcome, when what the rung needs is not there. */
static bool is_present(struct rung_instance *instance, const struct rung__hardware *hardware,
                       const struct rung__rung *rung, struct rung__standing *out)
{
    struct rung__runtime_description ort = {.path = ""};
    const struct rung__runtime *runtime = rung->provider->runtime;
    const bool has_ort = rung->executed_by && find_library(instance, rung, &ort, out);
    out->outcome = "absent";
    if (has_ort && !*out->digest)
        out->plugin = rung__instance_plugin(instance, rung);
    if (!rung__rung_is_present(rung, hardware, has_ort ? &ort : NULL, out->plugin != NULL,
                               out->reason, sizeof out->reason))
        return false;
    if (has_ort && !out->plugin)
        out->library = ort.path;
    else if (runtime)
        take_loaded(instance, runtime, out);
    return true;
}

rung_result rung__rung_stand(struct rung_instance *instance, const struct rung__hardware *hardware,
                             const struct rung__rung *rung, struct rung__standing *out)
{
    const struct rung__runtime *runtime = rung->provider->runtime;
    *out = (struct rung__standing){.library = "", .digest = ""};
    if (lacks_helper(instance, rung)) {
        set(out, "absent",
            instance->flags & RUNG_INSTANCE_NO_CHILDREN
                ? "it loads models in a process of its own first, and the application allows none"
                : "the helper program rung-probe is missing beside the library");
        return RUNG_OK;
    }
    rung_result result = runtime ? rung__instance_load_runtime(instance, runtime) : RUNG_OK;
    if (result != RUNG_OK && result != RUNG_UNSUPPORTED)
        return result;
    if (result == RUNG_UNSUPPORTED) {
        set(out, "absent", rung_last_error());
        return RUNG_OK;
    }
    if (!is_present(instance, hardware, rung, out))
        return RUNG_OK;
    if (rung->provider->find_device && rung->provider->find_device(rung->provider) != RUNG_OK) {
        set(out, "absent", rung_last_error());
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
