# SPDX-License-Identifier: Apache-2.0
"""What the families share that answer with separate tables for each stride."""

import re

from . import grids
from .candidate import NotThis

MOST_STRIDES = 4
PURPOSES = {4: "box", 10: "points"}


def rows_of(tensor):
    """Rows and columns of a table."""
    if len(tensor.shape) < 2 or any(side != 1 for side in tensor.shape[:-2]) or tensor.shape[-1] not in (1, 4, 10):
        raise NotThis("its outputs are tables of 1, 4 or 10 columns for each stride")
    return tensor.shape[-2], tensor.shape[-1]


def tables_of(graph):
    """[(stride, {columns: [tensor, …]}), …] by rising stride, and rows a cell."""
    by_rows = {}
    for tensor in graph.outputs:
        rows, columns = rows_of(tensor)
        by_rows.setdefault(rows, {}).setdefault(columns, []).append(tensor)
    if not 1 <= len(by_rows) <= MOST_STRIDES:
        raise NotThis(f"it has tables for up to {MOST_STRIDES} strides")
    counts = sorted(by_rows, reverse=True)
    for anchors in (1, 2, 3):
        strides = [next((s for s in (4, 8, 16, 32, 64, 128) if anchors * grids.cells(graph.canvas, s) == rows), None)
                   for rows in counts]
        if all(strides):
            return [(stride, by_rows[rows]) for stride, rows in zip(strides, counts)], anchors
    raise NotThis(f"tables of {', '.join(map(str, counts))} rows do not go with the grids of this canvas")


def number_of_columns(tables, scores):
    """Every stride must have as many tables of scores, boxes and, for all or none, points."""
    shapes = {tuple(sorted((columns, len(tensors)) for columns, tensors in by_columns.items()))
              for _, by_columns in tables}
    if shapes not in ({((1, scores), (4, 1), (10, 1))}, {((1, scores), (4, 1))}):
        what = "score" if scores == 1 else "score and objectness"
        raise NotThis(f"it has {what}, box and, for all strides or none, points for each stride")


def swapped(tables):
    """Names that end in a stride, or say box or points, and shapes that say another one."""
    found = []
    for stride, by_columns in tables:
        for columns, tensors in by_columns.items():
            for tensor in tensors:
                name = tensor.name.lower()
                said = re.search(r"_(4|8|16|32|64|128)$", name)
                other = {4: ("kps", "landm"), 10: ("box",), 1: ("kps", "landm", "box")}[columns]
                if (said and int(said[1]) != stride) or any(word in name for word in other):
                    found.append(str(tensor))
    if not found:
        return []
    return [f"by their names outputs are swapped: {', '.join(found)} have the shapes of others; export again with "
            "output_names in the order of the graph's outputs, or say the whole of it by a spec file"]
