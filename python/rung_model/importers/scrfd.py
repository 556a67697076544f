# SPDX-License-Identifier: Apache-2.0
"""SCRFD: for each stride scores, distances to the box's sides and, in some, points; two rows a cell."""

from . import grids, strided
from .candidate import Candidate, Family


def recognise(graph, _):
    tables, anchors = strided.tables_of(graph)
    strided.number_of_columns(tables, 1)
    strides = [stride for stride, _ in tables]
    by = [f"{len(graph.outputs)} tables without objectness for the strides "
          f"{grids.text_of(strides) if len(strides) > 1 else strides[0]}, rows a cell: {anchors}"]
    one = Candidate("strided", [], by, told={"parameters.strides": strides, "parameters.anchors": [anchors]},
                    classes=1, obstacles=strided.swapped(tables))
    one.open["parameters.distances"] = "true: boxes are distances to their sides, as SCRFD has them; false: " \
        "centre and logarithms of the size; the tables look alike"
    for index, (_, by_columns) in enumerate(tables):
        one.outputs += [(f"{purpose}{index}", by_columns[columns][0])
                        for columns, purpose in ((1, "score"), (4, "box"), (10, "points")) if columns in by_columns]
    one.tell("parameters.logits", *graph.logits(*(t.name for purpose, t in one.outputs if purpose[:5] == "score")))
    return one


FAMILY = Family("scrfd", "SCRFD (faces, with or without points)", recognise,
                {"order": "RGB", "scale": [0.0078125] * 3, "bias": [-0.99609375] * 3, "fit": "letterbox-topleft",
                 "rounding": "floor", "fill": [0, 0, 0], "labels": ["face"], "parameters.distances": True,
                 "selection.min_confidence": 0.5, "selection.iou": 0.4, "selection.suppress": True},
                "as its authors' code does: (value − 127.5) / 128")
