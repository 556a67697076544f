/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources-probe [-0] OPERAND…: lists what the command line would look at; for each picture its path
 * and the place of its output, each ended by NUL. What goes wrong is a line on standard error.
 */
#include <stdio.h>
#include <string.h>

#include "sources.h"

int main(int count, char **arguments)
{
    const int first = count > 1 && strcmp(arguments[1], "-0") == 0 ? 2 : 1;
    struct sources sources = {0};
    char why[512];
    const bool listed =
        sources_list(&sources, count - first, arguments + first, first == 2, why, sizeof why);
    if (!listed)
        fprintf(stderr, "%s\n", why);
    for (size_t i = 0; listed && i < sources.count; i++)
        printf("%s%c%s%c", sources.items[i].path, 0, sources.items[i].inside, 0);
    sources_finish(&sources);
    return !listed;
}
