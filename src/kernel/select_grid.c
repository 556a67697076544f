/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/select_grid.h"

#include <math.h>
#include <string.h>

/*
 * An accepted box is put into every cell that it reaches into, so one that shares area with a
 * candidate is met in at least one of the candidate's own cells. The boxes that could be accepted
 * are all known before the first is, so each cell has its room from the start.
 */

#define COVER_MAX    6u /* lanes per considered box, on average */
#define BOXES_A_CELL 16u
#define CELLS_MAX    1024u
#define SHIFT_MIN    3u
#define SHIFT_MAX    16u /* one cell holds everything */
#define ALIGNMENT    64u
#define MARGIN       (1.0f / 65536) /* of factors; all roundings of f32 are below 2^-20 together */

/* ---- memory ---------------------------------------------------------------------------------- */

/** Where the parts of the workspace start, from its first aligned byte on. */
struct layout {
    uint64_t keys, spare, boxes, cells, blocks, end;
};

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint32_t cells_max(uint32_t boxes)
{
    const uint32_t cells = boxes / BOXES_A_CELL;
    return cells < 1 ? 1 : cells < CELLS_MAX ? cells : CELLS_MAX;
}

static struct layout lay_out(const struct rung__selection *selection, uint32_t count)
{
    const uint64_t keys = (count + (uint64_t)RUNG__SELECT_SLACK) * sizeof(uint64_t);
    const uint32_t boxes = selection->considered < count ? selection->considered : count;
    const uint64_t blocks = (uint64_t)boxes * COVER_MAX / RUNG__SELECT_LANES + cells_max(boxes);
    struct layout layout;
    layout.keys = 0;
    layout.spare = aligned(keys);
    layout.boxes = layout.spare + aligned(keys);
    layout.cells = layout.boxes + aligned(boxes * sizeof(struct rung__select_box));
    layout.blocks =
        layout.cells + aligned(cells_max(boxes) * (uint64_t)sizeof(struct rung__select_cell));
    layout.end = layout.blocks + blocks * sizeof(struct rung__select_block);
    return layout;
}

uint64_t rung__select_grid_workspace(const struct rung__selection *selection, uint32_t count)
{
    return lay_out(selection, count).end + ALIGNMENT;
}

/* ---- the grid -------------------------------------------------------------------------------- */

/** What all boxes come to. */
struct sums {
    uint32_t left, right, top, bottom; /**< the first and last unit of all, even beyond 65535 */
    uint64_t sides, areas;
};

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint16_t cut(uint32_t value)
{
    return (uint16_t)smaller(value, 65535);
}

static struct sums make_boxes(const struct rung__candidate *candidates, const uint64_t *keys,
                              uint32_t count, struct rung__select_box *boxes)
{
    struct sums sums = {.left = 65535, .top = 65535};
    for (uint32_t i = 0; i < count; i++) {
        const uint16_t number = (uint16_t)keys[i];
        const struct rung__candidate *candidate = &candidates[number];
        const uint32_t x = candidate->x, y = candidate->y, w = candidate->w, h = candidate->h;
        const uint32_t right = x + w - 1, bottom = y + h - 1;
        boxes[i] = (struct rung__select_box){(uint16_t)x,        cut(right),          (uint16_t)y,
                                             cut(bottom),        candidate->class_id, number,
                                             (float)w * (float)h};
        sums.left = smaller(sums.left, x);
        sums.right = larger(sums.right, right);
        sums.top = smaller(sums.top, y);
        sums.bottom = larger(sums.bottom, bottom);
        sums.sides += w + h;
        sums.areas += (uint64_t)w * h;
    }
    return sums;
}

/** Do so many boxes fit into cells of this size? A side reaches into at most side / 2^shift + 2. */
static bool fits(const struct sums *sums, uint32_t shift, uint32_t count)
{
    const uint64_t room = (uint64_t)count << 2 * shift;
    return 4 * room + (sums->sides << (shift + 1)) + sums->areas <= COVER_MAX * room;
}

/** The smallest cells for which there is room. */
static void shape(struct rung__select_grid *grid, const struct sums *sums, uint32_t count)
{
    for (uint32_t shift = SHIFT_MIN; shift <= SHIFT_MAX; shift++) {
        grid->shift = shift;
        grid->left = sums->left >> shift;
        grid->top = sums->top >> shift;
        grid->columns = (cut(sums->right) >> shift) - grid->left + 1u;
        grid->rows = (cut(sums->bottom) >> shift) - grid->top + 1u;
        if (grid->columns * grid->rows <= cells_max(count) && fits(sums, shift, count))
            break;
    }
}

