/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/bundle.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* Folders do not count in the digest, but they keep the walker busy. */
#define FOLDERS_MAX RUNG__BUNDLE_FILES_MAX

/* The one buffer that a bundle is read through. */
#define BUFFER_BYTES 262144u

#define FILE_MODE 0400u

/* ---- locator ----------------------------------------------------------------------------- */

static bool is_name_byte(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '.' || byte == '-';
}

static bool is_name(struct rung__bytes segment)
{
    const bool dots = segment.size <= 2 && memcmp(segment.data, "..", segment.size) == 0;
    for (size_t i = 0; i < segment.size; i++)
        if (!is_name_byte(segment.data[i]))
            return false;
    return !dots; /* nor is an empty one */
}

static bool is_locator(struct rung__bytes locator)
{
    size_t begin = 0;
    for (size_t i = 0; i <= locator.size; i++) {
        if (i < locator.size && locator.data[i] != '/')
            continue;
        if (!is_name((struct rung__bytes){locator.data + begin, i - begin}))
            return false;
        begin = i + 1;
    }
    return true;
}

rung_result rung__locator_check(struct rung__bytes locator)
{
    if (locator.size > RUNG__LOCATOR_BYTES_MAX)
        return rung__fail(RUNG_INTEGRITY, "the locator of the bundle has %zu bytes, more than %u",
                          locator.size, RUNG__LOCATOR_BYTES_MAX);
    if (!is_locator(locator))
        return rung__fail(RUNG_INTEGRITY,
                          "the locator of the bundle, \"%.*s\", is no relative path of names of "
                          "A-Z, a-z, 0-9, '_', '.' and '-' without \".\" and \"..\"",
                          (int)locator.size, (const char *)locator.data);
    return RUNG_OK;
}

/* ---- walk -------------------------------------------------------------------------------- */

struct walk {
    struct rung__bundle *bundle;
    struct rung__folder folders; /**< found so far; each is listed in its turn */
};

static rung_result refuse_amount(const struct rung__bundle *bundle, const char *amount)
{
    return rung__fail(RUNG_INTEGRITY, "the bundle %s has more than %s", bundle->root.path, amount);
}

static rung_result note_file(struct rung__bundle *bundle, const char *path, uint64_t size)
{
    if (strlen(path) > RUNG__BUNDLE_PATH_MAX)
        return rung__fail(RUNG_INTEGRITY,
                          "the bundle %s has a file whose path has %zu bytes, more "
                          "than %u",
                          bundle->root.path, strlen(path), RUNG__BUNDLE_PATH_MAX);
    if (bundle->files.count == RUNG__BUNDLE_FILES_MAX)
        return refuse_amount(bundle, "4096 files");
    if (size > RUNG__BUNDLE_BYTES_MAX - bundle->bytes)
        return refuse_amount(bundle, "4 GiB");
    bundle->bytes += size;
    return rung__folder_add(&bundle->files, path);
}

static rung_result note_folder(struct walk *walk, const char *path)
{
    if (strlen(path) > RUNG__BUNDLE_PATH_MAX)
        return rung__fail(RUNG_INTEGRITY,
                          "the bundle %s has a folder whose path has more than %u "
                          "bytes",
                          walk->bundle->root.path, RUNG__BUNDLE_PATH_MAX);
    if (walk->folders.count == FOLDERS_MAX)
        return refuse_amount(walk->bundle, "4096 folders");
    return rung__folder_add(&walk->folders, path);
}

/* `above` is the path of the folder in the bundle, "" for the bundle itself. */
static rung_result visit_name(struct walk *walk, const struct rung__tree *folder, const char *above,
                              const char *name)
{
    struct rung__tree_entry entry;
    rung_result result = rung__tree_look(folder, name, &entry);
    if (result != RUNG_OK)
        return result;
    char *path = rung__text_new("%s%s%s", above, *above ? "/" : "", name);
    if (!path)
        return rung__fail(RUNG_NO_MEMORY, "no memory to walk a bundle");
    result = entry.folder ? note_folder(walk, path) : note_file(walk->bundle, path, entry.size);
    free(path);
    return result;
}

static rung_result visit_folder(struct walk *walk, const char *path)
{
    struct rung__tree folder;
    struct rung__folder names = {0};
    rung_result result = rung__tree_enter(&walk->bundle->root, path, &folder);
    if (result == RUNG_OK)
        result = rung__tree_list(&folder, RUNG__BUNDLE_FILES_MAX + FOLDERS_MAX, &names);
    if (result == RUNG_CAPACITY)
        result = refuse_amount(walk->bundle, "4096 files");
    for (size_t i = 0; i < names.count && result == RUNG_OK; i++)
        result = visit_name(walk, &folder, path, names.names[i]);
    rung__folder_finish(&names);
    rung__tree_close(&folder);
    return result;
}

static rung_result walk_bundle(struct rung__bundle *bundle)
{
    struct walk walk = {bundle, {0}};
    rung_result result = visit_folder(&walk, "");
    for (size_t i = 0; i < walk.folders.count && result == RUNG_OK; i++)
        result = visit_folder(&walk, walk.folders.names[i]);
    rung__folder_finish(&walk.folders);
    if (result == RUNG_OK && bundle->files.count == 0)
        result = rung__fail(RUNG_INTEGRITY, "the bundle %s holds no file", bundle->root.path);
    rung__folder_sort(&bundle->files);
    return result;
}

