/* SPDX-License-Identifier: Apache-2.0 */
/* Model files by name. */
#include <stdlib.h>
#include <string.h>

#include <rung/model.h>

#include "artifact/header.h"
#include "base/error.h"
#include "base/file.h"
#include "base/library.h"
#include "base/text.h"
#include "session/instance.h"

/** Looking in one folder after the other. */
struct search {
    const char *name;
    char *found;
    char *looked_in; /**< for the sentence when nothing is found */
    bool no_memory;
};

/** Takes `folder`, which may be NULL: no memory. */
static void look_in(struct search *search, char *folder)
{
    char *path = folder ? rung__text_new("%s/%s.rung", folder, search->name) : NULL;
    if (path && rung__path_kind(path) != RUNG__PATH_MISSING)
        search->found = path;
    else {
        char *list = path ? rung__text_new("%s%s%s", search->looked_in ? search->looked_in : "",
                                           search->looked_in ? ", " : "", folder)
                          : NULL;
        search->no_memory = !list;
        free(search->looked_in);
        search->looked_in = list;
        free(path);
    }
    free(folder);
}

static void look_in_list(struct search *search, const char *list)
{
    const char *item;
    size_t length;
    while (!search->found && !search->no_memory && rung__text_next_path(&list, &item, &length))
        look_in(search, rung__text_new("%.*s", (int)length, item));
}

static void look_in_users(struct search *search, const struct rung__environment *environment)
{
    if (environment->xdg_data_home)
        look_in(search, rung__text_new("%s/rung/models", environment->xdg_data_home));
    else if (environment->home)
        look_in(search, rung__text_new("%s/.local/share/rung/models", environment->home));
}

/** `rung/models` beside the installed library; in a build tree its own `models`. */
static void look_in_installed(struct search *search)
{
    static const char anchor;
    char *own = rung__library_path_of(&anchor);
    char *folder = own ? rung__path_folder(own) : NULL;
    if (folder)
        look_in(search, rung__path_join(folder, "rung/models"));
    char *build = folder ? rung__path_folder(folder) : NULL;
    if (build && !search->found && !search->no_memory)
        look_in(search, rung__path_join(build, "models"));
    free(build);
    free(folder);
    free(own);
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

    struct search search = {.name = name};
    if (instance->environment.model_path)
        look_in_list(&search, instance->environment.model_path);
    if (!search.found && !search.no_memory)
        look_in_users(&search, &instance->environment);
    if (!search.found && !search.no_memory)
        look_in_installed(&search);

    rung_result result;
    if (search.no_memory)
        result = rung__fail(RUNG_NO_MEMORY, "no memory to look for the model %s", name);
    else if (!search.found)
        result = rung__fail(
            RUNG_NOT_FOUND,
            "there is no model \"%s\": no %s.rung in %s. Give its path, or its folder in "
            "RUNG_MODEL_PATH",
            name, name, search.looked_in);
    else
        result = rung__text_give(search.found, path, needed);
    free(search.found);
    free(search.looked_in);
    return result;
}
