/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages in roff, with the macros of man(7). */
#include <ctype.h>
#include <string.h>

#include "common.h"
#include "help.h"

static const struct command_example program_examples[] = {
    {"rung detect -m centerface photos", "Finds faces in the pictures of a folder."},
    {"rung models", "Lists the models there are, and says which of them are trusted."},
    {"rung explain", "Tells which inference runtime serves here, and why."},
    {NULL, NULL},
};

static const struct {
    const char *path, *text;
} program_files[] = {
    {"$XDG_DATA_HOME/rung/models", "The user's models; ~/.local/share without the variable."},
    {"$XDG_CONFIG_HOME/rung/trust", "The public keys that the user trusts; ~/.config without."},
    {"$XDG_CACHE_HOME/rung", "What can be made again; ~/.cache without."},
};

/* ---- roff -------------------------------------------------------------------------------- */

/** Reads a character of UTF-8, which our own texts are; gives its length. */
static size_t character_at(const char *text, unsigned *out)
{
    const unsigned char first = (unsigned char)*text;
    const size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    *out = length == 1 ? first : first & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++)
        *out = *out << 6 | ((unsigned char)text[i] & 0x3f);
    return length;
}

/**
 * Prints text with nothing in it that roff would take as a command. Every '-' becomes a minus: what
 * is copied from a page, such as an option or a file's name, must not hold a typographic hyphen.
 */
static void print_escaped(const char *text, size_t length, FILE *to)
{
    const char *const end = text + length;
    unsigned character;
    while (text < end) {
        text += character_at(text, &character);
        switch (character) {
        case '-':
            fputs("\\-", to);
            break;
        case '\\':
            fputs("\\e", to);
            break;
        case '\'':
            fputs("\\(aq", to);
            break;
        case '`':
            fputs("\\(ga", to);
            break;
        case '"':
            fputs("\\(dq", to);
            break;
        case '~':
            fputs("\\(ti", to);
            break;
        case '^':
            fputs("\\(ha", to);
            break;
        case '.':
            fputs("\\&.", to); /* at the start of a line it would be a request */
            break;
        case 0x2026: /* an ellipsis, which not every device has */
            fputs("\\&...", to);
            break;
        default:
            if (character < 0x80)
                putc((int)character, to);
            else
                fprintf(to, "\\[u%04X]", character);
        }
    }
}

static void print_text(const char *text, FILE *to)
{
    print_escaped(text, strlen(text), to);
}

/** Text in a font: B for what is typed, I for what is put in its place. */
static void print_font(char font, const char *text, FILE *to)
{
    fprintf(to, "\\f%c", font);
    print_text(text, to);
    fputs("\\fR", to);
}

static void print_section(const char *title, FILE *to)
{
    fprintf(to, ".SH %s\n", title);
}

/** "DIR…", "[OPTION…]": words in capitals are put in place, the rest is typed as it is. */
static void print_operands(const char *text, FILE *to)
{
    while (*text) {
        const size_t capitals = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        const size_t others = strcspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        if (capitals) {
            fprintf(to, "\\fI%.*s\\fR", (int)capitals, text);
            text += capitals;
        } else {
            print_escaped(text, others, to);
            text += others;
        }
    }
}

/** Lines that stay as they are, set off from the rest. */
static void print_display(const char *text, size_t length, FILE *to)
{
    fputs(".PP\n.RS 4\n.nf\n", to);
    while (length > 0) {
        const char *newline = memchr(text, '\n', length);
        const size_t line = newline ? (size_t)(newline - text) : length;
        const size_t blank = strspn(text, " ");
        if (line > blank)
            print_escaped(text + blank, line - blank, to);
        putc('\n', to);
        text += line + (newline != NULL);
        length -= line + (newline != NULL);
    }
    fputs(".fi\n.RE\n", to);
}

static void print_paragraphs(const char *text, FILE *to)
{
    struct help_paragraph paragraph;
    while (help_paragraph_next(&text, &paragraph)) {
        if (paragraph.as_it_stands) {
            print_display(paragraph.text, paragraph.length, to);
            continue;
        }
        fputs(".PP\n", to);
        print_escaped(paragraph.text, paragraph.length, to);
        putc('\n', to);
    }
}

/* ---- parts of a page --------------------------------------------------------------------- */

static void print_head(const struct command *command, FILE *to)
{
    fputs(".TH RUNG", to);
    for (const char *at = command ? command->name : ""; *at; at++)
        fprintf(to, "%s%c", at == command->name ? "\\-" : "", toupper((unsigned char)*at));
    fprintf(to, " 1 \"\" \"rung %s\" \"User commands\"\n", rung_version());
    fputs(".nh\n.ad l\n", to); /* paths and options are not to be cut, nor spread */
    print_section("NAME", to);
    fprintf(to, "rung%s%s \\- ", command ? "\\-" : "", command ? command->name : "");
    const char *text = command ? command->text : help_program;
    putc(tolower((unsigned char)*text), to); /* as man pages have it */
    print_text(text + 1, to);
    putc('\n', to);
}

