# SPDX-License-Identifier: Apache-2.0
"""rung-model pack: what ships is what was measured, and what did not pass ships only as what it is."""

import json
import os
import subprocess
import sys

import packing
import pytest
from binding import COMMAND
from conftest import ROOT
from packing import LOWER, SPEC, entry

import rung_model.pack.gate as judge
from rung_model import handling


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    folder = tmp_path_factory.mktemp("key")
    subprocess.run([COMMAND, "keygen", folder / "key.pem", folder / "key.pub.pem"], check=True, capture_output=True)
    return folder / "key.pem"


def pack(*arguments, cwd=None):
    return subprocess.run([sys.executable, "-m", "rung_model", "pack", *map(str, arguments)], cwd=cwd, text=True, capture_output=True,
                          env={"PYTHONPATH": str(ROOT / "python"), "PATH": str(COMMAND.parent), "PYTHONWARNINGS": "error"},
                          timeout=120, check=False)


def packed(*arguments, **options):
    done = pack(*arguments, **options)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


def refused(*arguments, **options):
    done = pack(*arguments, **options)
    assert done.returncode == 1 and done.stdout == "" and done.stderr.startswith("rung-model: ") and done.stderr.count("\n") == 1
    return done.stderr


def inspect(path):
    return json.loads(subprocess.run([COMMAND, "inspect", "--json", path], check=True, capture_output=True).stdout)


def rows(path):
    return subprocess.run([COMMAND, "inspect", path], check=True, capture_output=True, text=True).stdout


def left(folder):
    return {path.name for path in folder.iterdir()} - {"spec.json", "tiny.onnx", "gate.json", "precision.json"}


def test_the_model_in_f32_needs_no_gate_and_is_what_rung_pack_makes(tmp_path, key):
    spec = packing.write(tmp_path)
    packed(spec, "-o", tmp_path / "a.rung", "--key", key)
    subprocess.run([COMMAND, "pack", spec, "-o", tmp_path / "b.rung", "--key", key], check=True, capture_output=True)
    ours, theirs = ((tmp_path / name).read_bytes() for name in ("a.rung", "b.rung"))
    assert ours[:-64] == theirs[:-64] and inspect(tmp_path / "a.rung")["signed"]
    assert left(tmp_path) == {"a.rung", "b.rung"}


@pytest.mark.parametrize("place", ["spec.json", "tiny.onnx", "gate.json", "precision.json", "key.pem", "folder"])
def test_nothing_that_it_is_made_from_is_written_over(tmp_path, key, place):
    spec = packing.write(tmp_path, {"gates": [entry(True)]}, **LOWER)
    (tmp_path / "folder").mkdir()
    (tmp_path / "key.pem").write_bytes(key.read_bytes())
    (tmp_path / "key.pem").chmod(0o600)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert "name a" in refused(spec, "-o", tmp_path / place, "--key", tmp_path / "key.pem")
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}


def test_a_form_that_passed_is_packed_with_its_record(tmp_path, key):
    spec = packing.write(tmp_path, {"gates": [entry(False, rung="tract"), entry(True)]}, **LOWER)
    report = json.loads(packed(spec, tmp_path / "tiny.onnx", "-o", tmp_path / "a.rung", "-k", key, "--json"))
    info = inspect(tmp_path / "a.rung")
    assert info["gate"] == json.loads((tmp_path / "gate.json").read_text()) and info["gated"]["verdict"] == "passed"
    assert report == {"schema": 1, "output": str(tmp_path / "a.rung"), "name": "tiny", "form": "int8", "artifact": info["digest"],
                      "bytes": info["bytes"], "signed": True, "verdict": "passed", "unsafe_no_gate": False}


@pytest.mark.parametrize("record, words", [
    ({"gates": [entry(False)]}, ["it missed on ort-cpu: found of 40 px and more 0.9512, at least 0.97. To do: targets are lost",
                                  "quantize --float-worst"]),
    ({"gates": [entry(True, artifact="5a" * 32)]}, ["1 measurements of other payloads", "Measure it with rung-model gate"]),
    ({"gates": []}, ["no measurement", "Measure it with rung-model gate"]),
    ({"gates": [entry("true")]}, ["it missed on ort-cpu: no check is told. To do: quantise it otherwise (another --form"]),
    ({"gates": [entry(True, min_confidence=0.3)]}, ["passed with min_confidence 0.3, and its spec has 0.5"]),
    ({"gates": [entry(True, min_confidence=None)]}, ["passed with min_confidence nothing, and its spec has 0.5"]),
    ({"gates": [entry(True, spec="5a" * 32)]}, ["passed with another spec (order, scale", "Measure it as it is with rung-model gate"]),
    ({"gates": [entry(False, checks=[{"name": "targets of 40 px and more", "value": 17, "least": 30, "passed": False}])]},
     ["17, at least 30. To do: the photographs have too little of what the model detects: name more of them; then measure"]),
    ({"gates": [entry(True, artifact="5a" * 32)], "unsafe_no_gate": True}, ["other payloads"]),
])
def test_a_form_that_did_not_pass_is_refused_with_what_it_lacks(tmp_path, record, words):
    spec = packing.write(tmp_path, record, **LOWER)
    sentence = refused(spec, "-o", tmp_path / "a.rung")
    assert all(word in sentence for word in ["tiny in int8 is not packed", "--unsafe-no-gate packs it nevertheless", *words])
    assert left(tmp_path) == set()


