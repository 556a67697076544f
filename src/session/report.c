/* SPDX-License-Identifier: Apache-2.0 */
#include "session/report.h"

#include <rung/provider.h>

#include "artifact/tensors.h"
#include "base/clock.h"
#include "base/error.h"
#include "session/context.h"
#include "session/library_explain.h"
#include "session/library_set.h"
#include "session/structure.h"
#include "session/tickets.h"

static uint64_t load(const _Atomic uint64_t *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

void rung__report_lock(const struct rung_context *context)
{
    rung__mutex_lock((struct rung__mutex *)&context->metrics.told);
}

void rung__report_unlock(const struct rung_context *context)
{
    rung__mutex_unlock((struct rung__mutex *)&context->metrics.told);
}

/* ---- tensors --------------------------------------------------------------------------------- */

rung_result rung__report_tensor(const struct rung_context *context, uint32_t index,
                                rung_tensor_info *out)
{
    const struct rung__model_report *report = &context->metrics.serving->report;
    if (index > report->output_count)
        return rung__fail(RUNG_NOT_FOUND, "%s has %u tensors; there is none at %u",
                          context->model->artifact.view.header.name, report->output_count + 1,
                          index);
    const struct rung__tensor *tensor = index ? &report->outputs[index - 1] : &report->input;
    const bool is_widened = index && tensor->dtype != RUNG_DTYPE_F32;
    *out = (rung_tensor_info){
        .name = tensor->name,
        .dtype = (rung_dtype)tensor->dtype,
        .layout = index ? 0 : context->model->artifact.view.header.canvas.layout,
        .rank = tensor->rank,
        .alignment = index ? report->output_alignments[index - 1] : report->input_alignment,
        .bytes = rung__tensor_size(tensor),
        .widened_bytes = is_widened ? rung__tensor_elements(tensor) * sizeof(float) : 0,
    };
    for (uint32_t i = 0; i < tensor->rank; i++)
        out->shape[i] = tensor->dims[i];
    return RUNG_OK;
}

rung_result rung_context_get_tensor(const rung_context *context, uint32_t index,
                                    rung_tensor_info *caller_tensor)
{
    rung_tensor_info tensor;
    if (!context)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_context_get_tensor: context is NULL");
    rung__report_lock(context);
    rung_result result = rung__report_tensor(context, index, &tensor);
    rung__report_unlock(context);
    return result == RUNG_OK
               ? rung__structure_write(caller_tensor, &tensor, sizeof tensor, "rung_tensor_info")
               : result;
}

/* ---- its parts ------------------------------------------------------------------------------- */

static void fill_start(const struct rung_context *context, rung_report *out)
{
    const struct rung_model *model = context->model;
    const struct rung__serving *serving = context->metrics.serving;
    out->identity = serving->identity;
    out->rung = serving->rung->id;
    out->reason = serving->reason;
    out->precision = serving->precision;
    out->executed_by = serving->report.executed_by;
    out->artifact = model->artifact.digest_text;
    out->threads = serving->threads;
    out->tensor_count = 1 + serving->report.output_count;
    out->open_ns = model->open_ns;
    out->runtime_ns = serving->runtime_ns;
    out->load_ns = serving->load_ns;
    out->context_ns = context->metrics.created_ns;
    out->teardown_ns = load(&model->teardown_ns);
    out->engine = serving->from_engine;
    out->compiled = serving->compiled;
    out->surfaces = serving->report.surfaces;
    out->copied_surfaces = serving->report.copied_surfaces;
}

static rung_report_times times_of(const struct rung__metrics *metrics, enum rung__part part)
{
    struct rung__histogram_summary summary;
    rung__histogram_read(&metrics->steady[part], &summary);
    return (rung_report_times){
        .count = summary.count,
        .p50_ns = summary.p50,
        .p95_ns = summary.p95,
        .p99_ns = summary.p99,
        .max_ns = summary.max,
        .total_ns = summary.total,
    };
}

static void fill_frames(const struct rung__metrics *metrics, rung_report *out)
{
    out->first = (rung_report_frame){
        .preprocess_ns = load(&metrics->first[RUNG__PART_PREPROCESS]),
        .run_ns = load(&metrics->first[RUNG__PART_RUN]),
        .postprocess_ns = load(&metrics->first[RUNG__PART_POSTPROCESS]),
        .whole_ns = load(&metrics->first[RUNG__PART_WHOLE]),
    };
    out->preprocess = times_of(metrics, RUNG__PART_PREPROCESS);
    out->run = times_of(metrics, RUNG__PART_RUN);
    out->postprocess = times_of(metrics, RUNG__PART_POSTPROCESS);
    out->whole = times_of(metrics, RUNG__PART_WHOLE);
    out->frames = rung__metrics_count(metrics, RUNG__COUNT_FRAMES);
    out->failures = rung__metrics_count(metrics, RUNG__COUNT_FAILURES);
    out->imports = rung__metrics_count(metrics, RUNG__COUNT_IMPORTS);
    out->copies = rung__metrics_count(metrics, RUNG__COUNT_COPIES);
    out->copied_bytes = rung__metrics_count(metrics, RUNG__COUNT_COPIED_BYTES);
    out->widened_bytes = rung__metrics_count(metrics, RUNG__COUNT_WIDENED_BYTES);
    out->hand_overs = metrics->ledger.hand_overs - metrics->hand_overs_before;
    out->allocations = metrics->ledger.allocations - metrics->allocations_before;
}

/** What became of losses and of what nobody wants any more. */
static void fill_ends(const struct rung_context *context, rung_report *out)
{
    out->device_losses = load(&context->loss.count);
    out->rebuilds = load(&context->loss.rebuilt);
    out->cancels = load(&context->metrics.cancels);
    out->cancel_ns = out->cancels ? load(&context->metrics.cancel_ns) : RUNG_REPORT_UNKNOWN;
}

/** What the provider tells of its context and the model. Of a second lane's it would say the same
 * of the model once more. */
static void fill_device_memory(const struct rung_context *context, rung_report *out)
{
    rung_provider_memory memory = {RUNG_PROVIDER_UNKNOWN, RUNG_PROVIDER_UNKNOWN,
                                   RUNG_PROVIDER_UNKNOWN, RUNG_PROVIDER_UNKNOWN,
                                   RUNG_PROVIDER_UNKNOWN, {0}};
    const struct rung__lane *lane = &context->lanes[0];
    if (lane->running)
        rung__provider_memory(context->metrics.serving->rung->provider, lane->running, &memory);
    out->device_bytes = memory.device;
    out->workspace_bytes = memory.workspace;
    out->packed_bytes = memory.packed;
    out->opaque_bytes = memory.opaque;
}

static void fill_memory(const struct rung_context *context, rung_report *out)
{
    const struct rung__ledger *ledger = &context->metrics.ledger;
    for (uint32_t i = 0; i < context->lane_count; i++) {
        const struct rung__model_memory *memory = &context->lanes[i].memory;
        out->host_input_bytes += memory->input_bytes;
        for (uint32_t o = 0; o < context->metrics.serving->report.output_count; o++)
            out->host_output_bytes += memory->output_bytes[o];
    }
    out->host_scratch_bytes = ledger->bytes + sizeof *context;
    out->host_packet_bytes = context->tickets ? rung__tickets_packet_bytes(context->tickets) : 0;
    out->threads_owned = (uint32_t)ledger->threads;
    out->threads_created = (uint32_t)ledger->threads_started;
}

static const struct rung__known_library *library_of(const struct rung_context *context)
{
    const struct rung__runtime *runtime = context->metrics.serving->rung->provider->runtime;
    return runtime ? rung__instance_library_loaded(context->model->instance, runtime) : NULL;
}

json_t *rung__report_package(const struct rung_context *context, bool *failed)
{
    const struct rung__known_library *library = library_of(context);
    const char *file = library ? rung__library_file(library) : NULL;
    return file ? rung__library_set_json(file, failed) : NULL;
}

static uint64_t number_in(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);
    return json_is_integer(number) ? (uint64_t)json_integer_value(number) : RUNG_REPORT_UNKNOWN;
}

