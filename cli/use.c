/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "common.h"

static const char automatic[] = "auto";

static rung_result write_explanation(void *instance, rung_span to, size_t *needed)
{
    return rung_instance_explain(instance, to, needed);
}

/** What is followed now; RUNG_RUNG goes before what was kept. */
static int print_wanted(rung_instance *instance)
{
    json_t *json = NULL;
    const int status = read_json(write_explanation, instance, &json);
    const json_t *override = json_object_get(json, "override");
    if (status == EXIT_DONE && json_is_object(override))
        printf("%s (%s)\n", text_of(override, "rung"), text_of(override, "from"));
    else if (status == EXIT_DONE)
        printf("%s\n", automatic);
    json_decref(json);
    return status;
}

static int run(int count, char **operands)
{
    rung_instance *instance;
    rung_result result = open_instance(&instance);
    if (result != RUNG_OK)
        return fail_with(result);
    int status = EXIT_DONE;
    if (count) {
        const char *rung = strcmp(operands[0], automatic) == 0 ? NULL : operands[0];
        result = rung_instance_use(instance, rung);
        status = result == RUNG_OK ? EXIT_DONE : fail_with(result);
    } else
        status = print_wanted(instance);
    rung_instance_destroy(instance);
    return status;
}

static const struct option_row options[] = {ROW_LADDER, ROW_RUNTIME, ROW_VERBOSE, ROW_END};

static const struct command_example examples[] = {
    {"rung use ort-cpu", "Run every model on ort-cpu from now on, whatever a probe found."},
    {"rung use auto", "Forget that, and follow the probes again."},
    {"rung use", "Tell what is wanted."},
    {NULL, NULL},
};

const struct command command_use = {
    .name = "use",
    .operands = "[RUNG|auto]",
    .operand = VALUE_RUNG,
    .text = "Choose the rung for all models by hand, and remember it",
    .more =
        "It is kept in $XDG_STATE_HOME/rung (~/.local/state/rung) and stays when the device, the "
        "libraries or the version change. --rung, --require and RUNG_RUNG go before it. A model "
        "that cannot run on it runs on the next rung down, and a warning says so.",
    .options = options,
    .examples = examples,
    .see = (const char *const[]){"explain", "probe", NULL},
    .run = run,
    .least_operands = 0,
    .most_operands = 1,
};
