/* SPDX-License-Identifier: Apache-2.0 */
#include "labels.h"

#include <stdlib.h>

#define RECALLS      101
#define PICTURE_BEST 100 /* of a picture and class; what comes behind does not count */
#define ALMOST_ONE   (1 - 1e-10)

/** By class, the best first; of equal ones those of earlier pictures, further left, further up. */
static int compare(const void *left, const void *right)
{
    const struct box *a = left, *b = right;
    if (a->class_id != b->class_id)
        return a->class_id < b->class_id ? -1 : 1;
    if (a->confidence != b->confidence)
        return a->confidence > b->confidence ? -1 : 1;
    if (a->picture != b->picture)
        return a->picture < b->picture ? -1 : 1;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return a->y < b->y ? -1 : a->y > b->y;
}

static double overlap(double a, double a_length, double b, double b_length)
{
    const double from = a > b ? a : b;
    const double to = a + a_length < b + b_length ? a + a_length : b + b_length;
    return to > from ? to - from : 0;
}

/** With a crowd the part of the found box that lies in it. */
static double iou_of(const struct box *found, const struct box *label)
{
    const double both = overlap(found->x, found->width, label->x, label->width) *
                        overlap(found->y, found->height, label->y, label->height);
    const double own = found->width * found->height;
    const double all = label->crowd ? own : own + label->width * label->height - both;
    return all > 0 ? both / all : 0;
}

/** The first label of a picture and class, or of what comes behind. */
static size_t first_of(const struct boxes *labels, size_t picture, uint16_t class_id)
{
    size_t low = 0, high = labels->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct box *label = &labels->items[middle];
        if (label->picture < picture || (label->picture == picture && label->class_id < class_id))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** The scoring of one class. */
struct scoring {
    const struct labels *labels;
    bool *taken;    /**< labels that were found */
    uint32_t *seen; /**< for each picture, how many boxes of the class came */
    double iou;
    uint64_t right, wrong;
    double recalls[RECALLS]; /**< the precision from that recall on */
};

/** The label that a box finds, or one past the last. A crowd is found by any number of them. */
static size_t find_label(const struct scoring *scoring, const struct box *found)
{
    const struct boxes *labels = &scoring->labels->boxes;
    size_t best = labels->count;
    double least = scoring->iou < ALMOST_ONE ? scoring->iou : ALMOST_ONE;
    for (size_t i = first_of(labels, found->picture, found->class_id); i < labels->count; i++) {
        const struct box *label = &labels->items[i];
        if (label->picture != found->picture || label->class_id != found->class_id)
            break;
        if (label->crowd && best < labels->count && !labels->items[best].crowd)
            break;
        const double iou = iou_of(found, label);
        if ((scoring->taken[i] && !label->crowd) || iou < least)
            continue;
        least = iou;
        best = i;
    }
    return best;
}

static void score(struct scoring *scoring, const struct box *found, uint64_t labelled)
{
    const struct boxes *labels = &scoring->labels->boxes;
    if (!scoring->labels->pictures[found->picture] ||
        scoring->seen[found->picture]++ >= PICTURE_BEST)
        return;
    const size_t label = find_label(scoring, found);
    if (label == labels->count) {
        scoring->wrong++;
        return;
    }
    scoring->taken[label] = true;
    if (labels->items[label].crowd)
        return;
    scoring->right++;
    const double precision = (double)scoring->right / (double)(scoring->right + scoring->wrong);
    /* Recalls that are reached from now on; the best precision behind each is what counts. */
    for (size_t i = 0; i < RECALLS; i++)
        if ((double)i / (RECALLS - 1) <= (double)scoring->right / (double)labelled &&
            precision > scoring->recalls[i])
            scoring->recalls[i] = precision;
}

static uint64_t count_labels(const struct boxes *labels, uint16_t class_id)
{
    uint64_t count = 0;
    for (size_t i = 0; i < labels->count; i++)
        count += labels->items[i].class_id == class_id && !labels->items[i].crowd;
    return count;
}

/** Adds the average precision of a class whose boxes are `count` from `found` on. */
static void score_class(struct scoring *scoring, const struct box *found, size_t count,
                        uint64_t labelled, double *sum)
{
    scoring->right = scoring->wrong = 0;
    for (size_t i = 0; i < RECALLS; i++)
        scoring->recalls[i] = 0;
    for (size_t i = 0; i < count; i++)
        scoring->seen[found[i].picture] = 0;
    for (size_t i = 0; i < count; i++)
        score(scoring, &found[i], labelled);
    for (size_t i = 0; i < RECALLS; i++)
        *sum += scoring->recalls[i] / RECALLS;
}

static double score_all(struct scoring *scoring, const struct boxes *found)
{
    double sum = 0;
    unsigned classes = 0;
    size_t at = 0;
    for (uint32_t class_id = 0; class_id < LABELS_CLASSES; class_id++) {
        const size_t begin = at;
        while (at < found->count && found->items[at].class_id == class_id)
            at++;
        const uint64_t labelled = count_labels(&scoring->labels->boxes, (uint16_t)class_id);
        if (!labelled)
            continue;
        score_class(scoring, found->items + begin, at - begin, labelled, &sum);
        classes++;
    }
    return classes ? sum / classes : 0;
}

/** One past the last place of a source that has a box or a label. */
static size_t picture_count(const struct boxes *boxes, size_t count)
{
    for (size_t i = 0; i < boxes->count; i++)
        if (boxes->items[i].picture >= count)
            count = boxes->items[i].picture + 1;
    return count;
}

bool labels_average_precision(const struct labels *labels, struct boxes *found, double iou,
                              double *out)
{
    struct scoring scoring = {.labels = labels, .iou = iou};
    if (found->count)
        qsort(found->items, found->count, sizeof *found->items, compare);
    scoring.taken = calloc(labels->boxes.count + 1, sizeof *scoring.taken);
    scoring.seen = calloc(picture_count(found, 1), sizeof *scoring.seen);
    const bool complete = scoring.taken && scoring.seen;
    if (complete)
        *out = score_all(&scoring, found);
    free(scoring.taken);
    free(scoring.seen);
    return complete;
}
