/* SPDX-License-Identifier: Apache-2.0 */
#include "help.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common.h"

/* Columns: without a terminal, and the least and most that lines are made for on one. */
#define WIDTH       80
#define WIDTH_LEAST 40
#define WIDTH_MOST  100

/* Where texts begin beside options, unless an option is longer than that. */
#define OPTION_COLUMN  28
#define COMMAND_COLUMN 12
#define TOPIC_COLUMN   15
#define STATUS_COLUMN  6
#define NAME_COLUMN    21

const char help_program[] = "Runs vision models on the fastest path this device can prove";

const struct help_status help_statuses[] = {
    {EXIT_DONE, "done"},
    {EXIT_VERDICT, "a negative verdict"},
    {EXIT_USAGE, "a mistake in the command line, or in a spec file"},
    {EXIT_BACKEND, "no runtime, or it failed, or there is no memory"},
    {EXIT_INTEGRITY,
     "a model that is damaged, changed or not trusted, or results of another identity"},
    {EXIT_IO, "something could not be read or written; the other results are complete"},
    {EXIT_DEFECT, "a defect of rung itself"},
    {EXIT_INTERRUPTED, "interrupted; what was finished is complete"},
    {0, NULL},
};

const char *help_status_text(const struct help_status *row, const struct command *command)
{
    return command && row->status == EXIT_VERDICT ? command->verdict : row->text;
}

/* ---- lines ------------------------------------------------------------------------------- */

