/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include <rung/artifact.h>

#include "common.h"

static bool want_spec;

static rung_result write_inspection(void *path, rung_span to, size_t *needed)
{
    return rung_artifact_inspect(path, want_spec ? RUNG_INSPECT_SPEC : RUNG_INSPECT_REPORT, to,
                                 needed);
}

static bool print_row(const char *key, const json_t *value, int indent)
{
    char *text =
        json_is_string(value) ? NULL : json_text(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    const char *shown = text ? text : json_string_value(value);
    if (shown)
        printf("%*s%-*s%s\n", indent, "", 24 - indent, key, shown);
    free(text);
    return shown != NULL;
}

/** A nested object as indented lines, "key  value". False without memory. */
static bool print_table(const json_t *object, int indent)
{
    const char *key;
    json_t *value;
    bool complete = true;
    json_object_foreach((json_t *)object, key, value)
    {
        if (json_is_object(value)) {
            printf("%*s%s\n", indent, "", key);
            complete = print_table(value, indent + 2) && complete;
        } else
            complete = print_row(key, value, indent) && complete;
    }
    return complete;
}

static bool print_spec(const json_t *json)
{
    char *text = json_text(json, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    if (text)
        puts(text);
    free(text);
    return text != NULL;
}

static int run(int count, char **operands)
{
    (void)count;
    json_t *json;
    int status = read_json(write_inspection, operands[0], &json);
    if (status != EXIT_DONE)
        return status;
    bool complete = want_spec     ? print_spec(json)
                    : common.json ? print_json(json)
                                  : print_table(json, 0);
    json_decref(json);
    return complete ? EXIT_DONE : fail_memory();
}

static const struct option_row options[] = {
    ROW_JSON,
    {.name = "spec",
     .text = "a spec that packs, with the payload, to the same bytes",
     .target = &want_spec},
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung inspect model.rung", "Everything in the file, as a table."},
    {"rung inspect --spec model.rung >spec.json",
     "What it can be packed from again, with its graph."},
    {NULL, NULL},
};

const struct command command_inspect = {
    .name = "inspect",
    .operands = "MODEL",
    .operand = VALUE_FILE,
    .text = "Show what a model file holds, trusted or not",
    .options = options,
    .examples = examples,
    .see = (const char *const[]){"pack", "verify", NULL},
    .run = run,
    .least_operands = 1,
    .most_operands = 1,
};
