/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_LABELS_H
#define RUNG_CLI_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include <rung/rung.h>

#include "sources.h"

/** A box in pixels: what there is, or what was found. */
struct box {
    size_t picture; /**< the place among the sources */
    uint16_t class_id;
    bool crowd;        /**< of what there is: many at once, which count neither way */
    double confidence; /**< of what was found */
    double x, y, width, height;
};

struct boxes {
    struct box *items;
    size_t count, capacity;
};

/** False without memory. */
bool boxes_add(struct boxes *boxes, struct box box);
bool boxes_append(struct boxes *boxes, const struct boxes *others);
void boxes_finish(struct boxes *boxes);

/** What there is on pictures, as a file in COCO's format for annotations tells it. */
struct labels {
    struct boxes boxes;   /**< in the order of pictures and classes */
    bool *pictures;       /**< for each source, whether the file labels it; NULL: no file */
    size_t picture_count; /**< of those that it does */
};

#define LABELS_CLASSES 256

/**
 * Reads a file's labels of the sources and of the model's classes: pictures are found by the name
 * of their file without its folders, classes by their label. With `optional` there may be no such
 * file, and then there are no labels. An exit status, after a message, also where the file labels
 * none of them; labels_finish is called in any case.
 */
int labels_read(struct labels *labels, const char *path, bool optional,
                const struct sources *sources, const rung_model *model);
void labels_finish(struct labels *labels);

/**
 * The mean over the classes of their average precision at an IoU, as COCO's evaluation has it: 101
 * recalls, the best 100 of each picture and class, crowds left out. Sorts `found`. False without
 * memory.
 */
bool labels_average_precision(const struct labels *labels, struct boxes *found, double iou,
                              double *out);

#endif
