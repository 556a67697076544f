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

struct rung__background_task;

/** What an instance has to do with it. All zero is nothing. */
struct rung__background {
    struct rung__thread thread; /**< hands probes over in milliseconds each, or makes them */
    bool started;
    atomic_uint bell;                              /**< 1: there is something new */
    _Atomic(struct rung__background_task *) asked; /**< to be done next, then the thread's */
    atomic_bool ending;                            /**< the instance is about to end */
    const char *model; /**< the path of the one that it is done for just now */
};

struct rung_instance;
struct rung_model;

/**
 * To be called when a context is made. For a model of which nothing is proven, or whose engine is
 * not built, it makes all that the first answer needs to have that done: the thread, which sleeps.
 * Whatever stands in the way is a line in the log.
 */
void rung__background_prepare(struct rung_model *model);

/**
 * To be called behind each answer. The first one of a model that was prepared wakes the thread,
 * which starts the helper. Nothing is allocated, and no lock is taken.
 */
void rung__background_after_answer(struct rung_model *model);

/** The model is about to go. */
void rung__background_forget(struct rung_model *model);

/** Waits until what was asked for is handed over, or made on the thread: then what is tried just
 * now is the last that is tried. */
void rung__background_finish(struct rung__background *background);

#endif
