# SPDX-License-Identifier: Apache-2.0
"""What the YOLO families of one exporter share."""

PREPROCESSING = {"order": "RGB", "scale": [0.00392156863] * 3, "bias": [0, 0, 0], "fit": "letterbox",
                 "rounding": "nearest", "fill": [114, 114, 114]}
SOURCE = "as the exporter's own predictor does"


def other_tasks(graph):
    """An exporter that writes its task says when rows hold more than boxes and classes."""
    task = graph.file.metadata.get("task", "detect")
    if task == "detect":
        return []
    return [f"its metadata says that the model's task is {task[:40]!a}, so columns that look like classes are not; "
            "Rung serves the detect models of this family"]
