#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/coco.py DATA: COCO's average precision of YOLOX-nano in f32 through Rung, against ONNX Runtime and numpy alone.

The graph as published is fixed, imported and packed on the spot. Both look at the photographs of DATA/gate/coco80, and
what both find is scored by pycocotools: all 80 classes, all photographs, those without an object too. Exit status: 0 the
average precision at IoU 0.5 is the same within 0.3 points, 1 it is not.

Rung applies the profiles of colours that photographs bring along, and the authors' code passes over them; a sixth of
these look otherwise by that. --plain gives both the same pixels, as files without profiles."""

import argparse
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import harness

NAME = "yolox_nano_416"
LEAST, OVERLAP = 0.05, 0.45  # confidence and IoU
ALLOWED = 0.003  # of the average precision, 0..1
FIGURES = ("ap", "ap50", "ap75", "ap_small", "ap_medium", "ap_large")  # the first of COCOeval's stats, in their order


def call(folder, *command):
    environment = harness.environment(PYTHONPATH=str(harness.ROOT / "python"),
                                      RUNG_TRUST_PATH=str(folder / "key.pub.pem"))
    try:
        subprocess.run(list(map(os.fspath, command)), cwd=folder, check=True, stdout=subprocess.DEVNULL, env=environment)
    except subprocess.CalledProcessError as error:
        harness.fail(f"{command[0]} ended with status {error.returncode}")


def without_profiles(photographs, folder):
    """The same pictures as files that hold pixels and nothing else."""
    from PIL import Image
    plain = folder / "plain"
    plain.mkdir()
    for photograph in photographs.iterdir():
        Image.open(photograph).convert("RGB").save(plain / f"{photograph.stem}.bmp")
    return plain


def by_rung(data, photographs, folder, rung):
    """Its detections as pycocotools reads them, from the published graph on."""
    graph, labels = data / "models" / f"{NAME}.onnx", data / "models/labels_coco80.txt"
    model = [sys.executable, "-m", "rung_model"]
    call(folder, *model, "fix", graph, "fixed.onnx", "--inputs", *sorted(photographs.iterdir())[:2])
    call(folder, *model, "import", "fixed.onnx", "--accept", "--set", f"name={NAME}", "--set", f"labels=@{labels}",
         "--set", f"selection.min_confidence={LEAST}", "--set", f"selection.iou={OVERLAP}", "-o", "spec.json")
    call(folder, rung, "keygen", "key.pem", "key.pub.pem")
    call(folder, rung, "pack", "spec.json", "fixed.onnx", "-o", "model.rung", "--key", "key.pem")
    call(folder, rung, "detect", "-m", "model.rung", "--coco", "found.json", "--json", photographs)
    return json.loads((folder / "found.json").read_text())


def categories_of(labels, annotations):
    """COCO's number of each class of the model, by its label: 80 classes have numbers of 1 to 90."""
    numbers = {category["name"]: category["id"] for category in annotations["categories"]}
    return [numbers[label] for label in labels.read_text().splitlines()]


def by_numpy(data, photographs, annotations):
    import yolox_numpy
    model = yolox_numpy.Yolox(data / "models" / f"{NAME}.onnx")
    categories = categories_of(data / "models/labels_coco80.txt", annotations)
    files = {int(photograph.stem): photograph for photograph in photographs.iterdir()}
    return [{"image_id": picture["id"], "category_id": categories[kind], "bbox": list(map(float, box)),
             "score": float(score)}
            for picture in annotations["images"]
            for box, score, kind in model.detect(files[picture["id"]], LEAST, OVERLAP)]


def score(annotations, detections):
    """COCO's figures. Every picture of the annotations counts, and none of another is passed over."""
    from pycocotools import coco, cocoeval
    with contextlib.redirect_stdout(io.StringIO()):
        truth = coco.COCO()
        truth.dataset = json.loads(json.dumps(annotations))
        truth.createIndex()
        evaluation = cocoeval.COCOeval(truth, truth.loadRes([dict(one) for one in detections]), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return {**dict(zip(FIGURES, map(float, evaluation.stats))), "detections": len(detections)}


def measured(data, plain=False, rung=harness.RUNG):
    annotations = json.loads((data / "gate/coco80.json").read_text())
    photographs = data / "gate/coco80"
    with tempfile.TemporaryDirectory(prefix="rung-coco-") as name:
        folder = pathlib.Path(name)
        if plain:
            photographs = without_profiles(photographs, folder)
        ours = score(annotations, by_rung(data, photographs, folder, rung))
        theirs = score(annotations, by_numpy(data, photographs, annotations))
    apart = abs(ours["ap50"] - theirs["ap50"])
    return {"schema": 1, "model": NAME, "pictures": len(annotations["images"]), "plain": plain,
            "least_confidence": LEAST, "iou": OVERLAP, "rung": ours, "numpy": theirs, "apart": apart, "allowed": ALLOWED,
            "within": apart <= ALLOWED}


def show(result):
    print(f"{result['model']}, {result['pictures']} photographs, from a confidence of {result['least_confidence']} on")
    print(f"{'':14}{'Rung':>10}{'numpy':>10}{'apart':>10}")
    for name in FIGURES:
        ours, theirs = result["rung"][name], result["numpy"][name]
        print(f"{name:14}{ours:10.4f}{theirs:10.4f}{ours - theirs:+10.4f}")
    print(f"{'detections':14}{result['rung']['detections']:10}{result['numpy']['detections']:10}")
    print(f"ap50 is {100 * result['apart']:.2f} points apart, at most {100 * result['allowed']:.1f} are allowed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path, help="the folder of test data")
    parser.add_argument("--plain", action="store_true", help="give both the same pixels, without profiles of colours")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()
    data = options.data.resolve()
    for file in (harness.RUNG, data / "models" / f"{NAME}.onnx", data / "gate/coco80.json"):
        if not file.exists():
            harness.fail(f"{file} is missing; build the tree, and name the folder of test data", 2)
    result = measured(data, options.plain)
    print(json.dumps(result)) if options.json else show(result)
    return 0 if result["within"] else 1


if __name__ == "__main__":
    sys.exit(main())
