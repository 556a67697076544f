/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_MATCH_H
#define RUNG_CLI_MATCH_H

#include "near.h"

/*
 * From which cosine on two embeddings are of the same thing. The same thing is a picture and its
 * middle; different things are two pictures.
 */

/** More pictures than this are not paired with each other. */
#define MATCH_PICTURES 2000u

/** Rows of each picture, in this order: MATCH_ROWS of them in a set. */
enum match_row { MATCH_RIGHT, MATCH_FORM, MATCH_RIGHT_MIDDLE, MATCH_FORM_MIDDLE, MATCH_ROWS };

/** The embeddings of pictures; zeroed there are none. */
struct match_set {
    struct near_set rows;
    size_t *pictures; /**< the place among the sources, for each MATCH_ROWS of rows */
    size_t count, capacity;
};

/** Begins a picture, whose rows near_add then adds. False without memory. */
bool match_begin(struct match_set *set, size_t picture);
bool match_append(struct match_set *set, const struct match_set *others);
void match_finish(struct match_set *set);

/** The threshold that tells most same from most different ones (Youden's), and the interval that
 * holds 95 % of those of 200 samples drawn from the pictures. */
struct match_fit {
    double threshold, from, to;
};

/** Of f32 and of the form, whose interval is not looked for. False without memory. */
bool match_fit(struct match_set *set, struct match_fit *right, struct match_fit *form);

#endif
