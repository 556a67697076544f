/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_FILTER_H
#define RUNG_CLI_FILTER_H

#include <jansson.h>
#include <stdbool.h>

#include <rung/rung.h>

#define FILTER_CLASSES 256

/** What a user wants of the targets that a detector's own thresholds left. */
struct filter {
    bool by_class, per_class;
    bool classes[FILTER_CLASSES]; /**< those that stay, when `by_class` */
    uint32_t confidence;          /**< the least one that stays, 65535 = 1.0 */
    uint32_t iou;                 /**< 65535 = 1.0; 0: nothing more is suppressed */
    uint32_t most;                /**< targets; 0: all */
};

/**
 * Takes targets out of a checked packet, in place; what is left is a packet again. Suppression goes
 * by the rule of selection (docs/heads.md), over the targets in their order.
 */
void filter_packet(const struct filter *filter, rung_packet_header *packet);

/**
 * Reads a list of labels and class numbers, separated by commas. False with a sentence that names
 * what the model does not have.
 */
bool filter_read_classes(struct filter *filter, const char *list, const rung_model *model,
                         uint32_t class_count, char *why, size_t why_size);

#endif
