/* SPDX-License-Identifier: Apache-2.0 */
#include "colour.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOLD   "\033[1m"
#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define GREY   "\033[90m"
#define PLAIN  "\033[0m"

static bool has_colours(void)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !(refused && *refused) && terminal && strcmp(terminal, "dumb") != 0 &&
           isatty(STDOUT_FILENO);
}

/** One that is not here needs no eye, as one that another is better than; "" is plain. */
static const char *colour_of(const char *outcome)
{
    static const struct {
        const char *outcome, *colour;
    } rows[] = {
        {"absent", GREY},   {"available", GREEN}, {"by name only", GREY}, {"chosen", GREEN},
        {"crashed", RED},   {"different", RED},   {"ended", GREY},        {"failed", RED},
        {"playing", GREEN}, {"recorded", GREEN},  {"refused", RED},       {"stalled", YELLOW},
        {"timeout", RED},   {"unkept", YELLOW},   {"unmeasured", YELLOW}, {"unsuited", GREY},
        {"wrong", RED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].outcome, outcome) == 0)
            return rows[i].colour;
    return "";
}

void colour_print_outcome(const char *outcome, int width)
{
    const char *colour = has_colours() ? colour_of(outcome) : "";
    printf("%s%-*s%s", colour, width, outcome, *colour ? PLAIN : "");
}

void colour_print_title(const char *text)
{
    const bool coloured = has_colours();
    printf("%s%s%s", coloured ? BOLD : "", text, coloured ? PLAIN : "");
}

void colour_print_head(const char *text)
{
    colour_print_title(text);
    putchar('\n');
}
