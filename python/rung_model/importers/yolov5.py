# SPDX-License-Identifier: Apache-2.0
"""YOLOv5 and its kin with three anchors a cell: rows of box, objectness and classes, decoded in the graph."""

from . import grids, yolo
from .candidate import Candidate, Family, NotThis, only_output


def recognise(graph, _):
    output = only_output(graph)
    if len(output.shape) < 2:
        raise NotThis("its output is a table of rows")
    rows, columns = output.shape[-2:]
    strides = grids.strides_of(graph.canvas, rows, 3)
    if strides is None or columns < 6:
        raise NotThis("its output has 3 rows for each cell of the strides' grids, with 5 columns and the classes")
    by = [f"output {output}: {rows} rows are 3 anchors in each cell of the strides {grids.text_of(strides)}",
          f"{columns} columns are box, objectness and {columns - 5} classes"]
    one = Candidate("yolo-obj", [("output", output)], by, classes=columns - 5)
    one.obstacles += yolo.other_tasks(graph)
    if graph.decoded(output.name) is False:
        one.obstacles.append("the boxes are not decoded in this graph, and anchors cannot be said in a spec; "
                             "export it with the last layer's decoding")
    one.tell("parameters.logits", *graph.logits(output.name))
    return one


FAMILY = Family("yolov5", "YOLOv5, or YOLOv7 (three anchors a cell)", recognise,
                {**yolo.PREPROCESSING, "selection.min_confidence": 0.25, "selection.iou": 0.45,
                 "selection.suppress": True, "selection.per_class": True}, yolo.SOURCE)
