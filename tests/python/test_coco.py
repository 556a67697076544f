# SPDX-License-Identifier: Apache-2.0
"""COCO's average precision through Rung is that of an evaluation which has nothing of Rung; and the score counts what is
easily left out."""

import json
import sys

import numpy
import pytest

from commands import RUNG
from conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))
import coco  # noqa: E402
import yolox_numpy  # noqa: E402


def test_the_average_precision_is_that_of_onnx_runtime_and_numpy(data, capsys):
    result = coco.measured(data, rung=RUNG)
    with capsys.disabled():
        print(f"\nAP50 {result['rung']['ap50']:.4f} through Rung, {result['numpy']['ap50']:.4f} by numpy", end="")
    assert result["pictures"] == 192 and result["numpy"]["ap50"] == pytest.approx(0.460, abs=0.001)
    assert result["within"] and result["apart"] <= 0.003


def test_80_classes_have_numbers_of_1_to_90(data):
    annotations = json.loads((data / "gate/coco80.json").read_text())
    numbers = coco.categories_of(data / "models/labels_coco80.txt", annotations)
    assert len(numbers) == 80 and numbers[0] == 1 and numbers[11:13] == [13, 14] and numbers[79] == 90


def truth(*boxes, pictures=2):
    """Annotations of as many pictures; a box is (picture, crowd?), always in the same place."""
    return {"info": {}, "images": [{"id": index, "width": 100, "height": 100} for index in range(1, pictures + 1)],
            "categories": [{"id": 90, "name": "toothbrush"}],
            "annotations": [{"id": number, "image_id": picture, "category_id": 90, "bbox": [10, 10, 50, 50],
                             "area": 2500, "iscrowd": crowd} for number, (picture, crowd) in enumerate(boxes, 1)]}


def find(picture, confidence, box=(10, 10, 50, 50)):
    return {"image_id": picture, "category_id": 90, "bbox": list(box), "score": confidence}


def test_what_is_found_where_there_is_no_object_counts_against_it():
    annotations = truth((1, 0))
    assert coco.score(annotations, [find(1, 0.8)])["ap50"] == pytest.approx(1)
    assert coco.score(annotations, [find(1, 0.8), find(2, 0.9)])["ap50"] == pytest.approx(0.5)


def test_what_is_found_in_a_crowd_counts_neither_way():
    found = [find(1, 0.8), find(2, 0.9, (20, 20, 20, 20))]
    assert coco.score(truth((1, 0), (2, 1)), found)["ap50"] == pytest.approx(1)
    assert coco.score(truth((1, 0), (2, 0)), found)["ap50"] < 0.6


def test_what_is_found_in_a_picture_without_annotations_is_no_detection_of_the_set():
    with pytest.raises(AssertionError):
        coco.score(truth((1, 0)), [find(3, 0.8)])


def test_the_best_of_a_class_takes_what_overlaps_it_and_no_other_class():
    boxes = numpy.array([[0, 0, 10, 10], [1, 0, 11, 10], [1, 0, 11, 10], [20, 0, 30, 10]], float)
    kept = yolox_numpy.best_of(boxes, numpy.array([0.5, 0.9, 0.4, 0.3]), numpy.array([0, 0, 1, 0]), 0.45)
    assert kept == [1, 2, 3]
