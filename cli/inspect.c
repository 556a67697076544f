/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include <rung/artifact.h>

#include "common.h"

static bool want_spec;

static rung_result write_inspection(void *path, rung_span to, size_t *needed)
{
    return rung_artifact_inspect(path, want_spec ? RUNG_INSPECT_SPEC : RUNG_INSPECT_REPORT, to,
                                 needed);
}

/** A nested object as indented lines, "key  value". */
static void print_table(const json_t *object, int indent)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        if (json_is_object(value)) {
            printf("%*s%s\n", indent, "", key);
            print_table(value, indent + 2);
            continue;
        }
        printf("%*s%-*s", indent, "", 24 - indent, key);
        if (json_is_string(value))
            printf("%s", json_string_value(value));
        else
            json_dumpf(value, stdout, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        putchar('\n');
    }
}

static int run(int count, char **operands)
{
    (void)count;
    json_t *json;
    int status = read_json(write_inspection, operands[0], &json);
    if (status != EXIT_DONE)
        return status;
    if (want_spec) {
        json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
        putchar('\n');
    } else if (common.json)
        print_json(json);
    else
        print_table(json, 0);
    json_decref(json);
    return EXIT_DONE;
}

static const struct option_row options[] = {
    ROW_JSON,
    {0, "spec", NULL, "a spec that packs, with the payload, to the same bytes", OPTION_FLAG,
     &want_spec, 0, 0},
    ROW_END,
};

const struct command command_inspect = {
    .name = "inspect",
    .operands = "MODEL",
    .text = "Show what a model file holds, trusted or not",
    .options = options,
    .run = run,
    .least_operands = 1,
    .most_operands = 1,
};
