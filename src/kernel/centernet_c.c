/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_scan.h"

#include "artifact/heads.h"
#include "kernel/exact.h"

/*
 * `centernet`: a heat map [h, w] and, for each of its cells, the logarithm of the size (height,
 * width), the offset of the centre (y, x) and five key points (y, x each, in sizes from the
 * corner).
 */
enum { HEAT, SCALE, OFFSET, LANDMARKS };

#define POINTS 5u

/** One cell of the maps. */
struct cell {
    const struct rung__decode_request *request;
    size_t plane; /**< values of a map */
    size_t index; /**< y·w + x */
    uint32_t x, y;
    float stride;
};

static float value(const struct cell *cell, uint32_t output, uint32_t map)
{
    return cell->request->outputs[output].data[map * cell->plane + cell->index];
}

static bool is_usable(const struct cell *cell)
{
    static const struct {
        uint8_t output, maps;
    } all[] = {{HEAT, 1}, {SCALE, 2}, {OFFSET, 2}, {LANDMARKS, 2 * POINTS}};
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t map = 0; map < all[i].maps; map++)
            if (!rung__is_usable(value(cell, all[i].output, map)))
                return false;
    return true;
}

/** A side of the box from its map. */
static float side(const struct cell *cell, uint32_t map)
{
    return rung__decode_side(value(cell, SCALE, map), cell->stride);
}

/** The start of the box on one axis: its centre less half of its size. */
static float start(const struct cell *cell, uint32_t map, uint32_t position, float size)
{
    float centre = rung__decode_f32(position) + value(cell, OFFSET, map);
    centre = centre + 0.5f;
    centre = centre * cell->stride;
    const float half = size * 0.5f;
    return centre - half;
}

/** Five pairs in Q8; false when one is not finite. */
static bool points_of(const struct cell *cell, const struct rung__box *box, float width,
                      float height, int32_t points[2 * POINTS])
{
    for (uint32_t i = 0; i < POINTS; i++, points += 2) {
        const float down = value(cell, LANDMARKS, 2 * i) * height;
        const float along = value(cell, LANDMARKS, 2 * i + 1) * width;
        if (!rung__decode_point(cell->request->mapping, along + box->left, down + box->top, points))
            return false;
    }
    return true;
}

static void decode_cell(const struct cell *cell, uint16_t confidence, struct rung__decoded *decoded)
{
    const float height = side(cell, 0), width = side(cell, 1);
    const float top = start(cell, 0, cell->y, height), left = start(cell, 1, cell->x, width);
    const struct rung__box box = {left, left + width, top, top + height};
    struct rung__candidate candidate;
    int32_t points[2 * POINTS];
    if (!points_of(cell, &box, width, height, points) ||
        !rung__decode_candidate(cell->request, &box, confidence, 0, &candidate))
        return;
    rung__decode_keep_points(cell->request, decoded, &candidate, points, (uint32_t)cell->index);
}

/** The first cell. */
static struct cell cell_of(const struct rung__decode_request *request)
{
    const struct rung__values *heat = &request->outputs[HEAT];
    return (struct cell){
        .request = request,
        .plane = (size_t)rung__decode_dim(heat, 1) * rung__decode_dim(heat, 0),
        .stride = rung__decode_f32(rung__decode_parameter(request, RUNG__PARAMETER_STRIDES, 0)),
    };
}

void rung__decode_centernet_c(const struct rung__decode_request *request,
                              struct rung__decoded *decoded)
{
    const struct rung__values *heat = &request->outputs[HEAT];
    const uint32_t height = rung__decode_dim(heat, 1), width = rung__decode_dim(heat, 0);
    const bool logits = rung__decode_parameter(request, RUNG__PARAMETER_LOGITS, 0) != 0;
    struct cell cell = cell_of(request);
    rung__decode_start(decoded, POINTS);
    for (cell.y = 0; cell.y < height; cell.y++)
        for (cell.x = 0; cell.x < width; cell.x++, cell.index++) {
            const uint16_t confidence = rung__decode_score(heat->data[cell.index], logits);
            if (rung__decode_may_pass(request->selection, confidence) && is_usable(&cell))
                decode_cell(&cell, confidence, decoded);
        }
}

void rung__decode_centernet_scan(const struct rung__decode_request *request,
                                 struct rung__decoded *decoded)
{
    const struct rung__values *heat = &request->outputs[HEAT];
    const uint32_t width = rung__decode_dim(heat, 0);
    const bool logits = rung__decode_parameter(request, RUNG__PARAMETER_LOGITS, 0) != 0;
    const struct rung__scan_range range =
        rung__decode_range(rung__decode_least(request->selection), logits);
    struct cell cell = cell_of(request);
    const uint32_t cells = (uint32_t)cell.plane;
    struct rung__scan_marks marks;
    rung__decode_start(decoded, POINTS);
    for (uint32_t first = 0, size; first < cells; first += size) {
        size = rung__scan_block(first, cells);
        request->scan->mark(heat->data + first, size, range, &marks);
        request->scan->rate(logits, &marks);
        for (uint32_t i = 0; i < marks.count; i++) {
            const uint32_t index = first + marks.positions[i];
            cell.index = index;
            cell.x = index % width;
            cell.y = index / width;
            if (rung__decode_may_pass(request->selection, marks.confidences[i]) && is_usable(&cell))
                decode_cell(&cell, marks.confidences[i], decoded);
        }
    }
}
