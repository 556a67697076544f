/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_VALIDATE_H
#define RUNG__SESSION_VALIDATE_H

#include <rung/plan.h>

#include "session/contest.h"

/** What is validated, and how. */
struct rung__validate_task {
    const struct rung__catalog *catalog;
    const rung_frame *frames; /**< those of the caller, each as large as ours is */
    uint32_t frame_count;     /**< 0: pictures are made */
    uint64_t limit_ns;        /**< for each implementation */
    bool unproven;            /**< only what has no evidence of the library's own */
    uint64_t (*weigh)(enum rung__side side, uint64_t ns); /**< of a contest */
    rung_validation_callback callback;                    /**< NULL: nobody wants to know */
    void *user;
};

/** rung_model_validate. */
rung_result rung__validate(rung_model *model, const struct rung__validate_task *task);

/** Makes a picture, always the same for its size: slopes, edges and noise, RGB8. The pixels are to
 * be freed; NULL without memory. */
rung_frame rung__validate_picture(uint32_t width, uint32_t height);

#endif
