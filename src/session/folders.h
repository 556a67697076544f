/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_FOLDERS_H
#define RUNG__SESSION_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

#include <rung/result.h>

#include "base/environment.h"

/** The ending of model files. */
#define RUNG__MODEL_SUFFIX ".rung"

/** True for a file's name that ends so, and has something before it. */
bool rung__is_model_name(const char *name);

/** Folders of model files in the order in which they are looked in. */
struct rung__model_folders {
    char **paths;
    size_t count;
};

/**
 * Those of RUNG_MODEL_PATH, the user's, and the installed ones, there or not; none twice. Results:
 * OK, NO_MEMORY. End with rung__model_folders_finish, also after a failure.
 */
rung_result rung__model_folders_search(struct rung__model_folders *folders,
                                       const struct rung__environment *environment);

/** Adds `path` unless it is there already. Results: OK, NO_MEMORY. */
rung_result rung__model_folders_add(struct rung__model_folders *folders, const char *path);

void rung__model_folders_finish(struct rung__model_folders *folders);

#endif
