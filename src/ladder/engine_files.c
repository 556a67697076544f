/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/engine_files.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/bundle.h"
#include "base/error.h"
#include "base/text.h"

#define RECORD_LIMIT (4u << 20)
#define FILE_MODE    0600u

/* The one buffer that an engine is read through. */
#define BUFFER_BYTES 262144u

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to read an engine");
}

/* ---- one file ---- */

/** Reading the files of an engine, one after the other. */
struct pass {
    struct rung__bundle walked;
    const char *copy; /**< the folder that a copy is written to, or NULL */
    uint8_t *buffer;
};

static rung_result begin_copy(const struct pass *pass, const char *path,
                              struct rung__file_writer *writer)
{
    char *to = rung__path_join(pass->copy, path);
    char *folder = to ? rung__path_folder(to) : NULL;
    rung_result result = folder ? rung__folder_make(folder) : no_memory();
    if (result == RUNG_OK)
        result = rung__file_writer_begin(writer, to, FILE_MODE);
    free(folder);
    free(to);
    return result;
}

/** The writer is NULL when no copy is made; a failure of its own has ended it. */
static rung_result read_content(const struct pass *pass, const struct rung__file *file,
                                struct rung__sha256 *sha, struct rung__file_writer *writer)
{
    rung_result result = RUNG_OK;
    const uint64_t size = file->stamp.size;
    for (uint64_t at = 0; at < size && result == RUNG_OK; at += BUFFER_BYTES) {
        const size_t part = size - at < BUFFER_BYTES ? (size_t)(size - at) : BUFFER_BYTES;
        result = rung__file_read(file, at, pass->buffer, part);
        if (result == RUNG_OK)
            result = rung__sha256_update(sha, pass->buffer, part);
        if (result == RUNG_OK && writer)
            result = rung__file_writer_write(writer, pass->buffer, part);
    }
    return result;
}

static rung_result copy_content(const struct pass *pass, const struct rung__file *file,
                                const char *path, struct rung__sha256 *sha)
{
    struct rung__file_writer writer;
    rung_result result = begin_copy(pass, path, &writer);
    if (result != RUNG_OK)
        return result;
    result = read_content(pass, file, sha, &writer);
    if (result == RUNG_OK)
        return rung__file_writer_leave(&writer);
    rung__file_writer_abort(&writer);
    return result;
}

static rung_result read_file(const struct pass *pass, const char *path,
                             struct rung__engine_file *out)
{
    struct rung__file file;
    struct rung__sha256 sha;
    uint8_t digest[RUNG__SHA256_BYTES];
    rung_result result = rung__tree_open_file(&pass->walked.root, path, &file);
    if (result != RUNG_OK)
        return result;
    out->size = file.stamp.size;
    result = rung__sha256_init(&sha);
    if (result == RUNG_OK)
        result = pass->copy ? copy_content(pass, &file, path, &sha)
                            : read_content(pass, &file, &sha, NULL);
    if (result == RUNG_OK)
        result = rung__sha256_result(&sha, digest);
    if (result == RUNG_OK)
        rung__text_hex(out->sha256, digest, sizeof digest);
    rung__sha256_finish(&sha);
    rung__file_close(&file);
    return result;
}

/** End with end_pass, also after a failure. */
static rung_result begin_pass(const char *root, const char *name, const char *copy,
                              struct pass *out)
{
    *out = (struct pass){.copy = copy, .buffer = malloc(BUFFER_BYTES)};
    char *files = rung__text_new("%s/" RUNG__ENGINE_FILES, name);
    rung_result result;
    if (files && out->buffer)
        result = rung__bundle_open(
            root, (struct rung__bytes){(const uint8_t *)files, strlen(files)}, &out->walked);
    else
        result = no_memory();
    free(files);
    return result;
}

static void end_pass(struct pass *pass)
{
    rung__bundle_finish(&pass->walked);
    free(pass->buffer);
}

