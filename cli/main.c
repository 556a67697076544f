/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

static void print_commands(FILE *to)
{
    fprintf(to, "usage: rung COMMAND [OPTION…] [OPERAND…]\n\n"
                "Runs vision models on the fastest path this device can prove.\n\ncommands:\n");
    for (int i = 0; commands[i]; i++)
        fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->text);
    fprintf(to, "\nrung COMMAND --help tells about one; rung help TOPIC about: environment, exit, "
                "models.\n");
}

static const struct command *find_command(const char *name)
{
    for (int i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/** Results that did not arrive, on a full disk for example, are no success. */
static int flush_results(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "rung: the results cannot be written to standard output\n");
    return status == EXIT_DONE ? EXIT_IO : status;
}

int main(int count, char **arguments)
{
    /* The library would set it (rung/model.h) while other threads here read the environment. */
    setenv("ORT_DISABLE_TELEMETRY", "1", 1);
    if (count < 2) {
        print_commands(stderr);
        return EXIT_USAGE;
    }
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
        (strcmp(name, "help") == 0 && count == 2)) {
        print_commands(stdout);
        return EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("rung %s\n", rung_version());
        return EXIT_DONE;
    }
    const struct command *command = find_command(name);
    if (!command) {
        fprintf(stderr, "rung: there is no command \"%s\"; rung --help lists them\n", name);
        return EXIT_USAGE;
    }
    return flush_results(command_main(command, count - 1, arguments + 1));
}