/** Gives each cell room for all boxes that reach into it. */
static void share_out(struct rung__select_grid *grid, const struct rung__select_box *boxes,
                      uint32_t count)
{
    const uint32_t cells = grid->columns * grid->rows;
    uint32_t first = 0;
    memset(grid->cells, 0, cells * sizeof *grid->cells);
    for (uint32_t i = 0; i < count; i++) {
        const struct rung__select_span span = rung__select_span(grid, &boxes[i]);
        for (uint32_t row = span.top; row <= span.bottom; row++)
            for (uint32_t column = span.left; column <= span.right; column++)
                grid->cells[row * grid->columns + column].count++;
    }
    for (uint32_t i = 0; i < cells; i++) {
        const uint32_t size = grid->cells[i].count;
        grid->cells[i] = (struct rung__select_cell){first, 0};
        first += (size + RUNG__SELECT_LANES - 1) / RUNG__SELECT_LANES;
    }
}

static void set_factors(struct rung__select_grid *grid, const struct sums *sums)
{
    const float iou = grid->selection->iou;
    const bool containment = grid->selection->flags & RUNG_SUPPRESS_CONTAINMENT;
    /* Boxes that are cut may share more than their ends tell. */
    const bool some_cut = sums->right > 65535 || sums->bottom > 65535;
    grid->shared = 65535 + iou; /* s × 65535 >= (a + b - s) × iou, without the difference */
    grid->least = some_cut ? 0 : iou * (1 - MARGIN);
    grid->enough = iou * (1 + MARGIN);
    grid->inside = containment ? 1 - MARGIN : INFINITY;
}

static void put(const struct rung__select_grid *grid, struct rung__select_cell *cell,
                const struct rung__select_box *box)
{
    struct rung__select_block *block =
        &grid->blocks[cell->first + cell->count / RUNG__SELECT_LANES];
    const uint32_t lane = cell->count++ % RUNG__SELECT_LANES;
    block->left[lane] = box->left;
    block->right[lane] = box->right;
    block->top[lane] = box->top;
    block->bottom[lane] = box->bottom;
    block->class_id[lane] = box->class_id;
    block->number[lane] = box->number;
    block->area[lane] = box->area;
}

static void accept(const struct rung__select_grid *grid, const struct rung__select_box *box)
{
    const struct rung__select_span span = rung__select_span(grid, box);
    for (uint32_t row = span.top; row <= span.bottom; row++)
        for (uint32_t column = span.left; column <= span.right; column++)
            put(grid, &grid->cells[row * grid->columns + column], box);
}

/** Step 4; returns how many are accepted. */
static uint32_t suppress(const struct rung__select_parts *parts, struct rung__select_grid *grid,
                         const uint64_t *keys, uint32_t count, struct rung__select_box *boxes,
                         uint32_t *order)
{
    const struct sums sums = make_boxes(grid->candidates, keys, count, boxes);
    uint32_t accepted = 0;
    shape(grid, &sums, count);
    share_out(grid, boxes, count);
    set_factors(grid, &sums);
    for (uint32_t i = 0; i < count; i++) {
        if (parts->rules_out(grid, &boxes[i]))
            continue;
        accept(grid, &boxes[i]);
        if (accepted < grid->selection->max_targets)
            order[accepted] = boxes[i].number;
        accepted++;
    }
    return accepted;
}

void rung__select_grid(const struct rung__select_parts *parts,
                       const struct rung__candidate *candidates, uint32_t count,
                       const struct rung__selection *selection, uint32_t k, void *workspace,
                       struct rung__selected *selected)
{
    const struct layout layout = lay_out(selection, count);
    uint8_t *start = (uint8_t *)workspace + (ALIGNMENT - (uintptr_t)workspace % ALIGNMENT);
    struct rung__select_grid grid = {
        .candidates = candidates,
        .selection = selection,
        .blocks = (struct rung__select_block *)(start + layout.blocks),
        .cells = (struct rung__select_cell *)(start + layout.cells),
    };
    const struct rung__select_first first =
        rung__select_first(parts, candidates, count, selection, k,
                           (uint64_t *)(start + layout.keys), (uint64_t *)(start + layout.spare));
    const uint32_t wanted = selection->max_targets;
    uint32_t accepted = first.considered;
    if (selection->flags & RUNG_SUPPRESS)
        accepted = suppress(parts, &grid, first.keys, first.considered,
                            (struct rung__select_box *)(start + layout.boxes), selected->order);
    else
        for (uint32_t i = 0; i < first.considered && i < wanted; i++)
            selected->order[i] = (uint16_t)first.keys[i];
    selected->count = accepted < wanted ? accepted : wanted;
    selected->admitted = first.admitted;
    selected->accepted = accepted;
    selected->incomplete = first.admitted > first.considered || accepted > selected->count;
}
