# SPDX-License-Identifier: Apache-2.0
"""UltraFace: softmaxed scores and boxes for each of its priors, or offsets from them."""

from . import grids
from .candidate import Candidate, Family, NotThis, scores_and_boxes

STRIDES = [8, 16, 32, 64]
BOXES_A_CELL = [3, 2, 2, 3]


def maps(canvas):
    return [[-(-side // stride) for side in canvas] for stride in STRIDES]


def priors(canvas, rows):
    return sum(boxes * width * height for boxes, (width, height) in zip(BOXES_A_CELL, maps(canvas))) == rows


def recognise(graph, said):
    scores, boxes, swapped = scores_and_boxes(graph, said)
    rows, columns = scores.shape[-2:]
    if not priors(graph.canvas, rows) or columns != 2:
        raise NotThis("it scores background and face for each of the priors of its four grids")
    by = [f"outputs {scores} and {boxes}: {rows} rows are 3, 2, 2 and 3 priors in each cell of the strides "
          f"{grids.text_of(STRIDES)}, 2 columns are background and face"]
    one = Candidate("ssd", [("scores", scores), ("boxes", boxes)], by, classes=1, obstacles=swapped)
    decoded = graph.decoded(boxes.name)
    if decoded:
        by.append(f"arithmetic computes {boxes.name}: boxes are decoded in the graph")
    elif decoded is False:
        by.append(f"convolutions end in {boxes.name}: boxes are offsets from priors, which are not in the graph")
        one.told["parameters.maps"] = [side for pair in maps(graph.canvas) for side in pair]
        one.told["parameters.map_boxes"] = BOXES_A_CELL
        one.open["parameters.box_sides"] = "sides of the priors in pixels of the canvas; no graph has them"
        one.open["parameters.variances"] = "what offsets are multiplied by; no graph has them"
    else:
        one.obstacles.append(f"the graph does not show whether {boxes.name} are boxes or offsets from priors; say "
                             "the whole of it by a spec file")
    one.tell("parameters.logits", *graph.logits(scores.name))
    return one


FAMILY = Family("ultraface", "UltraFace (faces)", recognise,
                {"order": "RGB", "scale": [0.0078125] * 3, "bias": [-0.9921875] * 3, "fit": "stretch",
                 "parameters.box_sides": [10, 16, 24, 32, 48, 64, 96, 128, 192, 256],
                 "parameters.variances": [0.1, 0.2], "labels": ["face"], "selection.min_confidence": 0.7,
                 "selection.iou": 0.3, "selection.suppress": True},
                "as its authors' code does: (value − 127) / 128")
