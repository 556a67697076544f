/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_FILE_H
#define RUNG__BASE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <rung/result.h>

#include "base/bytes.h"

/** What tells one state of a file from another without reading it. */
struct rung__file_stamp {
    uint64_t device, inode, size;
    int64_t modified_ns, changed_ns;
};

/*
 * Every `handle` below is a descriptor (a HANDLE on Windows) and never 0, so that all zero is
 * closed and may be closed again.
 */

/** A regular file open for reading. */
struct rung__file {
    intptr_t handle;
    struct rung__file_stamp stamp; /**< when it was opened */
    bool shared; /**< somebody but the user and root may write the file or its folder */
};

/**
 * Opens for reading. It never waits (a FIFO), never follows into a device, and refuses everything
 * but a regular file. Results: OK, IO (with the path, what it is, and why not). End with
 * rung__file_close.
 */
rung_result rung__file_open(const char *path, struct rung__file *out);
void rung__file_close(struct rung__file *file);

/**
 * Reads up to `size` bytes at `offset`; `*got` is less only at the end of the file. Results: OK,
 * IO.
 */
rung_result rung__file_read_some(const struct rung__file *file, uint64_t offset, void *to,
                                 size_t size, size_t *got);

/** Reads exactly `size` bytes at `offset`. Results: OK, IO (also when the file ends before). */
rung_result rung__file_read(const struct rung__file *file, uint64_t offset, void *to, size_t size);

/**
 * Maps the whole file read-only. Not for empty files. Results: OK, IO, NO_MEMORY.
 * End with rung__file_unmap, which takes what was mapped.
 */
rung_result rung__file_map(const struct rung__file *file, struct rung__bytes *out);
void rung__file_unmap(struct rung__bytes *mapped);

/** True while the open file has the stamp that it had when it was opened. */
bool rung__file_is_unchanged(const struct rung__file *file);

/** Takes a file's name away; false when that is not possible. */
bool rung__file_remove(const char *path);

/** Reads a whole regular file of at most `limit` bytes, also one of /proc or /sys, which do not
 * tell their size. Results: OK, IO (also when larger), NO_MEMORY. */
rung_result rung__file_load(const char *path, size_t limit, struct rung__buffer *out);

/**
 * Reads the first `size` bytes of a regular file, fewer when it has fewer, into the caller's
 * memory. Like rung__file_open it never waits and touches no device, but it allocates nothing, so
 * it suits the many small files of /proc and /sys. Results: OK, NOT_FOUND, IO.
 */
rung_result rung__file_peek(const char *path, void *to, size_t size, size_t *got);

/** An anonymous file in memory that is filled once and then sealed against every change. */
struct rung__memory_file {
    intptr_t handle;
    uint64_t size;
};

/** Makes one of `size` zero bytes, which take no memory until written. Results: OK, IO, NO_MEMORY.
 */
rung_result rung__memory_file_create(uint64_t size, struct rung__memory_file *out);
/** Results: OK, INVALID_ARGUMENT (outside the file), IO. */
rung_result rung__memory_file_write(struct rung__memory_file *file, uint64_t offset,
                                    const void *data, size_t size);
/** Seals and maps it read-only; unmap with rung__file_unmap. Results: OK, IO, NO_MEMORY. */
rung_result rung__memory_file_seal(struct rung__memory_file *file, struct rung__bytes *out);
void rung__memory_file_close(struct rung__memory_file *file);

/** A file that appears under its name whole or not at all. */
struct rung__file_writer {
    intptr_t handle, folder;
    char *path, *temporary; /**< `temporary` is set while there is such a file */
};

/**
 * Begins a file: a temporary one beside `path` with access `mode` (0600 for secrets). Then write,
 * and commit (sync, rename, sync the folder) or abort. A link of that name is replaced, not
 * followed. With `replace` false commit gives
 * ALREADY_EXISTS when the name is taken. Each failure has been aborted already, and leaves the name
 * as it was; a folder that cannot be synced after the file was replaced is the one exception.
 * Results: OK, IO, NO_MEMORY.
 */
