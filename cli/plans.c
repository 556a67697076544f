/* SPDX-License-Identifier: Apache-2.0 */
#include "plans.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define FILE_BYTES_MOST 65536u /* many times what a plan has */

static int refuse(const char *path, const char *why)
{
    fprintf(stderr, "rung: the plan in %s cannot be read: %s\n", path, why);
    return EXIT_IO;
}

/** What it says is the library's to judge. */
static int read_file(const char *path, char *text)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return refuse(path, strerror(errno));
    const size_t length = fread(text, 1, FILE_BYTES_MOST, file);
    const bool failed = ferror(file);
    fclose(file);
    if (failed)
        return refuse(path, "the system could not read it");
    if (length == 0)
        return refuse(path, "it is empty");
    if (length == FILE_BYTES_MOST)
        return refuse(path, "it is longer than 65535 bytes");
    text[length] = '\0';
    return EXIT_DONE;
}

int plan_read(const char *given, char **out)
{
    const bool is_json = given[strspn(given, " \t\r\n")] == '{';
    *out = is_json ? strdup(given) : malloc(FILE_BYTES_MOST);
    if (!*out)
        return fail_memory();
    return is_json ? EXIT_DONE : read_file(given, *out);
}

static char *taken;

int plan_take(void)
{
    return common.plan ? plan_read(common.plan, &taken) : EXIT_DONE;
}

const char *plan_text(void)
{
    return taken;
}
