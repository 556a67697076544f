/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include <rung/artifact.h>

#include "common.h"

static int run(int count, char **operands)
{
    (void)count;
    if (!common.key) {
        fprintf(stderr, "rung sign: --key is missing; rung keygen makes one\n");
        return EXIT_USAGE;
    }
    const char *output = common.output ? common.output : operands[0];
    rung_result result = rung_artifact_sign(operands[0], common.key, output);
    if (result != RUNG_OK)
        return fail_with(result);
    printf("signed: %s\n", output);
    return EXIT_DONE;
}

static const struct option_row options[] = {
    ROW_KEY,
    {.letter = 'o',
     .name = "output",
     .argument = "FILE",
     .text = "write here and leave the model as it is",
     .kind = OPTION_TEXT,
     .value = VALUE_FILE,
     .target = &common.output},
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung sign model.rung -k key.pem", "Signs it in place, also when it was signed before."},
    {NULL, NULL},
};

const struct command command_sign = {
    .name = "sign",
    .operands = "MODEL",
    .operand = VALUE_FILE,
    .text = "Sign a model file",
    .options = options,
    .examples = examples,
    .see = (const char *const[]){"keygen", "digest", "verify", NULL},
    .run = run,
    .least_operands = 1,
    .most_operands = 1,
};
