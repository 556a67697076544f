/* SPDX-License-Identifier: Apache-2.0 */
/* What a provider from outside is asked of a model, and what it says. */
#include <stdlib.h>
#include <string.h>

#include "artifact/names.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "provider/external.h"

#define KNOWN_FLAGS                                                                                \
    (RUNG_PROVIDER_CAN_RUN | RUNG_PROVIDER_PARTIAL | RUNG_PROVIDER_COMPILES |                      \
     RUNG_PROVIDER_ENGINE_PRESENT)
#define KNOWN_SURFACES (RUNG_PROVIDER_SURFACE_SHARED | RUNG_PROVIDER_SURFACE_DMABUF)

_Static_assert(RUNG_PROVIDER_OUTPUTS_MAX == RUNG__OUTPUTS_MAX &&
                   RUNG_PROVIDER_RANK_MAX == RUNG__TENSOR_RANK_MAX &&
                   RUNG_PROVIDER_TENSOR_BYTES == RUNG__TENSOR_NAME_MAX + 1 &&
                   RUNG_PROVIDER_ALIGNMENT_LEAST == RUNG__ALIGNMENT,
               "the interface has the limits of the model file");

/** A question and its answer: too much for the stack of a caller's thread. */
struct query {
    const struct rung__external *external;
    const struct rung__artifact_view *artifact;
    rung_provider_device device;
    rung_provider_tensor input, outputs[RUNG_PROVIDER_OUTPUTS_MAX];
    char digest[2 * RUNG__SHA256_BYTES + 1];
    rung_provider_model request;
    rung_provider_answer answer;
};

