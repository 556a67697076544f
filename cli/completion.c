/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts that complete command lines, for the shells that people use. */
#include <string.h>

#include "common.h"
#include "help.h"

/* Of what rung explain prints, the ids of the rungs that can run here; the same for each shell. */
#define SED_RUNGS "sed -n '/^  [^ ]*  *absent /d; /^rungs/,/^[^ r]/s/^  \\([a-z0-9-]*\\) .*/\\1/p'"

static const struct option_row *first_option(const struct command *command)
{
    static const struct option_row none[] = {ROW_END};
    return command->options ? command->options : none;
}

/** All words that may follow `rung help`. */
static void print_topics(FILE *to)
{
    for (size_t i = 0; commands[i]; i++)
        fprintf(to, "%s ", commands[i]->name);
    for (const struct help_topic *topic = help_topics; topic->name; topic++)
        fprintf(to, "%s%s", topic->name, topic[1].name ? " " : "");
}

static void print_words(const char *const *words, FILE *to)
{
    for (size_t i = 0; words[i]; i++)
        fprintf(to, "%s%s", i ? " " : "", words[i]);
}

/** A text inside single quotes; `special` are the characters that get a backslash besides. */
static void print_quoted(const char *text, const char *quote, const char *special, FILE *to)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(quote, to);
            continue;
        }
        if (strchr(special, *text))
            putc('\\', to);
        putc(*text, to);
    }
}

/* ---- bash -------------------------------------------------------------------------------- */

static const char bash_head[] =
    "# Completion of rung in bash, version 4 or newer, as rung help --completion bash writes it.\n"
    "# The functions share the variables of _rung.\n"
    "\n"
    "_rung_words()\n"
    "{\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$word\")\n"
    "}\n"
    "\n"
    "_rung_files()\n"
    "{\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
    "}\n"
    "\n"
    "_rung_folders()\n"
    "{\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -d -- \"$word\")\n"
    "}\n"
    "\n"
    "_rung_models()\n"
    "{\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(\n"
    "        compgen -W \"$(\"$rung\" models --names 2>/dev/null)\" -- \"$word\"\n"
    "        compgen -f -X '!*.rung' -- \"$word\"\n"
    "        compgen -d -- \"$word\")\n"
    "}\n"
    "\n"
    "_rung_rungs()\n"
    "{\n"
    "    _rung_words \"$(\"$rung\" explain 2>/dev/null |\n"
    "        " SED_RUNGS ")\"\n"
    "}\n"
    "\n"
    "_rung()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local rung=${COMP_WORDS[0]/#\\~/$HOME} command= i\n"
    "    COMPREPLY=()\n"
    "    if [[ $word == = ]]; then\n"
    "        word=\n"
    "    elif [[ $before == = ]]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    for ((i = 1; i < COMP_CWORD && ${#command} == 0; i++)); do\n"
    "        [[ ${COMP_WORDS[i]} == -* ]] || command=${COMP_WORDS[i]}\n"
    "    done\n";

static const char *bash_function(enum value_kind kind)
{
    switch (kind) {
    case VALUE_FILE:
    case VALUE_PATH:
        return "_rung_files";
    case VALUE_FOLDER:
        return "_rung_folders";
    case VALUE_MODEL:
        return "_rung_models";
    case VALUE_RUNG:
        return "_rung_rungs";
    case VALUE_OTHER:
    case VALUE_TOPIC:
        break;
    }
    return "";
}

/** What completes the value of an option. */
static void bash_value(const struct command *command, const struct option_row *row, FILE *to)
{
    fprintf(to, "    '%s --%s'", command->name, row->name);
    if (row->letter)
        fprintf(to, " | '%s -%c'", command->name, row->letter);
    fputs(") ", to);
    if (row->choices) {
        fputs("_rung_words '", to);
        print_words(row->choices, to);
        fputs("'; ", to);
    } else if (*bash_function(row->value))
        fprintf(to, "%s; ", bash_function(row->value));
    fputs("return ;;\n", to);
}

static void bash_values(FILE *to)
{
    fputs("    case \"$command $before\" in\n", to);
    for (size_t i = 0; commands[i]; i++)
        for (const struct option_row *row = first_option(commands[i]); row->name; row++)
            if (row->argument)
                bash_value(commands[i], row, to);
    fputs("    esac\n", to);
}

