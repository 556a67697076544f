# SPDX-License-Identifier: Apache-2.0
"""What cannot be measured is one sentence that says what to do, and nothing is recorded."""

import json
import os

import pytest
from PIL import Image

from gating import corner, forms, gate, photos, refused  # noqa: F401
from rung_model import program


def against(forms):
    return "--against", forms.folder / "f32-detector.spec.json"


@pytest.fixture(autouse=True)
def nothing_is_recorded(forms):
    yield
    for path in forms.folder.glob("*.gate.json"):
        assert '"passed"' not in path.read_text()


def test_folders_without_photographs(forms, refused, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "holds no photographs" in refused(forms.form(), *against(forms), places=[tmp_path / "empty"])
    assert "cannot be read" in refused(forms.form(), *against(forms), places=[tmp_path / "none"])


def test_a_photograph_that_cannot_be_read(forms, refused, photos, tmp_path):
    (tmp_path / "torn.png").write_bytes((photos / "00.png").read_bytes()[:60])
    told = refused(forms.form(), *against(forms), places=[photos, tmp_path / "torn.png"])
    assert "torn.png" in told and "take it away, or replace it" in told


def test_photographs_in_which_f32_finds_nothing(forms, refused, tmp_path):
    """The model is blind: neither the middle of dark pictures nor the corner is above its threshold."""
    folder = tmp_path / "dark"
    folder.mkdir()
    Image.new("RGB", (200, 200), "black").save(folder / "black.png")
    forms.f32(rows=corner(0.1))
    told = refused(forms.form(rows=corner(0.1)), *against(forms), places=[folder])
    assert "f32 finds nothing on the photographs (1)" in told and "name photographs that have what the model detects" in told


def test_photographs_that_the_form_was_calibrated_on_before_any_work(forms, refused, photos, monkeypatch):
    monkeypatch.setattr("rung_model.gate.measure.measure", lambda *_: pytest.fail("it measured"))
    form = forms.form(calibration=sorted(photos.iterdir())[3:8])
    told = refused(form, *against(forms))
    assert "5 of 40 photographs" in told and "03.png, 04.png, 05.png and 2 more" in told


def test_calibration_photographs_in_a_model_file(forms, refused, photos):
    form = forms.form(calibration=[photos / "07.png"])
    program.run("pack", form, "-o", forms.folder / "form.rung")
    assert "07.png" in refused(forms.folder / "form.rung", *against(forms))


def test_a_form_of_another_graph(forms, refused):
    form = forms.form(canonical="5a" * 32)
    assert "5a5a5a5a5a5a5a5a…" in refused(form, *against(forms))


def test_a_form_of_another_model(forms, refused):
    assert "is no form of tiny" in refused(forms.form(name="other", **{"labels": ["bright", "corner"]}), "--against",
                                           forms.f32("segmenter"))


def test_a_form_alone(forms, refused):
    assert "with --against" in refused(forms.form())


def test_outputs_that_are_not_the_specs(forms, refused):
    form = forms.form(outputs=[{"purpose": "output", "name": "row0", "dtype": "f32", "shape": [1, 2, 6]}])
    assert "row0" in refused(form, *against(forms))


def test_the_program_rung_is_missing(forms, refused, monkeypatch, tmp_path):
    monkeypatch.setattr(program, "BUILT", tmp_path / "none")
    monkeypatch.setenv("PATH", os.devnull)
    assert "the program rung is missing; install it" in refused(forms.form(), *against(forms))


@pytest.mark.parametrize("text, words", [
    (None, "cannot be read"), ("", "is no JSON"), ("[]", "is no JSON object"), ("[" * 100_000, "is no JSON"),
    ('{"name": "x"}', "names no graph"), ('{"bundle": "x"}', "names a bundle")])
def test_a_spec_that_is_none(forms, refused, tmp_path, text, words):
    path = tmp_path / "broken.json"
    if text is not None:
        path.write_text(text)
    assert words in refused(path)


@pytest.mark.parametrize("text, words", [
    (None, "cannot be read"), ("{", "is no JSON"), ('{"schema": 2, "gates": []}', "is no gate record"),
    ('{"schema": 1, "gates": [7]}', "is no gate record"), ('{"schema": 1}', "is no gate record"),
    ('{"schema": 1, "gates": [], "calibration": 7}', "no list of photographs"),
    ('{"schema": 1, "gates": [], "calibration": {"photographs": {}}}', "no list of photographs"),
    (" " * 300_000, "has at most 262144")])
def test_a_gate_record_that_is_none(forms, refused, text, words):
    form = forms.form()
    path = forms.folder / "form.gate.json"
    path.unlink()
    if text is not None:
        path.write_text(text)
    told = refused(form, *against(forms))
    assert "form.gate.json" in told and words in told


def test_a_record_that_would_not_fit_a_model_file(forms, refused):
    form = forms.form(rows=corner(0.85))
    full = {"schema": 1, "gates": [], "notes": "x" * 260_000}
    (forms.folder / "form.gate.json").write_text(json.dumps(full))
    assert "a model file takes 262144" in refused(form, *against(forms))
    assert forms.record() == full


def test_a_name_that_no_list_can_hold(forms, refused, photos, tmp_path):
    (tmp_path / "two\nlines.png").write_bytes((photos / "00.png").read_bytes())
    assert "has a line end in its name" in refused(forms.form(), *against(forms), places=[tmp_path / "two\nlines.png"])


def test_options_that_do_not_go_together(forms, refused):
    assert "--apply is for --suggest-threshold" in refused(forms.form(), *against(forms), "--apply")
    assert "page.html cannot be written: No such file" in refused(forms.form(), *against(forms), "--report", forms.folder / "none" / "page.html")
    assert "has no threshold to suggest" in refused(forms.f32("embedder"), "--suggest-threshold")
    program.run("pack", forms.f32(), "-o", forms.folder / "f32.rung")
    assert "name its spec" in refused(forms.folder / "f32.rung", "--suggest-threshold")