static void fill_package(const struct rung_context *context, rung_report *out)
{
    const struct rung__known_library *library = library_of(context);
    bool failed = false;
    json_t *package = rung__report_package(context, &failed);
    const char *file = library ? rung__library_file(library) : NULL;
    out->runtime = library ? library->runtime->text : "";
    out->runtime_version = library ? library->facts.version : "";
    out->runtime_path = file ? file : library ? library->path : "";
    out->package_bytes = number_in(package, "bytes");
    out->package_files = number_in(package, "files");
    json_decref(package);
}

static void fill_energy(const struct rung_context *context, rung_report *out)
{
    const struct rung__metrics *metrics = &context->metrics;
    struct rung__energy now;
    const char *why;
    out->energy_uj = RUNG_REPORT_UNKNOWN;
    rung__energy_read(rung__instance_hardware_root(context->model->instance), &now);
    (void)rung__energy_between(&metrics->energy, &now, rung__clock_now() - metrics->began,
                               &out->energy_uj, &why);
    out->energy_reason = why ? why : "";
}

/* ---- all of it ------------------------------------------------------------------------------- */

void rung__report_fill(const struct rung_context *context, rung_report *out)
{
    *out = (rung_report){0};
    fill_start(context, out);
    fill_frames(&context->metrics, out);
    fill_ends(context, out);
    fill_memory(context, out);
    fill_device_memory(context, out);
    fill_energy(context, out);
    fill_package(context, out);
}

rung_result rung_context_get_report(const rung_context *context, rung_report *caller_report)
{
    rung_report report;
    if (!context)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_context_get_report: context is NULL");
    rung__report_lock(context);
    rung__report_fill(context, &report);
    rung__report_unlock(context);
    return rung__structure_write(caller_report, &report, sizeof report, "rung_report");
}

rung_result rung_context_restart_report(rung_context *context)
{
    if (!context)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_context_restart_report: context is NULL");
    if (!rung__use_try(&context->use))
        return rung__fail(RUNG_BUSY, "rung_context_restart_report: the context is at work");
    rung__metrics_begin(context);
    rung__use_end(&context->use);
    return RUNG_OK;
}