@pytest.mark.parametrize("changes, same", [
    ({"licence": {"text": "Apache-2.0"}, "labels": ["dog", "cat"]}, True),
    ({"order": "BGR"}, False),
    ({"fit": "letterbox"}, False),
    ({"selection": {**SPEC["selection"], "iou": 0.4}}, False),
])
def test_a_form_ships_as_it_was_measured_but_for_texts(tmp_path, monkeypatch, changes, same):
    monkeypatch.setenv("PATH", str(COMMAND.parent))
    packed(packing.write(tmp_path, **LOWER), "-o", tmp_path / "measured.rung", "--unsafe-no-gate")
    measured = handling.digest(tmp_path / "measured.rung")
    spec = packing.write(tmp_path, {"gates": [entry(True, spec=measured)]}, **{**LOWER, **changes})
    if same:
        assert "it passed its gate" in packed(spec, "-o", tmp_path / "a.rung")
    else:
        assert "it passed with another spec" in refused(spec, "-o", tmp_path / "a.rung")


def test_a_place_that_is_no_file_is_left_as_it_is(tmp_path):
    """A new file would take the place of a device."""
    os.mkfifo(tmp_path / "pipe")
    assert "a device, a pipe or a socket" in refused(packing.write(tmp_path), "-o", tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_what_was_there_stays_where_a_form_is_refused(tmp_path):
    spec = packing.write(tmp_path, {"gates": [entry(False)]}, **LOWER)
    (tmp_path / "a.rung").write_text("of yesterday")
    refused(spec, "-o", tmp_path / "a.rung")
    assert (tmp_path / "a.rung").read_text() == "of yesterday"


def test_a_graph_that_changed_since_it_was_measured_is_refused(tmp_path):
    spec = packing.write(tmp_path, {"gates": [entry(True)]}, **LOWER)
    packing.graph(tmp_path / "tiny.onnx", shift=0.5)
    assert "measurements of other payloads" in refused(spec, "-o", tmp_path / "a.rung")


@pytest.mark.parametrize("record", [{"gates": [entry(False)], "calibration": {"photographs": []}}, None], ids=["missed", "no record"])
def test_without_a_gate_the_file_says_so(tmp_path, key, record):
    changes = LOWER if record else {**LOWER, "gate": None}
    spec = packing.write(tmp_path, record, **changes)
    told = packed(spec, "-o", "a.rung", "--key", key, "--unsafe-no-gate", cwd=tmp_path)
    assert "it is packed without a gate (--unsafe-no-gate)" in told
    info = inspect(tmp_path / "a.rung")
    own = json.loads((tmp_path / "gate.json").read_text()) if record else {"schema": 1, "gates": []}
    assert info["gate"] == {**own, "unsafe_no_gate": True} and info["signed"] and info["licence"].startswith("MIT License")
    assert "packed without a gate (--unsafe-no-gate)" in rows(tmp_path / "a.rung")
    assert left(tmp_path) == {"a.rung"}


def test_a_form_that_passed_is_not_called_unsafe(tmp_path):
    spec = packing.write(tmp_path, {"gates": [entry(True)]}, **LOWER)
    assert "it passed its gate" in packed(spec, "-o", tmp_path / "a.rung", "--unsafe-no-gate")
    assert not inspect(tmp_path / "a.rung")["gated"]["unsafe_no_gate"]


@pytest.mark.parametrize("changes, words", [
    ({"labels": [f"class {i}" for i in range(80)]}, "there are 80 labels, and by its tensors the model has 2 classes; give the labels"),
    ({"outputs": [{"purpose": "output", "name": "rows", "dtype": "f32", "shape": [1, 6, 4]}]}, 'no output "rows"'),
    ({"graph": "none.onnx"}, "none.onnx"),
    ({"form": "int8", "precision": None}, "rung-model quantize writes what goes into it"),
])
def test_what_rung_pack_refuses_is_refused_in_its_words(tmp_path, changes, words):
    spec = packing.write(tmp_path, **changes)
    assert words in refused(spec, "-o", tmp_path / "a.rung")
    assert left(tmp_path) == set()


def test_a_key_that_is_none_leaves_nothing(tmp_path):
    spec = packing.write(tmp_path)
    assert "tiny.onnx" in refused(spec, "-o", tmp_path / "a.rung", "--key", tmp_path / "tiny.onnx")
    assert left(tmp_path) == set()


@pytest.mark.parametrize("record", [None, [], {}, {"gates": 7}, {"gates": [None, 1, "a", []]}, {"gates": [{"passed": True}]},
                                    {"gates": [{"artifact": "d", "passed": False, "checks": [{}, None, {"value": True}]}]}])
def test_a_record_of_any_kind_is_no_pass(record):
    info = {"digest": "d", "kind": "onnx", "form": "int8", "gate": record}
    assert not judge.has_passed(info) and judge.why_not(info)


@pytest.mark.parametrize("role", ["embedder", "segmenter"])
def test_a_role_without_thresholds_has_none_to_be_measured_with(role):
    info = {"role": role, "digest": "d", "kind": "onnx", "handling": "h", "selection": {"min_confidence": 0},
            "gate": {"gates": [{"artifact": "d", "passed": True, "spec": "h"}]}}
    assert judge.has_passed(info) and not judge.has_passed({**info, "handling": "i"})


def test_an_engine_is_judged_by_the_model_that_it_was_compiled_from():
    info = {"role": "detector", "digest": "e", "kind": "engine", "handling": "h", "device": {"artifact": "d"},
            "selection": {"min_confidence": 0.5}, "gate": {"gates": [entry(True, artifact="d")]}}
    assert judge.has_passed(info) and not judge.has_passed({**info, "kind": "onnx"})
