/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "help.h"
#include "signals.h"
#include "suggest.h"

/** Results that did not arrive, on a full disk for example, are no success. */
static int flush_results(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "rung: the results cannot be written to standard output\n");
    return status == EXIT_DONE ? EXIT_IO : status;
}

static int refuse_command(const char *name)
{
    struct suggestion suggestion = suggestion_begin(name, strlen(name));
    for (size_t i = 0; commands[i]; i++)
        suggestion_offer(&suggestion, commands[i]->name);
    fprintf(stderr, "rung: there is no command \"%s\"; ", name);
    if (suggestion.best)
        fprintf(stderr, "did you mean %s? ", suggestion.best);
    fprintf(stderr, "rung --help lists them\n");
    return EXIT_USAGE;
}

static int run(int count, char **arguments)
{
    /* The library would set it (rung/model.h) while other threads here read the environment. */
    setenv("ORT_DISABLE_TELEMETRY", "1", 1);
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        help_list(stdout);
        return EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("rung %s\n", rung_version());
        return EXIT_DONE;
    }
    const struct command *command = command_find(name);
    return command ? command_main(command, count - 1, arguments + 1) : refuse_command(name);
}

int main(int count, char **arguments)
{
    if (count < 2) {
        help_list(stderr);
        return EXIT_USAGE;
    }
    signals_end_process(SIGHUP);
    signals_end_process(SIGINT);
    signals_end_process(SIGTERM);
    return flush_results(run(count, arguments));
}
