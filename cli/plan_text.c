/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "plan.h"

static char text[PLAN_BYTES];

/** JSON begins with a brace, and no file that anybody has does. */
static bool is_json(const char *value)
{
    return value[strspn(value, " \t\r\n")] == '{';
}

static int refuse(const char *option, const char *path, const char *why)
{
    fprintf(stderr, "rung: --%s %s: %s\n", option, path, why);
    return EXIT_IO;
}

static int read_file(const char *option, const char *path, char to[PLAN_BYTES])
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return refuse(option, path, strerror(errno));
    const size_t size = fread(to, 1, PLAN_BYTES, file);
    const bool failed = ferror(file);
    fclose(file);
    if (failed)
        return refuse(option, path, "it cannot be read");
    if (size == PLAN_BYTES)
        return refuse(option, path, "it is longer than any plan; rung help plan shows one");
    if (memchr(to, '\0', size))
        return refuse(option, path, "it is no JSON: there is a zero in it");
    to[size] = '\0';
    return EXIT_DONE;
}

int plan_read_other(const char *option, const char *value, char to[PLAN_BYTES])
{
    if (!is_json(value))
        return read_file(option, value, to);
    if (strlen(value) < PLAN_BYTES) {
        memcpy(to, value, strlen(value) + 1);
        return EXIT_DONE;
    }
    fprintf(stderr, "rung: --%s is longer than any plan; rung help plan shows one\n", option);
    return EXIT_USAGE;
}

int plan_read(void)
{
    return common.plan ? plan_read_other("plan", common.plan, text) : EXIT_DONE;
}

const char *plan_text(void)
{
    return common.plan ? text : NULL;
}
