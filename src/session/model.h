/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_MODEL_H
#define RUNG__SESSION_MODEL_H

#include <stdatomic.h>

#include <rung/model.h>

#include "artifact/artifact.h"
#include "ladder/rungs.h"
#include "session/instance.h"
#include "session/serving.h"

struct rung_model {
    struct rung_instance *instance;
    struct rung__artifact artifact;
    uint32_t threads;         /**< of one run, where a rung takes more than one */
    bool threads_given;       /**< by the caller */
    bool any_precision;       /**< RUNG_MODEL_ANY_PRECISION */
    bool named;               /**< its rung was named: no other one serves */
    bool stands_in;           /**< the artifact is another form of the one that was asked for */
    struct rung__mutex mutex; /**< guards what follows, to `seen` */
    struct rung__serving *serving;   /**< the newest */
    bool follows;                    /**< takes a better rung when one is proven */
    struct rung__file_stamp seen;    /**< the verdicts that it knows */
    const struct rung__rung *awaits; /**< what is proven, but its engine is not built; or NULL */
    atomic_bool wants_background;    /**< a probe, or the engine that it awaits */
    _Atomic(struct rung__background_task *) task; /**< for its first answer */
    uint64_t open_ns;                             /**< that rung_model_open took */
    _Atomic uint64_t teardown_ns; /**< of the context that was ended last, RUNG_REPORT_UNKNOWN */
    char **labels;                /**< zero-ended copies */
    char canonical[2 * RUNG__SHA256_BYTES + 1];
    uint32_t label_count;
    uint32_t capabilities[RUNG__CLASSES_MAX];
};

#define RUNG__THREADS_MAX 1024u /* of one run */

/**
 * The threads of one run: those that are wanted, or for 0 the default of the instance's machine.
 * `where` names the caller's structure in the sentence. Results: OK, INVALID_ARGUMENT.
 */
rung_result rung__threads_resolve(const struct rung_instance *instance, uint32_t wanted,
                                  const char *where, uint32_t *out);

/** UNSUPPORTED for what is no graph of ONNX: it must not reach a provider that takes it for one. */
rung_result rung__model_refuse_bundle(const struct rung__artifact *artifact);

/** What an instance asks of a model file. */
enum rung__admission rung__admission_of(const struct rung_instance *instance);

/**
 * Loads the admitted model on the rung that was named, else on the best one that can: a rung whose
 * runtime is missing or refuses the model hands it to the next one down, and `reason` says so.
 * Results: those of rung_model_open.
 */
rung_result rung__model_load(struct rung_model *model, const rung_model_options *options);

/** The same on a rung that is proven since, newly allocated; NULL: there is none, or it does not
 * serve, which is logged. The caller holds the model's mutex. */
struct rung__serving *rung__model_load_better(struct rung_model *model);

/** The next rung down from one that has lost its device; the same once more, where it was named.
 * The caller holds the model's mutex. Results: those of rung_model_open. */
rung_result rung__model_load_next(struct rung_model *model, struct rung__serving **out);

#endif