static void bash_options(FILE *to)
{
    fputs("    case \"$command $word\" in\n    ' '*) _rung_words '", to);
    for (size_t i = 0; commands[i]; i++)
        fprintf(to, "%s ", commands[i]->name);
    fputs("--help --version' ;;\n", to);
    for (size_t i = 0; commands[i]; i++) {
        fprintf(to, "    '%s -'*) _rung_words '", commands[i]->name);
        for (const struct option_row *row = first_option(commands[i]); row->name; row++)
            fprintf(to, "--%s ", row->name);
        fprintf(to, "--%s' ;;\n", option_help.name);
    }
}

/** As the first operand; behind it the others come. */
static void bash_actions(const struct command *command, FILE *to)
{
    fprintf(to, "if [[ $before == %s ]]; then _rung_words '", command->name);
    print_words(command->actions, to);
    fputs("'; return; fi; ", to);
}

static void bash_operands(FILE *to)
{
    for (size_t i = 0; commands[i]; i++) {
        const enum value_kind kind = commands[i]->operand;
        if (kind == VALUE_OTHER)
            continue;
        fprintf(to, "    '%s '*) ", commands[i]->name);
        if (commands[i]->actions)
            bash_actions(commands[i], to);
        if (kind == VALUE_TOPIC) {
            fputs("_rung_words '", to);
            print_topics(to);
            fputs("' ;;\n", to);
        } else
            fprintf(to, "%s ;;\n", bash_function(kind));
    }
    fputs("    esac\n", to);
}

static void print_bash(FILE *to)
{
    fputs(bash_head, to);
    bash_values(to);
    bash_options(to);
    bash_operands(to);
    fputs("}\n\ncomplete -F _rung rung\n", to);
}

/* ---- zsh --------------------------------------------------------------------------------- */

static const char zsh_head[] =
    "#compdef rung\n"
    "# Completion of rung in zsh, as rung help --completion zsh writes it.\n"
    "\n"
    "_rung_models()\n"
    "{\n"
    "    compadd -- ${(f)\"$($rung models --names 2>/dev/null)\"}\n"
    "    _files -g '*.rung'\n"
    "}\n"
    "\n"
    "_rung_rungs()\n"
    "{\n"
    "    compadd -- ${(f)\"$($rung explain 2>/dev/null |\n"
    "        " SED_RUNGS ")\"}\n"
    "}\n"
    "\n"
    "_rung()\n"
    "{\n"
    "    local rung=${~words[1]} state\n"
    "    local -a names\n"
    "    names=(\n";

static const char zsh_middle[] =
    "    )\n"
    "    _arguments -C '(- *)'{-h,--help}'[show this]' '(- *)--version[show the version]' \\\n"
    "        '1: :->command' '*:: :->argument'\n"
    "    case $state in\n"
    "    command) _describe -t commands command names ;;\n"
    "    argument)\n"
    "        case $words[1] in\n";

static const char zsh_tail[] = "        esac ;;\n"
                               "    esac\n"
                               "}\n"
                               "\n"
                               "if [[ $funcstack[1] == _rung ]]; then\n"
                               "    _rung \"$@\"\n"
                               "else\n"
                               "    compdef _rung rung\n"
                               "fi\n";

static const char *zsh_action(enum value_kind kind)
{
    switch (kind) {
    case VALUE_FILE:
    case VALUE_PATH:
        return "_files";
    case VALUE_FOLDER:
        return "_files -/";
    case VALUE_MODEL:
        return "_rung_models";
    case VALUE_RUNG:
        return "_rung_rungs";
    case VALUE_OTHER:
    case VALUE_TOPIC:
        break;
    }
    return " ";
}

static void zsh_option(const struct option_row *row, FILE *to)
{
    const char *value = row->argument ? "=" : "";
    fputs(" \\\n            ", to);
    if (row->letter)
        fprintf(to, "'(-%c --%s)'{-%c%s,--%s%s}'", row->letter, row->name, row->letter,
                row->argument ? "+" : "", row->name, value);
    else
        fprintf(to, "'--%s%s", row->name, value);
    putc('[', to);
    print_quoted(row->text, "'\\''", "[]\\", to);
    putc(']', to);
    if (row->argument && row->choices) {
        fprintf(to, ":%s:(", row->argument);
        print_words(row->choices, to);
        putc(')', to);
    } else if (row->argument)
        fprintf(to, ":%s:%s", row->argument, zsh_action(row->value));
    putc('\'', to);
}

