/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/ort/plugin.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/thread.h"

#define PLUGINS_MAX 8
#define DEVICES_MAX 16

/* Which of them are loaded: like the library itself, they are the process's. */
static struct {
    struct rung__mutex mutex;
    char names[PLUGINS_MAX][64];
    uint32_t count;
} plugins = {.mutex = RUNG__MUTEX_INITIALIZER};

static bool is_loaded(const char *name)
{
    for (uint32_t i = 0; i < plugins.count; i++)
        if (strcmp(plugins.names[i], name) == 0)
            return true;
    return false;
}

/** It goes by the provider's name, which some plugins then take for their own. */
static rung_result load(const struct rung__ort *ort, const struct rung__execution *execution)
{
    rung_result result = RUNG_OK;
    rung__mutex_lock(&plugins.mutex);
    if (!is_loaded(execution->provider)) {
        if (plugins.count == PLUGINS_MAX)
            result = rung__fail(RUNG_CAPACITY, "more than %d plugin libraries", PLUGINS_MAX);
        if (result == RUNG_OK)
            result = rung__ort_check(
                ort, ort->call.register_library(ort->env, execution->provider, execution->plugin),
                "loading the plugin library");
        if (result == RUNG_OK)
            (void)rung__text_format(plugins.names[plugins.count++], sizeof plugins.names[0], "%s",
                                    execution->provider);
    }
    rung__mutex_unlock(&plugins.mutex);
    return result;
}

rung_result rung__ort_append_plugin(const struct rung__ort *ort,
                                    const struct rung__execution *execution,
                                    const char *const *keys, const char *const *values,
                                    size_t count, struct rung__ort_options *options)
{
    const struct rung__ort_device *const *all = NULL, *own[DEVICES_MAX];
    size_t all_count = 0, own_count = 0;
    if (!ort->call.register_library)
        return rung__fail(RUNG_UNSUPPORTED,
                          "ONNX Runtime %s takes no plugin libraries; version 1.22 or newer does",
                          ort->version);
    rung_result result = load(ort, execution);
    if (result == RUNG_OK)
        result = rung__ort_check(ort, ort->call.get_devices(ort->env, &all, &all_count),
                                 "listing the plugin's devices");
    if (result != RUNG_OK)
        return result;
    for (size_t i = 0; i < all_count && own_count < DEVICES_MAX; i++)
        if (strcmp(ort->call.get_device_provider(all[i]), execution->provider) == 0)
            own[own_count++] = all[i];
    if (own_count == 0)
        return rung__fail(RUNG_UNSUPPORTED, "the plugin library %s finds no device here",
                          execution->plugin);
    return rung__ort_check(
        ort, ort->call.append_devices(options, ort->env, own, own_count, keys, values, count),
        "taking the provider");
}
