# SPDX-License-Identifier: Apache-2.0
"""YOLOv8, YOLO11 and others without anchors and objectness: planes of boxes and classes, decoded in the graph."""

from . import grids, yolo
from .candidate import Candidate, Family, NotThis, only_output


def recognise(graph, _):
    output = only_output(graph)
    if len(output.shape) < 2:
        raise NotThis("its output is a table")
    planes, rows = output.shape[-2:]
    turned = grids.strides_of(graph.canvas, planes, 1) and rows - 4 in {len(graph.class_names())} - {0}
    if turned:
        planes, rows = rows, planes
    strides = grids.strides_of(graph.canvas, rows, 1)
    if strides is None or planes < 5:
        raise NotThis("its output has 4 planes and those of the classes, with a number for each cell of the grids")
    by = [f"output {output}: {rows} boxes are one for each cell of the strides {grids.text_of(strides)}",
          f"{planes} planes are box and {planes - 4} classes, without objectness"]
    one = Candidate("yolo", [("output", output)], by, classes=planes - 4)
    one.obstacles += yolo.other_tasks(graph)
    if turned:
        one.obstacles.append(f"the output is transposed, {output}; export it without the transposition, so that it "
                             f"is {planes}×{rows}")
    if graph.decoded(output.name) is False:
        one.obstacles.append("the boxes are not decoded in this graph; export it with the last layer's decoding")
    one.tell("parameters.logits", *graph.logits(output.name))
    return one


FAMILY = Family("yolov8", "YOLOv8, YOLO11 or another with their tensors (v9, v12)", recognise,
                {**yolo.PREPROCESSING, "selection.min_confidence": 0.25, "selection.iou": 0.7,
                 "selection.suppress": True, "selection.per_class": True}, yolo.SOURCE)