static void zsh_command(const struct command *command, FILE *to)
{
    fprintf(to, "        %s)\n            _arguments -s -S", command->name);
    for (const struct option_row *row = first_option(command); row->name; row++)
        zsh_option(row, to);
    zsh_option(&option_help, to);
    if (command->actions) {
        fputs(" \\\n            '1:action:(", to);
        print_words(command->actions, to);
        fputs(")'", to);
    }
    if (command->operand == VALUE_TOPIC) {
        fputs(" \\\n            '1:TOPIC:(", to);
        print_topics(to);
        fputs(")'", to);
    } else if (command->operand != VALUE_OTHER)
        fprintf(to, " \\\n            '*:%s:%s'", command->name, zsh_action(command->operand));
    fputs(" ;;\n", to);
}

static void print_zsh(FILE *to)
{
    fputs(zsh_head, to);
    for (size_t i = 0; commands[i]; i++) {
        fprintf(to, "        '%s:", commands[i]->name);
        print_quoted(commands[i]->text, "'\\''", "\\", to);
        fputs("'\n", to);
    }
    fputs(zsh_middle, to);
    for (size_t i = 0; commands[i]; i++)
        zsh_command(commands[i], to);
    fputs(zsh_tail, to);
}

/* ---- fish -------------------------------------------------------------------------------- */

static const char fish_head[] =
    "# Completion of rung in fish, as rung help --completion fish writes it.\n"
    "\n"
    "function __rung_models\n"
    "    set -l words (commandline -opc)\n"
    "    $words[1] models --names 2>/dev/null\n"
    "    __fish_complete_suffix .rung\n"
    "end\n"
    "\n"
    "function __rung_rungs\n"
    "    set -l words (commandline -opc)\n"
    "    $words[1] explain 2>/dev/null |\n"
    "        " SED_RUNGS "\n"
    "end\n"
    "\n"
    "complete -c rung -f\n"
    "complete -c rung -n __fish_use_subcommand -s h -l help -d 'show this'\n"
    "complete -c rung -n __fish_use_subcommand -l version -d 'show the version'\n";

static const char *fish_value(enum value_kind kind)
{
    switch (kind) {
    case VALUE_FILE:
    case VALUE_PATH:
        return " -F";
    case VALUE_FOLDER:
        return " -a '(__fish_complete_directories)'";
    case VALUE_MODEL:
        return " -a '(__rung_models)'";
    case VALUE_RUNG:
        return " -a '(__rung_rungs)'";
    case VALUE_OTHER:
    case VALUE_TOPIC:
        break;
    }
    return "";
}

static void fish_when(const struct command *command, FILE *to)
{
    fprintf(to, "complete -c rung -n '__fish_seen_subcommand_from %s'", command->name);
}

static void fish_option(const struct command *command, const struct option_row *row, FILE *to)
{
    fish_when(command, to);
    if (row->letter)
        fprintf(to, " -s %c", row->letter);
    fprintf(to, " -l %s", row->name);
    if (row->argument)
        fprintf(to, " -r%s", fish_value(row->value));
    if (row->choices) {
        fputs(" -a '", to);
        print_words(row->choices, to);
        putc('\'', to);
    }
    fputs(" -d '", to);
    print_quoted(row->text, "\\'", "\\", to);
    fputs("'\n", to);
}

static void fish_command(const struct command *command, FILE *to)
{
    fprintf(to, "\ncomplete -c rung -n __fish_use_subcommand -a %s -d '", command->name);
    print_quoted(command->text, "\\'", "\\", to);
    fputs("'\n", to);
    for (const struct option_row *row = first_option(command); row->name; row++)
        fish_option(command, row, to);
    fish_option(command, &option_help, to);
    if (command->actions) {
        fish_when(command, to);
        fputs(" -a '", to);
        print_words(command->actions, to);
        fputs("'\n", to);
    }
    if (command->operand == VALUE_OTHER)
        return;
    fish_when(command, to);
    if (command->operand == VALUE_TOPIC) {
        fputs(" -a '", to);
        print_topics(to);
        fputs("'\n", to);
    } else
        fprintf(to, "%s\n", fish_value(command->operand));
}

static void print_fish(FILE *to)
{
    fputs(fish_head, to);
    for (size_t i = 0; commands[i]; i++)
        fish_command(commands[i], to);
}

/* ------------------------------------------------------------------------------------------ */

const char *const completion_shells[] = {"bash", "zsh", "fish", NULL};

void completion_print(const char *shell, FILE *to)
{
    static void (*const writers[])(FILE *) = {print_bash, print_zsh, print_fish};
    for (size_t i = 0; completion_shells[i]; i++)
        if (strcmp(completion_shells[i], shell) == 0)
            writers[i](to);
}
