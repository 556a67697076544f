/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include <rung/artifact.h>

#include "common.h"

static int run(int count, char **operands)
{
    if (!common.output) {
        fprintf(stderr, "rung pack: -o FILE is missing\n");
        return EXIT_USAGE;
    }
    const rung_pack_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .spec_path = operands[0],
        .graph_path = count > 1 ? operands[1] : NULL,
        .output_path = common.output,
        .key_path = common.key,
    };
    rung_result result = rung_artifact_pack(&options);
    if (result != RUNG_OK)
        return fail_with(result);
    printf("packed: %s (%s)\n", common.output, common.key ? "signed" : "unsigned");
    return EXIT_DONE;
}

static const struct option_row options[] = {
    {.letter = 'o',
     .name = "output",
     .argument = "FILE",
     .text = "the model file to write",
     .kind = OPTION_TEXT,
     .value = VALUE_FILE,
     .target = &common.output},
    ROW_KEY,
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung pack spec.json model.onnx -o model.rung -k key.pem", "A signed model file."},
    {NULL, NULL},
};

const struct command command_pack = {
    .name = "pack",
    .operands = "SPEC [GRAPH]",
    .operand = VALUE_FILE,
    .text = "Make a model file from a spec and a graph",
    .more = "The graph is compared with the spec, and nothing is written when they differ. Without "
            "--key\n"
            "the file is unsigned. The same inputs give the same bytes, the signature aside. A "
            "bundle, which "
            "the\nspec names in place of a graph, is looked for from the folder of FILE.",
    .options = options,
    .examples = examples,
    .see = (const char *const[]){"inspect", "keygen", "sign", NULL},
    .run = run,
    .least_operands = 1,
    .most_operands = 2,
};
