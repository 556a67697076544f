/* SPDX-License-Identifier: Apache-2.0 */
/* A context's report as JSON (docs/report.md). */
#include "artifact/names.h"
#include "base/error.h"
#include "session/context.h"
#include "session/report.h"

#define SCHEMA 1

/** null for what nobody tells. */
static json_t *number(uint64_t value)
{
    return value == RUNG_REPORT_UNKNOWN ? json_null() : json_integer((json_int_t)value);
}

/** A member of an object of numbers. */
struct figure {
    const char *key;
    uint64_t value;
};

static json_t *figures(const struct figure *rows, size_t count)
{
    bool failed = false;
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        rung__json_set(object, rows[i].key, number(rows[i].value), &failed);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

#define FIGURES(...)                                                                               \
    figures((const struct figure[]){__VA_ARGS__},                                                  \
            sizeof((const struct figure[]){__VA_ARGS__}) / sizeof(struct figure))

static json_t *tensor_json(const struct rung_context *context, uint32_t index, bool *failed)
{
    rung_tensor_info tensor;
    json_t *shape = json_array();
    (void)rung__report_tensor(context, index, &tensor); /* the index is one that there is */
    for (uint32_t i = 0; i < tensor.rank; i++)
        rung__json_append(shape, number(tensor.shape[i]), failed);
    json_t *object =
        json_pack("{s:s,s:s,s:o,s:i,s:I}", "name", tensor.name, "dtype",
                  rung__name_text(&rung__dtype_names, tensor.dtype), "shape", shape, "alignment",
                  (int)tensor.alignment, "bytes", (json_int_t)tensor.bytes);
    if (index == 0)
        rung__json_set(object, "layout",
                       json_string(rung__name_text(&rung__layout_names, tensor.layout)), failed);
    else
        rung__json_set(object, "widened_bytes", number(tensor.widened_bytes), failed);
    return object;
}

static void add_identity(json_t *to, const rung_report *report, bool *failed)
{
    const struct {
        const char *key, *text;
    } rows[] = {
        {"identity", report->identity},       {"rung", report->rung},
        {"reason", report->reason},           {"precision", report->precision},
        {"executed_by", report->executed_by}, {"artifact", report->artifact},
    };
    rung__json_set(to, "schema", json_integer(SCHEMA), failed);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        rung__json_set(to, rows[i].key, json_string(rows[i].text), failed);
    rung__json_set(to, "run_threads", json_integer(report->threads), failed);
}

/** "direct" or "copied"; null for one that cannot be imported. */
static json_t *surface_json(const rung_report *report, uint32_t bit)
{
    if (!(report->surfaces & bit))
        return json_null();
    return json_string(report->copied_surfaces & bit ? "copied" : "direct");
}

static void add_surfaces(json_t *to, const rung_report *report, bool *failed)
{
    json_t *object = json_object();
    rung__json_set(object, "shared", surface_json(report, RUNG_PROVIDER_SURFACE_SHARED), failed);
    rung__json_set(object, "dmabuf", surface_json(report, RUNG_PROVIDER_SURFACE_DMABUF), failed);
    rung__json_set(to, "surfaces", object, failed);
}

static void add_tensors(json_t *to, const struct rung_context *context, uint32_t count,
                        bool *failed)
{
    json_t *outputs = json_array();
    for (uint32_t i = 1; i < count; i++)
        rung__json_append(outputs, tensor_json(context, i, failed), failed);
    rung__json_set(to, "input", tensor_json(context, 0, failed), failed);
    rung__json_set(to, "outputs", outputs, failed);
}

static json_t *times_json(const rung_report_times *times)
{
    return FIGURES({"count", times->count}, {"p50", times->p50_ns}, {"p95", times->p95_ns},
                   {"p99", times->p99_ns}, {"max", times->max_ns}, {"total", times->total_ns});
}

static json_t *first_json(const rung_report_frame *first)
{
    if (!first->whole_ns)
        return json_null();
    return FIGURES({"preprocess", first->preprocess_ns}, {"run", first->run_ns},
                   {"postprocess", first->postprocess_ns}, {"whole", first->whole_ns});
}

static void add_times(json_t *to, const rung_report *report, bool *failed)
{
    json_t *steady = json_object();
    rung__json_set(steady, "preprocess", times_json(&report->preprocess), failed);
    rung__json_set(steady, "run", times_json(&report->run), failed);
    rung__json_set(steady, "postprocess", times_json(&report->postprocess), failed);
    rung__json_set(steady, "whole", times_json(&report->whole), failed);
    rung__json_set(to, "start_ns",
                   FIGURES({"open", report->open_ns}, {"runtime", report->runtime_ns},
                           {"load", report->load_ns}, {"context", report->context_ns}),
                   failed);
    rung__json_set(to, "compiled", json_boolean(report->compiled), failed);
    rung__json_set(to, "engine", json_boolean(report->engine), failed);
    rung__json_set(to, "first_ns", first_json(&report->first), failed);
    rung__json_set(to, "steady_ns", steady, failed);
    rung__json_set(to, "end_ns",
                   FIGURES({"cancel", report->cancel_ns}, {"teardown", report->teardown_ns}),
                   failed);
}

static void add_counts(json_t *to, const rung_report *report, bool *failed)
{
    rung__json_set(
        to, "frames",
        FIGURES({"done", report->frames}, {"failed", report->failures},
                {"imported", report->imports}, {"copied", report->copies},
                {"copied_bytes", report->copied_bytes}, {"widened_bytes", report->widened_bytes},
                {"hand_overs", report->hand_overs}, {"allocations", report->allocations}),
        failed);
    rung__json_set(to, "events",
                   FIGURES({"device_losses", report->device_losses}, {"rebuilds", report->rebuilds},
                           {"cancels", report->cancels}),
                   failed);
    rung__json_set(to, "memory_bytes",
                   FIGURES({"host_input", report->host_input_bytes},
                           {"host_output", report->host_output_bytes},
                           {"host_scratch", report->host_scratch_bytes},
                           {"host_packets", report->host_packet_bytes},
                           {"device", report->device_bytes}, {"workspace", report->workspace_bytes},
                           {"packed", report->packed_bytes}, {"opaque", report->opaque_bytes}),
                   failed);
    rung__json_set(to, "threads",
                   FIGURES({"owned", report->threads_owned}, {"created", report->threads_created}),
                   failed);
}

static void add_runtime(json_t *to, const struct rung_context *context, const rung_report *report,
                        bool *failed)
{
    json_t *package = rung__report_package(context, failed);
    json_t *runtime = *report->runtime
                          ? json_pack("{s:s,s:s,s:s}", "name", report->runtime, "version",
                                      report->runtime_version, "path", report->runtime_path)
                          : json_null();
    if (*report->runtime)
        rung__json_set(runtime, "package", package ? package : json_null(), failed);
    rung__json_set(to, "runtime", runtime, failed);
}

static json_t *energy_json(const rung_report *report)
{
    const bool is_known = report->energy_uj != RUNG_REPORT_UNKNOWN;
    json_t *per_frame = is_known && report->frames
                            ? json_real((double)report->energy_uj / (double)report->frames)
                            : json_null();
    return json_pack("{s:o,s:o,s:s}", "uj", number(report->energy_uj), "uj_per_frame", per_frame,
                     "reason", report->energy_reason);
}

static json_t *describe(const struct rung_context *context)
{
    bool failed = false;
    rung_report report;
    json_t *json = json_object(), *stages = json_array();
    rung__report_fill(context, &report);
    for (uint32_t stage = 0; stage < RUNG__STAGES && context->lane_count; stage++)
        rung__json_append(stages, rung__resolution_json(stage, &context->stages.resolutions[stage]),
                          &failed);
    add_identity(json, &report, &failed);
    add_tensors(json, context, report.tensor_count, &failed);
    add_surfaces(json, &report, &failed);
    rung__json_set(json, "stages", stages, &failed);
    add_times(json, &report, &failed);
    add_counts(json, &report, &failed);
    add_runtime(json, context, &report, &failed);
    rung__json_set(json, "energy", energy_json(&report), &failed);
    if (!failed)
        return json;
    json_decref(json);
    return NULL;
}

rung_result rung_context_report(const rung_context *context, rung_span to, size_t *needed)
{
    if (!context || (!to.data && to.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_context_report: an argument is NULL");
    rung__report_lock(context);
    json_t *json = describe(context);
    rung__report_unlock(context);
    rung_result result = json ? rung__json_write(json, to, needed)
                              : rung__fail(RUNG_NO_MEMORY, "no memory for a report");
    json_decref(json);
    return result;
}
