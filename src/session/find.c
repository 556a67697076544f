/* SPDX-License-Identifier: Apache-2.0 */
/* Model files by name. */
#include <stdlib.h>

#include <rung/model.h>

#include "artifact/header.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "session/folders.h"
#include "session/instance.h"

static rung_result no_memory(const char *name)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to look for the model %s", name);
}

/** Sets `*found` to the first file of that name, newly allocated; NULL when there is none. */
static rung_result look_in(const struct rung__model_folders *folders, const char *name,
                           char **found)
{
    *found = NULL;
    for (size_t i = 0; i < folders->count; i++) {
        char *path = rung__text_new("%s/%s" RUNG__MODEL_SUFFIX, folders->paths[i], name);
        if (!path)
            return no_memory(name);
        if (rung__path_kind(path) != RUNG__PATH_MISSING) {
            *found = path;
            return RUNG_OK;
        }
        free(path);
    }
    return RUNG_OK;
}

static rung_result tell_missing(const struct rung__model_folders *folders, const char *name)
{
    char *list = rung__text_new("%s", folders->count ? folders->paths[0] : "any folder");
    for (size_t i = 1; list && i < folders->count; i++) {
        char *longer = rung__text_new("%s, %s", list, folders->paths[i]);
        free(list);
        list = longer;
    }
    if (!list)
        return no_memory(name);
    rung_result result =
        rung__fail(RUNG_NOT_FOUND,
                   "there is no model \"%s\": no %s" RUNG__MODEL_SUFFIX " in %s. Give its path, "
                   "or its folder in RUNG_MODEL_PATH; `rung models` lists what there is",
                   name, name, list);
    free(list);
    return result;
}

rung_result rung_model_find(const rung_instance *instance, const char *name, rung_span path,
                            size_t *needed)
{
    if (!instance || !name || (!path.data && path.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_model_find: an argument is NULL");
    if (!rung__name_is_valid(name))
        return rung__fail(
            RUNG_INVALID_ARGUMENT,
            "\"%.100s\" is no model name: at most %u of a-z 0-9 . _ -, the first a letter "
            "or digit",
            name, RUNG__NAME_BYTES);

    struct rung__model_folders folders;
    char *found = NULL;
    rung_result result = rung__model_folders_search(&folders, &instance->environment);
    if (result == RUNG_OK)
        result = look_in(&folders, name, &found);
    if (result == RUNG_OK)
        result = found ? rung__text_give(found, path, needed) : tell_missing(&folders, name);
    free(found);
    rung__model_folders_finish(&folders);
    return result;
}
