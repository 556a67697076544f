# SPDX-License-Identifier: Apache-2.0
"""Compiled detectors that answer with finished rows: corner, size, confidence, class, as parts of the canvas."""

from .candidate import Candidate, Family, NotThis
from .yolo_e2e import six_columns


def recognise(graph, _):
    output = six_columns(graph)
    if "TopK" in graph.file.kinds:
        raise NotThis("the graph has TopK, by which end-to-end YOLO chooses its rows")
    return Candidate("rows", [("output", output)],
                     [f"output {output}: 6 columns can be left, top, width, height as fractions, confidence and class"])


FAMILY = Family("rows", "rows of finished boxes (docs/heads.md#rows)", recognise)
