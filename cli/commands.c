/* SPDX-License-Identifier: Apache-2.0 */
/* The list of commands, and `rung help`. */
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "help.h"
#include "suggest.h"

extern const struct command command_attach, command_bench, command_detect, command_digest,
    command_embed, command_engines, command_explain, command_gate, command_inspect, command_keygen,
    command_models, command_pack, command_plan, command_probe, command_report, command_segment,
    command_sign, command_use, command_validate, command_vectors, command_verify, command_watch;

static bool want_manual;
static const char *shell;

static int refuse_topic(const char *name)
{
    struct suggestion suggestion = suggestion_begin(name, strlen(name));
    fprintf(stderr, "rung help: there is no topic \"%s\"", name);
    for (size_t i = 0; commands[i]; i++)
        suggestion_offer(&suggestion, commands[i]->name);
    for (const struct help_topic *topic = help_topics; topic->name; topic++)
        suggestion_offer(&suggestion, topic->name);
    if (suggestion.best)
        fprintf(stderr, "; did you mean %s?", suggestion.best);
    fprintf(stderr, " rung help lists them\n");
    return EXIT_USAGE;
}

static const struct help_topic *find_topic(const char *name)
{
    for (const struct help_topic *topic = help_topics; topic->name; topic++)
        if (strcmp(topic->name, name) == 0)
            return topic;
    return NULL;
}

static int tell_about(const char *name)
{
    const struct command *command = command_find(name);
    const struct help_topic *topic = find_topic(name);
    if (command)
        help_command(command, stdout);
    else if (topic)
        topic->print(stdout);
    else
        return refuse_topic(name);
    return EXIT_DONE;
}

/** The topics stand in the page of rung itself. */
static int print_manual(const char *name)
{
    const struct command *command = name ? command_find(name) : NULL;
    if (name && !command && !find_topic(name))
        return refuse_topic(name);
    manual_print(command, stdout);
    return EXIT_DONE;
}

static int run_help(int count, char **operands)
{
    if (want_manual)
        return print_manual(count ? operands[0] : NULL);
    if (count)
        return tell_about(operands[0]);
    if (shell)
        completion_print(shell, stdout);
    else
        help_list(stdout);
    return EXIT_DONE;
}

static const struct option_row help_options[] = {
    {.name = "man",
     .text = "the manual page in roff, of rung itself or of the command TOPIC",
     .target = &want_manual},
    {.name = "completion",
     .argument = "SHELL",
     .text = "a script that completes commands, options and models for a shell",
     .kind = OPTION_CHOICE,
     .target = &shell,
     .choices = completion_shells},
    ROW_END,
};

static const struct command_example help_examples[] = {
    {"rung help --man detect | man -l -", "Reads the manual page of a command."},
    {"source <(rung help --completion bash)", "Completes in this bash; an installation has it."},
    {NULL, NULL},
};

static const struct command command_help = {
    .name = "help",
    .operands = "[TOPIC]",
    .operand = VALUE_TOPIC,
    .text = "Tell about a command, or about environment or exit",
    .options = help_options,
    .examples = help_examples,
    .run = run_help,
    .most_operands = 1,
};

const struct command *const commands[] = {
    &command_detect,  &command_embed,   &command_segment,  &command_watch, &command_models,
    &command_explain, &command_probe,   &command_validate, &command_plan,  &command_bench,
    &command_report,  &command_engines, &command_use,      &command_gate,  &command_inspect,
    &command_verify,  &command_keygen,  &command_pack,     &command_sign,  &command_digest,
    &command_attach,  &command_vectors, &command_help,     NULL,
};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}