/* ---- what was built ---- */

/** A name that a record can hold as it is. */
static bool is_plain(const char *path)
{
    char shown[RUNG__BUNDLE_PATH_MAX + 1];
    (void)rung__text_format(shown, sizeof shown, "%s", path);
    rung__text_clean(shown);
    return strcmp(shown, path) == 0;
}

/** The file, and the folders down to it. */
static rung_result sync_file(const struct pass *pass, const char *path)
{
    char *whole = rung__path_join(pass->walked.root.path, path);
    rung_result result = whole ? rung__path_sync(whole) : no_memory();
    while (result == RUNG_OK && whole && strlen(whole) > strlen(pass->walked.root.path)) {
        char *above = rung__path_folder(whole);
        free(whole);
        whole = above;
        result = whole ? rung__path_sync(whole) : no_memory();
    }
    free(whole);
    return result;
}

static rung_result note_file(const struct pass *pass, const char *path,
                             struct rung__engine_record *record, uint32_t index)
{
    struct rung__engine_file *to = &record->files[index];
    if (!is_plain(path))
        return rung__fail(RUNG_INTEGRITY, "an engine has a file whose name is no plain text");
    to->path = rung__text_new("%s", path);
    rung_result result = to->path ? read_file(pass, path, to) : no_memory();
    record->bytes += to->size;
    return result == RUNG_OK ? sync_file(pass, path) : result;
}

static rung_result note_all(const struct pass *pass, struct rung__engine_record *record)
{
    const struct rung__folder *files = &pass->walked.files;
    if (files->count > RUNG__ENGINE_FILES_MAX)
        return rung__fail(RUNG_INTEGRITY, "the engine has %zu files, more than %u", files->count,
                          RUNG__ENGINE_FILES_MAX);
    rung_result result = rung__engine_record_size(record, (uint32_t)files->count);
    for (uint32_t i = 0; i < files->count && result == RUNG_OK; i++)
        result = note_file(pass, files->names[i], record, i);
    return result;
}

/** Providers that cannot compile a model may well run it in another way, and say nothing. */
static rung_result refuse_nothing(const char *root, const char *name)
{
    struct rung__folder names;
    char *files = rung__text_new("%s/%s/" RUNG__ENGINE_FILES, root, name);
    if (!files)
        return no_memory();
    rung_result result = rung__folder_list(files, 1, &names);
    free(files);
    if (result != RUNG_OK)
        return result == RUNG_CAPACITY ? RUNG_OK : result;
    if (names.count == 0)
        result = rung__fail(RUNG_INTEGRITY, "the provider left no engine in its folder");
    rung__folder_finish(&names);
    return result;
}

rung_result rung__engine_files_note(const char *root, const char *name,
                                    struct rung__engine_record *record)
{
    struct pass pass;
    rung_result result = refuse_nothing(root, name);
    if (result != RUNG_OK)
        return result;
    result = begin_pass(root, name, NULL, &pass);
    if (result == RUNG_OK)
        result = note_all(&pass, record);
    end_pass(&pass);
    return result;
}

/* ---- what is there ---- */

static rung_result load_record(const struct rung__tree *engine, struct rung__buffer *to)
{
    struct rung__file file;
    rung_result result = rung__tree_open_file(engine, RUNG__ENGINE_RECORD, &file);
    if (result == RUNG_NOT_FOUND)
        return rung__fail(RUNG_INTEGRITY, "%s has no record", engine->path);
    if (result != RUNG_OK)
        return result;
    if (file.stamp.size > RECORD_LIMIT)
        result =
            rung__fail(RUNG_INTEGRITY, "%s/" RUNG__ENGINE_RECORD " is too large", engine->path);
    if (result == RUNG_OK)
        result = rung__buffer_append(to, NULL, (size_t)file.stamp.size);
    if (result == RUNG_OK)
        result = rung__file_read(&file, 0, to->data, to->size);
    rung__file_close(&file);
    return result;
}

