/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_OPTIONS_H
#define RUNG_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** What the value of an option becomes. */
enum option_kind {
    OPTION_FLAG,  /**< bool */
    OPTION_TEXT,  /**< const char *; the last one counts */
    OPTION_NUMBER /**< uint32_t in least..most */
};

/** One row adds an option: parsing, --help and the manual come from it. */
struct option_row {
    char letter;          /**< 0: none */
    const char *name;     /**< without the dashes */
    const char *argument; /**< NULL for flags */
    const char *text;
    enum option_kind kind;
    void *target;
    uint32_t least, most;
};

/** A subcommand. */
struct command {
    const char *name;
    const char *operands;             /**< as in the usage line */
    const char *text;                 /**< one line */
    const char *more;                 /**< further paragraphs of --help, or NULL */
    const struct option_row *options; /**< ended by a row without a name */
    /** Runs; the operands are what is left. Gives the exit status. */
    int (*run)(int count, char **operands);
    int least_operands, most_operands; /**< most < 0: any number */
};

/** All of them, ended by a row without a name, in the order of `rung --help`. */
extern const struct command *const commands[];

/** Parses and runs. Usage mistakes give 2 with a sentence. `arguments[0]` is the command's name. */
int command_main(const struct command *command, int count, char **arguments);

void command_help(const struct command *command, FILE *to);

#endif
