/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_ENGINE_H
#define RUNG__STAGE_ENGINE_H

#include <rung/result.h>

/** What the stage `engine` is asked for: the model, once. */
struct rung__engine_request {
    rung_result (*run)(void *running); /**< the provider's */
    void *running;                     /**< its context */
};

#endif