/** The name has parts of the digests; the record has them whole. */
static bool is_of(const struct rung__engine_key *found, const char *name,
                  const struct rung__engine_key *key)
{
    return strcmp(found->name, name) == 0 &&
           (!key || (strcmp(found->artifact, key->artifact) == 0 &&
                     strcmp(found->fingerprint, key->fingerprint) == 0));
}

static rung_result parse_record(const struct rung__tree *engine, const char *name,
                                const struct rung__engine_key *key, struct rung__engine_record *out)
{
    struct rung__buffer text = {0};
    rung_result result = load_record(engine, &text);
    if (result == RUNG_OK)
        result = rung__engine_record_parse(rung__buffer_bytes(&text), engine->path, out);
    rung__buffer_finish(&text);
    if (result == RUNG_OK && !is_of(&out->key, name, key))
        result = rung__fail(RUNG_INTEGRITY, "%s holds an engine for something else", engine->path);
    return result;
}

/** The record and the folder of the files, and nothing else. */
static rung_result check_names(const struct rung__tree *engine)
{
    struct rung__folder names;
    rung_result result = rung__tree_list(engine, 2, &names);
    if (result == RUNG_CAPACITY ||
        (result == RUNG_OK &&
         (names.count != 2 || strcmp(names.names[0], RUNG__ENGINE_FILES) != 0 ||
          strcmp(names.names[1], RUNG__ENGINE_RECORD) != 0)))
        result = rung__fail(RUNG_INTEGRITY, "%s holds something else than an engine", engine->path);
    rung__folder_finish(&names);
    return result;
}

rung_result rung__engine_read(const char *root, const char *name,
                              const struct rung__engine_key *key, struct rung__engine_record *out)
{
    struct rung__tree above = {0}, engine = {0};
    *out = (struct rung__engine_record){0};
    rung_result result = rung__tree_open(root, &above);
    if (result == RUNG_OK)
        result = rung__tree_enter(&above, name, &engine);
    if (result == RUNG_OK)
        result = check_names(&engine);
    if (result == RUNG_OK)
        result = parse_record(&engine, name, key, out);
    rung__tree_close(&engine);
    rung__tree_close(&above);
    return result;
}

static rung_result check_file(const struct pass *pass, const char *path,
                              const struct rung__engine_file *wanted)
{
    struct rung__engine_file found = {0};
    if (strcmp(path, wanted->path) != 0)
        return rung__fail(RUNG_INTEGRITY, "%s/%s is missing, or %s one too many",
                          pass->walked.root.path, wanted->path, path);
    rung_result result = read_file(pass, path, &found);
    if (result == RUNG_OK &&
        (found.size != wanted->size || strcmp(found.sha256, wanted->sha256) != 0))
        result = rung__fail(RUNG_INTEGRITY, "%s/%s is not as it was built", pass->walked.root.path,
                            path);
    return result;
}

rung_result rung__engine_files_check(const char *root, const struct rung__engine_record *record,
                                     const char *copy)
{
    struct pass pass;
    rung_result result = begin_pass(root, record->key.name, copy, &pass);
    if (result == RUNG_NOT_FOUND) /* the folder of the files */
        result = rung__fail(RUNG_INTEGRITY, "%s/%s has no files", root, record->key.name);
    if (result == RUNG_OK && pass.walked.files.count != record->count)
        result = rung__fail(RUNG_INTEGRITY, "%s has %zu files in place of %u",
                            pass.walked.root.path, pass.walked.files.count, record->count);
    for (uint32_t i = 0; i < pass.walked.files.count && result == RUNG_OK; i++)
        result = check_file(&pass, pass.walked.files.names[i], &record->files[i]);
    end_pass(&pass);
    return result == RUNG_NOT_FOUND ? RUNG_INTEGRITY : result; /* it went meanwhile */
}
