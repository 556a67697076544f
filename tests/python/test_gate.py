# SPDX-License-Identifier: Apache-2.0
"""rung-model gate: what was measured is told, and stands in the form's record, where packing looks for it."""

import errno
import json
import os

import pytest

from gating import CORNER, MIDDLE, PICTURES, corner, digest_of, forms, gate, photos, refused  # noqa: F401
from rung_model import Refusal
from rung_model.gate import costs, measure, record, table
from test_gate_labels import write_labels


def against(forms, role="detector"):
    return "--against", forms.folder / f"f32-{role}.spec.json"


def test_a_form_that_passes_is_recorded_with_what_it_takes_and_where_it_was_measured(forms, gate):
    form = forms.form(rows=corner(0.85))
    out = gate(form, *against(forms))
    (entry,) = forms.record()["gates"]
    assert entry["passed"] and entry["rung"] == "ort-cpu" and entry["precision"] == "i8"
    assert entry["artifact"] == digest_of(forms.folder / "form.onnx")
    assert entry["bytes"] == {side: (forms.folder / f"{name}.onnx").stat().st_size
                              for side, name in (("form", "form"), ("f32", "f32-detector"))}
    assert entry["memory"]["form"]["process_peak"] > 1e6 and entry["memory"]["form"]["compile_peak"] is None
    assert entry["engine_reused"] is None  # nothing is compiled on ort-cpu
    assert entry["measured_on"]["runtime"].startswith("ONNX Runtime ") and entry["measured_on"]["rung"].startswith("rung ")
    assert entry["min_confidence"] == 0.5 and entry["all"]["found"] == 2 * PICTURES
    assert out.splitlines()[0] == f"tiny+i8 on ort-cpu against tiny on ort-cpu, {PICTURES} photographs: passed"


def test_a_form_that_misses_says_which_check_by_how_much_and_is_recorded_as_such(forms, gate):
    out = gate(forms.form(rows=corner(0.1)), *against(forms), missed=True)
    assert "MISSED" in out.splitlines()[0]
    (line,) = [line for line in out.splitlines() if "found of 40 px and more" in line]
    assert line.split()[-5:] == ["0.5", "0.97", "missed", "by", "0.47"]
    assert "\nto do: targets are lost: " in out
    assert [entry["passed"] for entry in forms.record()["gates"]] == [False]


def test_measuring_again_replaces_what_was_measured_of_that_payload_there(forms, gate):
    form = forms.form(rows=corner(0.85))
    gate(form, *against(forms))
    before = forms.record()
    before["gates"].append({**before["gates"][0], "rung": "elsewhere"})
    before["gates"].append({**before["gates"][0], "artifact": "5a" * 32})
    before["notes"] = "of somebody"
    (forms.folder / "form.gate.json").write_text(json.dumps(before))
    gate(form, *against(forms))
    after = forms.record()
    assert [(one["rung"], one["artifact"][:4]) for one in after["gates"]] == [
        ("elsewhere", before["gates"][0]["artifact"][:4]), ("ort-cpu", "5a5a"), ("ort-cpu", before["gates"][0]["artifact"][:4])]
    assert after["calibration"] == before["calibration"] and after["notes"] == "of somebody"


def test_json_is_one_object_with_all_of_it(forms, gate):
    form = forms.form(rows=corner(0.85))
    told = json.loads(gate(form, *against(forms), "--json"))
    assert told["schema"] == 1 and told["passed"] and told["form"] == str(form) and told["report"] is None
    assert told["record"] == str(forms.folder / "form.gate.json") and told["gate"] == forms.record()["gates"][0]


@pytest.mark.parametrize("role", ["embedder", "segmenter"])
def test_other_roles_are_measured_by_what_they_are_for(forms, gate, role):
    told = json.loads(gate(forms.form(role=role, rows=[MIDDLE, CORNER]), *against(forms, role), "--json"))
    assert told["passed"] and told["gate"]["role"] == role and "min_confidence" not in told["gate"]
    assert told["gate"]["memory"]["form"]["process_peak"] > 1e6  # an embedder that passed is served


def test_an_embedder_that_missed_is_not_served_and_its_memory_is_not_told(forms, gate):
    form = forms.form(role="embedder", rows=[[0.9, *MIDDLE[1:]], CORNER])
    told = json.loads(gate(form, *against(forms, "embedder"), "--json", missed=True))
    assert told["gate"]["memory"]["form"] is None and told["gate"]["memory"]["f32"]["process_peak"] > 1e6


