# SPDX-License-Identifier: Apache-2.0
"""The published results of the test models: what rung answers on a photograph is what the model's card says."""
import json
import os
import subprocess

import pytest
from conftest import MODELS, ROOT, json_lines, run

CARDS = ("yolox_nano_416", "yunet_n_320", "yunet_n_640", "ultraface_rfb_320", "fastestdet_352")


@pytest.fixture(scope="module", params=CARDS)
def card(request, data):
    """A card whose model file is made and up to date."""
    subprocess.run([ROOT / "scripts/test-models", data, request.param], check=True, stdout=subprocess.DEVNULL)
    return json.loads((data / "models" / f"{request.param}.json").read_text())


def numbers(target):
    """Of a target of rung: its corners and key points, as a card lists them."""
    x, y, w, h = target["box"]
    return [x, y, x + w, y + h] + [value for point in target.get("keypoints", []) for value in point]


def distance(target, published):
    """→ the largest difference in pixels, the difference of the scores."""
    wanted = published["box_xyxy"] + published.get("landmarks_xy", [])
    got = numbers(target)
    assert len(got) == len(wanted), (target, published)
    return max(abs(a - b) for a, b in zip(got, wanted)), abs(target["score"] - published["score"])


def test_a_card_gives_its_published_results(card, data, capsys):
    """Every box and key point within 1 pixel, every score within 0.01, in the published order."""
    for reference in card["references"]:
        (line,) = json_lines(run("detect", "-m", MODELS / f"{card['name']}.rung", "--json", data / reference["image"]))
        targets, published = line["targets"], reference["result"]
        assert [target["class"] for target in targets] == [result["label"] for result in published], line["source"]
        pixels, scores = zip(*map(distance, targets, published))
        with capsys.disabled():
            print(f"\n{card['name']} on {os.path.basename(reference['image'])}: {len(targets)} targets, at most "
                  f"{max(pixels):.2f} pixels and {max(scores):.4f} in score from the card", end="")
        assert max(pixels) <= 1 and max(scores) <= 0.01, line["source"]


def test_what_its_spec_says_is_in_the_model_file(card):
    spec = json.loads((ROOT / "models" / card["name"] / "spec.json").read_text())
    inside = json.loads(run("inspect", "--spec", MODELS / f"{card['name']}.rung").out)
    for member in ("head", "canvas", "fit", "order", "outputs", "parameters", "labels"):
        assert inside[member] == spec[member]
    for key in ("min_confidence", "iou"):
        assert abs(inside["selection"][key] - spec["selection"][key]) <= 0.5 / 65535 + 1e-9
