/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_EXECUTION_H
#define RUNG__LADDER_EXECUTION_H

#include <rung/result.h>

#include "ladder/rungs.h"

/*
 * The options of a rung with their values filled in. In the table `{threads}` stands for the
 * threads of one run, `{engines}` for the folder that keeps what was compiled for one model in one
 * precision, and `{cached}` for 1 where there is that folder. An option that asks for a folder
 * which is not there is left out: the model is then compiled and nothing is kept. So are those that
 * ask the session to write a compiled model where it is there already: that one is loaded.
 */

#define RUNG__EXECUTION_OPTIONS 16u

/** An execution that owns its texts. All zero holds nothing. */
struct rung__rung_execution {
    struct rung__execution execution; /**< what it points at is below */
    char *compiled;
    struct rung__option options[RUNG__EXECUTION_OPTIONS + 1], session[RUNG__EXECUTION_OPTIONS + 1];
};

/**
 * Fills in the options of a rung; `engines` NULL: there is no folder. It must stay where it is, as
 * it points at itself. Results: OK, NO_MEMORY. End with rung__rung_execution_finish, also after a
 * failure.
 */
rung_result rung__rung_execution_make(const struct rung__rung *rung, uint32_t threads,
                                      const char *engines, struct rung__rung_execution *out);
void rung__rung_execution_finish(struct rung__rung_execution *execution);

#endif
