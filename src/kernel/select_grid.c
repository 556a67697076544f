/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/select_grid.h"

#include <math.h>
#include <string.h>

/*
 * An accepted box is put into every cell that it reaches into, so one that shares area with a
 * candidate is met in at least one of the candidate's own cells. The boxes that could be accepted
 * are all known before the first is, so each cell has its room from the start.
 */

#define COVER_MAX    6u  /* lanes per considered box, on average */
#define BOXES_A_CELL 16u /* at least, on average */
#define CELLS_MAX    1024u
#define SHIFT_MIN    3u
#define SHIFT_MAX    16u /* one cell holds everything */
#define ALIGNMENT    64u
#define MARGIN       (1.0f / 65536) /* of factors; the roundings of f32 are below 2^-21 together */

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
    uint16_t left, right, top, bottom; /**< around all of them */
    uint64_t sides, areas;             /**< each side less one */
    bool cut;                          /**< one reaches beyond 65535 */
};

static uint16_t last_of(uint16_t first, uint16_t size)
{
    const uint32_t last = (uint32_t)first + size - 1;
    return last < 65535 ? (uint16_t)last : 65535;
}

static void make_box(const struct rung__candidate *candidate, uint16_t number,
                     struct rung__select_box *box)
{
    *box = (struct rung__select_box){
        .left = candidate->x,
        .right = last_of(candidate->x, candidate->w),
        .top = candidate->y,
        .bottom = last_of(candidate->y, candidate->h),
        .class_id = candidate->class_id,
        .number = number,
        .area = (float)candidate->w * (float)candidate->h,
    };
}

static void add(struct sums *sums, const struct rung__candidate *candidate,
                const struct rung__select_box *box)
{
    const uint32_t w = candidate->w - 1u, h = candidate->h - 1u;
    sums->left = box->left < sums->left ? box->left : sums->left;
    sums->right = box->right > sums->right ? box->right : sums->right;
    sums->top = box->top < sums->top ? box->top : sums->top;
    sums->bottom = box->bottom > sums->bottom ? box->bottom : sums->bottom;
    sums->sides += w + h;
    sums->areas += (uint64_t)w * h;
    sums->cut = sums->cut || candidate->x + w > 65535 || candidate->y + h > 65535;
}

static struct sums make_boxes(const struct rung__candidate *candidates, const uint64_t *keys,
                              uint32_t count, struct rung__select_box *boxes)
{
    struct sums sums = {.left = 65535, .top = 65535};
    for (uint32_t i = 0; i < count; i++) {
        const uint16_t number = (uint16_t)keys[i];
        make_box(&candidates[number], number, &boxes[i]);
        add(&sums, &candidates[number], &boxes[i]);
    }
    return sums;
}

/**
 * Do so many boxes fit into cells of this size? A side reaches into at most (side - 1) / 2^shift +
 * 2 of them.
 */
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
        grid->columns = (sums->right >> shift) - grid->left + 1;
        grid->rows = (sums->bottom >> shift) - grid->top + 1;
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

static void set_factors(struct rung__select_grid *grid, bool cut)
{
    const float iou = grid->selection->iou;
    const bool containment = grid->selection->flags & RUNG_SUPPRESS_CONTAINMENT;
    /* s × 65535 >= (a + b - s) × iou, without the difference */
    grid->shared = 65535 + iou;
    /* Boxes that are cut share more than their ends tell: the exact rule is asked each time. */
    grid->together = cut ? 0 : iou * (1 - MARGIN);
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
    set_factors(grid, sums.cut);
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
