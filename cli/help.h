/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_HELP_H
#define RUNG_CLI_HELP_H

#include <stdio.h>

#include "options.h"

/* What people are told: --help, manual pages and completions, all from the tables. */

/** The program in one sentence, without its full stop. */
extern const char help_program[];

/** An exit status. */
struct help_status {
    int status;
    const char *text;
};

/** The exit statuses, ended by a row without a text. */
extern const struct help_status help_statuses[];

/** What `rung help` tells about besides the commands, ended by a row without a name. */
struct help_topic {
    const char *name, *text;
    void (*print)(FILE *to);
};
extern const struct help_topic help_topics[];

/** What a status means for a command (NULL: for all); NULL when the command does not give it. */
const char *help_status_text(const struct help_status *row, const struct command *command);

/** The list of commands, as of `rung --help`. */
void help_list(FILE *to);

/** All about one command. */
void help_command(const struct command *command, FILE *to);

#define HELP_OPTION_BYTES 512

/** The text of an option with its choices. */
void help_option_text(const struct option_row *row, char to[HELP_OPTION_BYTES]);

/** A part of a text of paragraphs (struct command, `more`). */
struct help_paragraph {
    const char *text;
    size_t length;
    bool as_it_stands;
};

/** Takes the next paragraph off `*text`; false at the end, and for NULL. */
bool help_paragraph_next(const char **text, struct help_paragraph *out);

/** The manual page of a command in roff; of rung itself with NULL. */
void manual_print(const struct command *command, FILE *to);

/** The shells that completions can be written for, ended by NULL. */
extern const char *const completion_shells[];

/** The completions for one of them, a script. */
void completion_print(const char *shell, FILE *to);

#endif
