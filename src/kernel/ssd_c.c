/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_scan.h"

#include "artifact/heads.h"
#include "kernel/exact.h"

/*
 * `ssd`: scores [N, C + 1], of which the first is the background's, and boxes [N, 4]: corners, or
 * offsets from priors that the parameters describe. All normalised to the canvas.
 */
enum { SCORES, BOXES };
enum { COLUMNS = 4 };

/** A prior box: centre and size. */
struct prior {
    float cx, cy, width, height;
};

/** What all rows share. */
struct reading {
    const struct rung__decode_request *request;
    float width, height;      /**< of the canvas */
    float centre_by, size_by; /**< the variances */
    uint32_t columns;         /**< of the scores */
    bool logits, has_priors;
};

static struct rung__box scaled(const struct reading *reading, struct rung__box box)
{
    box.left = box.left * reading->width;
    box.right = box.right * reading->width;
    box.top = box.top * reading->height;
    box.bottom = box.bottom * reading->height;
    return box;
}

/** A centre from its offset: in sizes of the prior, times the variance. */
static float centre(float offset, float by, float size, float from)
{
    float moved = offset * by;
    moved = moved * size;
    return moved + from;
}

static struct rung__box box_of(const struct reading *reading, const struct prior *prior,
                               const float *of)
{
    if (!prior)
        return scaled(reading, (struct rung__box){of[0], of[2], of[1], of[3]});
    const float cx = centre(of[0], reading->centre_by, prior->width, prior->cx);
    const float cy = centre(of[1], reading->centre_by, prior->height, prior->cy);
    const float width = rung__decode_side(of[2] * reading->size_by, prior->width);
    const float height = rung__decode_side(of[3] * reading->size_by, prior->height);
    return scaled(reading, rung__decode_centred(cx, cy, width, height));
}

/** A row whose scores are usable and whose confidence may pass. */
static void decode_class(const struct reading *reading, const struct prior *prior, uint32_t row,
                         uint32_t best, uint16_t confidence, struct rung__decoded *decoded)
{
    const struct rung__decode_request *request = reading->request;
    const float *values = request->outputs[BOXES].data + (size_t)row * COLUMNS;
    struct rung__candidate candidate;
    if (!rung__decode_usable(values, COLUMNS, 1))
        return;
    const struct rung__box box = box_of(reading, prior, values);
    if (rung__decode_candidate(request, &box, confidence, (uint8_t)best, &candidate))
        rung__decode_keep(request, decoded, &candidate, row);
}

static const float *scores_of(const struct reading *reading, uint32_t row)
{
    return reading->request->outputs[SCORES].data + (size_t)row * reading->columns;
}

/** `prior` NULL: the box is given by its corners. */
static void decode_row(const struct reading *reading, const struct prior *prior, uint32_t row,
                       struct rung__decoded *decoded)
{
    const float *scores = scores_of(reading, row);
    if (!rung__decode_usable(scores, reading->columns, 1))
        return;
    const uint32_t best = rung__decode_best(scores + 1, reading->columns - 1, 1);
    const uint16_t confidence = rung__decode_score(scores[1 + best], reading->logits);
    if (rung__decode_may_pass(reading->request->selection, confidence))
        decode_class(reading, prior, row, best, confidence, decoded);
}

/** n / d, at most 1. */
static float share(uint32_t n, uint32_t d)
{
    return n < d ? rung__rational_to_f32(n, d) : 1.0f;
}

/** A map of priors: so many boxes in each cell, numbered from the first one's in the parameters. */
struct map {
    uint32_t width, height, boxes, first_box;
};

/** Map `i`, which comes after `before`. Without boxes: there is none. */
static struct map map_after(const struct rung__decode_request *request, const struct map *before,
                            uint32_t i)
{
    return (struct map){
        .width = rung__decode_parameter(request, RUNG__PARAMETER_MAPS, 2 * i),
        .height = rung__decode_parameter(request, RUNG__PARAMETER_MAPS, 2 * i + 1),
        .boxes = rung__decode_parameter(request, RUNG__PARAMETER_MAP_BOXES, i),
        .first_box = before->first_box + before->boxes,
    };
}

