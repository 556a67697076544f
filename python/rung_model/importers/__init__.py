# SPDX-License-Identifier: Apache-2.0
"""From an exported ONNX graph to a spec: each family knows the tensors of its own, and says by what it knows them."""

import dataclasses

from . import (centerface, detr, embedder, fastestdet, rows, scrfd, segmenter, ultraface, yolo_e2e, yolov5, yolov8,
               yolox, yunet)
from .candidate import NotThis

FAMILIES = {module.FAMILY.name: module.FAMILY
            for module in (yolov5, yolov8, yolo_e2e, yolox, detr, centerface, scrfd, yunet, ultraface, fastestdet,
                           rows, embedder, segmenter)}


def recognise(graph, said, families=FAMILIES.values()):
    """([Candidate, …], {family: why it is none}). `said`: what the person said, by member."""
    found, not_these = [], {}
    for family in families:
        try:
            found.append(dataclasses.replace(family.recognise(graph, said), family=family))
        except NotThis as reason:
            not_these[family.name] = str(reason)
    return found, not_these
