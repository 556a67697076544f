/* SPDX-License-Identifier: Apache-2.0 */
#include "session/stages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "kernel/cpu_flags.h"

/* Threads that one frame may be preprocessed on: beyond these the memory is the limit. */
#define WORKERS_DEFAULT 4u
#define WORKERS_MAX     64u

/** What the environment asks of each stage. */
static rung_result read_variables(const struct rung__environment *environment,
                                  struct rung__plan *plan)
{
    const struct {
        enum rung__stage stage;
        const char *id, *name;
    } variables[] = {
        {RUNG__STAGE_PREPROCESS, environment->preprocessor, "RUNG_PREPROCESSOR"},
        {RUNG__STAGE_BUFFER, environment->buffer, "RUNG_BUFFER"},
        {RUNG__STAGE_SCHEDULE, environment->scheduler, "RUNG_SCHEDULER"},
        {RUNG__STAGE_POSTPROCESS, environment->postprocessor, "RUNG_POSTPROCESSOR"},
    };
    rung_result result = RUNG_OK;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && result == RUNG_OK; i++)
        if (variables[i].id)
            result = rung__plan_set(plan, variables[i].stage, variables[i].id, variables[i].name);
    return result;
}

static rung_result read_workers(const struct rung__environment *environment, uint32_t *out)
{
    const char *text = environment->preprocessor_max_workers;
    char *end = NULL;
    if (!text)
        return RUNG_OK;
    errno = 0;
    const unsigned long number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || number < 1 || number > WORKERS_MAX)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "RUNG_PREPROCESSOR_MAX_WORKERS is \"%.40s\"; it is a number of 1..%u",
                          text, WORKERS_MAX);
    *out = (uint32_t)number;
    return RUNG_OK;
}

/** An application's plan is all there is; without one the user's environment counts. */
static rung_result read_plan(struct rung__staging *staging,
                             const struct rung__stage_environment *of, uint32_t *workers)
{
    const struct rung__environment *environment = &of->instance->environment;
    staging->plan = rung__plan_default();
    *workers = WORKERS_DEFAULT;
    if (of->plan)
        return rung__plan_parse((struct rung__bytes){(const uint8_t *)of->plan, strlen(of->plan)},
                                "the plan", &staging->plan);
    rung_result result = RUNG_OK;
    if (of->fixed)
        staging->plan = *of->fixed;
    else
        result = read_variables(environment, &staging->plan);
    return result == RUNG_OK ? read_workers(environment, workers) : result;
}

static void describe_place(struct rung__staging *staging, const struct rung__stage_environment *of,
                           uint32_t workers)
{
    struct rung__stage_context *context = &staging->context;
    const struct rung_model *model = of->model;
    const uint32_t threads = of->serving ? of->model->threads : workers;
    rung__hardware_cpu_model(staging->device_id);
    *context = (struct rung__stage_context){
        .device = "cpu",
        .device_id = staging->device_id,
        .cpu_flags = of->instance->cpu_flags,
        .level = rung__cpu_level_name(of->instance->cpu_flags),
        .scenario = of->in_series ? RUNG__SCENARIO_SERIES : RUNG__SCENARIO_FRAME,
        .workers = threads < workers ? threads : workers,
        .components = RUNG__COMPONENT_IMPORT,
        .model = staging->model,
        .selection = of->selection,
    };
    if (context->workers > 1)
        context->components |= RUNG__COMPONENT_THREADS;
    if (!model)
        return;
    context->canvas = &model->artifact.view.header.canvas;
    context->head = model->artifact.view.header.head;
    if (of->serving)
        (void)rung__text_format(staging->model, sizeof staging->model, "%s, %u threads, %s",
                                of->serving->rung->id, of->serving->threads,
                                model->artifact.digest_text);
}

static void read_records(struct rung__staging *staging, const struct rung_instance *instance)
{
    if (instance->state && rung__records_read(instance->state, &staging->records) != RUNG_OK)
        rung__log_write(&instance->log, RUNG_LOG_WARNING,
                        "the validation records of stages are left out: %s", rung_last_error());
}

rung_result rung__staging_init(struct rung__staging *staging,
                               const struct rung__stage_environment *of)
{
    uint32_t workers;
    memset(staging, 0, sizeof *staging);
    rung_result result = read_plan(staging, of, &workers);
    if (result != RUNG_OK)
        return result;
    describe_place(staging, of, workers);
    read_records(staging, of->instance);
    return RUNG_OK;
}

void rung__staging_finish(struct rung__staging *staging)
{
    rung__records_finish(&staging->records);
}
