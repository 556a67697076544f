/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/library.h"
#include "base/text.h"

/** Folders with more names than this are no folders of libraries. */
#define FOLDER_LIMIT 4096

#define ROWS(array) (sizeof(array) / sizeof *(array))

/** Takes `path`, which may be NULL: no memory. */
static rung_result add(struct rung__runtime_candidates *list, char *path, const char *origin)
{
    struct rung__runtime_candidate *items = NULL;
    if (path)
        items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (!items) {
        free(path);
        return rung__fail(RUNG_NO_MEMORY, "no memory for the list of runtimes");
    }
    list->items = items;
    items[list->count++] = (struct rung__runtime_candidate){path, origin};
    return RUNG_OK;
}

static bool is_library_of(const struct rung__runtime *runtime, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < ROWS(runtime->files) && runtime->files[i].prefix; i++) {
        const size_t head = strlen(runtime->files[i].prefix);
        const size_t tail = strlen(runtime->files[i].suffix);
        if (length >= head + tail && strncmp(name, runtime->files[i].prefix, head) == 0 &&
            strcmp(name + length - tail, runtime->files[i].suffix) == 0)
            return true;
    }
    return false;
}

/** A file that was named outright may have any name, but not that of another runtime; where the
 * runtime is strict it has one of its names. */
static bool may_be_library_of(const struct rung__runtime *runtime, const char *name)
{
    if (runtime->strict)
        return is_library_of(runtime, name);
    for (size_t i = 0; i < RUNG__RUNTIMES; i++)
        if (&rung__runtimes[i] != runtime && is_library_of(&rung__runtimes[i], name))
            return false;
    return true;
}

/** Libraries in a folder and, at depth 1, in its folders. */
static rung_result add_folder(struct rung__runtime_candidates *list, const char *path, int depth,
                              const char *origin)
{
    struct rung__folder folder;
    rung_result result = RUNG_OK;
    /* A folder that cannot be read holds nothing for us. */
    if (rung__folder_list(path, FOLDER_LIMIT, &folder) != RUNG_OK)
        return RUNG_OK;
    for (size_t i = 0; i < folder.count && result == RUNG_OK; i++) {
        char *full = rung__path_join(path, folder.names[i]);
        if (!full)
            result = rung__fail(RUNG_NO_MEMORY, "no memory for the list of runtimes");
        else if (is_library_of(list->runtime, folder.names[i]) &&
                 rung__path_kind(full) == RUNG__PATH_FILE) {
            result = add(list, full, origin);
            full = NULL;
        } else if (depth > 0 && rung__path_kind(full) == RUNG__PATH_FOLDER)
            result = add_folder(list, full, depth - 1, origin);
        free(full);
    }
    rung__folder_finish(&folder);
    return result;
}

static rung_result add_list(struct rung__runtime_candidates *list, const char *parts,
                            const char *origin)
{
    const char *item;
    size_t length;
    rung_result result = RUNG_OK;
    while (result == RUNG_OK && rung__text_next_path(&parts, &item, &length)) {
        char *path = rung__text_new("%.*s", (int)length, item);
        if (path && rung__path_kind(path) == RUNG__PATH_FOLDER) {
            result = add_folder(list, path, 1, origin);
            free(path);
        } else if (path && !may_be_library_of(list->runtime, rung__path_name(path)))
            free(path);
        else
            result = add(list, path, origin);
    }
    return result;
}

/** A folder given relative to the one that this library lies in. */
static rung_result add_beside(struct rung__runtime_candidates *list, const char *own_folder,
                              const char *relative)
{
    char *path = rung__path_join(own_folder, relative);
    if (!path)
        return rung__fail(RUNG_NO_MEMORY, "no memory for the list of runtimes");
    rung_result result = add_folder(list, path, 1, "installed");
    free(path);
    return result;
}

/** `rung/runtimes` beside the installed library; in a build tree the `runtimes` of its source. */
static rung_result add_installed(struct rung__runtime_candidates *list, const char *library)
{
    rung_result result = RUNG_OK;
    char *own = library ? rung__text_new("%s", library) : rung__library_path_of(rung__runtimes);
    char *folder = own ? rung__path_folder(own) : NULL;
    char *build = folder ? rung__path_join(folder, "../build.ninja") : NULL;
    if (folder)
        result = add_beside(list, folder, "rung/runtimes");
    if (result == RUNG_OK && build && rung__path_kind(build) == RUNG__PATH_FILE)
        result = add_beside(list, folder, "../../runtimes");
    free(build);
    free(folder);
    free(own);
    return result;
}

rung_result rung__runtime_search(const struct rung__runtime *runtime,
                                 const struct rung__runtime_places *places,
                                 struct rung__runtime_candidates *out)
{
    *out = (struct rung__runtime_candidates){.runtime = runtime};
    rung_result result = RUNG_OK;
    if (places->only && runtime->by_name) {
        result = add(out, rung__text_new("%s", places->only), "RUNG_RUNTIME");
        goto fail;
    }
    if (places->option)
        result = add_list(out, places->option, "option");
    if (result == RUNG_OK && places->environment)
        result = add_list(out, places->environment, "RUNG_RUNTIME_PATH");
    if (result == RUNG_OK)
        result = add_installed(out, places->library);
    for (const char *const *name = runtime->system_names; *name && result == RUNG_OK; name++)
        result = add(out, rung__text_new("%s", *name), "system");
fail:
    if (result != RUNG_OK)
        rung__runtime_candidates_finish(out);
    return result;
}

void rung__runtime_candidates_finish(struct rung__runtime_candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++)
        free(candidates->items[i].path);
    free(candidates->items);
    *candidates = (struct rung__runtime_candidates){0};
}
