/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/library.h"
#include "base/process.h"
#include "base/status.h"
#include "base/text.h"

static rung_result add_text(struct rung__sha256 *sha, const char *text)
{
    return rung__sha256_update(sha, text, strlen(text) + 1);
}

/** A file or folder: whether it is there, and when it changed last. */
static rung_result add_place(struct rung__sha256 *sha, const char *path)
{
    char line[96];
    struct stat info;
    struct rung__file_stamp stamp = {0};
    if (stat(path, &info) == 0)
        stamp = rung__status_stamp(&info);
    (void)rung__text_format(line, sizeof line, "%llu %llu %lld", (unsigned long long)stamp.device,
                            (unsigned long long)stamp.inode, (long long)stamp.changed_ns);
    rung_result result = add_text(sha, path);
    return result == RUNG_OK ? add_text(sha, line) : result;
}

static rung_result add_list(struct rung__sha256 *sha, const char *list)
{
    const char *item;
    size_t length;
    rung_result result = RUNG_OK;
    while (result == RUNG_OK && rung__text_next_path(&list, &item, &length)) {
        char *path = rung__text_new("%.*s", (int)length, item);
        result = path ? add_place(sha, path) : rung__fail(RUNG_NO_MEMORY, "no memory for a path");
        free(path);
    }
    return result;
}

/** Of glibc the cache, which is written anew when a library is installed; of others the folders. */
static rung_result add_places(struct rung__sha256 *sha, const char *folder)
{
    static const char *const places[] = {"/etc/ld.so.cache", "/lib", "/usr/lib", "/lib64",
                                         "/usr/lib64"};
    char boot[RUNG__BOOT_BYTES], *list = NULL;
    rung__process_boot(boot);
    rung_result result = add_text(sha, boot);
    if (result == RUNG_OK)
        result = rung__environment_get("LD_LIBRARY_PATH", &list);
    if (result == RUNG_OK && list)
        result = add_list(sha, list);
    for (size_t i = 0; i < sizeof places / sizeof *places && result == RUNG_OK; i++)
        result = add_place(sha, places[i]);
    if (result == RUNG_OK && folder)
        result = add_place(sha, folder);
    free(list);
    return result;
}

rung_result rung__library_places(const char *folder, char to[RUNG__LIBRARY_PLACES])
{
    uint8_t digest[RUNG__SHA256_BYTES];
    struct rung__sha256 sha;
    to[0] = '\0';
    rung_result result = rung__sha256_init(&sha);
    if (result != RUNG_OK)
        return result;
    result = add_places(&sha, folder);
    if (result == RUNG_OK)
        result = rung__sha256_result(&sha, digest);
    if (result == RUNG_OK)
        rung__text_hex(to, digest, sizeof digest);
    rung__sha256_finish(&sha);
    return result;
}
