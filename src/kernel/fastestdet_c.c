/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_scan.h"

#include "artifact/heads.h"
#include "kernel/exact.h"

/*
 * `fastestdet`: [5 + C, h, w], a map for each of objectness, the centre's offset (x, y), the size
 * (width, height) and the C classes.
 */
enum { OBJECTNESS, OFFSET_X, OFFSET_Y, WIDTH, HEIGHT, CLASSES };

/** One cell of the maps. */
struct cell {
    const struct rung__decode_request *request;
    const float *values; /**< its value of the first map */
    size_t plane;        /**< from one map to the next */
    uint32_t maps, x, y;
    float stride;
    bool logits;
};

static float value(const struct cell *cell, uint32_t map)
{
    return cell->values[map * cell->plane];
}

/** The centre on one axis: the cell, moved by less than one. */
static float centre(const struct cell *cell, uint32_t position, uint32_t map)
{
    const float offset = (float)rung__tanh24(value(cell, map)) * 0x1p-24f;
    const float at = rung__decode_f32(position) + offset;
    return at * cell->stride;
}

/** A side as a part of the canvas's. */
static float side(const struct cell *cell, uint32_t map, uint32_t whole)
{
    const float part = rung__decode_f32(rung__sigmoid24(value(cell, map))) * 0x1p-24f;
    return part * rung__decode_f32(whole);
}

/** A usable cell whose best class is known. */
static void decode_class(const struct cell *cell, uint32_t number, uint32_t best,
                         struct rung__decoded *decoded)
{
    const struct rung__decode_request *request = cell->request;
    struct rung__candidate candidate;
    const uint16_t confidence =
        rung__confidence_blend(rung__decode_score(value(cell, OBJECTNESS), cell->logits),
                               rung__decode_score(value(cell, CLASSES + best), cell->logits));
    if (!rung__decode_may_pass(request->selection, confidence))
        return;
    const struct rung__box box = rung__decode_centred(
        centre(cell, cell->x, OFFSET_X), centre(cell, cell->y, OFFSET_Y),
        side(cell, WIDTH, request->canvas->width), side(cell, HEIGHT, request->canvas->height));
    if (rung__decode_candidate(request, &box, confidence, (uint8_t)best, &candidate))
        rung__decode_keep(request, decoded, &candidate, number);
}

static void decode_cell(const struct cell *cell, uint32_t number, struct rung__decoded *decoded)
{
    const float *scores = cell->values + CLASSES * cell->plane;
    if (rung__decode_usable(cell->values, cell->maps, cell->plane))
        decode_class(cell, number, rung__decode_best(scores, cell->maps - CLASSES, cell->plane),
                     decoded);
}

/** The first cell. */
static struct cell cell_of(const struct rung__decode_request *request)
{
    const struct rung__values *output = &request->outputs[0];
    return (struct cell){
        .request = request,
        .values = output->data,
        .plane = (size_t)rung__decode_dim(output, 0) * rung__decode_dim(output, 1),
        .maps = rung__decode_dim(output, 2),
        .stride = rung__decode_f32(rung__decode_parameter(request, RUNG__PARAMETER_STRIDES, 0)),
        .logits = rung__decode_parameter(request, RUNG__PARAMETER_LOGITS, 0) != 0,
    };
}

void rung__decode_fastestdet_c(const struct rung__decode_request *request,
                               struct rung__decoded *decoded)
{
    const struct rung__values *output = &request->outputs[0];
    const uint32_t height = rung__decode_dim(output, 1), width = rung__decode_dim(output, 0);
    struct cell cell = cell_of(request);
    uint32_t number = 0;
    rung__decode_start(decoded, 0);
    for (cell.y = 0; cell.y < height; cell.y++)
        for (cell.x = 0; cell.x < width; cell.x++, cell.values++)
            decode_cell(&cell, number++, decoded);
}

/** The least objectness with which a class that is sure reaches a confidence. */
static uint16_t least_objectness(uint16_t confidence)
{
    uint16_t below = 0, from = 65535;
    while (from - below > 1) {
        const uint16_t middle = (uint16_t)((below + from) / 2);
        if (rung__confidence_blend(middle, 65535) >= confidence)
            from = middle;
        else
            below = middle;
    }
    return from;
}

/** A cell of a block, whose best score is known; −inf: it is not usable. */
static void decode_marked(struct cell cell, uint32_t number, float best,
                          struct rung__decoded *decoded)
{
    const uint32_t width = rung__decode_dim(&cell.request->outputs[0], 0);
    if (!rung__is_usable(best))
        return;
    cell.values += number;
    cell.x = number % width;
    cell.y = number / width;
    decode_class(&cell, number,
                 rung__decode_find(cell.values + CLASSES * cell.plane, cell.maps - CLASSES,
                                   cell.plane, best),
                 decoded);
}

void rung__decode_fastestdet_scan(const struct rung__decode_request *request,
                                  struct rung__decoded *decoded)
{
    const struct cell cell = cell_of(request);
    const uint32_t cells = (uint32_t)cell.plane;
    const struct rung__scan_rows rows = {cell.values, cell.plane, CLASSES, cell.maps - CLASSES};
    const struct rung__scan_range range =
        rung__decode_range(least_objectness(rung__decode_least(request->selection)), cell.logits);
    struct rung__scan_marks marks;
    float best[RUNG__SCAN_BLOCK];
    rung__decode_start(decoded, 0);
    for (uint32_t first = 0, size; first < cells; first += size) {
        size = rung__scan_block(first, cells);
        request->scan->best_of_planes(&rows, first, size, best);
        request->scan->mark(cell.values + OBJECTNESS * cell.plane + first, size, range, &marks);
        for (uint32_t i = 0; i < marks.count; i++)
            decode_marked(cell, first + marks.positions[i], best[marks.positions[i]], decoded);
    }
}
