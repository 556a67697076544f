/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include <rung/artifact.h>

#include "common.h"

static bool report_json(const char *path, rung_result result)
{
    json_t *json = json_pack("{s:i,s:s,s:b}", "schema", 1, "path", path, "ok", result == RUNG_OK);
    bool complete = json != NULL;
    if (complete && result != RUNG_OK)
        complete = json_object_set_new(json, "error",
                                       json_pack("{s:s,s:s}", "code", rung_result_name(result),
                                                 "message", rung_last_error())) == 0;
    complete = complete && print_json(json);
    json_decref(json);
    return complete;
}

/** Gives the exit status. */
static int report(const char *path, rung_result result)
{
    if (common.json)
        return report_json(path, result) ? exit_of(result) : fail_memory();
    if (result != RUNG_OK)
        return fail_with(result);
    printf("ok: %s\n", path);
    return EXIT_DONE;
}

static int run(int count, char **operands)
{
    rung_instance *instance;
    int status = EXIT_DONE;
    rung_result result = open_instance(&instance);
    if (result != RUNG_OK)
        return fail_with(result);
    for (int i = 0; i < count; i++) {
        result = rung_artifact_verify(instance, operands[i]);
        int one = report(operands[i], result);
        /* Of several, what is not trusted counts more than what cannot be read. */
        if (status == EXIT_DONE || one == EXIT_INTEGRITY)
            status = one;
    }
    rung_instance_destroy(instance);
    return status;
}

static const struct option_row options[] = {
    ROW_RUNTIME, ROW_TRUST, ROW_UNSIGNED, ROW_JSON, ROW_VERBOSE, ROW_END,
};

static const struct command_example examples[] = {
    {"rung verify --trust key.pub.pem model.rung", "Would this model be admitted?"},
    {NULL, NULL},
};

const struct command command_verify = {
    .name = "verify",
    .operands = "MODEL…",
    .operand = VALUE_FILE,
    .text = "Check structure, digest, signature and trust of model files",
    .more = "An engine is for one device: --runtime where it was compiled with that, since its "
            "libraries "
            "have to be the same.",
    .options = options,
    .examples = examples,
    .see = (const char *const[]){"models", "inspect", NULL},
    .run = run,
    .least_operands = 1,
    .most_operands = -1,
};
