/* SPDX-License-Identifier: Apache-2.0 */
#include "session/plugins.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

#define FOLDER_LIMIT 4096

#define PREFIX "libonnxruntime_providers_"
#define ENDING "_plugin.so" /* of those that may lie beside a build */

/* Named like the providers of a build, which are of no use to another one. */
static const struct rung__runtime named_like_plugins = {.name = "plugin",
                                                        .files = {{PREFIX, ".so"}}};

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/** A library that lies beside a plugin's name belongs to that build, unless its name says not. */
static bool lies_beside_a_build(const char *path)
{
    struct rung__folder folder;
    char *name = rung__path_folder(path);
    bool found = false;
    if (name && rung__folder_list(name, FOLDER_LIMIT, &folder) == RUNG_OK) {
        for (size_t i = 0; i < folder.count; i++)
            found = found || strncmp(folder.names[i], "libonnxruntime.so", 17) == 0;
        rung__folder_finish(&folder);
    }
    free(name);
    return found;
}

static bool is_plugin(const char *path)
{
    const char *name = rung__path_name(path);
    if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0 || strcmp(name, PREFIX "shared.so") == 0)
        return false;
    return ends_with(name, ENDING) || !lies_beside_a_build(path);
}

rung_result rung__plugins_search(const struct rung__runtime_places *places,
                                 struct rung__runtime_candidates *out)
{
    size_t kept = 0;
    rung_result result = rung__runtime_search(&named_like_plugins, places, out);
    for (size_t i = 0; result == RUNG_OK && i < out->count; i++) {
        if (is_plugin(out->items[i].path))
            out->items[kept++] = out->items[i];
        else
            free(out->items[i].path);
    }
    out->count = kept;
    return result;
}
