# SPDX-License-Identifier: Apache-2.0
"""What cannot be measured is one sentence that says what to do, and nothing is recorded."""

import json
import os

import pytest
from PIL import Image

from gating import corner, digest_of, forms, gate, photos, refused  # noqa: F401
from rung_model import Refusal, __main__ as main, program


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


def must_not_measure(monkeypatch):
    monkeypatch.setattr("rung_model.gate.measure.measure", lambda *_: pytest.fail("it measured"))


@pytest.mark.parametrize("name", ["form.spec.json", "form.onnx", "form.gate.json", "form.precision.json", "f32-detector.spec.json",
                                  "f32-detector.onnx", "labels.json"])
def test_a_report_over_what_it_is_made_from(forms, refused, monkeypatch, name):
    must_not_measure(monkeypatch)
    form, labels = forms.form(), forms.folder / "labels.json"
    labels.write_text("{}")
    before = (forms.folder / name).read_bytes()
    (forms.folder / "link.html").symlink_to(name)
    for page in (name, "link.html"):
        told = refused(form, *against(forms), "--labels", labels, "--report", forms.folder / page)
        assert f"{page} would be written over" in told and "name another output" in told
    assert (forms.folder / name).read_bytes() == before


def test_a_report_over_a_photograph(forms, refused, photos, monkeypatch):
    must_not_measure(monkeypatch)
    assert "would be written over" in refused(forms.form(), *against(forms), "--report", photos / "07.png")


def test_a_record_held_as_text_is_checked_as_a_file_is(forms, refused, photos, monkeypatch):
    must_not_measure(monkeypatch)
    known = {"schema": 1, "gates": [], "calibration": {"photographs": [{"name": "07.png", "sha256": digest_of(photos / "07.png")}]}}
    assert "07.png" in refused(forms.form(gate={"text": json.dumps(known)}), *against(forms))
    for text, words in (("{", "is no JSON"), ("{}", "is no gate record"), (" " * 300_000, "a model file takes 262144")):
        assert words in refused(forms.form(gate={"text": text}), *against(forms))


@pytest.mark.parametrize("named", ["form.gate.json", [], {}, {"file": 7}, {"file": "form.gate.json", "text": "{}"}, {"hex": "00"}])
def test_a_gate_that_is_neither_file_nor_text(forms, refused, monkeypatch, named):
    must_not_measure(monkeypatch)
    assert '"gate" is neither' in refused(forms.form(gate=named), *against(forms))


@pytest.mark.parametrize("name", ["a\0b", "\ud800.onnx"])
@pytest.mark.parametrize("member", ["graph", "gate"])
def test_names_that_no_file_can_have(forms, refused, member, name):
    told = refused(forms.form(**{member: {"file": name} if member == "gate" else name}), *against(forms))
    assert "no file can have that name" in told and told.isprintable()


def test_a_spec_that_is_nested_too_deep(forms, refused):
    form = forms.form()
    deep = form.read_text().replace("{", '{"deep": ' + "[" * 900 + "]" * 900 + ", ", 1)
    form.write_text(deep)
    assert refused(form, *against(forms))


def test_the_programs_own_reason_is_told_once(forms, refused, tmp_path):
    told = refused(forms.form(), *against(forms), "--rung", "nosuch")
    assert 'there is no rung "nosuch"' in told and "replace it" not in told and "rung gate" not in told
    assert program.reasons("rung: warning: hot\nrung gate: cannot read x\n12 pictures\nrung: y: torn\n") == ["cannot read x", "y: torn"]
    with pytest.raises(Refusal) as caught:
        program.run("gate")
    assert str(caught.value).count("rung gate: ") == 1


@pytest.mark.parametrize("threads", ["0", "-1", "x", "1025"])
def test_threads_that_there_cannot_be(gate, forms, threads, capsys):
    with pytest.raises(SystemExit) as ended:
        gate(forms.form(), "--threads", threads)
    assert ended.value.code == 2 and "no whole number from 1 to 1024" in capsys.readouterr().err


def test_without_a_verdict_the_exit_status_is_5(forms, photos, monkeypatch, capsys):
    form = forms.form(gate={"file": "none.json"})
    monkeypatch.setattr("sys.argv", ["rung-model", "gate", str(form), "--photos", str(photos)])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 5 and "rung-model: " in capsys.readouterr().err


def test_options_that_do_not_go_together(forms, refused):
    assert "--apply is for --suggest-threshold" in refused(forms.form(), *against(forms), "--apply")
    assert "page.html cannot be written" in refused(forms.form(), *against(forms), "--report", forms.folder / "none" / "page.html")
    assert "has no threshold to suggest" in refused(forms.f32("embedder"), "--suggest-threshold")
    program.run("pack", forms.f32(), "-o", forms.folder / "f32.rung")
    assert "name its spec" in refused(forms.folder / "f32.rung", "--suggest-threshold")
