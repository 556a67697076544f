# SPDX-License-Identifier: Apache-2.0
"""Average precision of both models as pycocotools has it, from a low floor of scores on."""

import contextlib
import io
import pathlib

import numpy
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from . import measure

SIZES = ("all", "small", "medium", "large")  # pycocotools' areas, in its order
AT_HALF = 0  # the first of its IoUs


def results_of(truth, found):
    """As `loadRes`, which fails on a list of nothing."""
    if found:
        return truth.loadRes(found)
    nothing = COCO()
    nothing.dataset = {**truth.dataset, "annotations": []}
    nothing.createIndex()
    return nothing


def evaluation_of(labels, found):
    truth, numbers = COCO(), sorted(labels.pictures.values())
    truth.dataset = {
        "images": [{"id": number} for number in numbers],
        "categories": [{"id": number} for number in sorted(set(labels.classes.values()))],
        "annotations": [{**box, "id": place} for place, box in enumerate(labels.boxes, 1)],
    }
    with contextlib.redirect_stdout(io.StringIO()):  # it tells each of its steps
        truth.createIndex()
        run = COCOeval(truth, results_of(truth, found), "bbox")
        run.evaluate()
        run.accumulate()
    # by IoU, recall, category, area and the most detections of a picture; -1 where there is nothing to find
    precision = run.eval["precision"][:, :, :, :, -1]

    def mean(values):
        known = values[values > -1]
        return float(numpy.mean(known)) if known.size else None

    return {size: {"ap": mean(precision[:, :, :, place]), "ap50": mean(precision[AT_HALF, :, :, place])}
            for place, size in enumerate(SIZES)}


def found_by(model, rung, labels, photographs, floor, trust):
    """What `rung detect` finds of the labelled classes on the labelled photographs."""
    labelled = [photograph for photograph in photographs if photograph.path.name in labels.pictures]
    options = ("--conf", floor, "--override-calibration", *trust)
    return [{"image_id": labels.pictures[pathlib.Path(line["source"]).name], "category_id": labels.classes[target["class_id"]],
             "bbox": target["box"], "score": target["score"]}
            for line in measure.detections(model, labelled, rung, options)
            for target in line["targets"] if target["class_id"] in labels.classes]


def compare(form, right, gate, labels, photographs, floor, trust=()):
    """The member `coco` of a gate's entry; `form` and `right` are model files, `gate` what was measured of them."""
    sides = {"form": (form, gate["rung"]), "f32": (right, gate["against"]["rung"])}
    figures = {side: evaluation_of(labels, found_by(model, rung, labels, photographs, floor, trust))
               for side, (model, rung) in sides.items()}
    return {"score_floor": floor, "pictures": len(labels.pictures), "targets": len(labels.boxes),
            "classes": len(set(labels.classes.values())), "left_out": labels.left_out, **figures}
