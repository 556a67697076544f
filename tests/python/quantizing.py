# SPDX-License-Identifier: Apache-2.0
"""What the tests of quantising share: graphs that need no model, and the command on a real one."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy
import pytest

from conftest import ROOT
from rewriting import Small
from rung_model import Refusal, fix, program
from rung_model.quantize import prepared, ranges

DATA = os.environ.get("RUNG_TEST_DATA")
NAME = "yunet_n_320"


def convolved(graph, source, output, channels=4, kernel=1):
    """A convolution of three or more channels with a bias."""
    count = len(graph.weights)
    depth = 3 if source == "picture" else channels
    weight = graph.weight(f"kernel{count}", numpy.linspace(-1, 1, channels * depth * kernel ** 2, dtype=numpy.float32)
                          .reshape(channels, depth, kernel, kernel))
    bias = graph.weight(f"bias{count}", numpy.linspace(-1, 1, channels, dtype=numpy.float32))
    return graph.node("Conv", [source, weight, bias], output)


def small(tail=("Sigmoid",)):
    """Convolution, Relu, convolution, and a tail that makes `answer`."""
    graph = Small()
    convolved(graph, "picture", "one")
    graph.node("Relu", ["one"], "limited")
    name = convolved(graph, "limited", "two" if tail else "answer")
    for number, kind in enumerate(tail, 1):
        name = graph.node(kind, [name], "answer" if number == len(tail) else f"tail{number}")
    return graph.model({"picture": [1, 3, 8, 8]}, {"answer": [1, 4, 8, 8]})


def attention():
    """Query, key and value of one picture's pixels."""
    graph = Small()
    for name in ("query", "key", "value"):
        weight = graph.weight(f"{name}.weight", numpy.eye(8, dtype=numpy.float32))
        graph.node("MatMul", ["tokens", weight], name)
    graph.node("Transpose", ["key"], "turned", perm=[0, 2, 1])
    graph.node("MatMul", ["query", "turned"], "product")
    graph.node("Mul", ["product", graph.weight("scale", numpy.float32([0.5]))], "scaled")
    graph.node("Softmax", ["scaled"], "weights", axis=-1)
    graph.node("MatMul", ["weights", "value"], "seen")
    weight = graph.weight("out.weight", numpy.eye(8, dtype=numpy.float32))
    graph.node("MatMul", ["seen", weight], "answer")
    return graph.model({"tokens": [1, 6, 8]}, {"answer": [1, 6, 8]})


def folded(model, tmp_path):
    return prepared.prepare(model, tmp_path)


def calibrated(model, tmp_path):
    """A prepared model, and the ranges of a few random pictures."""
    model = folded(model, tmp_path)
    return model, ranges.gather(model, pictures(), None, tmp_path)


def pictures(count=5, seed=3):
    random = numpy.random.default_rng(seed)
    return [{"picture": random.uniform(-1, 1, (1, 3, 8, 8)).astype(numpy.float32)} for _ in range(count)]


class Model:
    """A model in f32 as `rung pack` takes it, in a folder."""

    def __init__(self, folder):
        if not DATA:
            pytest.skip("RUNG_TEST_DATA is not set: it names the folder of further test data")
        try:
            program.path()
        except Refusal as reason:
            pytest.skip(str(reason))
        self.folder = folder
        self.graph = folder / f"{NAME}.onnx"
        self.spec = folder / "spec.json"
        fix.save(fix.fix(fix.load(pathlib.Path(DATA) / "models" / f"{NAME}.onnx"), {}), self.graph)
        shutil.copy(ROOT / "models" / NAME / "spec.json", self.spec)
        (folder / "LICENSE").write_text("The licence of the published weights.\n")
        self.photographs = sorted((pathlib.Path(DATA) / "calib").glob("*.jpg"))

    def quantize(self, output, *arguments, photos=None, form="int8", seed="0"):
        """The process when it is done."""
        photos = self.photographs[:64] if photos is None else photos
        return subprocess.run(
            [sys.executable, "-m", "rung_model", "quantize", self.spec, self.graph, "--form", form, "-o", output, *arguments,
             "--photos", *photos], cwd=ROOT / "python", capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONHASHSEED": seed, "RUNG_PROBE": "off"})

    def form(self, output, *arguments, **options):
        """The report of a form that is made."""
        done = self.quantize(output, "--json", *arguments, **options)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        return json.loads(done.stdout)

    def reason(self, output, *arguments, **options):
        """Why none is made; then nothing is written."""
        done = self.quantize(output, *arguments, **options)
        assert done.returncode == 1 and done.stdout == "", done.stdout
        assert "Traceback" not in done.stderr
        assert not [path for path in pathlib.Path(output).parent.iterdir() if path.name.startswith(pathlib.Path(output).stem)]
        return done.stderr
