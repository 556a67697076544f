/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_VALIDATE_H
#define RUNG__SESSION_VALIDATE_H

#include <rung/plan.h>

#include "session/contest.h"

/** What is validated, and how. */
struct rung__validate_task {
    const struct rung__catalog *catalog;
    const rung_frame *frames;  /**< those of the caller, each as large as ours is */
    uint32_t frame_count;      /**< 0: pictures are made */
    uint64_t limit_ns;         /**< for each implementation */
    bool unproven;             /**< only what has no evidence of the library's own */
    const atomic_bool *ending; /**< once it is true nothing more is tried; NULL: never */
    uint64_t (*weigh)(enum rung__side side, uint64_t ns); /**< of a contest */
    rung_validation_callback callback;                    /**< NULL: nobody wants to know */
    void *user;
};

/** rung_model_validate. */
rung_result rung__validate(rung_model *model, const struct rung__validate_task *task);

/** Makes a picture, always the same for its size: slopes, edges and noise, RGB8. The pixels are to
 * be freed; NULL without memory. */
rung_frame rung__validate_picture(uint32_t width, uint32_t height);

/** The helper's subcommand (session/handover.h), and the member of its answer that says in words
 * what was found. */
#define RUNG__VALIDATE            "validate"
#define RUNG__VALIDATE_TOLD       "told"
#define RUNG__VALIDATE_TOLD_BYTES 512u

/**
 * Opens a model as everybody does, and earns records for what the library has no evidence of, for
 * at most five seconds or so an implementation. Results: those of rung_model_open and of
 * rung_model_validate.
 */
rung_result rung__validate_here(rung_instance *instance, const char *path,
                                const atomic_bool *ending, char told[RUNG__VALIDATE_TOLD_BYTES]);

/** The same behind a probe, in a process of its own where one can be made. Whatever becomes of it
 * is a line in the log. */
void rung__validate_unasked(rung_instance *instance, const char *path);

#endif
