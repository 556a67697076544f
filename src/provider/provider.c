/* SPDX-License-Identifier: Apache-2.0 */
#include "provider/provider.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/onnx.h"
#include "artifact/tensors.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

rung_result rung__provider_load(const struct rung__provider *provider,
                                const struct rung__model_request *request, void **model,
                                struct rung__model_report *report)
{
    const struct rung__artifact_view *artifact = request->artifact;
    void *loaded = NULL;
    if (!(artifact->header.providers & provider->compatibility))
        return rung__fail(RUNG_UNSUPPORTED, "the model %s does not list the provider %s",
                          artifact->header.name, provider->name);
    rung_result result = provider->create_model(provider, request, &loaded);
    if (result != RUNG_OK)
        return result;
    result = provider->query_model(loaded, report);
    if (result == RUNG_OK)
        result = rung__tensors_compare("the loaded model", &artifact->tensors, &report->input,
                                       report->input_count, report->outputs, report->output_count);
    if (result != RUNG_OK) {
        provider->destroy_model(loaded);
        return result;
    }
    *model = loaded;
    return RUNG_OK;
}

void rung__provider_memory(const struct rung__provider *provider, const void *context,
                           rung_provider_memory *out)
{
    const uint64_t unknown = RUNG_PROVIDER_UNKNOWN;
    *out = (rung_provider_memory){unknown, unknown, unknown, unknown, unknown, {0}};
    if (provider->memory_stats)
        provider->memory_stats(context, out);
}

void rung__model_report_fill(struct rung__model_report *report, const struct rung__tensor *input,
                             uint32_t input_count, const struct rung__tensor *outputs,
                             uint32_t output_count, const char *executed_by)
{
    *report = (struct rung__model_report){
        .input = *input,
        .input_count = input_count,
        .output_count = output_count,
        .input_alignment = RUNG__ALIGNMENT,
    };
    for (uint32_t i = 0; i < output_count; i++)
        report->output_alignments[i] = RUNG__ALIGNMENT;
    memcpy(report->outputs, outputs, output_count * sizeof *outputs);
    (void)rung__text_format(report->executed_by, sizeof report->executed_by, "%s", executed_by);
}

static void *aligned_zeros(uint64_t size)
{
    void *memory = rung__memory_new(size);
    if (memory)
        memset(memory, 0, (size_t)rung__align(size));
    return memory;
}

rung_result rung__model_memory_create(const struct rung__model_report *report,
                                      struct rung__model_memory *out)
{
    *out = (struct rung__model_memory){.input_bytes = rung__tensor_size(&report->input)};
    out->input = aligned_zeros(out->input_bytes);
    bool complete = out->input != NULL;
    for (uint32_t i = 0; i < report->output_count && complete; i++) {
        out->output_bytes[i] = rung__tensor_size(&report->outputs[i]);
        out->outputs[i] = aligned_zeros(out->output_bytes[i]);
        complete = out->outputs[i] != NULL;
    }
    if (complete)
        return RUNG_OK;
    rung__model_memory_finish(out);
    return rung__fail(RUNG_NO_MEMORY, "no memory for the model's input and outputs");
}

void rung__model_memory_finish(struct rung__model_memory *memory)
{
    free(memory->input);
    for (size_t i = 0; i < RUNG__OUTPUTS_MAX; i++)
        free(memory->outputs[i]);
    *memory = (struct rung__model_memory){0};
}

uint64_t rung__model_memory_bytes(const struct rung__model_memory *memory)
{
    uint64_t bytes = memory->input_bytes;
    for (size_t i = 0; i < RUNG__OUTPUTS_MAX; i++)
        bytes += memory->output_bytes[i];
    return bytes;
}
