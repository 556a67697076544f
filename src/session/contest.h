/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_CONTEST_H
#define RUNG__SESSION_CONTEST_H

#include "session/context.h"

/*
 * An implementation of a stage against base, on the same frames in turns: whether its bytes are
 * base's, and what each of them takes.
 */

enum rung__side {
    RUNG__SIDE_BASE,
    RUNG__SIDE_TESTED,
    RUNG__SIDE_RIVAL, /**< what would be taken without the tested one, where that is not base */
};

#define RUNG__SIDES 3u

enum rung__contest_end {
    RUNG__CONTEST_TIMED,     /**< the same bytes, and the times hold */
    RUNG__CONTEST_UNTIMED,   /**< nothing was proven, nor disproven */
    RUNG__CONTEST_UNSUITED,  /**< it does not take these frames */
    RUNG__CONTEST_DIFFERENT, /**< other bytes than base's */
    RUNG__CONTEST_FAILED,    /**< it failed where base did not */
};

struct rung__contest {
    rung_model *model;
    const struct rung__catalog *catalog;
    const rung_frame *frames; /**< at least one, each as large as ours is */
    uint32_t frame_count;
    enum rung__stage stage; /**< whose time counts */
    bool in_series;         /**< the time of a whole series counts, a frame */
    uint64_t limit_ns;
    const atomic_bool *ending; /**< once it is true there is no further round; NULL: never */
    struct rung__plan plans[RUNG__SIDES];
    uint32_t sides; /**< 2: base is the rival */
    /** What stands for a median; NULL: itself. Tests decide by it who is faster. */
    uint64_t (*weigh)(enum rung__side side, uint64_t ns);

    enum rung__contest_end end;
    struct rung__why why;         /**< unless it is TIMED */
    uint32_t rounds;              /**< that were timed */
    uint64_t p50_ns[RUNG__SIDES]; /**< medians of the time of a frame; 0: there is none */
    char digest[2 * RUNG__SHA256_BYTES + 1]; /**< of the outputs, the tested one's and base's */
};

/** Fills in the end and what is behind it. Results: OK (however it ended), and those of a context
 * and of a run of base. */
rung_result rung__contest_run(struct rung__contest *contest);

#endif
