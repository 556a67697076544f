/* SPDX-License-Identifier: Apache-2.0 */
#include "session/library_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
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

/** The line of a file in the sum of parts; of what is no library there is none. */
static rung_result add_part(struct rung__sha256 *sha, const char *folder, const char *name,
                            bool *any)
{
    char line[32];
    struct rung__file file;
    if (!strstr(name, ".so"))
        return RUNG_OK;
    char *path = rung__path_join(folder, name);
    if (!path)
        return rung__fail(RUNG_NO_MEMORY, "no memory to look at libraries");
    const bool open =
        rung__path_kind(path) == RUNG__PATH_FILE && rung__file_open(path, &file) == RUNG_OK;
    free(path);
    if (!open)
        return RUNG_OK;
    (void)rung__text_format(line, sizeof line, "%llu", (unsigned long long)file.stamp.size);
    rung__file_close(&file);
    *any = true;
    rung_result result = rung__sha256_update(sha, name, strlen(name) + 1);
    return result == RUNG_OK ? rung__sha256_update(sha, line, strlen(line) + 1) : result;
}

/** `except` is the name of the library itself. */
static rung_result sum_parts(const char *path, const struct rung__folder *folder,
                             const char *except, bool *any, uint8_t digest[RUNG__SHA256_BYTES])
{
    struct rung__sha256 sha = {0};
    rung_result result = rung__sha256_init(&sha);
    if (result != RUNG_OK)
        return result;
    for (size_t i = 0; i < folder->count && result == RUNG_OK; i++)
        if (strcmp(folder->names[i], except) != 0)
            result = add_part(&sha, path, folder->names[i], any);
    if (result == RUNG_OK)
        result = rung__sha256_result(&sha, digest);
    rung__sha256_finish(&sha);
    return result;
}

rung_result rung__library_parts(const char *file, char to[2 * RUNG__SHA256_BYTES + 1])
{
    struct rung__folder folder;
    uint8_t digest[RUNG__SHA256_BYTES];
    char *path = rung__path_folder(file);
    to[0] = '\0';
    if (!path)
        return rung__fail(RUNG_NO_MEMORY, "no memory to look at libraries");
    rung_result result = rung__folder_list(path, SET_LIMIT, &folder);
    if (result == RUNG_OK) {
        bool any = false;
        result = sum_parts(path, &folder, rung__path_name(file), &any, digest);
        rung__folder_finish(&folder);
        if (result == RUNG_OK && any)
            rung__text_hex(to, digest, sizeof digest);
    } else if (result != RUNG_NO_MEMORY)
        result = RUNG_OK; /* what cannot be listed has no parts of its own */
    free(path);
    return result;
}
