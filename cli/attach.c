/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include <rung/artifact.h>

#include "common.h"

static int run(int count, char **operands)
{
    (void)count;
    if (!common.public_key) {
        fprintf(stderr, "rung attach: --public-key is missing; the signature is checked with it\n");
        return EXIT_USAGE;
    }
    const char *output = common.output ? common.output : operands[0];
    rung_result result = rung_artifact_attach(operands[0], operands[1], common.public_key, output);
    if (result != RUNG_OK)
        return fail_with(result);
    printf("signed: %s\n", output);
    return EXIT_DONE;
}

static const struct option_row options[] = {
    ROW_PUBLIC_KEY,
    {.letter = 'o',
     .name = "output",
     .argument = "FILE",
     .text = "write here and leave the model as it is",
     .kind = OPTION_TEXT,
     .value = VALUE_FILE,
     .target = &common.output},
    ROW_END,
};

const struct command command_attach = {
    .name = "attach",
    .operands = "MODEL SIGNATURE",
    .operand = VALUE_FILE,
    .text = "Put a signature that was made elsewhere into a model file",
    .more =
        "SIGNATURE is a file of 64 bytes, r and s, or of their DER, over what rung digest tells.\n"
        "Nothing is written unless it is good for the key.",
    .options = options,
    .see = (const char *const[]){"digest", "verify", NULL},
    .run = run,
    .least_operands = 2,
    .most_operands = 2,
};
