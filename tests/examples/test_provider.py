# SPDX-License-Identifier: Apache-2.0
"""examples/provider: a model on a provider of the program's own gives what ONNX Runtime makes of its graph."""
import command_line
import pytest
from command_line import ROOT
from conftest import ppm, run, sentence

SOURCE = ROOT / "examples"


@pytest.fixture(scope="session")
def brightness(models):
    model = models.folder / "brightness.rung"
    command_line.run("pack", SOURCE / "brightness.json", SOURCE / "brightness.onnx", "-o", model, "--key", models.keys / "key.pem")
    return model


@pytest.mark.parametrize("level", [1, 51, 128, 254, 255])
def test_it_gives_what_onnx_runtime_gives(models, brightness, tmp_path, level):
    picture = ppm(tmp_path / "a.ppm", 20, 12, colour=(level, level, 0))
    own = run("provider", brightness, picture, environment=models.trust).stdout
    (label, score, *box) = run("detect", brightness, picture, environment=models.trust | {"RUNG_RUNG": "ort-cpu"}).stdout.split()
    assert own == f"my-brightness: {score}\n" and float(score) == pytest.approx(level * 2 / 3 / 255, abs=0.001)
    assert (label, box) == ("bright", ["5.0", "3.0", "10.0", "6.0"])


def test_a_black_picture_has_no_target(models, brightness, tmp_path):
    out = run("provider", brightness, ppm(tmp_path / "a.ppm", colour=(0, 0, 0)), environment=models.trust).stdout
    assert out == "my-brightness: 0.000\n"


def test_another_model_is_refused_with_the_reason(models, detector, tmp_path):
    told = sentence(run("provider", detector, ppm(tmp_path / "a.ppm"), status=1, environment=models.trust))
    assert told.startswith("UNSUPPORTED: ") and "it is not the network brightness" in told


def test_wrong_arguments_are_told():
    assert sentence(run("provider", status=2)) == "usage: provider MODEL PICTURE.ppm"
