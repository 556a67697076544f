# SPDX-License-Identifier: Apache-2.0
"""YOLOX: one row of box, objectness and classes for each cell, mostly not decoded in the graph."""

from . import grids
from .candidate import Candidate, Family, NotThis, only_output


def recognise(graph, _):
    output = only_output(graph)
    if len(output.shape) < 2:
        raise NotThis("its output is a table of rows")
    rows, columns = output.shape[-2:]
    strides = grids.strides_of(graph.canvas, rows, 1)
    if strides is None or columns < 6:
        raise NotThis("its output has one row for each cell of the strides' grids, with 5 columns and the classes")
    if columns - 4 == len(graph.class_names()):
        raise NotThis(f"{columns} columns are 4 and the {columns - 4} classes of its metadata: no objectness")
    by = [f"output {output}: {rows} rows are one for each cell of the strides {grids.text_of(strides)}",
          f"{columns} columns are box, objectness and {columns - 5} classes"]
    one = Candidate("yolo-obj", [("output", output)], by, classes=columns - 5)
    decoded = graph.decoded(output.name)
    one.tell("parameters.raw", None if decoded is None else not decoded,
             "arithmetic behind the last convolutions: boxes are decoded in the graph" if decoded else
             "convolutions end in the output: boxes are raw, and decoded by Rung")
    if decoded is not True:
        one.told["parameters.strides"] = strides
    one.tell("parameters.logits", *graph.logits(output.name))
    return one


FAMILY = Family("yolox", "YOLOX (also YOLOv6 with objectness)", recognise,
                {"order": "BGR", "scale": [1, 1, 1], "bias": [0, 0, 0], "fit": "letterbox-topleft",
                 "rounding": "floor", "fill": [114, 114, 114], "selection.min_confidence": 0.3,
                 "selection.iou": 0.45, "selection.suppress": True, "selection.per_class": True},
                "as YOLOX's demo does since its release 0.1.1")