rung_result rung__file_writer_begin(struct rung__file_writer *writer, const char *path,
                                    uint32_t mode);
rung_result rung__file_writer_write(struct rung__file_writer *writer, const void *data,
                                    size_t size);
rung_result rung__file_writer_commit(struct rung__file_writer *writer, bool replace);
/** Commits, replacing, what a power cut may take: nothing is synced. */
rung_result rung__file_writer_leave(struct rung__file_writer *writer);
void rung__file_writer_abort(struct rung__file_writer *writer);

/** The three in one. */
rung_result rung__file_save(const char *path, struct rung__bytes bytes, uint32_t mode,
                            bool replace);

/** A lock between processes, and between the threads of one: held while its file is. */
struct rung__file_lock {
    intptr_t handle;
};

/**
 * Takes the lock of `path` (made when missing, 0600), waiting until `deadline` (monotonic ns; 0:
 * not at all). Results: OK, BUSY (not at all), TIMEOUT, IO. A process that dies lets go of it.
 */
rung_result rung__file_lock_take(struct rung__file_lock *lock, const char *path, uint64_t deadline);
void rung__file_lock_release(struct rung__file_lock *lock);

/** Makes a folder and those above it, each 0700; one that exists is left as it is. OK, IO,
 * NO_MEMORY. */
rung_result rung__folder_make(const char *path);

/** The names in a folder but "." and "..", sorted by bytes. */
struct rung__folder {
    char **names;
    size_t count, capacity;
};

/** Results: OK, NOT_FOUND, IO, NO_MEMORY, CAPACITY (more than `limit` names). */
rung_result rung__folder_list(const char *path, size_t limit, struct rung__folder *out);
void rung__folder_finish(struct rung__folder *folder);

void rung__folder_sort(struct rung__folder *folder);

/** Says whether a folder is the user's alone: nobody else may write in it or put another one in its
 * place. Results: OK, PERMISSION, IO, NO_MEMORY. */
rung_result rung__folder_check_private(const char *path);

/** Removes a folder of the user's own, or a file, with all that is in it; links are removed, not
 * followed. What is missing is as good as removed. Results: OK, IO, NO_MEMORY. */
rung_result rung__folder_remove(const char *path);

/** Gives a folder another name in the folder that it is in, for good (synced). Results: OK, IO,
 * NO_MEMORY. */
rung_result rung__folder_rename(const char *from, const char *to);

/** Writes what is in memory of a file, or of a folder's names, to the disk. Results: OK, IO. */
rung_result rung__path_sync(const char *path);

/** Sets the time of a file to now; where that is not possible it stays as it was. */
void rung__file_touch(const char *path);

/* What making and listing are made of: the first two are of base/<platform>/. */
rung_result rung__folder_make_one(const char *path);
rung_result rung__folder_read(const char *path, size_t limit, struct rung__folder *out);
rung_result rung__folder_add(struct rung__folder *folder, const char *name);

enum rung__path_kind { RUNG__PATH_MISSING, RUNG__PATH_FILE, RUNG__PATH_FOLDER, RUNG__PATH_OTHER };

/** What a path leads to, links followed; OTHER also when it may not be looked at. */
enum rung__path_kind rung__path_kind(const char *path);

/** Copies the last name of what a symbolic link says, such as "nvidia" of "../drivers/nvidia";
 * false when it is no link, or the name does not fit. */
bool rung__path_link_name(const char *path, char *to, size_t size);

/** "folder/name", newly allocated, NULL without memory; just `name` when it is absolute. */
char *rung__path_join(const char *folder, const char *name);

/** The part of `path` behind its last separator: "" for "a/", the whole when it has none. */
const char *rung__path_name(const char *path);

/** The folder that a path lies in, newly allocated ("." when it has none), NULL without memory. */
char *rung__path_folder(const char *path);

#endif