def test_f32_is_measured_on_another_rung_without_a_record(forms, gate):
    told = json.loads(gate(forms.f32(), "--rung", "tract", "--threads", "1", "--json"))
    assert told["passed"] and told["gate"]["rung"] == "tract" and told["record"] is None


def test_model_files_are_measured_too_and_stay_as_they_are(forms, gate, refused):
    from rung_model import program
    form = forms.form(rows=corner(0.85), calibration=[])
    packed = forms.folder / "form.rung"
    program.run("pack", form, "-o", packed)
    before = packed.read_bytes()
    told = json.loads(gate(packed, *against(forms), "--json"))
    assert told["passed"] and told["record"] is None and packed.read_bytes() == before


def test_model_files_of_ones_own_key_are_measured_with_trust_in_it(forms, gate, refused, photos, tmp_path):
    from rung_model import program
    program.run("keygen", tmp_path / "own.pem", tmp_path / "own.pub.pem")
    packed = {}
    for name, spec in (("form", forms.form(rows=corner(0.1), calibration=[])), ("f32", forms.f32())):
        packed[name] = tmp_path / f"{name}.rung"
        program.run("pack", spec, "-o", packed[name], "--key", tmp_path / "own.pem")
    both = packed["form"], "--against", packed["f32"]
    assert "which is not one of the" in refused(*both)
    labels = write_labels(tmp_path / "labels.json")
    told = json.loads(gate(*both, "--trust", tmp_path / "own.pub.pem", "--labels", labels, "--report", tmp_path / "page.html",
                           "--json", missed=True))
    assert told["gate"]["memory"]["form"] and told["gate"]["memory"]["f32"] and told["gate"]["coco"]["form"]
    assert "00.png" in (tmp_path / "page.html").read_text()


def test_the_graph_beside_a_spec_is_its_graph(forms, gate):
    form = forms.form(rows=corner(0.85), graph=None)
    assert json.loads(gate(form, *against(forms), "--json"))["passed"]


def test_what_is_packed_for_the_measurement_nobody_else_can_read_and_it_is_removed(forms, gate, monkeypatch):
    seen, right = [], measure.measure

    def looking(form, *rest):
        seen.append((form.parent, form.parent.stat().st_mode & 0o777))
        return right(form, *rest)
    monkeypatch.setattr(measure, "measure", looking)
    gate(forms.form(rows=corner(0.85)), *against(forms))
    ((folder, mode),) = seen
    assert mode == 0o700 and not folder.exists() and folder != forms.folder


def test_the_record_stays_small(forms, gate):
    gate(forms.form(rows=corner(0.85)), *against(forms))
    assert (forms.folder / "form.gate.json").stat().st_size < 16384
    assert record.rounded({"a": [0.123456789, 7, None, True, "x"]}) == {"a": [0.12346, 7, None, True, "x"]}


def test_a_record_is_written_whole_or_not_at_all(forms, gate, monkeypatch):
    form = forms.form(rows=corner(0.85))
    before = (forms.folder / "form.gate.json").read_bytes()
    def full(*_):
        raise OSError(errno.ENOSPC, "no room")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(Refusal, match="form.gate.json cannot be written: no room"):
        gate(form, *against(forms))
    assert (forms.folder / "form.gate.json").read_bytes() == before
    assert not list(forms.folder.glob("*.tmp"))


def test_a_compiled_form_tells_whether_a_second_start_finds_its_engine(monkeypatch):
    starts = iter([{"compiled": False, "engine": True}, {"compiled": True, "engine": False}, None])
    monkeypatch.setattr(costs, "report_of", lambda *_: next(starts))
    first = {"compiled": True, "engine": False}
    assert [costs.reuses_engine("x", "r", None, first) for _ in range(3)] == [True, False, False]
    assert costs.reuses_engine("x", "r", None, {"compiled": False, "engine": False}) is None


def test_a_system_that_does_not_tell_its_processor_is_no_fault(monkeypatch, tmp_path):
    monkeypatch.setattr(costs, "CPU_INFO", tmp_path / "none")
    assert costs.processor() is None
    monkeypatch.setattr(costs, "CPU_INFO", tmp_path / "some")
    (tmp_path / "some").write_text("processor\t: 0\nmodel name\t: Fast 9000\nmodel name\t: Fast 9000\n")
    assert costs.processor() == "Fast 9000"


def test_a_check_without_a_figure_is_told():
    assert table.short_of({"passed": False, "value": None, "least": 1}) == "no figure" and table.number(None) == "none"
