/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_COCO_H
#define RUNG_CLI_COCO_H

#include <jansson.h>
#include <stdbool.h>

#include <rung/rung.h>

#include "output.h"
#include "sources.h"

/**
 * Detections in COCO's format for results, as pycocotools' loadRes reads it: an array of objects
 * with image_id, category_id, bbox (x, y, width, height) and score, and the file's name beside.
 *
 * image_id is the number that a file's name is, where all files are named by different numbers
 * (000000397133.jpg), else the place among the sources from 1 on. category_id is COCO's own, 1..90
 * with gaps, where the labels are COCO's 80 in their order, else the class from 1 on.
 */
struct coco {
    struct output output;
    const struct sources *sources;
    bool numbered;  /**< files are named by numbers */
    bool is_coco80; /**< labels are COCO's */
    bool any;       /**< something was written */
};

/* What fails gives false with a sentence, and errno. */

/** Begins the file; when it fails, coco_abandon is not needed. */
bool coco_begin(struct coco *coco, const char *path, const struct sources *sources,
                const rung_model *model, char *why, size_t why_size);

/** Adds the targets of a line, of the source at `index`. */
bool coco_add(struct coco *coco, size_t index, const json_t *line, char *why, size_t why_size);

/** Puts the file in place, or ends it without a trace when that fails. */
bool coco_commit(struct coco *coco, char *why, size_t why_size);
void coco_abandon(struct coco *coco);

#endif
