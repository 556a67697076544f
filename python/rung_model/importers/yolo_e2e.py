# SPDX-License-Identifier: Apache-2.0
"""YOLO with its own choice of boxes in the graph (v10, 26): rows of corners, score and class."""

from . import grids, yolo
from .candidate import Candidate, Family, NotThis, only_output


def six_columns(graph):
    """The output of a family whose rows are finished detections."""
    output = only_output(graph)
    if len(output.shape) < 2 or output.shape[-1] != 6 or any(side != 1 for side in output.shape[:-2]):
        raise NotThis("its output has a row of 6 numbers for each detection")
    if grids.is_grid(graph.canvas, output.shape[-2]):
        raise NotThis(f"{output.shape[-2]} rows are just those of the strides' grids, so they are no finished list")
    return output


def recognise(graph, _):
    output = six_columns(graph)
    chosen = "TopK" in graph.file.kinds
    by = [f"output {output}: 6 columns can be left, top, right, bottom in pixels, score and class"]
    if chosen:
        by.append("the graph has TopK, by which these models choose their rows")
    one = Candidate("yolo-e2e", [("output", output)], by,
                    told={"selection.suppress": False})
    one.open["parameters.logits"] = "true if scores still lack their sigmoid; the choice of rows hides it"
    one.obstacles += yolo.other_tasks(graph)
    one.classes = len(graph.class_names()) or None
    return one


FAMILY = Family("yolo-e2e", "YOLO, end to end (v10, 26)", recognise,
                {**yolo.PREPROCESSING, "parameters.logits": False, "selection.min_confidence": 0.25}, yolo.SOURCE)
