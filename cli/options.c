/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "help.h"
#include "suggest.h"

#define OPTIONS_MAX 48
#define HELP_LETTER 'h'
/* Values that getopt gives for options without a letter. */
#define ROW_BASE 256

static int row_count(const struct command *command)
{
    int count = 0;
    while (command->options && command->options[count].name)
        count++;
    return count;
}

const struct option_row option_help = {.letter = HELP_LETTER, .name = "help", .text = "show this"};

static int refuse(const struct command *command, const char *what, const char *value)
{
    fprintf(stderr, "rung %s: %s%s%s; see rung %s --help\n", command->name, what, value ? " " : "",
            value ? value : "", command->name);
    return EXIT_USAGE;
}

static int take_number(const struct command *command, const struct option_row *row)
{
    static const char digits[] = "0123456789";
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(optarg, &end, 10);
    if (errno || !optarg[0] || strspn(optarg, digits) != strlen(optarg) || value < row->least ||
        value > row->most) {
        fprintf(stderr,
                "rung %s: --%s takes a whole number from %" PRIu64 " to %" PRIu64 ", not \"%s\"\n",
                command->name, row->name, row->least, row->most, optarg);
        return EXIT_USAGE;
    }
    if (row->kind == OPTION_NUMBER64)
        *(uint64_t *)row->target = value;
    else
        *(uint32_t *)row->target = (uint32_t)value;
    return EXIT_DONE;
}

/** Not what strtod takes: that has signs, exponents, names, and the locale's comma. */
static bool parse_fraction(const char *text, double *out)
{
    double value = 0, unit = 1;
    bool has_digit = false, has_point = false;
    for (; *text; text++) {
        if (*text == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (*text < '0' || *text > '9')
            return false;
        has_digit = true;
        value = value * 10 + (*text - '0');
        unit *= has_point ? 10 : 1;
    }
    *out = value / unit;
    return has_digit && *out >= 0 && *out <= 1;
}

static int take_fraction(const struct command *command, const struct option_row *row)
{
    double value;
    if (!parse_fraction(optarg, &value)) {
        fprintf(stderr, "rung %s: --%s takes a number from 0 to 1, such as 0.25, not \"%s\"\n",
                command->name, row->name, optarg);
        return EXIT_USAGE;
    }
    *(double *)row->target = value;
    return EXIT_DONE;
}

static int take_choice(const struct command *command, const struct option_row *row)
{
    for (const char *const *choice = row->choices; *choice; choice++) {
        if (strcmp(*choice, optarg) != 0)
            continue;
        *(const char **)row->target = *choice;
        return EXIT_DONE;
    }
    fprintf(stderr, "rung %s: --%s takes ", command->name, row->name);
    for (const char *const *choice = row->choices; *choice; choice++)
        fprintf(stderr, "%s%s", choice == row->choices ? "" : choice[1] ? ", " : " or ", *choice);
    fprintf(stderr, ", not \"%s\"\n", optarg);
    return EXIT_USAGE;
}

static int take_option(const struct command *command, const struct option_row *row)
{
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)row->target = true;
        return EXIT_DONE;
    case OPTION_TEXT:
        *(const char **)row->target = optarg;
        return EXIT_DONE;
    case OPTION_NUMBER:
    case OPTION_NUMBER64:
        return take_number(command, row);
    case OPTION_FRACTION:
        return take_fraction(command, row);
    case OPTION_CHOICE:
        return take_choice(command, row);
    }
    return EXIT_DEFECT;
}

/** The tables that getopt_long wants, made from the rows. */
static void getopt_tables(const struct command *command, char *letters, struct option *names)
{
    int count = row_count(command), at = 0;
    letters[at++] = ':';
    letters[at++] = HELP_LETTER;
    for (int i = 0; i < count; i++) {
        const struct option_row *row = &command->options[i];
        names[i] = (struct option){row->name, row->argument ? required_argument : no_argument, NULL,
                                   ROW_BASE + i};
        if (row->letter)
            letters[at++] = row->letter;
        if (row->letter && row->argument)
            letters[at++] = ':';
    }
    letters[at] = '\0';
    names[count] = (struct option){option_help.name, no_argument, NULL, HELP_LETTER};
    names[count + 1] = (struct option){0};
}

static const struct option_row *row_of(const struct command *command, int got)
{
    for (int i = 0; i < row_count(command); i++)
        if (got == ROW_BASE + i ||
            (command->options[i].letter && got == command->options[i].letter))
            return &command->options[i];
    return NULL;
}

/** The long options that begin with `typed` (getopt takes a beginning that only one has). */
static int print_beginnings(const struct command *command, const char *typed, size_t length)
{
    int found = 0;
    for (int i = 0; i < row_count(command); i++) {
        if (strncmp(command->options[i].name, typed, length) != 0)
            continue;
        fprintf(stderr, "%s --%s", found++ ? "," : "; it could be", command->options[i].name);
    }
    return found;
}

/** The best that can be said of `--typed`. */
static void suggest_option(const struct command *command, const char *typed, size_t length)
{
    struct suggestion suggestion = suggestion_begin(typed, length);
    if (length > 0 && print_beginnings(command, typed, length))
        return;
    for (int i = 0; i < row_count(command); i++)
        suggestion_offer(&suggestion, command->options[i].name);
    suggestion_offer(&suggestion, option_help.name);
    if (suggestion.best)
        fprintf(stderr, "; did you mean --%s?", suggestion.best);
}

/** After getopt's '?': `optopt` is 0 for a long option that there is not, or not only once. */
static int refuse_option(const struct command *command, const char *given)
{
    const struct option_row *row = optopt ? row_of(command, optopt) : NULL;
    if (row || optopt == HELP_LETTER) {
        fprintf(stderr, "rung %s: --%s takes no value", command->name,
                row ? row->name : option_help.name);
    } else if (optopt)
        fprintf(stderr, "rung %s: unknown option -%c", command->name, optopt);
    else {
        const size_t length = strcspn(given, "=");
        fprintf(stderr, "rung %s: unknown option %.*s", command->name, (int)length, given);
        suggest_option(command, given + 2, length - 2);
    }
    fprintf(stderr, "; see rung %s --help\n", command->name);
    return EXIT_USAGE;
}

int command_main(const struct command *command, int count, char **arguments)
{
    char letters[2 * OPTIONS_MAX + 3];
    struct option names[OPTIONS_MAX + 2];
    int got;
    getopt_tables(command, letters, names);
    opterr = 0;
    optind = 1;
    while ((got = getopt_long(count, arguments, letters, names, NULL)) != -1) {
        if (got == HELP_LETTER) {
            help_command(command, stdout);
            return EXIT_DONE;
        }
        if (got == ':')
            return refuse(command, "a value is missing after", arguments[optind - 1]);
        if (got == '?')
            return refuse_option(command, arguments[optind - 1]);
        int status = take_option(command, row_of(command, got));
        if (status != EXIT_DONE)
            return status;
    }
    int operands = count - optind;
    if (operands < command->least_operands)
        return refuse(command, "missing", command->operands);
    if (command->most_operands >= 0 && operands > command->most_operands)
        return refuse(command, "too many operands, from",
                      arguments[optind + command->most_operands]);
    return command->run(operands, arguments + optind);
}
