/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TEST_TICKETS_H
#define RUNG_TEST_TICKETS_H

#include <stdatomic.h>
#include <stdbool.h>

#include <rung/artifact.h>
#include <rung/rung.h>

#include "../unit/artifact_fixture.h"
#include "ladder/rungs.h"

/*
 * A model whose runs wait for the test: the instance's rungs have providers that are the library's,
 * with a gate before `run`. Frames count how often they were released.
 */

#define SIDE   80u
#define FRAMES 16u
#define MS     UINT64_C(1000000)

/** What the runs of all contexts of a subject are to do. */
struct gate {
    atomic_uint arrived;   /**< runs that came to it */
    atomic_uint permits;   /**< how many may go on; OPEN: all */
    atomic_uint failing;   /**< of the next ones, how many are BACKEND */
    atomic_uint lingering; /**< of the next ones, how many take 0.1 ms longer */
    atomic_uint losing;    /**< of the next ones, how many are DEVICE_LOST */
};

#define OPEN 1000000u

struct subject {
    const char *rung; /**< NULL: the best */
    struct artifact_fixture files;
    rung_instance *instance;
    struct rung__rung *rungs;
    rung_model *model;
    uint8_t pixels[SIDE * SIDE * 3];
    rung_frame frames[FRAMES]; /**< frame_id is the index + 1 */
    atomic_uint released[FRAMES];
    rung_context *again; /**< where a release submits the last frame; NULL: nowhere */
    rung_result again_result;
    rung_ticket again_ticket;
};

extern struct gate gate;

/** Opens a model on `subject->rung` in the folder of the test. 0: it did. */
int tickets_set_up(struct subject *subject, const char *folder);
void tickets_tear_down(struct subject *subject);

/** A context with tickets. */
rung_context *tickets_context(struct subject *subject, uint32_t depth, uint32_t request_frames,
                              uint32_t flags);

/** Submits one frame. */
rung_result tickets_submit(struct subject *subject, rung_context *context, uint32_t frame,
                           rung_ticket *ticket);

/** Lets `count` runs pass; OPEN: all, from now on. */
void gate_let_pass(uint32_t count);
/** Until this many runs came to it since the last gate_close. */
void gate_wait_for(uint32_t count);
/** No run passes from now on. */
void gate_close(void);

#endif
