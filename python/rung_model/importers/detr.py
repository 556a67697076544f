# SPDX-License-Identifier: Apache-2.0
"""RF-DETR, Deformable DETR and others that answer a set of queries with logits and boxes."""

from . import ultraface
from .candidate import Candidate, Family, NotThis, scores_and_boxes

MOST_QUERIES = 2048
RF_DETR = {"dets", "labels"}


def recognise(graph, said):
    logits, boxes, swapped = scores_and_boxes(graph, said)
    queries, classes = logits.shape[-2:]
    if queries > MOST_QUERIES:
        raise NotThis(f"it has at most some hundred queries, and this graph {queries} rows")
    if ultraface.priors(graph.canvas, queries):
        raise NotThis(f"{queries} rows are just the priors of UltraFace")
    if "Softmax" in graph.ends(logits.name):
        raise NotThis(f"Softmax computes {logits.name}, and its scores are logits")
    by = [f"outputs {logits} and {boxes}: {queries} queries with {classes} classes and a box each"]
    named = RF_DETR == {tensor.name for tensor in graph.outputs}
    if named:
        by.append("the names dets and labels are those of RF-DETR's exporter")
    one = Candidate("detr", [("logits", logits), ("boxes", boxes)], by,
                    told={"selection.considered": queries, "selection.max_targets": min(queries, 512)},
                    classes=classes, obstacles=swapped)
    if "Sigmoid" in graph.ends(logits.name):
        one.obstacles.append(f"a sigmoid computes {logits.name}, and the head detr takes logits; export without it")
    one.open["detr.classes"] = ("sigmoid: each class by itself, as Deformable DETR, RT-DETR and RF-DETR were trained; "
                                "softmax: with a class of no object, as the first DETR")
    if said.get("detr.classes") == "softmax":
        one.obstacles.append("a softmax over classes and a class of no object is no head of Rung; put Softmax into "
                             "the graph, drop the last class, and serve it through another head")
    return one


FAMILY = Family("detr", "RF-DETR, Deformable DETR (queries with logits and boxes)", recognise,
                {"order": "RGB", "scale": [0.0171247538, 0.0175070028, 0.0174291939],
                 "bias": [-2.11790393, -2.03571429, -1.80444444], "fit": "stretch", "detr.classes": "sigmoid",
                 "selection.min_confidence": 0.5, "selection.suppress": False},
                "as RF-DETR's own predictor does: the mean and deviation of ImageNet, stretched")
