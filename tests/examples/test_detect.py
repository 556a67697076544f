# SPDX-License-Identifier: Apache-2.0
"""examples/detect: the same boxes as the command line, and a sentence about what is no picture or no model."""
import command_line
import pytest
from command_line import MODELS, PHOTOS
from conftest import EMBEDDER, ppm, run, sentence
from PIL import Image


def test_it_finds_the_face_that_the_command_line_finds(tmp_path):
    if not (MODELS / "centerface.rung").exists():
        pytest.skip("scripts/demo-models has not made centerface")
    face = PHOTOS / "astronaut.png"
    Image.open(face).convert("RGB").save(tmp_path / "face.ppm")
    (line,) = command_line.json_lines(command_line.run("detect", "-m", "centerface", "--json", face))
    label, score, *box = run("detect", MODELS / "centerface.rung", tmp_path / "face.ppm").stdout.split()
    (target,) = line["targets"]
    assert label == "face" and float(score) == round(target["score"], 3)
    assert [float(v) for v in box] == [round(v, 1) for v in target["box"]]


def test_no_target_is_no_line_and_no_failure(models, tmp_path):
    strict = models.pack("strict", selection={"min_confidence": 0.95, "iou": 0.5, "suppress": True, "containment": False,
                                              "per_class": True, "capacity": 2, "considered": 2, "max_targets": 2})
    assert run("detect", strict, ppm(tmp_path / "dark.ppm", colour=(0, 0, 0)), environment=models.trust).stdout == ""


def test_boxes_are_in_pixels_of_the_picture(models, detector, tmp_path):
    out = run("detect", detector, ppm(tmp_path / "white.ppm", 64, 32), environment=models.trust).stdout.splitlines()
    assert out == ["bright 1.000 16.0 8.0 32.0 16.0", "corner 0.900 0.0 0.0 16.0 8.0"]


@pytest.mark.parametrize("header, pixels", [
    (b"P6 2 2 255\n", 12), (b"P6\n# made by hand\n2 2\n# and\n# again\n255\n", 12), (b"P6\t2\r\n2 255 ", 12), (b"P6 2 2 255\n", 13),
])
def test_every_way_to_write_a_header_is_read(models, detector, tmp_path, header, pixels):
    (tmp_path / "a.ppm").write_bytes(header + bytes(pixels))
    assert run("detect", detector, tmp_path / "a.ppm", environment=models.trust).stdout.startswith("corner 0.900")


@pytest.mark.parametrize("content, reason", [
    (b"", "no binary PPM"), (b"P5 2 2 255\n" + bytes(12), "no binary PPM"), (b"P6", "header"), (b"P6 2", "header"),
    (b"P6 0 2 255\n", "header"), (b"P6 2 -2 255\n" + bytes(12), "header"), (b"P6 2 2 65535\n" + bytes(24), "header"),
    (b"P6 65536 1 255\n" + bytes(9), "header"), (b"P6 4294967298 2 255\n" + bytes(12), "header"), (b"P6 2 2 255", "header"),
    (b"P6 #", "header"), (b"P6 2x2 255\n" + bytes(12), "header"),
    (b"P6 2 2 255\n" + bytes(11), "ends before"), (b"P6 65535 65535 255\n" + bytes(12), "ends before"),
])
def test_what_is_no_picture_is_told(detector, tmp_path, content, reason):
    (tmp_path / "a.ppm").write_bytes(content)
    assert reason in sentence(run("detect", detector, tmp_path / "a.ppm", status=1))


def test_a_picture_that_is_not_there_is_told(detector, tmp_path):
    told = sentence(run("detect", detector, tmp_path / "none.ppm", status=1))
    assert "none.ppm: " in told and "cannot be opened" in told


def test_a_model_that_cannot_serve_is_told(models, detector, tmp_path):
    picture = ppm(tmp_path / "a.ppm")
    assert sentence(run("detect", tmp_path / "none.rung", picture, status=1)).startswith("IO: ")
    assert "no Rung model" in sentence(run("detect", picture, picture, status=1))
    assert sentence(run("detect", detector, picture, status=1)).startswith("PERMISSION: ")  # its key is not trusted
    embedder = models.pack("no-detector", **EMBEDDER)
    assert "no detector" in sentence(run("detect", embedder, picture, status=1, environment=models.trust))


@pytest.mark.parametrize("arguments", [[], ["model"], ["model", "picture", "more"]])
def test_wrong_arguments_are_told(arguments):
    assert sentence(run("detect", *arguments, status=2)) == "usage: detect MODEL PICTURE.ppm"
