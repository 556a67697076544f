# SPDX-License-Identifier: Apache-2.0
"""What the tests of gates share: forms of a small model that answers as a test says, and the command on them."""

import hashlib
import json
import sys

import numpy
import onnx
import pytest
from PIL import Image

from conftest import ROOT
from rung_model import Refusal, __main__ as main

sys.path.append(str(ROOT / "tests" / "cli"))
import tiny  # noqa: E402

PICTURES, SIDE = 40, 200
MIDDLE, CORNER = [0.25, 0.25, 0.5, 0.5, 0, 0], [0, 0, 0.25, 0.25, 0.9, 1]
ROLES = {
    "detector": {},
    "embedder": {"role": "embedder", "head": "none", "selection": None, "labels": None, "embedding_length": 12},
    "segmenter": {"role": "segmenter", "head": "none", "labels": ["dark", "bright"], "canvas": {"width": 6, "height": 2},
                  "selection": {"min_confidence": 0.5, "suppress": False},
                  "input": {"name": "image", "dtype": "f32", "shape": [1, 3, 2, 6]}},
}


def corner(confidence):
    return [MIDDLE, [*CORNER[:4], confidence, 1]]


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def model(folder, name, role="detector", rows=None, **changes):
    """A spec and its graph, NAME.onnx, in the folder. The model's `rows` are its answer."""
    shape = ROLES[role].get("input", tiny.SPEC["input"])["shape"]
    graph = tiny.graph(folder / f"{name}.onnx", shape=shape)
    if rows is not None:
        loaded = onnx.load(graph)
        kept = [weight for weight in loaded.graph.initializer if weight.name != "rows"]
        del loaded.graph.initializer[:]
        loaded.graph.initializer.extend([*kept, onnx.numpy_helper.from_array(numpy.array([rows], numpy.float32), "rows")])
        onnx.save(loaded, graph)
    return tiny.spec(folder / f"{name}.spec.json", **{**ROLES[role], "graph": graph.name, **changes})


class Forms:
    """The model in f32 and forms of it, as quantizing leaves them, in one folder."""

    def __init__(self, folder):
        self.folder = folder

    def f32(self, role="detector", **changes):
        return model(self.folder, f"f32-{role}", role, **changes)

    def form(self, name="form", role="detector", rows=None, calibration=(), **changes):
        """`calibration`: photographs that it was calibrated on."""
        if not (self.folder / f"f32-{role}.onnx").exists():
            self.f32(role)
        known = [{"name": path.name, "sha256": digest_of(path)} for path in calibration]
        record = {"schema": 1, "calibration": {"method": "minmax", "photographs": known}, "gates": []}
        (self.folder / f"{name}.gate.json").write_text(json.dumps(record))
        (self.folder / f"{name}.precision.json").write_text('{"all": "int8"}')
        return model(self.folder, name, role, rows, **{
            "form": "int8", "precision": {"file": f"{name}.precision.json"}, "gate": {"file": f"{name}.gate.json"},
            "canonical": digest_of(self.folder / f"f32-{role}.onnx"), **changes})

    def record(self, name="form"):
        return json.loads((self.folder / f"{name}.gate.json").read_text())


@pytest.fixture
def forms(tmp_path):
    return Forms(tmp_path)


@pytest.fixture(scope="session")
def photos(tmp_path_factory):
    """Pictures of one colour each, on which the model finds the corner, 50 pixels wide, and the middle, 100."""
    folder = tmp_path_factory.mktemp("photos")
    for i in range(PICTURES):
        Image.new("RGB", (SIDE, SIDE), (255 - i,) * 3).save(folder / f"{i:02}.png")
    return folder


@pytest.fixture
def gate(photos, capsys):
    """Runs the command; what it printed. `missed`: it ends with 1, as the form missed."""
    def run(form, *arguments, missed=False, places=None):
        parsed = main.parser().parse_args(["gate", str(form), "--photos", *map(str, places or [photos]), *map(str, arguments)])
        status = 0
        try:
            parsed.run(parsed)
        except SystemExit as end:
            status = end.code
        assert status == int(missed)
        return capsys.readouterr().out
    return run


@pytest.fixture
def refused(gate):
    """Runs the command, which refuses with one sentence."""
    def run(*arguments, **options):
        with pytest.raises(Refusal) as caught:
            gate(*arguments, **options)
        sentence = str(caught.value)
        assert "\n" not in sentence and len(sentence) > 20
        return sentence
    return run
