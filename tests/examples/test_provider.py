# SPDX-License-Identifier: Apache-2.0
"""examples/provider: a model on a provider of the program's own gives what ONNX Runtime makes of its graph."""
import command_line
import numpy
import onnx
import pytest
from command_line import ROOT
from conftest import ppm, run, sentence
from onnx import TensorProto, helper

SOURCE = ROOT / "examples"


def graph():
    """examples/brightness.onnx: one row of a box in the middle, whose confidence is the mean of the picture."""
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["mean"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("Reshape", ["mean", "shape"], ["mean3"]),
        helper.make_node("Mul", ["mean3", "confidence"], ["row"]),
        helper.make_node("Add", ["row", "box"], ["targets"]),
    ]
    constants = {"shape": numpy.int64([1, 1, 1]), "confidence": numpy.float32([[[0, 0, 0, 0, 1, 0]]]),
                 "box": numpy.float32([[[0.25, 0.25, 0.5, 0.5, 0, 0]]])}
    return helper.make_model(
        helper.make_graph(nodes, "brightness", [helper.make_tensor_value_info("image", TensorProto.FLOAT, (1, 3, 8, 8))],
                          [helper.make_tensor_value_info("targets", TensorProto.FLOAT, (1, 1, 6))],
                          [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()]),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_the_network_in_the_tree_is_this_one():
    assert onnx.load(SOURCE / "brightness.onnx") == graph()


@pytest.fixture(scope="session")
def brightness(models):
    model = models.folder / "the-real-one.rung"
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
    for model in detector, models.pack("brightness"):  # by its name alone it is none
        told = sentence(run("provider", model, ppm(tmp_path / "a.ppm"), status=1, environment=models.trust))
        assert told.startswith("UNSUPPORTED: ") and "it is not the network brightness" in told


def test_wrong_arguments_are_told():
    assert sentence(run("provider", status=2)) == "usage: provider MODEL PICTURE.ppm"
