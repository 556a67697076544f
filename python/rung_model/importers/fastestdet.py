# SPDX-License-Identifier: Apache-2.0
"""FastestDet: one map of objectness, box and classes on one grid."""

from .candidate import Candidate, Family, NotThis, only_output


def recognise(graph, _):
    output = only_output(graph)
    if len(output.shape) != 4 or output.shape[0] != 1:
        raise NotThis("its output is one map")
    planes, rows, columns = output.shape[1:]
    across, down = (side / cells for side, cells in zip(graph.canvas, (columns, rows)))
    if across != down or across != int(across) or not 4 <= across <= 64 or planes < 6:
        raise NotThis("its map has 5 planes and those of the classes, on a grid that the canvas is a multiple of")
    if not graph.is_joined(output.name):
        raise NotThis("its map is put together of objectness, box and classes by Concat")
    one = Candidate("fastestdet", [("output", output)],
                    [f"output {output}: one grid, {int(across)} pixels of the canvas apart",
                     f"{planes} planes are objectness, box and {planes - 5} classes"],
                    told={"parameters.strides": [int(across)]}, classes=planes - 5)
    one.tell("parameters.logits", *graph.logits(output.name))
    return one


FAMILY = Family("fastestdet", "FastestDet", recognise,
                {"order": "BGR", "scale": [0.00392156863] * 3, "bias": [0, 0, 0], "fit": "stretch",
                 "selection.min_confidence": 0.65, "selection.iou": 0.45, "selection.suppress": True,
                 "selection.per_class": True}, "as its authors' code does")
