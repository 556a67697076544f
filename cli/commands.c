/* SPDX-License-Identifier: Apache-2.0 */
/* The list of commands, and `rung help`. */
#include <stdio.h>
#include <string.h>

#include "common.h"

extern const struct command command_attach, command_detect, command_digest, command_explain,
    command_inspect, command_keygen, command_models, command_pack, command_sign, command_vectors,
    command_verify;

static void help_environment(void)
{
    rung_environment_variable variable;
    for (uint32_t i = 0; rung_environment_variable_get(i, &variable) == RUNG_OK; i++)
        printf("%-18s %s\n", variable.name, variable.text);
    printf("\nThey are read once, and not at all when the process runs with elevated privileges. "
           "Lists "
           "are separated by ':'.\n");
}

static void help_exit(void)
{
    printf("0    done\n"
           "1    a negative verdict\n"
           "2    a mistake in the command line, or in a spec file\n"
           "3    no runtime, or it failed\n"
           "4    a model that is damaged, changed or not trusted\n"
           "5    something could not be read or written; the other results are complete\n"
           "70   a defect of rung itself\n"
           "130  interrupted; what was finished is complete\n");
}

static void help_models(void)
{
    printf(
        "A model is one signed file, NAME.rung. -m takes its path (anything with a '/' or ending "
        "in "
        ".rung)\nor its name, which is looked up in the folders of RUNG_MODEL_PATH, in "
        "$XDG_DATA_HOME/rung/models\n(~/.local/share/rung/models), and beside the installed "
        "library.\n\nIt is admitted when its signature is by a trusted key: --trust, "
        "RUNG_TRUST_PATH, the *.pem files in\n$XDG_CONFIG_HOME/rung/trust (~/.config/rung/trust), "
        "and what was installed with this program.\n");
}

static const struct {
    const char *name;
    void (*print)(void);
} topics[] = {{"environment", help_environment}, {"exit", help_exit}, {"models", help_models}};

static int run_help(int count, char **operands)
{
    for (size_t i = 0; count == 1 && i < sizeof topics / sizeof *topics; i++) {
        if (strcmp(topics[i].name, operands[0]) != 0)
            continue;
        topics[i].print();
        return EXIT_DONE;
    }
    for (int i = 0; count == 1 && commands[i]; i++) {
        if (strcmp(commands[i]->name, operands[0]) != 0)
            continue;
        command_help(commands[i], stdout);
        return EXIT_DONE;
    }
    fprintf(stderr,
            "rung help: no such topic: %s; topics are environment, exit, models, and each "
            "command\n",
            operands[0]);
    return EXIT_USAGE;
}

static const struct command command_help_topics = {
    .name = "help",
    .operands = "TOPIC",
    .text = "Tell about a command, or about environment, exit, models",
    .run = run_help,
    .least_operands = 1,
    .most_operands = 1,
};

const struct command *const commands[] = {
    &command_detect,
    &command_models,
    &command_explain,
    &command_inspect,
    &command_verify,
    &command_keygen,
    &command_pack,
    &command_sign,
    &command_digest,
    &command_attach,
    &command_vectors,
    &command_help_topics,
    NULL,
};
