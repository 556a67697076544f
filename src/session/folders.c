/* SPDX-License-Identifier: Apache-2.0 */
/* Where model files are looked for. */
#include "session/folders.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/library.h"
#include "base/text.h"

bool rung__is_model_name(const char *name)
{
    static const char suffix[] = RUNG__MODEL_SUFFIX;
    const size_t length = strlen(name), end = sizeof suffix - 1;
    return length > end && strcmp(name + length - end, suffix) == 0;
}

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for the folders of models");
}

/** Takes `path`, which may be NULL: no memory. */
static rung_result add(struct rung__model_folders *folders, char *path)
{
    if (!path)
        return no_memory();
    for (size_t i = 0; i < folders->count; i++) {
        if (strcmp(folders->paths[i], path) == 0) {
            free(path);
            return RUNG_OK;
        }
    }
    char **paths = realloc(folders->paths, (folders->count + 1) * sizeof *paths);
    if (!paths) {
        free(path);
        return no_memory();
    }
    folders->paths = paths;
    paths[folders->count++] = path;
    return RUNG_OK;
}

rung_result rung__model_folders_add(struct rung__model_folders *folders, const char *path)
{
    return add(folders, rung__text_new("%s", path));
}

static rung_result add_list(struct rung__model_folders *folders, const char *list)
{
    const char *item;
    size_t length;
    rung_result result = RUNG_OK;
    while (result == RUNG_OK && rung__text_next_path(&list, &item, &length))
        result = add(folders, rung__text_new("%.*s", (int)length, item));
    return result;
}

static rung_result add_users(struct rung__model_folders *folders,
                             const struct rung__environment *environment)
{
    if (environment->xdg_data_home)
        return add(folders, rung__text_new("%s/rung/models", environment->xdg_data_home));
    if (environment->home)
        return add(folders, rung__text_new("%s/.local/share/rung/models", environment->home));
    return RUNG_OK;
}

/** `rung/models` beside the installed library; in a build tree its own `models`. */
static rung_result add_installed(struct rung__model_folders *folders)
{
    static const char anchor;
    char *own = rung__library_path_of(&anchor);
    char *beside = own ? rung__path_folder(own) : NULL;
    char *above = beside ? rung__path_folder(beside) : NULL;
    rung_result result = own && !above ? no_memory() : RUNG_OK;
    if (above)
        result = add(folders, rung__path_join(beside, "rung/models"));
    if (above && result == RUNG_OK)
        result = add(folders, rung__path_join(above, "models"));
    free(above);
    free(beside);
    free(own);
    return result;
}

rung_result rung__model_folders_search(struct rung__model_folders *folders,
                                       const struct rung__environment *environment)
{
    *folders = (struct rung__model_folders){0};
    rung_result result = RUNG_OK;
    if (environment->model_path)
        result = add_list(folders, environment->model_path);
    if (result == RUNG_OK)
        result = add_users(folders, environment);
    return result == RUNG_OK ? add_installed(folders) : result;
}

void rung__model_folders_finish(struct rung__model_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        free(folders->paths[i]);
    free(folders->paths);
    *folders = (struct rung__model_folders){0};
}
