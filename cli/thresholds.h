/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_THRESHOLDS_H
#define RUNG_CLI_THRESHOLDS_H

#include <math.h>

#include "filter.h"

/**
 * What a user wants of a detector beyond its own thresholds. Stricter is a filter on what it finds;
 * looser is not what it was calibrated with, and has to be asked for.
 */
struct thresholds {
    const char *classes;    /**< labels and numbers; NULL: all */
    double confidence, iou; /**< NAN: the model's own */
    uint32_t most;          /**< targets; 0: the model's own */
    bool override;          /**< looser is asked for */
};

#define THRESHOLDS_NONE                                                                            \
    {                                                                                              \
        .confidence = NAN, .iou = NAN                                                              \
    }

/* The rows of their options. */
#define ROW_CLASSES(WANTED)                                                                        \
    {                                                                                              \
        .name = "classes", .argument = "LIST",                                                     \
        .text = "only these classes: labels or numbers, separated by commas", .kind = OPTION_TEXT, \
        .target = &(WANTED)->classes                                                               \
    }
#define ROW_CONFIDENCE(WANTED)                                                                     \
    {                                                                                              \
        .name = "conf", .argument = "C",                                                           \
        .text = "only targets of at least this score, 0..1; not below the model's own",            \
        .kind = OPTION_FRACTION, .target = &(WANTED)->confidence                                   \
    }

/** Sorts them into what filters and what overrides. An exit status, after a message. */
int thresholds_read(const struct thresholds *wanted, const rung_model *model,
                    const rung_model_info *info, struct filter *filter,
                    rung_context_options *context);

/** Adds the members `filter` and `override` to what all results have in common. */
void thresholds_report(const struct thresholds *wanted, const struct filter *filter,
                       const rung_context_options *context, json_t *settings, bool *complete);

#endif