/** The prior of a row of the map: row by row, cell by cell, box by box. */
static struct prior prior_of(const struct rung__decode_request *request, const struct map *map,
                             uint32_t row)
{
    const uint32_t cell = row / map->boxes, x = cell % map->width, y = cell / map->width;
    const uint32_t side = rung__decode_parameter(request, RUNG__PARAMETER_BOX_SIDES,
                                                 map->first_box + row % map->boxes);
    return (struct prior){
        .cx = share(2 * x + 1, 2 * map->width),
        .cy = share(2 * y + 1, 2 * map->height),
        .width = share(side, request->canvas->width),
        .height = share(side, request->canvas->height),
    };
}

static void decode_maps(const struct reading *reading, struct rung__decoded *decoded)
{
    struct map map = {0};
    uint32_t row = 0;
    for (uint32_t i = 0;; i++) {
        map = map_after(reading->request, &map, i);
        if (map.boxes == 0)
            break;
        for (uint32_t n = 0; n < map.width * map.height * map.boxes; n++) {
            const struct prior prior = prior_of(reading->request, &map, n);
            decode_row(reading, &prior, row++, decoded);
        }
    }
}

static struct reading reading_of(const struct rung__decode_request *request)
{
    return (struct reading){
        .request = request,
        .width = rung__decode_f32(request->canvas->width),
        .height = rung__decode_f32(request->canvas->height),
        .centre_by = rung__decode_factor(request, RUNG__PARAMETER_VARIANCES, 0),
        .size_by = rung__decode_factor(request, RUNG__PARAMETER_VARIANCES, 1),
        .columns = rung__decode_dim(&request->outputs[SCORES], 0),
        .logits = rung__decode_parameter(request, RUNG__PARAMETER_LOGITS, 0) != 0,
        .has_priors = rung__decode_parameter(request, RUNG__PARAMETER_MAP_BOXES, 0) != 0,
    };
}

void rung__decode_ssd_c(const struct rung__decode_request *request, struct rung__decoded *decoded)
{
    const uint32_t rows = rung__decode_dim(&request->outputs[SCORES], 1);
    const struct reading reading = reading_of(request);
    rung__decode_start(decoded, 0);
    if (reading.has_priors)
        decode_maps(&reading, decoded);
    else
        for (uint32_t row = 0; row < rows; row++)
            decode_row(&reading, NULL, row, decoded);
}

/** The prior of any row. */
static struct prior find_prior(const struct rung__decode_request *request, uint32_t row)
{
    struct map map = map_after(request, &(struct map){0}, 0);
    for (uint32_t i = 1; row >= map.width * map.height * map.boxes; i++) {
        row -= map.width * map.height * map.boxes;
        map = map_after(request, &map, i);
    }
    return prior_of(request, &map, row);
}

static void decode_marks(const struct reading *reading, const struct rung__scan_marks *marks,
                         uint32_t first, struct rung__decoded *decoded)
{
    for (uint32_t i = 0; i < marks->count; i++) {
        const uint32_t row = first + marks->positions[i];
        if (!rung__decode_may_pass(reading->request->selection, marks->confidences[i]))
            continue;
        const uint32_t best = rung__decode_find(scores_of(reading, row) + 1, reading->columns - 1,
                                                1, marks->scores[i]);
        struct prior prior;
        if (reading->has_priors)
            prior = find_prior(reading->request, row);
        decode_class(reading, reading->has_priors ? &prior : NULL, row, best, marks->confidences[i],
                     decoded);
    }
}

void rung__decode_ssd_scan(const struct rung__decode_request *request,
                           struct rung__decoded *decoded)
{
    const struct reading reading = reading_of(request);
    const uint32_t count = rung__decode_dim(&request->outputs[SCORES], 1);
    const struct rung__scan_rows rows = {scores_of(&reading, 0), reading.columns, 1,
                                         reading.columns - 1};
    const struct rung__scan_range range =
        rung__decode_range(rung__decode_least(request->selection), reading.logits);
    struct rung__scan_marks marks;
    float best[RUNG__SCAN_BLOCK];
    rung__decode_start(decoded, 0);
    for (uint32_t first = 0, size; first < count; first += size) {
        size = rung__scan_block(first, count);
        request->scan->best_of_table(&rows, first, size, best);
        request->scan->mark(best, size, range, &marks);
        request->scan->rate(reading.logits, &marks);
        decode_marks(&reading, &marks, first, decoded);
    }
}
