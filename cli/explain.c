/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "colour.h"
#include "common.h"
#include "device.h"
#include "forms.h"
#include "gated.h"
#include "roles.h"

static bool line_only;

static rung_result write_explanation(void *instance, rung_span to, size_t *needed)
{
    return rung_instance_explain(instance, to, needed);
}

/** One real run on a grey picture: what executed is known from it, not from what is installed. */
static rung_result run_once(rung_model *model, const rung_model_info *model_info,
                            rung_run_info *info)
{
    static const uint8_t grey = 128;
    const rung_frame frame = {
        .struct_size = sizeof frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = &grey,
        .width = 1,
        .height = 1,
        .format = RUNG_PIXEL_GRAY8,
    };
    rung_context *context;
    rung_result result = rung_context_create(model, NULL, &context);
    if (result != RUNG_OK)
        return result;
    size_t size = (size_t)model_info->max_output_bytes;
    void *packet = malloc(size);
    *info = (rung_run_info){.struct_size = sizeof *info, .version = RUNG_STRUCT_VERSION};
    result = packet ? role_run_of(model_info->role)(context, &frame, (rung_span){packet, size},
                                                    NULL, info)
                    : RUNG_NO_MEMORY;
    free(packet);
    rung_context_destroy(context);
    return result;
}

/** Adds what the model is and what its run showed. An exit status, after a message. */
static int explain_model(rung_instance *instance, json_t *json)
{
    bool complete = true;
    rung_model *model = NULL;
    rung_run_info run;
    rung_model_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    rung_result result = open_model(instance, common.model, 0, &model);
    if (result == RUNG_OK)
        result = rung_model_get_info(model, &info);
    if (result == RUNG_OK)
        result = run_once(model, &info, &run);
    if (result == RUNG_OK) {
        json_t *gated = gated_find(instance, common.model, info.artifact);
        set_member(json, "model",
                   json_pack("{s:s,s:s,s:s,s:s,s:s,s:b,s:s,s:i,s:f,s:o?}", "name", info.name,
                             "identity", info.identity, "rung", run.rung, "precision",
                             run.precision, "why", info.reason, "signed", info.key_id[0] != 0,
                             "artifact", info.artifact, "threads", (int)info.threads, "run_ms",
                             (double)run.run_ns / 1e6, "gated", gated),
                   &complete);
    }
    const int status = result != RUNG_OK ? fail_to_open(result)
                       : complete        ? EXIT_DONE
                                         : fail_memory();
    rung_model_destroy(model);
    return status;
}

/** Adds the other forms of its file, and what each is worth here. */
static int explain_forms(rung_instance *instance, json_t *json)
{
    char path[PATH_MAX];
    bool complete = true;
    json_t *forms = NULL;
    const rung_result result = find_model(instance, common.model, path, sizeof path);
    const int status = result == RUNG_OK ? forms_read(instance, path, &forms) : fail_with(result);
    if (status != EXIT_DONE)
        return status;
    set_member(json, "forms", forms, &complete);
    return complete ? EXIT_DONE : fail_memory();
}

/** Milliseconds, or a dash. */
static void print_ms(const json_t *rung, const char *key)
{
    const json_t *ms = json_object_get(rung, key);
    if (json_is_number(ms))
        printf(" %9.1f", json_number_value(ms));
    else
        printf(" %9s", "-");
}

static void print_rungs(const json_t *json)
{
    size_t index;
    json_t *item;
    char head[128];
    snprintf(head, sizeof head, "rungs\n  %-12s %-12s %9s %9s  %s", "RUNG", "OUTCOME", "RUN ms",
             "FLOOR ms", "REASON");
    colour_print_head(head);
    json_array_foreach(json_object_get(json, "rungs"), index, item)
    {
        printf("  %-12s ", text_of(item, "rung"));
        colour_print_outcome(text_of(item, "outcome"), 12);
        print_ms(item, "median_ms");
        print_ms(item, "floor_ms");
        printf("  %s\n", text_of(item, "reason"));
    }
}

static void print_engines(const json_t *json)
{
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(json, "engines"), index, item)
    {
        printf("engine     %s for %s in %s, %.1f MB: %s%s%s\n", text_of(item, "rung"),
               text_of(item, "model"), text_of(item, "precision"),
               (double)json_integer_value(json_object_get(item, "bytes")) / 1e6,
               text_of(item, "state"), *text_of(item, "reason") ? "; " : "",
               text_of(item, "reason"));
    }
}

static void print_ladder(const json_t *json)
{
    if (json_is_string(json_object_get(json, "ladder")))
        printf("ladder     %s says which rungs there are\n", text_of(json, "ladder"));
}

static void print_override(const json_t *json)
{
    const json_t *override = json_object_get(json, "override");
    if (json_is_object(override))
        printf("override   %s, by %s\n", text_of(override, "rung"), text_of(override, "from"));
}

