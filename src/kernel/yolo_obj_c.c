/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_scan.h"

#include "artifact/heads.h"

/*
 * `yolo-obj`: [A, 5 + C] of centre and size, objectness and the C classes. Boxes are in canvas
 * pixels or, when they are raw, on the grids of the strides, one after the other.
 */
enum { CX, CY, W, H, OBJECTNESS, CLASSES };

/** The cell that a raw row is of: one in the grid of a stride. */
struct cell {
    uint32_t x, y, stride;
};

/** How rows are read, the same for all of them. */
struct reading {
    const struct rung__decode_request *request;
    uint32_t columns;
    bool logits, raw;
};

static struct rung__box box_of(const struct reading *reading, const struct cell *cell,
                               const float *row)
{
    if (!reading->raw)
        return rung__decode_centred(row[CX], row[CY], row[W], row[H]);
    const float stride = rung__decode_f32(cell->stride);
    const float x = row[CX] + rung__decode_f32(cell->x);
    const float y = row[CY] + rung__decode_f32(cell->y);
    return rung__decode_centred(x * stride, y * stride, rung__decode_side(row[W], stride),
                                rung__decode_side(row[H], stride));
}

static const float *row_of(const struct reading *reading, uint32_t number)
{
    return reading->request->outputs[0].data + (size_t)number * reading->columns;
}

/** A usable row whose best class is known. */
static void decode_class(const struct reading *reading, const struct cell *cell, uint32_t number,
                         uint32_t best, struct rung__decoded *decoded)
{
    const struct rung__decode_request *request = reading->request;
    const float *row = row_of(reading, number);
    const uint16_t confidence =
        rung__decode_score_of_two(row[OBJECTNESS], row[CLASSES + best], reading->logits);
    struct rung__candidate candidate;
    if (!rung__decode_may_pass(request->selection, confidence))
        return;
    const struct rung__box box = box_of(reading, cell, row);
    if (rung__decode_candidate(request, &box, confidence, (uint8_t)best, &candidate))
        rung__decode_keep(request, decoded, &candidate, number);
}

static void decode_row(const struct reading *reading, const struct cell *cell, uint32_t number,
                       struct rung__decoded *decoded)
{
    const float *row = row_of(reading, number);
    if (!rung__decode_usable(row, reading->columns, 1))
        return;
    const uint32_t best = rung__decode_best(row + CLASSES, reading->columns - CLASSES, 1);
    decode_class(reading, cell, number, best, decoded);
}

static void decode_grids(const struct reading *reading, struct rung__decoded *decoded)
{
    const struct rung__canvas *canvas = reading->request->canvas;
    struct cell cell;
    uint32_t number = 0;
    for (uint32_t i = 0;; i++) {
        cell.stride = rung__decode_parameter(reading->request, RUNG__PARAMETER_STRIDES, i);
        if (cell.stride == 0)
            break;
        for (cell.y = 0; cell.y < canvas->height / cell.stride; cell.y++)
            for (cell.x = 0; cell.x < canvas->width / cell.stride; cell.x++)
                decode_row(reading, &cell, number++, decoded);
    }
}

static struct reading reading_of(const struct rung__decode_request *request)
{
    return (struct reading){
        .request = request,
        .columns = rung__decode_dim(&request->outputs[0], 0),
        .logits = rung__decode_parameter(request, RUNG__PARAMETER_LOGITS, 0) != 0,
        .raw = rung__decode_parameter(request, RUNG__PARAMETER_RAW, 0) != 0,
    };
}

void rung__decode_yolo_obj_c(const struct rung__decode_request *request,
                             struct rung__decoded *decoded)
{
    const uint32_t rows = rung__decode_dim(&request->outputs[0], 1);
    const struct reading reading = reading_of(request);
    rung__decode_start(decoded, 0);
    if (reading.raw)
        decode_grids(&reading, decoded);
    else
        for (uint32_t number = 0; number < rows; number++)
            decode_row(&reading, NULL, number, decoded);
}

/** The cell of a row of the grids; any when boxes are not on them. */
static struct cell cell_of(const struct reading *reading, uint32_t number)
{
    const struct rung__canvas *canvas = reading->request->canvas;
    struct cell cell = {0};
    for (uint32_t i = 0; reading->raw; i++) {
        cell.stride = rung__decode_parameter(reading->request, RUNG__PARAMETER_STRIDES, i);
        const uint32_t width = canvas->width / cell.stride;
        const uint32_t cells = canvas->height / cell.stride * width;
        cell.x = number % width;
        cell.y = number / width;
        if (number < cells)
            break;
        number -= cells;
    }
    return cell;
}

void rung__decode_yolo_obj_scan(const struct rung__decode_request *request,
                                struct rung__decoded *decoded)
{
    const struct reading reading = reading_of(request);
    const uint32_t count = rung__decode_dim(&request->outputs[0], 1);
    const struct rung__scan_rows rows = {request->outputs[0].data, reading.columns, CLASSES,
                                         reading.columns - CLASSES};
    const struct rung__scan_range range =
        rung__decode_range_of_two(rung__decode_least(request->selection), reading.logits);
    struct rung__scan_marks marks;
    float best[RUNG__SCAN_BLOCK], joint[RUNG__SCAN_BLOCK];
    rung__decode_start(decoded, 0);
    for (uint32_t first = 0, size; first < count; first += size) {
        size = rung__scan_block(first, count);
        request->scan->best_of_table(&rows, first, size, best);
        rung__decode_join(best, row_of(&reading, first) + OBJECTNESS, reading.columns, size,
                          reading.logits, joint);
        request->scan->mark(joint, size, range, &marks);
        for (uint32_t i = 0; i < marks.count; i++) {
            const uint32_t number = first + marks.positions[i];
            const struct cell cell = cell_of(&reading, number);
            const uint32_t class_id = rung__decode_find(row_of(&reading, number) + CLASSES,
                                                        rows.classes, 1, best[marks.positions[i]]);
            decode_class(&reading, &cell, number, class_id, decoded);
        }
    }
}
