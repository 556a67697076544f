/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_BACKGROUND_H
#define RUNG__SESSION_BACKGROUND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/thread.h"

/*
 * What is done unasked: after its first answer a process that found no verdict, or no engine of a
 * rung that compiles, starts one process of the lowest priority, which does the whole probe, stores
 * the verdict, builds the model's engine, and ends alone. Where no process can be made a thread of
 * this one probes, with the rungs of the runtime that is loaded, and nothing is built.
 */

/** The helper's subcommand, handed over by rung__hand_over: it has answered as soon as it goes on
 * alone. */
#define RUNG__BACKGROUND "background"

/** What an instance has to do with it. All zero is nothing. */
struct rung__background {
    struct rung__thread thread; /**< hands the probe over in milliseconds, or makes it */
    bool started;
    atomic_bool working; /**< the thread has not come to its end */
    atomic_bool ending;  /**< the instance is about to end */
    char *model;         /**< its path */
};

struct rung_instance;
struct rung_model;

/**
 * To be called behind each answer. The first one of a model of which nothing is proven, or whose
 * engine is not built, starts a thread, which starts the helper; whatever stands in the way is a
 * line in the log.
 */
void rung__background_after_answer(struct rung_model *model);

/** Waits until the probe is handed over, or made on the thread: then what is tried just now is the
 * last that is tried. */
void rung__background_finish(struct rung__background *background);

#endif
