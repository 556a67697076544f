/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_OPTIONS_H
#define RUNG_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** What the value of an option becomes; of several the last one counts. */
enum option_kind {
    OPTION_FLAG,     /**< bool */
    OPTION_TEXT,     /**< const char * */
    OPTION_NUMBER,   /**< uint32_t in least..most */
    OPTION_NUMBER64, /**< uint64_t in least..most */
    OPTION_FRACTION, /**< double in 0..1, written with digits and a point */
    OPTION_CHOICE    /**< const char *, one of `choices` */
};

/** What a value or an operand names, so that a shell can complete it. */
enum value_kind {
    VALUE_OTHER, /**< nothing that could be completed, and the choices where there are any */
    VALUE_FILE,
    VALUE_FOLDER,
    VALUE_PATH,  /**< a file or a folder */
    VALUE_MODEL, /**< a model file, or the name of one */
    VALUE_RUNG,
    VALUE_TOPIC /**< of rung help */
};

/**
 * One row adds an option: parsing, --help, the manual and the completions come from it. Rows name
 * their members, so that a new one changes no table.
 */
struct option_row {
    char letter;          /**< 0: none */
    const char *name;     /**< without the dashes */
    const char *argument; /**< what --help calls the value; NULL for flags */
    const char *text;     /**< a sentence without its full stop, of any length */
    enum option_kind kind;
    enum value_kind value;
    void *target;
    uint64_t least, most;
    const char *const *choices; /**< of OPTION_CHOICE, ended by NULL; the text need not tell them */
};

/** A command line, and what it does. */
struct command_example {
    const char *line, *text;
};

/** A subcommand. All that is told about it, and completed, comes from here. */
struct command {
    const char *name;
    const char *operands;    /**< as in the usage line */
    enum value_kind operand; /**< what they are */
    /** What the first operand is one of, ended by NULL; the others are then of the kind above.
     * NULL: it is like the others. */
    const char *const *actions;
    const char *text; /**< one sentence without its full stop */
    /**
     * Paragraphs with an empty line between them, or NULL. A line's end is a space; a paragraph
     * that begins with a space is shown as it stands.
     */
    const char *more;
    const struct option_row *options;       /**< ended by a row without a name */
    const struct command_example *examples; /**< ended by a row without a line, or NULL */
    const char *verdict;    /**< what exit status 1 says; NULL: the command gives none */
    const char *const *see; /**< related commands, ended by NULL, or NULL */
    /** Runs; the operands are what is left. Gives the exit status. */
    int (*run)(int count, char **operands);
    int least_operands, most_operands; /**< most < 0: any number */
};

/** All of them, ended by NULL, in the order of `rung --help`. */
extern const struct command *const commands[];

/** The command of this name, or NULL. */
const struct command *command_find(const char *name);

/** The row of every command that is in no table. */
extern const struct option_row option_help;

/** Parses and runs. Usage mistakes give 2 with a sentence. `arguments[0]` is the command's name. */
int command_main(const struct command *command, int count, char **arguments);

#endif
