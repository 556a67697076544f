/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_ENGINE_FILES_H
#define RUNG__LADDER_ENGINE_FILES_H

#include "ladder/engine_record.h"

/*
 * The files of an engine lie in the folder "files" of its own, record.json beside it, and there is
 * nothing else. Whatever lies there is hostile until its digest was found right.
 */

#define RUNG__ENGINE_FILES  "files"
#define RUNG__ENGINE_RECORD "record.json"

/**
 * Notes in the record what a provider left in `root`/`name`/files, and writes it to the disk.
 * Results: OK, INTEGRITY (nothing, too much, or what is no file), IO, NO_MEMORY.
 */
rung_result rung__engine_files_note(const char *root, const char *name,
                                    struct rung__engine_record *record);

/** Reads the record of the engine `root`/`name`, which must be of that name and, unless `key` is
 * NULL, of that key. Results: OK, NOT_FOUND (no such engine), INTEGRITY, IO, NO_MEMORY. End with
 * rung__engine_record_finish, also after a failure. */
rung_result rung__engine_read(const char *root, const char *name,
                              const struct rung__engine_key *key, struct rung__engine_record *out);

/**
 * Compares every file of an engine with its record. Unless `copy` is NULL, what is read is also
 * written below that folder, so that the copy is what was compared. Results: OK, INTEGRITY (a file
 * is other, missing, or one too many), IO, NO_MEMORY.
 */
rung_result rung__engine_files_check(const char *root, const struct rung__engine_record *record,
                                     const char *copy);

#endif
