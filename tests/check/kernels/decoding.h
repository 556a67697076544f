/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODING_H
#define DECODING_H

#include "artifact/heads.h"
#include "kernel/decode.h"
#include "kernel_check.h"

/* A random output of a model and what decoding it needs, for the checks of the heads. */

/** What most of the scores are like. */
enum scores {
    SCORES_SPREAD,     /**< evenly over all that a score can be */
    SCORES_RARE,       /**< nearly all of them low */
    SCORES_TIED,       /**< of a few values */
    SCORES_BORDERLINE, /**< next to the one from which a confidence is the least that counts */
    SCORES_KINDS
};

struct decoding {
    uint32_t head;
    struct rung__canvas canvas;
    struct rung__mapping mapping;
    struct rung__selection selection;
    struct rung__tensors tensors;
    struct guarded outputs[RUNG__OUTPUTS_MAX];
    uint8_t values[RUNG__PARAMETERS_MAX][RUNG__PARAMETER_COUNT_MAX * sizeof(uint32_t)];
    enum scores scores;
    bool logits;     /**< what the scores are */
    float border;    /**< of SCORES_BORDERLINE */
    uint32_t rarity; /**< one value in so many is special: inf, NaN, 2^32, −0 …; 0: none */
};

/** Canvas, mapping, selection, and what the scores are like; then come parameters and outputs. */
void decoding_start(struct decoding *decoding, struct sweep *sweep, uint32_t head, bool logits,
                    uint32_t canvas_width, uint32_t canvas_height);
void decoding_free(struct decoding *decoding);

/** For times: a picture as large as the canvas, that threshold alone, no value is special. */
void decoding_calm(struct decoding *decoding, uint16_t least);

/** A number of rows or columns, 1..high, of which small ones are as likely as large ones. */
uint32_t decoding_size(struct sweep *sweep, uint32_t high);
bool decoding_coin(struct sweep *sweep);

void decoding_parameter(struct decoding *decoding, uint32_t key, const uint32_t *values,
                        uint32_t count);
void decoding_flag(struct decoding *decoding, uint32_t key, bool on);

/** An output of shape [1, dims…]: its values, in front of a guard page. */
float *decoding_output(struct decoding *decoding, uint32_t purpose, uint32_t rank,
                       const uint32_t *dims);

/** `count` scores, or numbers from low to high; one in `rarity` is special. `step` apart. */
void decoding_scores(const struct decoding *decoding, struct sweep *sweep, float *values,
                     size_t count, size_t step);
void decoding_numbers(const struct decoding *decoding, struct sweep *sweep, float *values,
                      size_t count, size_t step, double low, double high);

/** Decodes at the check's level and with the oracle; everything written must be the same. */
void decoding_compare(struct kernel_check *check, const struct decoding *decoding, uint32_t rows);

/**
 * As a session decodes: without what Selection does not consider. What it selects of that must be
 * what it selects of all that the oracle gives.
 */
void decoding_compare_considered(struct kernel_check *check, const struct decoding *decoding,
                                 uint32_t rows);

/** Times it at both with the largest capacity, without what is not considered if that is set. */
void decoding_time(const struct kernel_check *check, struct decoding *decoding, const char *what);

#endif
