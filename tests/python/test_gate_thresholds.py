# SPDX-License-Identifier: Apache-2.0
"""A form may have a lower threshold of its own where that recovers what it lost, with the fewest extra targets."""

import json

import pytest

from gating import corner, forms, gate, photos, refused  # noqa: F401
from rung_model.gate import thresholds


def against(forms):
    return "--against", forms.folder / "f32-detector.spec.json"


def suggested(gate, forms, form, *options, missed=False):
    return json.loads(gate(form, *against(forms), "--suggest-threshold", "--json", *options, missed=missed))["gate"]


def test_the_highest_threshold_that_passes_is_suggested_and_nothing_is_changed(forms, gate):
    """The corner has 0.46: at 0.485 and 0.47 it is still lost."""
    form = forms.form(rows=corner(0.46))
    before = form.read_bytes()
    entry = suggested(gate, forms, form, missed=True)
    rows = entry["thresholds"]["measured"]
    assert [(row["min_confidence"], row["found"], row["passed"]) for row in rows] == [
        (0.5, 0.5, False), (0.485, 0.5, False), (0.47, 0.5, False), (0.45, 1, True)]
    assert entry["thresholds"]["suggested"] == 0.45 and entry["min_confidence"] == 0.5 and not entry["passed"]
    assert form.read_bytes() == before and forms.record()["gates"] == [entry]


def test_people_are_told_which_member_to_change(forms, gate):
    out = gate(forms.form(rows=corner(0.46)), *against(forms), "--suggest-threshold", missed=True)
    assert 'with "min_confidence": 0.45 in "selection" of' in out and "--apply writes that" in out


def test_applying_changes_that_member_alone_and_records_the_gate_with_it(forms, gate):
    form = forms.form(rows=corner(0.46))
    form.write_text(json.dumps(json.loads(form.read_text()), indent=3).replace('"min_confidence": 0.5', '"min_confidence": 5.0e-1'))
    before = form.read_text()
    entry = suggested(gate, forms, form, "--apply")
    assert entry["passed"] and entry["min_confidence"] == 0.45 and forms.record()["gates"] == [entry]
    changed = [(old, new) for old, new in zip(before.splitlines(), form.read_text().splitlines()) if old != new]
    assert len(changed) == 1 and changed[0][1].strip() == '"min_confidence": 0.45,'
    assert json.loads(form.read_text())["selection"]["min_confidence"] == 0.45
    gate(form, *against(forms))  # and so it passes


def test_a_form_that_passes_keeps_its_threshold(forms, gate):
    form = forms.form(rows=corner(0.85))
    before = form.read_bytes()
    entry = suggested(gate, forms, form, "--apply")
    assert entry["thresholds"]["suggested"] == 0.5 and len(entry["thresholds"]["measured"]) == 1 and form.read_bytes() == before


def test_a_threshold_that_a_model_file_rounds_stays_what_the_spec_says(forms, gate):
    form = forms.form(rows=corner(0.85), selection={"min_confidence": 0.3, "suppress": False})
    before = form.read_bytes()
    assert suggested(gate, forms, form, "--apply")["min_confidence"] == 0.3 and form.read_bytes() == before


def test_what_no_threshold_recovers_is_said(forms, gate):
    form = forms.form(rows=corner(0.1))
    out = gate(form, *against(forms), "--suggest-threshold", "--apply", missed=True)
    entry = forms.record()["gates"][0]
    assert entry["thresholds"]["suggested"] is None and len(entry["thresholds"]["measured"]) == 1 + len(thresholds.PARTS)
    assert "no lower threshold recovers what was lost" in out
    assert json.loads(form.read_text())["selection"]["min_confidence"] == 0.5


def test_candidates_are_below_the_own_and_not_below_the_bands():
    spec = {"selection": {"min_confidence": 0.5, "band": {"confidence": 0.44, "min": 8, "max": 16}}}
    assert thresholds.candidates(spec) == [0.485, 0.47, 0.45]
    assert thresholds.candidates({"selection": {"min_confidence": 0.001}}) == []
    tiny = thresholds.candidates({"selection": {"min_confidence": 0.01}})
    assert tiny == sorted(set(tiny), reverse=True) and tiny[-1] > 0 and tiny[0] < 0.01


@pytest.mark.parametrize("name", ["plain", 'of "min_confidence": 3'])
def test_the_member_is_changed_wherever_its_name_stands_besides(forms, name):
    """In a label, say."""
    class Model:
        place = forms.form(labels=["bright", name])
    thresholds.apply(Model, 0.4)
    spec = json.loads(Model.place.read_text())
    assert spec["selection"]["min_confidence"] == 0.4 and spec["labels"] == ["bright", name]
