/* SPDX-License-Identifier: Apache-2.0 */
#include "session/library_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

#define NAME_BYTES 64

/* A set is a folder with a few dozen files; one with more is not the library's own. */
#define SET_LIMIT 128

/** A set that is being added up. */
struct sum {
    uint64_t bytes;
    uint32_t files;
    json_t *licences;
    bool *failed;
};

/** By a word of its name. */
static bool is_licence(const char *name)
{
    static const char *const words[] = {"license", "licence", "copying", "notice"};
    char lower[NAME_BYTES];
    (void)rung__text_format(lower, sizeof lower, "%s", name);
    for (char *c = lower; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + ('a' - 'A') : *c);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(lower, words[i]))
            return true;
    return false;
}

static void add_size(struct sum *sum, const char *path)
{
    struct rung__file file;
    if (rung__path_kind(path) != RUNG__PATH_FILE || rung__file_open(path, &file) != RUNG_OK)
        return;
    sum->bytes += file.stamp.size;
    sum->files++;
    rung__file_close(&file);
}

static void add_folder(struct sum *sum, const char *path, const struct rung__folder *folder)
{
    for (size_t i = 0; i < folder->count; i++) {
        const char *name = folder->names[i];
        char *full = rung__path_join(path, name);
        if (!full) {
            *sum->failed = true;
            return;
        }
        add_size(sum, full);
        if (is_licence(name))
            rung__json_append(sum->licences, json_string(name), sum->failed);
        free(full);
    }
}

json_t *rung__library_set_json(const char *file, bool *failed)
{
    struct rung__folder folder;
    struct sum sum = {.licences = json_array(), .failed = failed};
    char *path = rung__path_folder(file);
    if (!path || !sum.licences)
        *failed = true;
    else if (rung__folder_list(path, SET_LIMIT, &folder) == RUNG_OK) {
        add_folder(&sum, path, &folder);
        rung__folder_finish(&folder);
    } else
        add_size(&sum, file);
    json_t *json =
        json_pack("{s:s,s:I,s:i,s:o}", "folder", path ? path : "", "bytes", (json_int_t)sum.bytes,
                  "files", (int)sum.files, "licences", sum.licences);
    free(path);
    return json;
}
