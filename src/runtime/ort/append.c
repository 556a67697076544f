/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/ort/append.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "runtime/ort/plugin.h"

#define OPTIONS_MAX 24

/** Options as the library takes them. */
struct pairs {
    const char *keys[OPTIONS_MAX], *values[OPTIONS_MAX];
    size_t count;
};

static rung_result pair(const struct rung__option *options, struct pairs *out)
{
    out->count = 0;
    for (; options && options->name; options++) {
        if (out->count == OPTIONS_MAX)
            return rung__fail(RUNG_UNSUPPORTED, "more than %d options for an execution provider",
                              OPTIONS_MAX);
        out->keys[out->count] = options->name;
        out->values[out->count++] = options->value;
    }
    return RUNG_OK;
}

static bool is_offered(const struct rung__ort *ort, const char *provider)
{
    for (uint32_t i = 0; i < ort->provider_count; i++)
        if (strcmp(ort->providers[i], provider) == 0)
            return true;
    return false;
}

/** The providers whose options are an object of the library; all others are appended by name. */
struct settings_calls {
    rung__ort_result (*create)(struct rung__ort_settings **);
    rung__ort_result (*update)(struct rung__ort_settings *, const char *const *keys,
                               const char *const *values, size_t count);
    rung__ort_result (*append)(struct rung__ort_options *, const struct rung__ort_settings *);
    void (*release)(struct rung__ort_settings *);
};

static bool find_settings(const struct rung__ort_calls *call, const char *provider,
                          struct settings_calls *out)
{
    if (strcmp(provider, "TensorrtExecutionProvider") == 0)
        *out = (struct settings_calls){call->create_tensorrt, call->update_tensorrt,
                                       call->append_tensorrt, call->release_tensorrt};
    else if (strcmp(provider, "CUDAExecutionProvider") == 0)
        *out = (struct settings_calls){call->create_cuda, call->update_cuda, call->append_cuda,
                                       call->release_cuda};
    else
        return false;
    return true;
}

static rung_result append_with_settings(const struct rung__ort *ort,
                                        const struct settings_calls *calls,
                                        const struct pairs *pairs,
                                        struct rung__ort_options *options)
{
    struct rung__ort_settings *settings = NULL;
    rung_result result =
        rung__ort_check(ort, calls->create(&settings), "making the provider's options");
    if (result == RUNG_OK)
        result =
            rung__ort_check(ort, calls->update(settings, pairs->keys, pairs->values, pairs->count),
                            "setting the provider's options");
    if (result == RUNG_OK)
        result = rung__ort_check(ort, calls->append(options, settings), "taking the provider");
    if (settings)
        calls->release(settings);
    return result;
}

/** "OpenVINOExecutionProvider" is appended as "OpenVINO". */
static rung_result append_named(const struct rung__ort *ort, const char *provider,
                                const struct pairs *pairs, struct rung__ort_options *options)
{
    static const struct {
        const char *offered, *appended;
    } others[] = {{"DmlExecutionProvider", "DML"}, {"WebGpuExecutionProvider", "WebGPU"}};
    static const char ending[] = "ExecutionProvider";
    char name[64];
    const char *end = strstr(provider, ending);
    const size_t length = end ? (size_t)(end - provider) : strlen(provider);
    (void)rung__text_format(name, sizeof name, "%.*s", (int)length, provider);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].offered, provider) == 0)
            (void)rung__text_format(name, sizeof name, "%s", others[i].appended);
    return rung__ort_check(
        ort, ort->call.append_named(options, name, pairs->keys, pairs->values, pairs->count),
        "taking the provider");
}

rung_result rung__ort_append(const struct rung__ort *ort, const struct rung__execution *execution,
                             struct rung__ort_options *options)
{
    struct pairs pairs;
    struct settings_calls settings;
    const char *provider = execution->provider;
    rung_result result = pair(execution->options, &pairs);
    if (result != RUNG_OK)
        return result;
    if (execution->plugin)
        return rung__ort_append_plugin(ort, execution, pairs.keys, pairs.values, pairs.count,
                                       options);
    if (!is_offered(ort, provider))
        return rung__fail(RUNG_UNSUPPORTED,
                          "the ONNX Runtime that is loaded (%s) does not offer %s", ort->version,
                          provider);
    return find_settings(&ort->call, provider, &settings)
               ? append_with_settings(ort, &settings, &pairs, options)
               : append_named(ort, provider, &pairs, options);
}
