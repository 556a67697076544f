# SPDX-License-Identifier: Apache-2.0
"""inspect and explain tell what a model file's gate record comes to; a record may say anything, and shows nothing that it should not."""
import hashlib
import json
import re

import pytest
import tiny
from conftest import ROOT, run

LOWER = {"form": "int8", "precision": {"text": '{"all": "int8"}'}}
DETECTOR = {
    "rung": "ort-cpu", "precision": "i8", "role": "detector", "pictures": 192,
    "labels": {"form": {"ap": 0.2, "ap50": 0.4}, "f32": {"ap": 0.21, "ap50": 0.41}},
    "checks": [{"name": "found of 40 px and more", "value": 0.951, "least": 0.97, "passed": False},
               {"name": "found of 40 to 80 px", "value": 0.93, "least": 0.94, "passed": False},
               {"name": "found of 80 to 160 px", "value": 0.96, "least": 0.92, "passed": True}],
}


@pytest.fixture
def pack(tmp_path, keys):
    """Packs the tiny model with a record; entries without an artifact are of its payload."""
    graph = tiny.graph(tmp_path / "graph.onnx")
    digest = hashlib.sha256(graph.read_bytes()).hexdigest()

    def make(record, name="form", **changes):
        if isinstance(record, dict) and isinstance(record.get("gates"), list):
            record = {**record, "gates": [{"artifact": digest, **gate} if isinstance(gate, dict) else gate for gate in record["gates"]]}
        gate = {"gate": {"text": json.dumps(record)}} if record is not None else {}
        spec = tiny.spec(tmp_path / "spec.json", **{**LOWER, **gate, **changes})
        run("pack", spec, graph, "-o", tmp_path / f"{name}.rung", "--key", keys / "key.pem")
        return tmp_path / f"{name}.rung"
    return make


def gated(model):
    return json.loads(run("inspect", "--json", model).out)["gated"]


def rows(model):
    return [re.sub(" +", " ", line) for line in run("inspect", model).out.splitlines() if line.startswith(("gate", "calibrated"))]


def test_a_measurement_that_passed_is_told_with_its_figures(pack):
    checks = [{**check, "passed": True} for check in DETECTOR["checks"]]
    model = pack({"schema": 1, "gates": [{**DETECTOR, "passed": True, "checks": checks}],
                  "calibration": {"photographs": [{"name": "a.jpg", "sha256": "5a" * 32}] * 88}})
    told = gated(model)
    (measured,) = told.pop("measured")
    assert told == {"verdict": "passed", "unsafe_no_gate": False, "calibrated_on": 88}
    assert measured == {"rung": "ort-cpu", "precision": "i8", "of_this": True, "passed": True, "missed": [], "pictures": 192,
                        "found": 0.951, "worst_band": {"size": "40 to 80 px", "found": 0.93}, "ap": {"form": 0.2, "f32": 0.21}}
    assert rows(model) == [
        "gate on ort-cpu in i8: passed; 192 photographs; found 95.1 % of 40 px and more, at worst 93.0 % of 40 to 80 px; "
        "AP 0.2000, f32 0.2100", "calibrated on 88 photographs"]


def test_a_measurement_that_missed_names_each_check(pack):
    model = pack({"schema": 1, "gates": [{**DETECTOR, "passed": False}]})
    told = gated(model)
    assert told["verdict"] == "missed" and told["measured"][0]["missed"] == [
        {"name": "found of 40 px and more", "value": 0.951, "least": 0.97}, {"name": "found of 40 to 80 px", "value": 0.93, "least": 0.94}]
    lack, measured = rows(model)
    assert lack == "gate no gate was passed by this model"
    assert "i8: MISSED found of 40 px and more 0.951 (at least 0.97), found of 40 to 80 px 0.93 (at least 0.94);" in measured


@pytest.mark.parametrize("record, verdict", [({"gates": []}, "not measured"), ({"gates": [{**DETECTOR, "passed": False}]}, "missed")])
def test_a_form_without_a_gate_says_so_plainly(pack, record, verdict):
    model = pack({"schema": 1, "unsafe_no_gate": True, **record})
    assert gated(model)["unsafe_no_gate"] and gated(model)["verdict"] == verdict
    assert rows(model)[0] == "gate packed without a gate (--unsafe-no-gate)"


def test_a_form_that_nobody_measured_says_so_and_f32_needs_no_gate(pack):
    model = pack(None)
    assert gated(model) == {"verdict": "not measured", "unsafe_no_gate": False, "measured": []}
    assert rows(model) == ["gate this form was not measured against f32"]
    model = pack(None, form="f32", precision=None)
    assert gated(model)["verdict"] == "not needed" and rows(model) == []


def test_what_another_payload_was_measured_at_is_no_verdict_on_this_one(pack):
    model = pack({"schema": 1, "gates": [{**DETECTOR, "passed": True, "artifact": "5a" * 32}]})
    assert gated(model)["verdict"] == "not measured" and not gated(model)["measured"][0]["of_this"]
    assert "on ort-cpu in i8, of another payload: passed" in rows(model)[1]