rung_result rung__bundle_open(const char *folder, struct rung__bytes locator,
                              struct rung__bundle *out)
{
    struct rung__tree beside = {0};
    *out = (struct rung__bundle){0};
    char *path = rung__text_new("%.*s", (int)locator.size, (const char *)locator.data);
    if (!path)
        return rung__fail(RUNG_NO_MEMORY, "no memory to open a bundle");
    rung_result result = rung__tree_open(folder, &beside);
    if (result == RUNG_OK)
        result = rung__tree_enter(&beside, path, &out->root);
    if (result == RUNG_OK)
        result = walk_bundle(out);
    rung__tree_close(&beside);
    free(path);
    if (result != RUNG_OK)
        rung__bundle_finish(out);
    return result;
}

void rung__bundle_finish(struct rung__bundle *bundle)
{
    rung__folder_finish(&bundle->files);
    rung__tree_close(&bundle->root);
    *bundle = (struct rung__bundle){0};
}

/* ---- digest and copy --------------------------------------------------------------------- */

/* Reading a bundle from its first file to its last. */
struct pass {
    const struct rung__bundle *bundle;
    const char *copy; /**< the folder that a copy is written to, or NULL */
    struct rung__sha256 sha;
    uint8_t *buffer;
    uint64_t bytes; /**< of the files so far */
};

static rung_result hash_head(struct pass *pass, const char *path, uint64_t size)
{
    uint8_t field[8];
    const size_t length = strlen(path);
    rung__put_u32(field, (uint32_t)length);
    rung_result result = rung__sha256_update(&pass->sha, field, 4);
    if (result == RUNG_OK)
        result = rung__sha256_update(&pass->sha, path, length);
    rung__put_u64(field, size);
    if (result == RUNG_OK)
        result = rung__sha256_update(&pass->sha, field, 8);
    return result;
}

/* The writer is NULL when no copy is made. */
static rung_result pass_content(struct pass *pass, const struct rung__file *file,
                                struct rung__file_writer *writer)
{
    rung_result result = RUNG_OK;
    const uint64_t size = file->stamp.size;
    for (uint64_t at = 0; at < size && result == RUNG_OK; at += BUFFER_BYTES) {
        const size_t part = size - at < BUFFER_BYTES ? (size_t)(size - at) : BUFFER_BYTES;
        result = rung__file_read(file, at, pass->buffer, part);
        if (result == RUNG_OK)
            result = rung__sha256_update(&pass->sha, pass->buffer, part);
        if (result == RUNG_OK && writer)
            result = rung__file_writer_write(writer, pass->buffer, part);
    }
    return result;
}

static rung_result begin_copy(const struct pass *pass, const char *path,
                              struct rung__file_writer *writer)
{
    char *to = rung__path_join(pass->copy, path);
    char *folder = to ? rung__path_folder(to) : NULL;
    rung_result result = folder ? rung__folder_make(folder)
                                : rung__fail(RUNG_NO_MEMORY, "no memory to copy a bundle");
    if (result == RUNG_OK)
        result = rung__file_writer_begin(writer, to, FILE_MODE);
    free(folder);
    free(to);
    return result;
}

static rung_result copy_content(struct pass *pass, const struct rung__file *file, const char *path)
{
    struct rung__file_writer writer;
    rung_result result = begin_copy(pass, path, &writer);
    if (result != RUNG_OK)
        return result;
    result = pass_content(pass, file, &writer);
    if (result == RUNG_OK)
        return rung__file_writer_commit(&writer, false);
    rung__file_writer_abort(&writer);
    return result;
}

static rung_result pass_file(struct pass *pass, const char *path)
{
    struct rung__file file;
    const struct rung__bundle *bundle = pass->bundle;
    rung_result result = rung__tree_open_file(&bundle->root, path, &file);
    if (result != RUNG_OK)
        return result;
    const uint64_t size = file.stamp.size;
    if (size > RUNG__BUNDLE_BYTES_MAX - pass->bytes)
        result = refuse_amount(bundle, "4 GiB");
    pass->bytes += size;
    if (result == RUNG_OK)
        result = hash_head(pass, path, size);
    if (result == RUNG_OK)
        result = pass->copy ? copy_content(pass, &file, path) : pass_content(pass, &file, NULL);
    if ((result == RUNG_OK || result == RUNG_IO) && !rung__file_is_unchanged(&file))
        result = rung__fail(RUNG_INTEGRITY, "%s/%s was changed while it was read",
                            bundle->root.path, path);
    rung__file_close(&file);
    return result;
}

rung_result rung__bundle_hash(const struct rung__bundle *bundle, const char *copy,
                              uint8_t digest[RUNG__SHA256_BYTES])
{
    struct pass pass = {.bundle = bundle, .copy = copy, .buffer = malloc(BUFFER_BYTES)};
    if (!pass.buffer)
        return rung__fail(RUNG_NO_MEMORY, "no memory to read a bundle");
    rung_result result = rung__sha256_init(&pass.sha);
    for (size_t i = 0; i < bundle->files.count && result == RUNG_OK; i++)
        result = pass_file(&pass, bundle->files.names[i]);
    if (result == RUNG_OK)
        result = rung__sha256_result(&pass.sha, digest);
    rung__sha256_finish(&pass.sha);
    free(pass.buffer);
    return result;
}

rung_result rung__bundle_refuse(const struct rung__bundle *bundle)
{
    return rung__fail(RUNG_INTEGRITY,
                      "the bundle %s is not the one that the model file names: in it something was "
                      "changed, added, removed or renamed; fetch it again",
                      bundle->root.path);
}

rung_result rung__bundle_check(const struct rung__bundle *bundle,
                               const uint8_t digest[RUNG__SHA256_BYTES])
{
    uint8_t found[RUNG__SHA256_BYTES];
    rung_result result = rung__bundle_hash(bundle, NULL, found);
    if (result != RUNG_OK)
        return result;
    return memcmp(found, digest, sizeof found) == 0 ? RUNG_OK : rung__bundle_refuse(bundle);
}