static void print_synopsis(const struct command *command, FILE *to)
{
    print_section("SYNOPSIS", to);
    fprintf(to, "\\fBrung %s\\fR", command->name);
    if (command->options && command->options->name)
        print_operands(" [OPTION…]", to);
    if (command->operands[0])
        putc(' ', to);
    print_operands(command->operands, to);
    putc('\n', to);
}

static void print_option(const struct option_row *row, FILE *to)
{
    char text[HELP_OPTION_BYTES];
    help_option_text(row, text);
    fputs(".TP\n", to);
    if (row->letter)
        fprintf(to, "\\fB\\-%c\\fR, ", row->letter);
    fputs("\\fB\\-\\-", to);
    print_text(row->name, to);
    fputs("\\fR", to);
    if (row->argument) {
        putc(' ', to);
        print_font('I', row->argument, to);
    }
    putc('\n', to);
    print_text(text, to);
    fputs(".\n", to);
}

static void print_options(const struct command *command, FILE *to)
{
    print_section("OPTIONS", to);
    for (const struct option_row *row = command->options; row && row->name; row++)
        print_option(row, to);
    print_option(&option_help, to);
}

static void print_examples(const struct command_example *examples, FILE *to)
{
    if (!examples)
        return;
    print_section("EXAMPLES", to);
    for (; examples->line; examples++) {
        fputs(".TP\n", to);
        print_font('B', examples->line, to);
        putc('\n', to);
        print_text(examples->text, to);
        putc('\n', to);
    }
}

static void print_statuses(const struct command *command, FILE *to)
{
    print_section("EXIT STATUS", to);
    for (const struct help_status *row = help_statuses; row->text; row++) {
        const char *text = help_status_text(row, command);
        if (!text)
            continue;
        fprintf(to, ".TP\n%d\n", row->status);
        print_text(text, to);
        fputs(".\n", to);
    }
}

static void print_related(const struct command *command, FILE *to)
{
    print_section("SEE ALSO", to);
    fputs(".BR rung (1)", to);
    for (size_t i = 0; command->see && command->see[i]; i++)
        fprintf(to, ",\n.BR rung\\-%s (1)", command->see[i]);
    putc('\n', to);
}

/* ---- pages ------------------------------------------------------------------------------- */

static void print_command(const struct command *command, FILE *to)
{
    print_head(command, to);
    print_synopsis(command, to);
    print_section("DESCRIPTION", to);
    print_text(command->text, to);
    fputs(".\n", to);
    print_paragraphs(command->more, to);
    print_options(command, to);
    print_examples(command->examples, to);
    print_statuses(command, to);
    print_related(command, to);
}

static void print_commands(FILE *to)
{
    print_section("COMMANDS", to);
    for (size_t i = 0; commands[i]; i++) {
        fprintf(to, ".TP\n.BR rung\\-%s (1)\n", commands[i]->name);
        print_text(commands[i]->text, to);
        fputs(".\n", to);
    }
}

static void print_environment(FILE *to)
{
    rung_environment_variable variable;
    print_section("ENVIRONMENT", to);
    fputs("The variables are read once, and not at all when the process runs with elevated "
          "privileges.\nLists are separated by \\(aq:\\(aq.\n",
          to);
    for (uint32_t i = 0; rung_environment_variable_get(i, &variable) == RUNG_OK; i++) {
        fputs(".TP\n", to);
        print_font('B', variable.name, to);
        putc('\n', to);
        print_text(variable.text, to);
        putc('\n', to);
    }
}

static void print_files(FILE *to)
{
    print_section("FILES", to);
    for (size_t i = 0; i < sizeof program_files / sizeof *program_files; i++) {
        fputs(".TP\n", to);
        print_font('I', program_files[i].path, to);
        putc('\n', to);
        print_text(program_files[i].text, to);
        putc('\n', to);
    }
}

static void print_program(FILE *to)
{
    print_head(NULL, to);
    print_section("SYNOPSIS", to);
    fputs("\\fBrung\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR\\&...] [\\fIOPERAND\\fR\\&...]\n.br\n"
          "\\fBrung\\fR \\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR\n",
          to);
    print_section("DESCRIPTION", to);
    print_text(help_program, to);
    fputs(".\n", to);
    print_commands(to);
    print_examples(program_examples, to);
    print_statuses(NULL, to);
    print_environment(to);
    print_files(to);
    print_section("SEE ALSO", to);
    for (size_t i = 0; commands[i]; i++)
        fprintf(to, ".BR rung\\-%s (1)%s\n", commands[i]->name, commands[i + 1] ? "," : "");
}

void manual_print(const struct command *command, FILE *to)
{
    if (command)
        print_command(command, to);
    else
        print_program(to);
}
