/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_scan.h"

#include "artifact/heads.h"

/*
 * `strided`: for each stride a table of its cells' scores, boxes and, as the model has them,
 * objectness and five key points.
 */
#define POINTS 5u
enum { BOX_COLUMNS = 4, POINT_COLUMNS = 2 * POINTS };

/** The tables of one stride. */
struct level {
    const struct rung__decode_request *request;
    const float *score, *objectness, *box, *points; /**< objectness, points: NULL where none is */
    float stride;
    uint32_t first; /**< number of its first row */
    bool logits, distances;
};

/** A row of a level: an anchor of a cell. */
struct place {
    float x, y;
    uint32_t row;
};

static const float *table(const struct rung__decode_request *request, uint32_t level, uint32_t part)
{
    return request->outputs[level * RUNG__STRIDED_PARTS + part].data;
}

static bool is_usable(const struct level *level, uint32_t row)
{
    return rung__decode_usable(level->score + row, 1, 1) &&
           rung__decode_usable(level->box + (size_t)row * BOX_COLUMNS, BOX_COLUMNS, 1) &&
           (!level->objectness || rung__decode_usable(level->objectness + row, 1, 1)) &&
           (!level->points ||
            rung__decode_usable(level->points + (size_t)row * POINT_COLUMNS, POINT_COLUMNS, 1));
}

static uint16_t confidence_of(const struct level *level, uint32_t row)
{
    if (!level->objectness)
        return rung__decode_score(level->score[row], level->logits);
    return rung__decode_score_of_two(level->score[row], level->objectness[row], level->logits);
}

/** Of distances from the cell to the left, top, right and bottom, in strides. */
static struct rung__box box_around(const struct level *level, const struct place *place)
{
    const float *to = level->box + (size_t)place->row * BOX_COLUMNS;
    const float left = place->x - to[0], top = place->y - to[1];
    const float right = place->x + to[2], bottom = place->y + to[3];
    return (struct rung__box){
        .left = left * level->stride,
        .right = right * level->stride,
        .top = top * level->stride,
        .bottom = bottom * level->stride,
    };
}

/** Of the centre's offset from the cell, in strides, and the logarithms of the size. */
static struct rung__box box_at(const struct level *level, const struct place *place)
{
    const float *of = level->box + (size_t)place->row * BOX_COLUMNS;
    const float x = place->x + of[0], y = place->y + of[1];
    return rung__decode_centred(x * level->stride, y * level->stride,
                                rung__decode_side(of[2], level->stride),
                                rung__decode_side(of[3], level->stride));
}

static bool points_of(const struct level *level, const struct place *place,
                      int32_t points[POINT_COLUMNS])
{
    const float *of = level->points + (size_t)place->row * POINT_COLUMNS;
    for (uint32_t i = 0; i < POINT_COLUMNS; i += 2) {
        const float x = place->x + of[i], y = place->y + of[i + 1];
        if (!rung__decode_point(level->request->mapping, x * level->stride, y * level->stride,
                                points + i))
            return false;
    }
    return true;
}

static void decode_place(const struct level *level, const struct place *place,
                         struct rung__decoded *decoded)
{
    const struct rung__decode_request *request = level->request;
    const uint16_t confidence = confidence_of(level, place->row);
    struct rung__candidate candidate;
    int32_t points[POINT_COLUMNS];
    if (!rung__decode_may_pass(request->selection, confidence) || !is_usable(level, place->row))
        return;
    const struct rung__box box = level->distances ? box_around(level, place) : box_at(level, place);
    if (level->points && !points_of(level, place, points))
        return;
    if (!rung__decode_candidate(request, &box, confidence, 0, &candidate))
        return;
    if (level->points)
        rung__decode_keep_points(request, decoded, &candidate, points, level->first + place->row);
    else
        rung__decode_keep(request, decoded, &candidate, level->first + place->row);
}

/** The cells of a level, and the boxes of each. */
struct grid {
    uint32_t height, width, anchors;
};

/** Decodes all rows of a level: row by row, cell by cell, anchor by anchor. */
typedef void decode_level_fn(const struct level *level, const struct grid *grid,
                             struct rung__decoded *decoded);

static void decode_level(const struct level *level, const struct grid *grid,
                         struct rung__decoded *decoded)
{
    struct place place = {.row = 0};
    for (uint32_t y = 0; y < grid->height; y++)
        for (uint32_t x = 0; x < grid->width; x++)
            for (uint32_t a = 0; a < grid->anchors; a++, place.row++) {
                place.x = rung__decode_f32(x);
                place.y = rung__decode_f32(y);
                decode_place(level, &place, decoded);
            }
}

static void scan_level(const struct level *level, const struct grid *grid,
                       struct rung__decoded *decoded)
{
    const struct rung__scan_kernels *scan = level->request->scan;
    const uint16_t least = rung__decode_least(level->request->selection);
    const struct rung__scan_range range = level->objectness
                                              ? rung__decode_range_of_two(least, level->logits)
                                              : rung__decode_range(least, level->logits);
    const uint32_t rows = grid->height * grid->width * grid->anchors;
    struct rung__scan_marks marks;
    float joint[RUNG__SCAN_BLOCK];
    for (uint32_t first = 0, size; first < rows; first += size) {
        size = rung__scan_block(first, rows);
        if (level->objectness)
            rung__decode_join(level->score + first, level->objectness + first, 1, size,
                              level->logits, joint);
        scan->mark(level->objectness ? joint : level->score + first, size, range, &marks);
        for (uint32_t i = 0; i < marks.count; i++) {
            const uint32_t row = first + marks.positions[i], cell = row / grid->anchors;
            const struct place place = {.x = rung__decode_f32(cell % grid->width),
                                        .y = rung__decode_f32(cell / grid->width),
                                        .row = row};
            decode_place(level, &place, decoded);
        }
    }
}

static void decode_levels(const struct rung__decode_request *request, struct rung__decoded *decoded,
                          decode_level_fn *decode)
{
    const struct rung__canvas *canvas = request->canvas;
    const uint32_t anchors = rung__decode_parameter(request, RUNG__PARAMETER_ANCHORS, 0);
    struct level level = {
        .request = request,
        .logits = rung__decode_parameter(request, RUNG__PARAMETER_LOGITS, 0) != 0,
        .distances = rung__decode_parameter(request, RUNG__PARAMETER_DISTANCES, 0) != 0,
    };
    rung__decode_start(decoded, table(request, 0, RUNG__STRIDED_POINTS) ? POINTS : 0);
    for (uint32_t i = 0;; i++) {
        const uint32_t stride = rung__decode_parameter(request, RUNG__PARAMETER_STRIDES, i);
        if (stride == 0)
            break;
        level.score = table(request, i, RUNG__STRIDED_SCORE);
        level.objectness = table(request, i, RUNG__STRIDED_OBJECTNESS);
        level.box = table(request, i, RUNG__STRIDED_BOX);
        level.points = table(request, i, RUNG__STRIDED_POINTS);
        level.stride = rung__decode_f32(stride);
        const struct grid grid = {canvas->height / stride, canvas->width / stride,
                                  anchors ? anchors : 1};
        decode(&level, &grid, decoded);
        level.first += grid.height * grid.width * grid.anchors;
    }
}

void rung__decode_strided_c(const struct rung__decode_request *request,
                            struct rung__decoded *decoded)
{
    decode_levels(request, decoded, decode_level);
}

void rung__decode_strided_scan(const struct rung__decode_request *request,
                               struct rung__decoded *decoded)
{
    decode_levels(request, decoded, scan_level);
}
