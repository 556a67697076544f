/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_PIPELINE_H
#define RUNG_CLI_PIPELINE_H

#include "job.h"

/*
 * The threads of a job. Decoders fill slots in the order of the sources, sessions work on them in
 * that order, and the main thread takes them out in that order; a slot is then filled again. So
 * there are never more pictures in memory than slots.
 */
struct pipeline;

/** How many threads of each kind, and how many pictures at a time. */
struct pipeline_size {
    uint32_t decoders, sessions, slots;
};

/**
 * Starts the first decoder on the sources that are not done. They must outlive the pipeline. NULL
 * after a message.
 */
struct pipeline *pipeline_start(const struct sources *sources, struct pipeline_size size,
                                uint64_t pixels_max);

/**
 * Starts the other decoders, and a thread for each session. False after a message. `sessions` has
 * as many as the size says, and must outlive the pipeline.
 */
bool pipeline_start_sessions(struct pipeline *pipeline, const struct job_work *work, void *user,
                             void *const *sessions);

/** What there is to take out. */
enum pipeline_state {
    PIPELINE_ITEM, /**< `*item` is done; pipeline_release gives its slot back */
    PIPELINE_WAIT, /**< nothing is done yet */
    PIPELINE_END   /**< nothing is left */
};

/** Waits up to `ms` for the next item. */
enum pipeline_state pipeline_next(struct pipeline *pipeline, int ms, struct job_item **item);
void pipeline_release(struct pipeline *pipeline, struct job_item *item);

/** No further source is begun; what was begun comes out. */
void pipeline_stop(struct pipeline *pipeline);

/** Why nothing can be decoded, and so nothing comes out; NULL: it can. */
const char *pipeline_failed(struct pipeline *pipeline);

/** Stops, waits for the threads, and frees everything. NULL is allowed. */
void pipeline_end(struct pipeline *pipeline);

#endif
