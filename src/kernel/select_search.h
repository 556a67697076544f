/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search among accepted boxes: the end of each file of selection, which gives admit(), `struct
 * query` with make_query(), touching(), same_class(), lanes_rule_out(), and INIT, the name of the
 * function that fills the table.
 */

static inline bool cell_rules_out(const struct rung__select_grid *grid,
                                  const struct rung__select_cell *cell, const struct query *query,
                                  const struct rung__select_box *box)
{
    const struct rung__select_block *block = &grid->blocks[cell->first];
    for (uint32_t i = 0; i < cell->count; i += RUNG__SELECT_LANES, block++) {
        uint32_t lanes = touching(block, query) & rung__select_lanes(cell->count - i);
        if (!lanes)
            continue;
        lanes &= same_class(grid, block, query);
        if (lanes_rule_out(grid, block, lanes, query, box))
            return true;
    }
    return false;
}

static bool rules_out(const struct rung__select_grid *grid, const struct rung__select_box *box)
{
    const struct rung__select_span span = rung__select_span(grid, box);
    const struct query query = make_query(grid, box);
    for (uint32_t row = span.top; row <= span.bottom; row++)
        for (uint32_t column = span.left; column <= span.right; column++)
            if (cell_rules_out(grid, &grid->cells[row * grid->columns + column], &query, box))
                return true;
    return false;
}

static void run(const struct rung__candidate *candidates, uint32_t count,
                const struct rung__selection *selection, uint32_t k, void *workspace,
                struct rung__selected *selected)
{
    static const struct rung__select_parts parts = {admit, rules_out};
    rung__select_grid(&parts, candidates, count, selection, k, workspace, selected);
}

void INIT(struct rung__select_kernels *kernels)
{
    kernels->workspace_bytes = rung__select_grid_workspace;
    kernels->run = run;
}
