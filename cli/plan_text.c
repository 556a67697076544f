/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "plan.h"

#define PLAN_BYTES 4096 /* five names and a flag have room in it */

static char text[PLAN_BYTES];

/** JSON begins with a brace, and no file that anybody has does. */
static bool is_json(const char *value)
{
    return value[strspn(value, " \t\r\n")] == '{';
}

static int read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "rung: --plan %s: %s\n", path, strerror(errno));
        return EXIT_IO;
    }
    const size_t size = fread(text, 1, sizeof text - 1, file);
    const bool whole = feof(file), failed = ferror(file);
    fclose(file);
    if (!failed && whole && !memchr(text, '\0', size)) {
        text[size] = '\0';
        return EXIT_DONE;
    }
    fprintf(stderr, "rung: --plan %s: %s\n", path,
            failed  ? "it cannot be read"
            : whole ? "it is no JSON: there is a zero in it"
                    : "it is longer than any plan; rung help plan shows one");
    return EXIT_IO;
}

int plan_read(void)
{
    if (!common.plan)
        return EXIT_DONE;
    if (!is_json(common.plan))
        return read_file(common.plan);
    if (strlen(common.plan) < sizeof text) {
        memcpy(text, common.plan, strlen(common.plan) + 1);
        return EXIT_DONE;
    }
    fprintf(stderr, "rung: --plan is longer than any plan; rung help plan shows one\n");
    return EXIT_USAGE;
}

const char *plan_text(void)
{
    return common.plan ? text : NULL;
}
