/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TEST_FOLDER_FIXTURE_H
#define RUNG_TEST_FOLDER_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

/* A folder of its own for each test, which goes with everything in it. */

static char test_folder[64];

static inline const char *in_test_folder(char to[256], const char *name)
{
    snprintf(to, 256, "%s/%s", test_folder, name);
    return to;
}

static int make_test_folder(void **state)
{
    (void)state;
    snprintf(test_folder, sizeof test_folder, "/tmp/rung-test-XXXXXX");
    return mkdtemp(test_folder) ? 0 : -1;
}

static inline size_t count_in_test_folder(void)
{
    struct rung__folder folder;
    if (rung__folder_list(test_folder, 1000, &folder))
        return SIZE_MAX;
    size_t count = folder.count;
    rung__folder_finish(&folder);
    return count;
}

static int remove_test_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf -- '%s'", test_folder);
    return system(command);
}

#endif
