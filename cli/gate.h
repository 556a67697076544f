/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_GATE_H
#define RUNG_CLI_GATE_H

#include "labels.h"
#include "mask.h"
#include "match.h"
#include "roles.h"
#include "samples.h"

/*
 * What a form of a model is worth on a rung: it and the model in f32 look at the same pictures, and
 * what they answer is compared (docs/gate.md). `right` is the model in f32 on the floor.
 */

/** Sizes of targets: the root of the area, in pixels of the picture. */
#define GATE_BANDS 4
struct gate_band {
    double from; /**< up to where the next one begins */
    const char *name;
};
extern const struct gate_band gate_bands[GATE_BANDS];

/** Targets of one band that f32 finds. */
struct gate_count {
    uint64_t all, found, exact; /**< found by the form: with an IoU of 0.5, of 0.95 */
};

/** How many of the pictures that are furthest from f32 are named. */
#define GATE_WORST 8
struct gate_worst {
    size_t picture; /**< its place among the sources */
    double apart;   /**< targets that one of both alone finds; 1 less the cosine; the part of the
                       pixels that differ */
};

/** What was counted on some pictures; zeroed it is nothing. */
struct gate_tally {
    uint64_t pictures;
    struct samples off; /**< of each picture the largest relative L2 distance of an output */
    bool not_finite;    /**< an output had a number that is none */
    bool not_alike;     /**< the outputs are others, and were not compared */

    struct gate_worst worst[GATE_WORST]; /**< the worst first; of equal ones the earlier */
    size_t worst_count;

    struct gate_count bands[GATE_BANDS];
    uint64_t form_targets, extra; /**< that the form finds; of them, that f32 does not */
    struct samples changes;       /**< of the confidence of what both find */
    struct samples lost;          /**< the confidence of what f32 alone finds */
    struct samples moved;         /**< how far key points moved, in pixels */

    struct boxes right_boxes, form_boxes; /**< on pictures that have labels */

    struct samples cosines;
    struct match_set matches;

    uint64_t pixels, same;
    uint64_t both[MASK_CLASSES], either[MASK_CLASSES]; /**< pixels of a class in both, in one */
};

/** Two sessions that have just answered to one picture. */
struct gate_answers {
    const struct role_session *right, *form;
    rung_role role;
    size_t picture; /**< its place among the sources */
    bool labelled;
};

/** Adds them. False without memory. */
bool gate_compare(struct gate_tally *tally, const struct gate_answers *answers);

/** The same of an embedder's answers to the middle of the picture, right behind. */
bool gate_add_middle(struct gate_tally *tally, const struct gate_answers *answers);

/** Keeps a picture among the worst, where it differs and is one of them. */
void gate_keep_if_worst(struct gate_tally *tally, struct gate_worst picture);

/** Adds the second to the first. False without memory. */
bool gate_tally_add(struct gate_tally *tally, const struct gate_tally *other);
void gate_tally_finish(struct gate_tally *tally);

/** The two models of a gate. */
struct gate_models {
    struct role_model right, form;
    json_t *cpu; /**< this processor: model and features, as rung explain tells it */
};

/** What came of it, as a gate record has it; NULL without memory. Sorts what the tally has. */
json_t *gate_report(const struct gate_models *models, struct gate_tally *tally,
                    const struct labels *labels, const struct sources *sources);

/** The same for people. */
void gate_print(const json_t *report);

#endif
