/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_RESUME_H
#define RUNG_CLI_RESUME_H

#include <jansson.h>
#include <stdbool.h>

#include "sources.h"

/**
 * A file of results as JSON Lines that a job goes on with. A line is there when its picture is
 * done, with or without an error.
 */
struct resume {
    const char *path;
    int file;        /**< open, locked against another job */
    long long bytes; /**< of whole lines */
    size_t *indexes; /**< of the source of each line, or JOB_NO_INDEX */
    size_t count, capacity;
};

/** Takes a result that was there. Gives an exit status. */
typedef int resume_take(void *user, size_t index, const json_t *line);

/**
 * Opens or makes the file, takes away what was cut off in the middle of a line, and marks the
 * sources that have a line as done. Gives an exit status, after a message: also where a line is no
 * result. resume_close is called in any case.
 */
int resume_open(struct resume *resume, const char *path, struct sources *sources);

/**
 * Hands out each result that is there and is no error, after comparing it with the settings of this
 * job. Stops at an exit status other than EXIT_DONE.
 */
int resume_replay(struct resume *resume, const json_t *settings, resume_take *take, void *user);

/** Appends a line, whole or not at all. An exit status, after a message. */
int resume_append(struct resume *resume, const json_t *line);

/** Brings what was written onto the disk, and closes. An exit status, after a message. */
int resume_close(struct resume *resume);

#endif