static bool is_text(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

/** The first device. */
static rung_result find_device(const struct rung__external *external, rung_provider_device *device)
{
    const struct rung__external_call call = rung__external_begin(external, "enumerate_devices");
    *device = (rung_provider_device){.struct_size = sizeof *device, .version = RUNG_STRUCT_VERSION};
    rung_result result = rung__external_end(
        &call, external->theirs.enumerate_devices(external->theirs.user, 0, device),
        RUNG__MAY(RUNG_NOT_FOUND));
    if (result == RUNG_NOT_FOUND)
        return rung__fail(RUNG_UNSUPPORTED, "%s: it finds none of its devices here",
                          external->name);
    if (result != RUNG_OK)
        return rung__fail(RUNG_UNSUPPORTED, "%s", rung_last_error());
    if (!is_text(device->id, sizeof device->id) || !is_text(device->text, sizeof device->text) ||
        !*device->id || device->flags & ~(uint32_t)RUNG_PROVIDER_DEVICE_CPU)
        return rung__fail(RUNG_UNSUPPORTED,
                          "%s: enumerate_devices tells of a device without an id, with a text that "
                          "has no end, or with unknown flags",
                          external->name);
    return RUNG_OK;
}

rung_result rung__external_find_device(const struct rung__provider *provider)
{
    rung_provider_device device;
    return find_device(rung__external_of(provider), &device);
}

static void declare(const struct rung__tensor *from, uint32_t layout, rung_provider_tensor *to)
{
    *to = (rung_provider_tensor){
        .dtype = (rung_dtype)from->dtype, .layout = (rung_layout)layout, .rank = from->rank};
    memcpy(to->name, from->name, sizeof to->name);
    memcpy(to->dims, from->dims, sizeof to->dims);
}

/** Quantised and half models are computed in what they are in. */
static rung_form precision_for(const rung_provider *theirs, const struct rung__header *header)
{
    if (header->form != RUNG_FORM_F32)
        return (rung_form)header->form;
    return theirs->precision ? theirs->precision : RUNG_FORM_F32;
}

static void ask(struct query *query, uint32_t threads)
{
    const struct rung__header *header = &query->artifact->header;
    const struct rung__tensors *tensors = &query->artifact->tensors;
    const struct rung__bytes graph = query->artifact->sections[RUNG__SECTION_PAYLOAD];
    const rung_provider *theirs = &query->external->theirs;
    declare(&tensors->input, header->canvas.layout, &query->input);
    for (uint32_t i = 0; i < tensors->output_count; i++)
        declare(&tensors->outputs[i], 0, &query->outputs[i]);
    rung__text_hex(query->digest, header->digest, sizeof header->digest);
    query->request = (rung_provider_model){
        .struct_size = sizeof query->request,
        .version = RUNG_STRUCT_VERSION,
        .flags = RUNG_PROVIDER_STRICT,
        .threads = threads,
        .graph = graph.data,
        .graph_bytes = graph.size,
        .name = header->name,
        .digest = query->digest,
        .device = theirs->enumerate_devices ? query->device.id : NULL,
        .kind = (rung_artifact_kind)header->kind,
        .role = (rung_role)header->role,
        .form = (rung_form)header->form,
        .precision = precision_for(theirs, header),
        .input = &query->input,
        .outputs = query->outputs,
        .output_count = tensors->output_count,
    };
    const uint64_t unknown = RUNG_PROVIDER_UNKNOWN;
    query->answer = (rung_provider_answer){
        .struct_size = sizeof query->answer,
        .version = RUNG_STRUCT_VERSION,
        .memory = {unknown, unknown, unknown, unknown, unknown, {0}},
    };
}

static rung_result refuse(const struct query *query, const char *why)
{
    return rung__fail(RUNG_BACKEND, "%s: query_model answers for %s %s", query->external->name,
                      query->artifact->header.name, why);
}

/** That the answer can be read at all. */
static rung_result check_form(const struct query *query)
{
    const rung_provider_answer *answer = &query->answer;
    if (answer->flags & ~(uint32_t)KNOWN_FLAGS)
        return refuse(query, "with flags that are not known");
    if (answer->surfaces & ~(uint32_t)KNOWN_SURFACES || answer->copied_surfaces & ~answer->surfaces)
        return refuse(query, "with surfaces that are not known, or copies ones that it does not "
                             "import");
    if (!is_text(answer->reason, sizeof answer->reason) ||
        !is_text(answer->executed_by, sizeof answer->executed_by))
        return refuse(query, "with a text that has no end");
    if (answer->output_count > RUNG_PROVIDER_OUTPUTS_MAX)
        return refuse(query, "with more outputs than there may be");
    return RUNG_OK;
}

/** That it would run the model, all of it, and in the numbers that its results are named by. */
static rung_result check_will(const struct query *query)
{
    const rung_provider_answer *answer = &query->answer;
    const char *name = query->external->name, *model = query->artifact->header.name;
    const char *reason = *answer->reason ? answer->reason : "it gives no reason";
    const rung_form asked = query->request.precision;
    if (!(answer->flags & RUNG_PROVIDER_CAN_RUN))
        return rung__fail(RUNG_UNSUPPORTED, "%s cannot run %s: %s", name, model, reason);
    if (answer->flags & RUNG_PROVIDER_PARTIAL)
        return rung__fail(RUNG_UNSUPPORTED,
                          "%s would run only a part of %s on its device, and all of it was asked "
                          "for: %s",
                          name, model, reason);
    if (answer->precision && answer->precision != asked) {
        const char *other = rung__name_text(&rung__form_names, (uint32_t)answer->precision);
        return rung__fail(RUNG_UNSUPPORTED, "%s would compute %s in %s, and it is asked for %s",
                          name, model, other ? other : "an unknown form",
                          rung__name_text(&rung__form_names, (uint32_t)asked));
    }
    return RUNG_OK;
}

static rung_result check_layout(const struct query *query)
{
    const uint32_t theirs = (uint32_t)query->answer.input.layout;
    const uint32_t declared = query->artifact->header.canvas.layout;
    const char *text = rung__name_text(&rung__layout_names, theirs);
    if (theirs == declared)
        return RUNG_OK;
    return rung__fail(RUNG_INTEGRITY, "%s: input \"%s\" of %s is %s, not %s as declared",
                      query->external->name, query->artifact->tensors.input.name,
                      query->artifact->header.name, text ? text : "in another layout",
                      rung__name_text(&rung__layout_names, declared));
}

/** Shapes and types are compared with the declared ones behind this, as those of all providers. */
static rung_result take_tensor(const struct query *query, const rung_provider_tensor *from,
                               struct rung__tensor *to, uint32_t *alignment)
{
    if (!is_text(from->name, sizeof from->name))
        return refuse(query, "with a tensor whose name has no end");
    if (from->rank > RUNG_PROVIDER_RANK_MAX)
        return rung__fail(RUNG_INTEGRITY, "%s: \"%s\" of %s has %u dimensions; at most %u",
                          query->external->name, from->name, query->artifact->header.name,
                          from->rank, RUNG_PROVIDER_RANK_MAX);
    *alignment = from->alignment ? from->alignment : RUNG_PROVIDER_ALIGNMENT_LEAST;
    if (*alignment & (*alignment - 1) || *alignment < RUNG_PROVIDER_ALIGNMENT_LEAST ||
        *alignment > RUNG_PROVIDER_ALIGNMENT_MOST)
        return rung__fail(RUNG_BACKEND,
                          "%s: \"%s\" of %s is to be aligned to %u; that is a power of two from %u "
                          "to %u",
                          query->external->name, from->name, query->artifact->header.name,
                          from->alignment, RUNG_PROVIDER_ALIGNMENT_LEAST,
                          RUNG_PROVIDER_ALIGNMENT_MOST);
    *to = (struct rung__tensor){.dtype = (uint32_t)from->dtype, .rank = from->rank};
    memcpy(to->name, from->name, strlen(from->name));
    memcpy(to->dims, from->dims, from->rank * sizeof *to->dims);
    return RUNG_OK;
}

static void name_executor(const struct query *query, struct rung__model_report *report)
{
    const char *name = *query->answer.executed_by ? query->answer.executed_by
                       : *query->device.text      ? query->device.text
                                                  : query->external->name;
    (void)rung__text_format(report->executed_by, sizeof report->executed_by, "%s", name);
    rung__text_clean(report->executed_by);
}

static rung_result take_answer(const struct query *query, struct rung__external_model *to)
{
    const rung_provider_answer *answer = &query->answer;
    rung_result result = check_form(query);
    if (result == RUNG_OK)
        result = check_will(query);
    if (result == RUNG_OK)
        result = take_tensor(query, &answer->input, &to->report.input, &to->report.input_alignment);
    for (uint32_t i = 0; i < answer->output_count && result == RUNG_OK; i++)
        result = take_tensor(query, &answer->outputs[i], &to->report.outputs[i],
                             &to->report.output_alignments[i]);
    if (result == RUNG_OK)
        result = check_layout(query);
    if (result != RUNG_OK)
        return result;
    to->report.input_count = 1;
    to->report.output_count = answer->output_count;
    to->report.from_engine = answer->flags & RUNG_PROVIDER_ENGINE_PRESENT;
    to->report.compiled = answer->flags & RUNG_PROVIDER_COMPILES && !to->report.from_engine;
    to->report.surfaces = answer->surfaces;
    to->report.copied_surfaces = answer->copied_surfaces;
    to->memory = answer->memory;
    name_executor(query, &to->report);
    return RUNG_OK;
}

static rung_result load(struct query *query, struct rung__external_model *to)
{
    const struct rung__external *external = query->external;
    const rung_provider *theirs = &external->theirs;
    struct rung__external_call call = rung__external_begin(external, "query_model");
    rung_result result = rung__external_end(
        &call, theirs->query_model(theirs->user, &query->request, &query->answer), 0);
    if (result == RUNG_OK)
        result = take_answer(query, to);
    if (result != RUNG_OK)
        return result;
    call = rung__external_begin(external, "create_model");
    return rung__external_end(&call,
                              theirs->create_model(theirs->user, &query->request, &to->theirs),
                              RUNG__MAY(RUNG_UNSUPPORTED) | RUNG__MAY(RUNG_INTEGRITY));
}

rung_result rung__external_create_model(const struct rung__provider *provider,
                                        const struct rung__model_request *request, void **out)
{
    const struct rung__external *external = rung__external_of(provider);
    struct rung__external_model *model = calloc(1, sizeof *model);
    struct query *query = calloc(1, sizeof *query);
    rung_result result = RUNG_OK;
    if (!model || !query)
        result = rung__fail(RUNG_NO_MEMORY, "no memory to load a model");
    else {
        model->external = external;
        *query = (struct query){.external = external, .artifact = request->artifact};
        if (external->theirs.enumerate_devices)
            result = find_device(external, &query->device);
        if (result == RUNG_OK) {
            ask(query, request->threads);
            result = load(query, model);
        }
    }
    result = rung__external_unmade(result);
    if (result == RUNG_OK)
        *out = model;
    else
        free(model);
    free(query);
    return result;
}

void rung__external_destroy_model(void *pointer)
{
    struct rung__external_model *model = pointer;
    model->external->theirs.destroy_model(model->theirs);
    free(model);
}

rung_result rung__external_query_model(const void *model, struct rung__model_report *report)
{
    *report = ((const struct rung__external_model *)model)->report;
    return RUNG_OK;
}
