/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/catalog.h"

#include <string.h>

#include "artifact/names.h"
#include "kernel/cpu_flags.h"
#include "stage/implementations.h"

/* To add an implementation: a file of its own, a line in implementations.h, a line here. */
static const struct rung__implementation
    *const preprocess[] = {&rung__pre_threaded, &rung__pre_simd, &rung__pre_base, NULL},
           *const buffer[] = {&rung__buffer_ring, &rung__buffer_import, &rung__buffer_base, NULL},
           *const schedule[] = {&rung__schedule_overlap, &rung__schedule_base, NULL},
           *const postprocess[] = {&rung__post_grid, &rung__post_base, NULL},
           *const engine[] = {&rung__engine_base, NULL};

const struct rung__catalog rung__catalog = {{preprocess, buffer, schedule, postprocess, engine}};

const struct rung__implementation *rung__catalog_find(const struct rung__catalog *catalog,
                                                      enum rung__stage stage, const char *id)
{
    for (const struct rung__implementation *const *each = catalog->stages[stage]; *each; each++)
        if (strcmp((*each)->id, id) == 0)
            return *each;
    return NULL;
}

/* ---- as JSON --------------------------------------------------------------------------------- */

#define ALL_SCENARIOS (RUNG__SCENARIO_FRAME | RUNG__SCENARIO_SERIES)

/** The names of the bits that are set. */
static json_t *names_of(uint32_t bits, const char *(*name)(uint32_t bit), bool *failed)
{
    json_t *array = json_array();
    for (uint32_t bit = 0; bit < 32 && bits >> bit; bit++)
        if (bits >> bit & 1)
            rung__json_append(array, json_string(name(bit)), failed);
    return array;
}

static const char *dtype_name(uint32_t bit)
{
    return rung__name_text(&rung__dtype_names, bit);
}

static const char *layout_name(uint32_t bit)
{
    return rung__name_text(&rung__layout_names, bit);
}

static const char *scenario_name(uint32_t bit)
{
    return 1u << bit == RUNG__SCENARIO_FRAME ? "frame" : "series";
}

/** The least level of instructions on each architecture that it runs on. */
static json_t *capability_of(uint64_t flags, bool *failed)
{
    json_t *array = json_array();
    if (flags == 0)
        rung__json_append(array, json_string("scalar"), failed);
    if (flags & RUNG__CPU_AVX2)
        rung__json_append(array, json_string("avx2"), failed);
    if (flags & RUNG__CPU_NEON)
        rung__json_append(array, json_string("neon"), failed);
    return array;
}

static json_t *constraints_of(const struct rung__implementation *at, bool *failed)
{
    json_t *json = json_object();
    rung__json_set(json, "scenarios",
                   names_of(at->scenarios ? at->scenarios : ALL_SCENARIOS, scenario_name, failed),
                   failed);
    rung__json_set(json, "most_width", json_integer(at->most_width), failed);
    rung__json_set(json, "most_height", json_integer(at->most_height), failed);
    rung__json_set(json, "dtypes", names_of(at->dtypes, dtype_name, failed), failed);
    rung__json_set(json, "layouts", names_of(at->layouts, layout_name, failed), failed);
    return json;
}

json_t *rung__implementation_json(const struct rung__implementation *at)
{
    bool failed = false;
    json_t *json = json_object();
    rung__json_set(json, "id", json_string(at->id), &failed);
    rung__json_set(json, "stage", json_string(rung__stage_name(at->stage)), &failed);
    rung__json_set(json, "version", json_string(at->version), &failed);
    rung__json_set(json, "device", json_string(at->device), &failed);
    rung__json_set(json, "capability", capability_of(at->cpu_flags, &failed), &failed);
    rung__json_set(json, "inputs", constraints_of(at, &failed), &failed);
    rung__json_set(json, "components", names_of(at->components, rung__component_name, &failed),
                   &failed);
    rung__json_set(json, "needs", at->needs ? json_string(at->needs->id) : json_null(), &failed);
    rung__json_set(json, "for_others", json_boolean(at->for_others), &failed);
    rung__json_set(json, "fallback", at->fallback ? json_string(at->fallback) : json_null(),
                   &failed);
    rung__json_set(json, "changes_numerics", json_boolean(at->changes_numerics), &failed);
    rung__json_set(json, "supports_concurrency", json_boolean(at->supports_concurrency), &failed);
    rung__json_set(json, "output", json_string(at->output), &failed);
    rung__json_set(json, "numerics", json_string(at->numerics), &failed);
    rung__json_set(json, "stream", json_string(at->stream), &failed);
    rung__json_set(json, "records",
                   json_string(at->shipped         ? "shipped"
                               : rung__is_base(at) ? "reference"
                               : at->per_model     ? "earned, per model"
                                                   : "earned"),
                   &failed);
    if (!failed)
        return json;
    json_decref(json);
    return NULL;
}

json_t *rung__catalog_json(const struct rung__catalog *catalog)
{
    bool failed = false;
    json_t *array = json_array();
    for (uint32_t stage = 0; stage < RUNG__STAGES; stage++)
        for (const struct rung__implementation *const *each = catalog->stages[stage]; *each; each++)
            rung__json_append(array, rung__implementation_json(*each), &failed);
    if (!failed)
        return array;
    json_decref(array);
    return NULL;
}
