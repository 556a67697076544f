/* SPDX-License-Identifier: Apache-2.0 */
/* What the stages around a model are, and which implementations they would have here. */
#include "plans.h"

#include <stdio.h>
#include <string.h>

#include "colour.h"
#include "common.h"

static bool in_series;

struct subject {
    rung_instance *instance;
    rung_model *model; /**< NULL: any */
};

static rung_result describe(void *data, rung_span to, size_t *needed)
{
    const struct subject *subject = data;
    return rung_plan_describe(subject->instance, subject->model, plan_text(),
                              in_series ? RUNG_CONTEXT_SERIES : 0, to, needed);
}

/** The resolution of a stage, or NULL. */
static const json_t *stage_of(const json_t *json, const char *stage)
{
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(json, "stages"), index, item)
    {
        if (strcmp(text_of(item, "stage"), stage) == 0)
            return item;
    }
    return NULL;
}

static void print_stages(const json_t *json)
{
    size_t index;
    json_t *item;
    printf("processor  %s, kernels of the level %s\n\n", text_of(json, "device"),
           text_of(json, "level"));
    char head[128];
    snprintf(head, sizeof head, "%-12s %-18s %-18s %s", "STAGE", "ASKED FOR", "RUNS", "WHY");
    colour_print_head(head);
    json_array_foreach(json_object_get(json, "stages"), index, item)
    {
        printf("%-12s %-18s %-18s %s\n", text_of(item, "stage"), text_of(item, "requested"),
               text_of(item, "effective"), text_of(item, "reason"));
    }
}

static void print_catalog(const json_t *json)
{
    size_t index;
    json_t *item;
    char head[128];
    snprintf(head, sizeof head, "\n%-12s %-18s %-18s %-10s %s", "STAGE", "THERE IS",
             "FALLS BACK TO", "NUMERICS", "RECORDS");
    colour_print_head(head);
    json_array_foreach(json_object_get(json, "catalog"), index, item)
    {
        const json_t *stage = stage_of(json, text_of(item, "stage"));
        const bool runs = stage && strcmp(text_of(stage, "effective"), text_of(item, "id")) == 0;
        printf("%-12s %-18s %-18s %-10s %s%s\n", text_of(item, "stage"), text_of(item, "id"),
               text_of(item, "fallback"), text_of(item, "numerics"), text_of(item, "records"),
               runs ? "  <" : "");
    }
}

static int tell(struct subject *subject)
{
    json_t *json = NULL;
    int status = read_json(describe, subject, &json);
    if (status == EXIT_DONE && common.json && !print_json(json))
        status = fail_memory();
    else if (status == EXIT_DONE && !common.json) {
        print_stages(json);
        print_catalog(json);
    }
    json_decref(json);
    return status;
}

static int run(int count, char **operands)
{
    struct subject subject = {NULL, NULL};
    (void)count, (void)operands;
    int status = plan_take();
    if (status != EXIT_DONE)
        return status;
    rung_result result = open_instance(&subject.instance);
    if (result != RUNG_OK)
        status = fail_with(result);
    if (status == EXIT_DONE && common.model) {
        result = open_model(subject.instance, common.model, common.threads, &subject.model);
        status = result == RUNG_OK ? EXIT_DONE : fail_to_open(result);
    }
    if (status == EXIT_DONE)
        status = tell(&subject);
    rung_model_destroy(subject.model);
    rung_instance_destroy(subject.instance);
    return status;
}

static const struct option_row options[] = {
    ROW_MODEL,
    ROW_PLAN,
    {.name = "series",
     .text = "for frames in a series, as detect, embed and segment have them",
     .target = &in_series},
    ROW_THREADS("threads that run the model (default: the physical cores that may be used)"),
    ROW_JSON,
    ROW_RUNG,
    ROWS_INSTANCE,
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung plan -m centerface", "Which implementation each stage has here, and why."},
    {"rung plan --plan '{\"preprocessor\": \"base\"}'", "What a plan comes to."},
    {"rung detect -m centerface --plan plan.json photos", "Uses the plan in a file."},
    {NULL, NULL},
};

const struct command command_plan = {
    .name = "plan",
    .operands = "",
    .text = "Show the stages around a model and what runs them here",
    .more = "Preprocessing, buffers, the schedule and postprocessing have several implementations, "
            "which\n"
            "all give the same bytes. A plan names those that are wanted, as JSON; what it leaves "
            "out is\n"
            "\"auto\": the first one that is validated on this device.\n"
            "\n"
            "  {\"preprocessor\": \"auto\", \"buffer\": \"auto\", \"scheduler\": \"auto\",\n"
            "   \"postprocessor\": \"auto\", \"engine\": \"auto\",\n"
            "   \"allow_compatibility_fallback\": true}",
    .options = options,
    .examples = examples,
    .see = (const char *const[]){"validate", "explain", "bench", NULL},
    .run = run,
};
