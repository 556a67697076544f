# SPDX-License-Identifier: Apache-2.0
"""From a model in f32 and photographs to a form that packs, by the command alone."""

import copy
import hashlib
import json

import numpy
import onnx
import pytest
from PIL import Image

from quantizing import DATA, Model
from rung_model import fix, program


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return Model(tmp_path_factory.mktemp("f32"))


@pytest.fixture(scope="module")
def made(model, tmp_path_factory):
    """(the graph's path, the report)"""
    path = tmp_path_factory.mktemp("int8") / "form.onnx"
    return path, model.form(path)


def beside(path, what):
    return json.loads(path.with_suffix(f".{what}.json").read_text())


def values_of(path):
    graph = onnx.load(path).graph
    return [(value.name, value.type.tensor_type.elem_type, fix.shape_of(value)) for value in [*graph.input, *graph.output]]


def test_the_form_packs_as_one_of_this_model_and_has_its_inputs_and_outputs(model, made, tmp_path):
    path, report = made
    packed = tmp_path / "form.rung"
    program.run("pack", path.with_suffix(".spec.json"), path, "-o", packed)
    assert program.read("inspect", "--json", packed)["form"] == "int8"
    assert values_of(path) == values_of(model.graph)
    spec, canonical = beside(path, "spec"), json.loads(model.spec.read_text())
    assert spec["canonical"] == hashlib.sha256(model.graph.read_bytes()).hexdigest()
    assert spec["licence"] == {"text": "The licence of the published weights.\n"}
    changed = ("form", "canonical", "graph", "precision", "gate", "licence")
    assert {name: spec.get(name) for name in canonical if name not in changed} \
        == {name: value for name, value in canonical.items() if name not in changed}


def test_the_report_counts_what_the_map_says_and_the_graph_is_smaller(model, made):
    path, report = made
    operations = beside(path, "precision")["operations"]
    assert report["operations"] == {name: list(operations.values()).count(name) for name in ("f32", "i8")}
    assert report["operations"]["i8"] > report["operations"]["f32"] > 0 and report["weights"]["count"] == 59
    assert report["bytes"] == {"before": model.graph.stat().st_size, "after": path.stat().st_size}
    assert report["bytes"]["after"] < 0.7 * report["bytes"]["before"]
    assert 0 < report["distance"] < 0.3


def test_the_gate_record_names_the_photographs_by_digest_and_tells_no_place(model, made):
    path, _ = made
    record = beside(path, "gate")
    assert record["gates"] == []
    told = record["calibration"]
    assert told["count"] == 64 and told["method"] == "minmax" and told["weight_bits"] == 8
    digests = {photo.name: hashlib.sha256(photo.read_bytes()).hexdigest() for photo in model.photographs[:64]}
    assert {one["name"]: one["sha256"] for one in told["photographs"]} == digests
    assert set(told["tools"]) == {"python", "numpy", "onnx", "onnxruntime", "rung"}
    assert DATA not in path.with_suffix(".gate.json").read_text()


def test_the_same_inputs_give_the_same_bytes(model, made, tmp_path):
    path, _ = made
    again = tmp_path / "form.onnx"
    model.form(again, seed="4711")
    for suffix in (".onnx", ".spec.json", ".precision.json", ".gate.json"):
        assert again.with_suffix(suffix).read_bytes() == path.with_suffix(suffix).read_bytes()


@pytest.mark.parametrize("form", ["a16w8", "a16w16"])
def test_forms_of_16_bits_pack_and_are_nearer_to_f32(model, made, form, tmp_path):
    report = model.form(tmp_path / "form.onnx", form=form)
    assert form in report["operations"] and report["distance"] < made[1]["distance"]


def test_what_is_said_is_done_and_recorded(model, made, tmp_path):
    path = tmp_path / "form.onnx"
    report = model.form(path, "--range", "percentile=99.9", "--weight-bits", "7", "--float", "Conv_0", "--float", "Conv_2",
                        "--no-rules", "--min-confidence", "0.45")
    told = beside(path, "gate")["calibration"]
    assert (told["method"], told["weight_bits"], told["float"], told["rules"]) == ("percentile=99.9", 7, ["Conv_0", "Conv_2"], False)
    assert told["min_confidence"] == beside(path, "spec")["selection"]["min_confidence"] == 0.45
    assert beside(path, "precision")["operations"]["Conv_0"] == "f32" and report["weights"]["count"] == 57
    assert path.read_bytes() != made[0].read_bytes()


def test_too_few_photographs_are_refused_and_the_same_one_counts_once(model, tmp_path):
    few = model.photographs[:63]
    assert "there are 63 different photographs, and calibration takes 64" in model.reason(tmp_path / "out.onnx", photos=few + few[:5])
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "holds no photographs" in model.reason(tmp_path / "out.onnx", photos=[empty])


def saved(folder, picture):
    """A folder with 64 pictures, each of them made by picture(number)."""
    folder.mkdir()
    for index in range(64):
        Image.fromarray(picture(index).astype(numpy.uint8)).save(folder / f"{index}.png")
    return folder


@pytest.mark.parametrize("picture, why", [
    (lambda index: numpy.full((48, 64, 3), index * 3), "64 of the 64 photographs are noise or one plain colour, such as"),
    (lambda index: numpy.random.default_rng(index).integers(0, 256, (48, 64, 3)), "64 of the 64 photographs are noise"),
    (lambda index: numpy.indices((48, 64)).sum(axis=0)[..., numpy.newaxis].repeat(3, 2) + index,
     "finds nothing in any of the 64 photographs; name some that contain what it detects (face)"),
], ids=["plain", "noise", "empty scenes"])
def test_photographs_without_what_the_model_detects_are_refused(model, picture, why, tmp_path):
    assert why in model.reason(tmp_path / "out.onnx", photos=[saved(tmp_path / "photos", picture)])


def test_a_graph_that_is_not_the_specs_is_refused(model, tmp_path):
    other = copy.copy(model)
    other.spec = tmp_path / "spec.json"
    other.spec.write_text(model.spec.read_text().replace('"cls_8"', '"cls_9"'))
    (tmp_path / "LICENSE").write_text("licence")
    assert "cls_9" in other.reason(tmp_path / "out.onnx")


def test_a_pattern_without_a_match_is_refused_before_calibration(model, tmp_path):
    assert "--float Nothing* matches no operation" in model.reason(tmp_path / "out.onnx", "--float", "Nothing*")
