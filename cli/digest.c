/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include <rung/artifact.h>

#include "common.h"

#define DIGEST_BYTES 32

static const char *message;

static int run(int count, char **operands)
{
    (void)count;
    uint8_t digest[DIGEST_BYTES];
    if (!common.public_key) {
        fprintf(stderr, "rung digest: --public-key is missing; who signs is signed too\n");
        return EXIT_USAGE;
    }
    rung_result result = rung_artifact_digest(operands[0], common.public_key, message, digest);
    if (result != RUNG_OK)
        return fail_with(result);
    for (size_t i = 0; i < sizeof digest; i++)
        printf("%02x", digest[i]);
    putchar('\n');
    return EXIT_DONE;
}

static const struct option_row options[] = {
    ROW_PUBLIC_KEY,
    {.name = "message",
     .argument = "FILE",
     .text = "also write the bytes to sign",
     .kind = OPTION_TEXT,
     .value = VALUE_FILE,
     .target = &message},
    ROW_END,
};

const struct command command_digest = {
    .name = "digest",
    .operands = "MODEL",
    .operand = VALUE_FILE,
    .text = "Print the SHA-256 that is to be signed elsewhere",
    .more = "For keys that are kept elsewhere; rung attach then puts the signature in. With "
            "openssl:\n\n"
            "    rung digest model.rung --public-key key.pub.pem --message message\n"
            "    openssl dgst -sha256 -sign key.pem -out signature message\n"
            "    rung attach model.rung signature --public-key key.pub.pem",
    .options = options,
    .see = (const char *const[]){"attach", NULL},
    .run = run,
    .least_operands = 1,
    .most_operands = 1,
};