def test_what_other_roles_are_measured_at_is_told(pack):
    gate = {"rung": "tensorrt", "precision": "f16", "passed": True}
    model = pack({"schema": 1, "gates": [{**gate, "cosine": {"smallest": 0.9991, "p0.1": 0.9993, "p1": 0.9994, "median": 0.99987}},
                                         {**gate, "mean_iou": 0.98765}]})
    embedder, segmenter = gated(model)["measured"]
    assert embedder["cosine"] == {"smallest": 0.9991, "p0.1": 0.9993, "median": 0.99987} and segmenter["mean_iou"] == 0.98765
    assert rows(model) == ["gate on tensorrt in f16: passed; cosine 0.99910 at least, 0.99930 for 99.9 %",
                           "gate on tensorrt in f16: passed; mean IoU 0.9877"]


def test_the_average_precision_of_pycocotools_is_told_where_it_was_asked_for(pack):
    coco = {side: {"all": {"ap": ap}, "small": {"ap": None}} for side, ap in (("form", 0.25), ("f32", 0.26))}
    assert gated(pack({"schema": 1, "gates": [{**DETECTOR, "passed": True, "coco": coco}]}))["measured"][0]["ap"] == {
        "form": 0.25, "f32": 0.26}


@pytest.mark.parametrize("record", [
    {"gates": {"a": 1}}, {"gates": [1, None, [], "passed"]}, {"gates": [{"passed": 1, "rung": 7, "precision": [], "checks": {}}]},
    {"gates": [{"passed": "true", "checks": [None, 1, {"name": 5, "passed": False}, {"name": "found of ", "value": "1"}]}]},
    {"gates": [{"cosine": [], "coco": [], "labels": 7, "mean_iou": "1", "pictures": {}, "bands": 1}]}, {"unsafe_no_gate": 1},
    {"calibration": [], "gates": [{"coco": {"form": 1, "f32": {"all": 2}}, "labels": {"form": {"ap": 1}}}]}, {},
])
def test_members_of_other_types_count_for_nothing(pack, record):
    model = pack(record)
    told = gated(model)
    assert told["verdict"] in ("not measured", "missed") and not told["unsafe_no_gate"] and "calibrated_on" not in told
    assert all(not gate["passed"] and not gate.keys() & {"found", "cosine", "ap", "mean_iou", "worst_band", "pictures"}
               for gate in told["measured"])
    assert all(row.startswith("gate ") for row in rows(model))


def test_a_record_commands_no_terminal(pack):
    escape = "\x1b]0;owned\x07\n\x9b31m"
    checks = [{"name": f"found of {escape}", "value": 0.5, "least": 1, "passed": False}]
    record = {"schema": 1, "gates": [{"rung": escape, "precision": escape, "passed": False, "checks": checks}]}
    model = pack(record, precision={"text": json.dumps({escape: escape, "inner": {escape: [escape]}})})
    for shown in (run("inspect", model).out.replace("\n", ""), str(gated(model))):
        assert not set(shown) & {"\x1b", "\x07", "\n", "\x9b"}
    assert "gate                    on  ]0;owned" in run("inspect", model).out


def test_a_long_record_is_shown_in_part_and_judged_whole(pack):
    """At most 64 measurements, 16 checks of each, and no long text; one that passed counts wherever it stands."""
    check = {"name": "é" * 200, "value": 0, "least": 1, "passed": False}
    gates = [{"rung": "a", "passed": False, "checks": [check] * 20}] + [{"rung": "b", "passed": False}] * 90 + [{"rung": "c", "passed": True}]
    told = gated(pack({"schema": 1, "gates": gates}))
    assert len(told["measured"]) == 64 and told["verdict"] == "passed"
    missed = told["measured"][0]["missed"]
    assert len(missed) == 16 and missed[0]["name"] == "é" * 39


def test_explain_tells_the_gate_of_what_serves(pack, keys):
    model = pack({"schema": 1, "gates": [{**DETECTOR, "passed": True}]})
    arguments = ("explain", "-m", model, "--rung", "ort-cpu", "--trust", keys / "key.pub.pem")
    assert json.loads(run(*arguments, "--json").out)["model"]["gated"] == gated(model)
    lines = run(*arguments).out.splitlines()
    assert lines[1].startswith("gate       on ort-cpu in i8: passed; 192 photographs;") and lines[2].startswith("ran on ")
    assert "gate       packed without a gate (--unsafe-no-gate)\n" in run(
        *arguments[:2], pack({"unsafe_no_gate": True}, "unsafe"), *arguments[3:]).out


def test_the_page_has_every_member(pack):
    page = (ROOT / "docs" / "artifact.md").read_text()
    coco = {side: {"all": {"ap": 0.2}} for side in ("form", "f32")}
    whole = {**DETECTOR, "passed": False, "cosine": {"smallest": 0.9}, "mean_iou": 0.9, "coco": coco}
    told = gated(pack({"schema": 1, "gates": [whole], "calibration": {"photographs": [{}]}}))
    documented = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (.*?) \|", page[page.index("gated"):], re.MULTILINE))))
    assert {*told, *told["measured"][0]} <= documented
