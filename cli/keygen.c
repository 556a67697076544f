/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include <rung/artifact.h>

#include "common.h"

static int run(int count, char **operands)
{
    (void)count;
    rung_result result = rung_key_generate(operands[0], operands[1]);
    if (result != RUNG_OK)
        return fail_with(result);
    printf("private key: %s (keep it secret)\npublic key:  %s\n", operands[0], operands[1]);
    return EXIT_DONE;
}

static const struct command_example examples[] = {
    {"rung keygen key.pem key.pub.pem",
     "A new pair; whoever is given the second can trust what the first signs."},
    {NULL, NULL},
};

const struct command command_keygen = {
    .name = "keygen",
    .operands = "PRIVATE PUBLIC",
    .operand = VALUE_FILE,
    .text = "Make a pair of keys for signing models",
    .more = "Writes two new PEM files, ECDSA P-256. The private one can be read by its owner only.",
    .examples = examples,
    .see = (const char *const[]){"sign", "pack", NULL},
    .run = run,
    .least_operands = 2,
    .most_operands = 2,
};
