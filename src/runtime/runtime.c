/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

#include "runtime/ort/ort.h"
#include "runtime/ort/plugin_library.h"
#include "runtime/tract/tract.h"

static rung_result open_ort(const char *path)
{
    const struct rung__ort *ort;
    return rung__ort_open(path, &ort);
}

static bool describe_ort(struct rung__runtime_description *out)
{
    const struct rung__ort *ort = rung__ort_loaded();
    if (ort)
        *out = (struct rung__runtime_description){ort->path, ort->version, ort->api, ort->providers,
                                                  ort->provider_count};
    return ort != NULL;
}

static rung_result open_tract(const char *path)
{
    const struct rung__tract *tract;
    return rung__tract_open(path, &tract);
}

static bool describe_tract(struct rung__runtime_description *out)
{
    const struct rung__tract *tract = rung__tract_loaded();
    if (tract)
        *out = (struct rung__runtime_description){.path = tract->path, .version = tract->version};
    return tract != NULL;
}

const struct rung__runtime rung__runtimes[RUNG__RUNTIMES] = {
    [RUNG__RUNTIME_ORT] =
        {
            .name = "onnxruntime",
            .text = "ONNX Runtime",
            .files = {{"libonnxruntime.so", ""}},
            .system_names = {"libonnxruntime.so.1", "libonnxruntime.so"},
            .by_name = true,
            .open = open_ort,
            .describe = describe_ort,
        },
    [RUNG__RUNTIME_TRACT] =
        {
            .name = "tract",
            .text = "tract",
            /* The wheel's is named like a module of Python, but needs none. */
            .files = {{"libtract.so", ""}, {"tract.", ".so"}},
            .system_names = {"libtract.so"},
            .open = open_tract,
            .describe = describe_tract,
        },
    [RUNG__RUNTIME_PLUGIN] =
        {
            .name = "plugin",
            .text = "plugin library of ONNX Runtime",
            .files = {{"libonnxruntime_providers_", ".so"}},
            .strict = true,
            .open = rung__ort_plugin_open,
            .describe = rung__ort_plugin_describe,
        },
};
