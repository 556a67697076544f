# SPDX-License-Identifier: Apache-2.0
"""From the graphs as they were published to signed model files, by command line alone: what those find in photographs
is what the models' cards say."""

import json
import shutil
import types

import pytest

from commands import done, rung, rung_model, tried

# What a person says of each besides what is usual in its family: labels and the licence, and nothing of how
# photographs are taken.
SAID = {
    "yolox_nano_416": ["labels=@labels_coco80.txt"],
    "yunet_n_320": [],
    "ultraface_rfb_320": [],
    "fastestdet_352": ["labels=@labels_coco80.txt"],
}
LICENCES = {"yolox_nano_416": "Apache-2.0.txt", "yunet_n_320": "Apache-2.0.txt",
            "ultraface_rfb_320": "MIT-UltraFace.txt", "fastestdet_352": "BSD-3-Clause-FastestDet.txt"}
MOST_PIXELS, MOST_SCORE = 1, 0.01


def fixed(card, data, folder):
    """The published file and what is said of it lie in the folder; the graph that is served comes to lie there, too."""
    name = card["name"]
    shutil.copy(data / "models" / f"{name}.onnx", folder / "published.onnx")
    shutil.copy(data / "models/labels_coco80.txt", folder)
    shutil.copy(data / "LICENSES" / LICENCES[name], folder / "LICENSE")
    photographs = [data / reference["image"] for reference in card["references"]]
    done(rung_model("fix", "published.onnx", f"{name}.onnx", "--inputs", *photographs), folder)


def packed(card, folder, *more):
    """The signed model file; `more` is said besides, and the last word counts."""
    name = card["name"]
    said = dict(pair.split("=", 1) for pair in ["licence=LICENSE", *SAID[name], *more])
    pairs = [part for member, value in said.items() for part in ("--set", f"{member}={value}")]
    done(rung_model("import", f"{name}.onnx", "--accept", *pairs, "-o", "spec.json"), folder)
    done(rung_model("pack", "spec.json", f"{name}.onnx", "-o", f"{name}.rung", "--key", "key.pem"), folder)
    return folder / f"{name}.rung"


def found(model, photograph, folder):
    line = done(rung("detect", "-m", model, "--trust", "key.pub.pem", "--json", photograph), folder)
    return json.loads(line)["targets"]


def corners(target):
    """Of a target of rung: its corners and key points, as a card lists them."""
    x, y, width, height = target["box"]
    return [x, y, x + width, y + height] + [value for point in target["keypoints"] for value in point]


def apart(target, published):
    """The largest difference in pixels, and that of the scores; of another class nothing is near."""
    wanted = published["box_xyxy"] + published.get("landmarks_xy", [])
    if target["class"] != published["label"] or len(corners(target)) != len(wanted):
        return float("inf"), float("inf")
    return max(abs(a - b) for a, b in zip(corners(target), wanted)), abs(target["score"] - published["score"])


def differences(targets, published):
    """A sentence for each target that is missing, too much, or elsewhere; and the largest differences of the rest."""
    left, wrong, pixels, scores = list(targets), [], 0.0, 0.0
    for wanted in published:
        nearest = min(left, key=lambda target: apart(target, wanted), default=None)
        distance = apart(nearest, wanted) if nearest else (float("inf"), float("inf"))
        if distance[0] > MOST_PIXELS or distance[1] > MOST_SCORE:
            wrong.append(f"{wanted} is {distance} from the nearest target")
        else:
            left.remove(nearest)
            pixels, scores = max(pixels, distance[0]), max(scores, distance[1])
    return wrong + [f"{target} is too much" for target in left], pixels, scores


def compared(card, model, data, folder):
    told = [differences(found(model, data / reference["image"], folder), reference["result"])
            for reference in card["references"]]
    wrong, pixels, scores = zip(*told)
    return types.SimpleNamespace(wrong=sum(wrong, []), pixels=max(pixels), scores=max(scores))


@pytest.fixture(scope="module", params=SAID)
def journey(request, data, tmp_path_factory):
    """A model's card, and a folder with its fixed graph and a pair of keys."""
    folder = tmp_path_factory.mktemp(request.param)
    card = json.loads((data / "models" / f"{request.param}.json").read_text())
    fixed(card, data, folder)
    done(rung("keygen", "key.pem", "key.pub.pem"), folder)
    return types.SimpleNamespace(card=card, folder=folder, data=data)


def test_a_published_file_becomes_a_signed_one_that_finds_what_its_card_says(journey, capsys):
    model = packed(journey.card, journey.folder)
    assert done(rung("verify", model, "--trust", "key.pub.pem"), journey.folder)
    result = compared(journey.card, model, journey.data, journey.folder)
    with capsys.disabled():
        print(f"\n{journey.card['name']}: at most {result.pixels:.2f} pixels and {result.scores:.4f} in score from "
              "its card", end="")
    assert result.wrong == []


def test_what_another_key_signed_is_not_taken_for_it(journey, tmp_path):
    model = packed(journey.card, journey.folder)
    done(rung("keygen", "key.pem", "key.pub.pem"), tmp_path)
    photograph = journey.data / journey.card["references"][0]["image"]
    refused = tried(rung("detect", "-m", model, "--trust", "key.pub.pem", "--json", photograph), tmp_path)
    assert refused.returncode == 4 and "trust" in refused.stderr and refused.stdout == ""


# Each of them answers on every photograph, and otherwise than the card: what is said of a model matters, and a wrong
# word shows in the comparison above.
@pytest.mark.parametrize("wrong", ["order", "fit", "resampler"])
def test_a_wrong_word_shows_in_what_is_found(journey, wrong):
    spec = json.loads((journey.folder / "spec.json").read_text())
    said = {"order": ["order=" + spec["order"][::-1]], "fit": ["fit=cover"], "resampler": ["resampler=triangle"]}
    model = packed(journey.card, journey.folder, *said[wrong])
    assert compared(journey.card, model, journey.data, journey.folder).wrong
