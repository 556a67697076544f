/* SPDX-License-Identifier: Apache-2.0 */
#include "session/plugins.h"

#include <string.h>

#include "session/instance.h"

#define API_LEAST 22u /* of an ONNX Runtime that takes plugins */

static bool offers(const struct rung__runtime_description *ort, const char *provider)
{
    for (uint32_t i = 0; i < ort->provider_count; i++)
        if (strcmp(ort->providers[i], provider) == 0)
            return true;
    return false;
}

const char *rung__instance_plugin(struct rung_instance *instance, const struct rung__rung *rung)
{
    struct rung__runtime_description ort;
    if (!rung->executed_by || !rung__runtimes[RUNG__RUNTIME_ORT].describe(&ort) ||
        ort.api < API_LEAST || offers(&ort, rung->executed_by))
        return NULL;
    const struct rung__known_library *plugin = rung__instance_library_of(
        instance, &rung__runtimes[RUNG__RUNTIME_PLUGIN], rung->executed_by);
    return plugin ? plugin->facts.file : NULL;
}
