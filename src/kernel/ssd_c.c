/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_common.h"

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
    bool logits;
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

/** `prior` NULL: the box is given by its corners. */
static void decode_row(const struct reading *reading, const struct prior *prior, uint32_t row,
                       struct rung__decoded *decoded)
{
    const struct rung__decode_request *request = reading->request;
    const float *scores = request->outputs[SCORES].data + (size_t)row * reading->columns;
    const float *values = request->outputs[BOXES].data + (size_t)row * COLUMNS;
    struct rung__candidate candidate;
    if (!rung__decode_usable(scores, reading->columns, 1) ||
        !rung__decode_usable(values, COLUMNS, 1))
        return;
    const uint32_t best = rung__decode_best(scores + 1, reading->columns - 1, 1);
    const uint16_t confidence = rung__decode_score(scores[1 + best], reading->logits);
    if (!rung__decode_may_pass(request->selection, confidence))
        return;
    const struct rung__box box = box_of(reading, prior, values);
    if (rung__decode_candidate(request, &box, confidence, (uint8_t)best, &candidate))
        rung__decode_keep(request, decoded, &candidate, row);
}

/** n / d, at most 1. */
static float share(uint32_t n, uint32_t d)
{
    return n < d ? rung__rational_to_f32(n, d) : 1.0f;
}

/** The rows of one map: row by row, cell by cell, box by box. Returns the next row. */
static uint32_t decode_map(const struct reading *reading, uint32_t map, uint32_t first_box,
                           uint32_t row, struct rung__decoded *decoded)
{
    const struct rung__decode_request *request = reading->request;
    const uint32_t width = rung__decode_parameter(request, RUNG__PARAMETER_MAPS, 2 * map);
    const uint32_t height = rung__decode_parameter(request, RUNG__PARAMETER_MAPS, 2 * map + 1);
    const uint32_t boxes = rung__decode_parameter(request, RUNG__PARAMETER_MAP_BOXES, map);
    struct prior prior;
    for (uint32_t y = 0; y < height; y++) {
        prior.cy = share(2 * y + 1, 2 * height);
        for (uint32_t x = 0; x < width; x++) {
            prior.cx = share(2 * x + 1, 2 * width);
            for (uint32_t b = first_box; b < first_box + boxes; b++) {
                const uint32_t side = rung__decode_parameter(request, RUNG__PARAMETER_BOX_SIDES, b);
                prior.width = share(side, request->canvas->width);
                prior.height = share(side, request->canvas->height);
                decode_row(reading, &prior, row++, decoded);
            }
        }
    }
    return row;
}

static void decode_maps(const struct reading *reading, struct rung__decoded *decoded)
{
    uint32_t first_box = 0, row = 0;
    for (uint32_t map = 0;; map++) {
        const uint32_t boxes =
            rung__decode_parameter(reading->request, RUNG__PARAMETER_MAP_BOXES, map);
        if (boxes == 0)
            break;
        row = decode_map(reading, map, first_box, row, decoded);
        first_box += boxes;
    }
}

void rung__decode_ssd_c(const struct rung__decode_request *request, struct rung__decoded *decoded)
{
    const struct rung__values *scores = &request->outputs[SCORES];
    const uint32_t rows = rung__decode_dim(scores, 1);
    const bool has_priors = rung__decode_parameter(request, RUNG__PARAMETER_MAP_BOXES, 0) != 0;
    const struct reading reading = {
        .request = request,
        .width = rung__decode_f32(request->canvas->width),
        .height = rung__decode_f32(request->canvas->height),
        .centre_by = rung__decode_factor(request, RUNG__PARAMETER_VARIANCES, 0),
        .size_by = rung__decode_factor(request, RUNG__PARAMETER_VARIANCES, 1),
        .columns = rung__decode_dim(scores, 0),
        .logits = rung__decode_parameter(request, RUNG__PARAMETER_LOGITS, 0) != 0,
    };
    rung__decode_start(decoded, 0);
    if (has_priors)
        decode_maps(&reading, decoded);
    else
        for (uint32_t row = 0; row < rows; row++)
            decode_row(&reading, NULL, row, decoded);
}
