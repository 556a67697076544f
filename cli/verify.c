/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include <rung/artifact.h>

#include "common.h"

static void report(const char *path, rung_result result)
{
    if (common.json) {
        json_t *json =
            json_pack("{s:i,s:s,s:b}", "schema", 1, "path", path, "ok", result == RUNG_OK);
        if (json && result != RUNG_OK)
            json_object_set_new(json, "error",
                                json_pack("{s:s,s:s}", "code", rung_result_name(result), "message",
                                          rung_last_error()));
        print_json(json);
        json_decref(json);
    } else if (result == RUNG_OK)
        printf("ok: %s\n", path);
    else
        fail_with(result);
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
        report(operands[i], result);
        /* Of several, what is not trusted counts more than what cannot be read. */
        int one = exit_of(result);
        if (status == EXIT_DONE || one == EXIT_INTEGRITY)
            status = one;
    }
    rung_instance_destroy(instance);
    return status;
}

static const struct option_row options[] = {
    ROW_TRUST, ROW_UNSIGNED, ROW_JSON, ROW_VERBOSE, ROW_END,
};

const struct command command_verify = {
    .name = "verify",
    .operands = "MODEL…",
    .text = "Check structure, digest, signature and trust of model files",
    .options = options,
    .run = run,
    .least_operands = 1,
    .most_operands = -1,
};