static int width_of(FILE *to)
{
    struct winsize size;
    if (ioctl(fileno(to), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return WIDTH;
    return size.ws_col < WIDTH_LEAST  ? WIDTH_LEAST
           : size.ws_col > WIDTH_MOST ? WIDTH_MOST
                                      : size.ws_col;
}

/** Characters of UTF-8. */
static int columns_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

/** Prints words from `column` on, and further lines from `indent` on. */
static void print_wrapped(const char *text, size_t length, int column, int indent, FILE *to)
{
    static const char spaces[] = " \n";
    const int width = width_of(to);
    const char *const end = text + length;
    bool begins = true;
    while (text < end) {
        text += strspn(text, spaces);
        size_t word = strcspn(text, spaces);
        if (word > (size_t)(end - text))
            word = (size_t)(end - text);
        const int columns = columns_of(text, word);
        if (!begins && column + 1 + columns > width) {
            fprintf(to, "\n%*s", indent, "");
            column = indent;
            begins = true;
        }
        fprintf(to, "%s%.*s", begins ? "" : " ", (int)word, text);
        column += columns + !begins;
        begins = false;
        text += word;
    }
    putc('\n', to);
}

__attribute__((format(printf, 2, 3))) static void print_sentence(FILE *to, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_wrapped(text, strlen(text), 0, 0, to);
}

/** `left`, and `text` beside it from `column` on. */
static void print_row(const char *left, const char *text, int column, FILE *to)
{
    const int columns = columns_of(left, strlen(left));
    fputs(left, to);
    if (columns + 2 > column) /* two spaces at least */
        fprintf(to, "\n%*s", column, "");
    else
        fprintf(to, "%*s", column - columns, "");
    print_wrapped(text, strlen(text), column, column, to);
}

bool help_paragraph_next(const char **text, struct help_paragraph *out)
{
    if (!*text || !**text)
        return false;
    const char *end = strstr(*text, "\n\n");
    *out =
        (struct help_paragraph){*text, end ? (size_t)(end - *text) : strlen(*text), **text == ' '};
    *text += out->length + (end ? 2 : 0);
    return true;
}

static void print_paragraphs(const char *text, FILE *to)
{
    struct help_paragraph paragraph;
    while (help_paragraph_next(&text, &paragraph)) {
        putc('\n', to);
        if (paragraph.as_it_stands)
            fprintf(to, "%.*s\n", (int)paragraph.length, paragraph.text);
        else
            print_wrapped(paragraph.text, paragraph.length, 0, 0, to);
    }
}

/* ---- commands ---------------------------------------------------------------------------- */

/** True when the text tells each choice already. */
static bool tells_choices(const struct option_row *row)
{
    bool tells = true;
    for (size_t i = 0; row->choices && row->choices[i]; i++)
        tells = tells && strstr(row->text, row->choices[i]);
    return tells;
}

void help_option_text(const struct option_row *row, char to[HELP_OPTION_BYTES])
{
    size_t length = (size_t)snprintf(to, HELP_OPTION_BYTES, "%s", row->text);
    for (size_t i = 0; !tells_choices(row) && row->choices[i] && length < HELP_OPTION_BYTES; i++) {
        const char *before = i == 0 ? ": " : row->choices[i + 1] ? ", " : " or ";
        length += (size_t)snprintf(to + length, HELP_OPTION_BYTES - length, "%s%s", before,
                                   row->choices[i]);
    }
}

static void print_option(const struct option_row *row, FILE *to)
{
    char left[64], text[HELP_OPTION_BYTES];
    const char letter[] = {'-', row->letter, ',', '\0'};
    snprintf(left, sizeof left, "  %3s --%s%s%s", row->letter ? letter : "", row->name,
             row->argument ? " " : "", row->argument ? row->argument : "");
    help_option_text(row, text);
    print_row(left, text, OPTION_COLUMN, to);
}

static void print_examples(const struct command *command, FILE *to)
{
    if (!command->examples)
        return;
    fprintf(to, "\nexamples:\n");
    for (const struct command_example *example = command->examples; example->line; example++) {
        fprintf(to, "  %s\n      ", example->line);
        print_wrapped(example->text, strlen(example->text), 6, 6, to);
    }
}

static void print_usage(const struct command *command, FILE *to)
{
    fprintf(to, "usage: rung %s%s%s%s\n\n", command->name,
            command->options && command->options->name ? " [OPTION…]" : "",
            command->operands[0] ? " " : "", command->operands);
}

static void print_verdict(const struct command *command, FILE *to)
{
    if (!command->verdict)
        return;
    putc('\n', to);
    print_sentence(to, "The exit status is 1 for %s. rung help exit has the others.",
                   command->verdict);
}

void help_command(const struct command *command, FILE *to)
{
    print_usage(command, to);
    print_sentence(to, "%s.", command->text);
    print_paragraphs(command->more, to);
    fprintf(to, "\noptions:\n");
    for (const struct option_row *row = command->options; row && row->name; row++)
        print_option(row, to);
    print_option(&option_help, to);
    print_examples(command, to);
    print_verdict(command, to);
}

void help_list(FILE *to)
{
    fprintf(to, "usage: rung COMMAND [OPTION…] [OPERAND…]\n\n%s.\n\ncommands:\n", help_program);
    for (size_t i = 0; commands[i]; i++) {
        char left[32];
        snprintf(left, sizeof left, "  %s", commands[i]->name);
        print_row(left, commands[i]->text, COMMAND_COLUMN, to);
    }
    fprintf(to, "\nrung COMMAND --help tells all about one.\n\ntopics (rung help TOPIC):\n");
    for (const struct help_topic *topic = help_topics; topic->name; topic++) {
        char left[32];
        snprintf(left, sizeof left, "  %s", topic->name);
        print_row(left, topic->text, TOPIC_COLUMN, to);
    }
}

/* ---- topics ------------------------------------------------------------------------------ */

static void print_environment(FILE *to)
{
    static const char note[] =
        "They are read once, and not at all when the process runs with elevated privileges. "
        "Lists are separated by ':'.";
    rung_environment_variable variable;
    for (uint32_t i = 0; rung_environment_variable_get(i, &variable) == RUNG_OK; i++)
        print_row(variable.name, variable.text, NAME_COLUMN, to);
    print_paragraphs(note, to);
}

static void print_exit(FILE *to)
{
    for (const struct help_status *row = help_statuses; row->text; row++) {
        char left[16];
        snprintf(left, sizeof left, "%d", row->status);
        print_row(left, row->text, STATUS_COLUMN, to);
    }
}

const struct help_topic help_topics[] = {
    {"environment", "The environment variables that are read", print_environment},
    {"exit", "The exit statuses", print_exit},
    {NULL, NULL, NULL},
};
