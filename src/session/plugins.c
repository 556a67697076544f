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

static bool brings(const struct rung__known_library *library, const char *provider)
{
    return library->runtime == &rung__runtimes[RUNG__RUNTIME_PLUGIN] &&
           rung__library_is_usable(library) && library->facts.file &&
           rung__library_offers(&library->facts, provider);
}

const char *rung__instance_plugin(struct rung_instance *instance, const struct rung__rung *rung)
{
    const struct rung__libraries *libraries;
    struct rung__runtime_description ort;
    if (!rung->executed_by || !rung__runtimes[RUNG__RUNTIME_ORT].describe(&ort) ||
        ort.api < API_LEAST || offers(&ort, rung->executed_by) ||
        rung__instance_libraries(instance, &libraries) != RUNG_OK)
        return NULL;
    for (size_t i = 0; i < libraries->count; i++)
        if (brings(&libraries->items[i], rung->executed_by))
            return libraries->items[i].facts.file;
    return NULL;
}

bool rung__library_is_no_plugin(const struct rung__known_library *library)
{
    return library->runtime == &rung__runtimes[RUNG__RUNTIME_PLUGIN] && library->described &&
           library->facts.result == RUNG_UNSUPPORTED;
}