/** What has changed since the last verdict. */
static void print_changes(const json_t *json)
{
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(json, "changed"), index, item)
    {
        printf("changed    %s\n", json_string_value(item));
    }
}

static void print_strikes(const json_t *json)
{
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(json, "strikes"), index, item)
    {
        const int strikes = (int)json_integer_value(json_object_get(item, "strikes"));
        const bool holds = json_is_true(json_object_get(item, "holds"));
        printf("strikes    %s died %d time%s in a row in a %s, with model %.16s…%s\n",
               text_of(item, "rung"), strikes, strikes == 1 ? "" : "s", text_of(item, "what"),
               text_of(item, "model"),
               !holds ? "; something has changed since, so it may be tried again"
               : json_is_true(json_object_get(item, "refused")) ? "; it is not tried again"
                                                                : "");
    }
}

static void print_loaded(const json_t *json)
{
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(json, "loaded"), index, item)
    {
        printf("runtime    %s %s, %s\n", text_of(item, "text"), text_of(item, "version"),
               text_of(item, "path"));
    }
}

static void print_libraries(const json_t *list)
{
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item)
    {
        printf("  %-10s %-14s %s (%s)\n", text_of(item, "state"), text_of(item, "runtime"),
               text_of(item, "path"), text_of(item, "origin"));
        if (json_object_get(item, "reason"))
            printf("             %-14s %s\n", "", text_of(item, "reason"));
    }
}

static void print_explanation(const json_t *json)
{
    const json_t *model = json_object_get(json, "model");
    const json_t *chosen = json_object_get(json, "chosen");
    const char *rung = text_of(chosen, "rung");
    if (model) {
        printf("model      %s (%s), artifact %.16s…\n", text_of(model, "identity"),
               json_is_true(json_object_get(model, "signed")) ? "signed by a trusted key"
                                                              : "UNSIGNED",
               text_of(model, "artifact"));
        const int threads = (int)json_integer_value(json_object_get(model, "threads"));
        gated_print(json_object_get(model, "gated"), 11);
        printf("ran on     %s: %s; %.1f ms with %d thread%s\n", text_of(model, "rung"),
               text_of(model, "why"), json_real_value(json_object_get(model, "run_ms")), threads,
               threads == 1 ? "" : "s");
    } else
        printf("chosen     %s: %s; no model was given, so nothing ran\n", rung[0] ? rung : "none",
               text_of(chosen, "reason"));
    print_ladder(json);
    print_override(json);
    print_changes(json);
    print_strikes(json);
    print_engines(json);
    print_loaded(json);
    if (json_is_true(json_object_get(json, "allow_unsigned")))
        printf("unsigned models are admitted (--allow-unsigned)\n");
    print_device(json);
    print_rungs(json);
    forms_print(json_object_get(json, "forms"));
    printf("runtimes\n");
    print_libraries(json_object_get(json, "runtimes"));
    print_libraries(json_object_get(json, "plugins"));
}

static int print_line(rung_instance *instance)
{
    char line[1024]; /* it is never longer */
    const rung_result result =
        rung_instance_summary(instance, (rung_span){line, sizeof line}, NULL);
    if (result != RUNG_OK)
        return fail_with(result);
    puts(line);
    return EXIT_DONE;
}

static int explain(rung_instance *instance)
{
    json_t *json = NULL;
    int status = read_json(write_explanation, instance, &json);
    /* Where that fails, what is known is shown all the same. */
    if (status == EXIT_DONE && common.model)
        status = explain_model(instance, json);
    if (status == EXIT_DONE && common.model)
        status = explain_forms(instance, json);
    if (json && common.json) {
        if (!print_json(json))
            status = fail_memory();
    } else if (json)
        print_explanation(json);
    json_decref(json);
    return status;
}

static int run(int count, char **operands)
{
    (void)count, (void)operands;
    rung_instance *instance;
    common.probe = probe_policies[0]; /* it tells how things are, and has nothing measured */
    const rung_result result = open_instance(&instance);
    if (result != RUNG_OK)
        return fail_with(result);
    const int status = line_only ? print_line(instance) : explain(instance);
    rung_instance_destroy(instance);
    return status;
}

static const struct option_row options[] = {
    ROW_MODEL,
    ROW_JSON,
    {
        .name = "line",
        .text = "one line on what serves here and why, as an application may show it",
        .target = &line_only,
    },
    ROW_RUNG,
    ROW_REQUIRE,
    ROW_LADDER,
    ROWS_INSTANCE,
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung explain", "Which runtimes were found, and which rung is taken."},
    {"rung explain -m centerface", "What a model really runs on."},
    {NULL, NULL},
};

const struct command command_explain = {
    .name = "explain",
    .operands = "",
    .text = "Tell which rung serves here, and why",
    .more = "With a model it also runs it once, and tells what really executed.",
    .options = options,
    .examples = examples,
    .verdict = REQUIRE_VERDICT,
    .see = (const char *const[]){"models", "use", NULL},
    .run = run,
    .least_operands = 0,
    .most_operands = 0,
};
