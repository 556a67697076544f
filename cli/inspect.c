/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rung/artifact.h>

#include "common.h"
#include "gated.h"

#define LABEL 24 /* columns of a row's name */

static bool want_spec;

static rung_result write_inspection(void *path, rung_span to, size_t *needed)
{
    return rung_artifact_inspect(path, want_spec ? RUNG_INSPECT_SPEC : RUNG_INSPECT_REPORT, to,
                                 needed);
}

/** False for what a terminal could take for a command; a file may say anything. */
static bool is_plain(const char *text, bool lines)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        const bool ends_line =
            *at == '\n' || *at == '\t' || *at == '\f' || (*at == '\r' && at[1] == '\n');
        if ((*at < 0x20 && !(lines && ends_line)) || (*at == 0xc2 && at[1] < 0xa0))
            return false;
    }
    return true;
}

/** Text as it is where it is plain, and everything else as JSON. NULL without memory. */
static char *shown_of(const json_t *value, bool lines)
{
    const char *text = json_string_value(value);
    if (text && is_plain(text, lines))
        return strdup(text);
    return json_text(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));
}

static char *shown_key(const char *key)
{
    json_t *text = json_string(key);
    char *shown = shown_of(text, false);
    json_decref(text);
    return shown;
}

static bool print_row(const char *key, const json_t *value, int indent)
{
    /* Texts of the file itself, such as its licence, have lines. */
    char *shown = shown_of(value, indent == 0);
    if (shown)
        printf("%*s%-*s%s\n", indent, "", LABEL - indent, key, shown);
    free(shown);
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
        char *label = shown_key(key);
        if (!label)
            complete = false;
        else if (json_is_object(value)) {
            printf("%*s%s\n", indent, "", label);
            complete = print_table(value, indent + 2) && complete;
        } else
            complete = print_row(label, value, indent) && complete;
        free(label);
    }
    return complete;
}

/** The gate record in short in place of all that is in it. False without memory. */
static bool print_report(json_t *report)
{
    json_t *gated = json_incref(json_object_get(report, "gated"));
    json_object_del(report, "gated");
    json_object_del(report, "gate");
    const bool complete = print_table(report, 0);
    gated_print(gated, LABEL);
    json_decref(gated);
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
                                  : print_report(json);
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
