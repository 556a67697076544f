/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_STAND_IN_H
#define RUNG__SESSION_STAND_IN_H

#include "session/model.h"
#include "session/recall.h"

/*
 * Another form of a model (session/forms.h) comes in its place while it is opened: the model's
 * artifact is the form's from then on, and whatever is told of the model is told of that. An open
 * model never changes its form, so a job that runs on it keeps one identity.
 */

/**
 * Loads the form that a probe proved to be the fastest, on the rung where it passed its gate and
 * was measured; false: there is none, or it does not load, which is logged, and the model is as it
 * was. `recall` is of the model.
 */
bool rung__stand_in_proven(struct rung_model *model, const struct rung__recall *recall,
                           struct rung__serving *serving);

/**
 * For a rung that does not take the model as it is: puts the first form in its place that passed
 * its gate on that rung, and loads it there. Results: OK (with `serving->reason` as `who`), those
 * of rung__serving_load, UNSUPPORTED (no form is for it, with a sentence on each that is there):
 * then the model is as it was.
 */
rung_result rung__stand_in_on(struct rung_model *model, const struct rung__rung *rung,
                              enum rung__compiling compiling, const char *who,
                              struct rung__serving *serving);

#endif
