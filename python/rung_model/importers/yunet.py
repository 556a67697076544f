# SPDX-License-Identifier: Apache-2.0
"""YuNet: for each stride score, objectness, box and points, a row a cell."""

from . import grids, strided
from .candidate import Candidate, Family, NotThis


def scores_of(tensors, index, said, one):
    """Score and objectness, told apart by names alone."""
    named = [said.get(f"outputs.{purpose}{index}") for purpose in ("score", "objectness")]
    words = [[t for t in tensors if any(word in t.name.lower() for word in kind)]
             for kind in (("cls", "score", "conf"), ("obj",))]
    if set(named) == {tensor.name for tensor in tensors}:
        return sorted(tensors, key=lambda tensor: named.index(tensor.name))
    if [len(found) for found in words] == [1, 1]:
        return [words[0][0], words[1][0]]
    for purpose in ("score", "objectness"):
        one.open[f"outputs.{purpose}{index}"] = \
            f"{' and '.join(tensor.name for tensor in tensors)} look alike; their product is the same either way"
    return tensors


def recognise(graph, said):
    tables, anchors = strided.tables_of(graph)
    strided.number_of_columns(tables, 2)
    strides = [stride for stride, _ in tables]
    by = [f"{len(graph.outputs)} tables: score, objectness, box and points for the strides {grids.text_of(strides)}"
          if len(strides) > 1 else f"{len(graph.outputs)} tables for the stride {strides[0]}"]
    if anchors != 1:
        raise NotThis(f"it has one row a cell, and this graph {anchors}")
    one = Candidate("strided", [], by, told={"parameters.strides": strides}, classes=1,
                    obstacles=strided.swapped(tables))
    for index, (_, by_columns) in enumerate(tables):
        score, objectness = scores_of(by_columns[1], index, said, one)
        one.outputs += [(f"score{index}", score), (f"objectness{index}", objectness), (f"box{index}", by_columns[4][0])]
        one.outputs += [(f"points{index}", tensor) for tensor in by_columns.get(10, [])]
    one.tell("parameters.logits", *graph.logits(*(t.name for purpose, t in one.outputs if purpose[:5] == "score")))
    return one


FAMILY = Family("yunet", "YuNet (faces, five points)", recognise,
                {"order": "BGR", "scale": [1, 1, 1], "bias": [0, 0, 0], "fit": "letterbox-topleft",
                 "rounding": "floor", "fill": [0, 0, 0], "labels": ["face"], "selection.min_confidence": 0.5,
                 "selection.iou": 0.45, "selection.suppress": True},
                "as its authors' code takes pictures; its thresholds are for the product of score and objectness")
