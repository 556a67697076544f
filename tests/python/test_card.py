# SPDX-License-Identifier: Apache-2.0
"""rung-model card: one page for the forms of one model, from what their files say."""

import json
import re
import shutil
import subprocess
import sys

import onnx
import packing
import pytest
from binding import COMMAND, MODELS, settings
from packing import LOWER, entry

from rung_model.card import text

BANDS = [{"size": "40 to 80 px", "targets": 200, "found": 196, "exact": 150}, {"size": "160 px and more", "targets": 0, "found": 0, "exact": 0}]
FIGURES = [{"name": "found of 40 px and more", "value": 0.98, "least": 0.97, "passed": True},
           {"name": "found of 40 to 80 px", "value": 0.965, "least": 0.94, "passed": True}]


def card(*arguments, **more):
    done = subprocess.run([sys.executable, "-m", "rung_model", "card", *map(str, arguments)], text=True, capture_output=True,
                          env={**settings(PATH=str(COMMAND.parent)), **more}, timeout=300, check=False)
    return done


def page(folder, *arguments, **more):
    done = card(*arguments, "-o", folder / "card.md", **more)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return (folder / "card.md").read_text()


def refused(folder, *arguments):
    done = card(*arguments, "-o", folder / "card.md")
    assert done.returncode == 1 and done.stdout == "" and done.stderr.startswith("rung-model: ") and done.stderr.count("\n") == 1
    assert not (folder / "card.md").exists()
    return done.stderr


@pytest.fixture
def make(tmp_path):
    """Packs a form of the tiny model."""
    def pack(name, record=None, shift=0.0, /, **changes):
        folder = tmp_path / name
        folder.mkdir()
        spec = packing.write(folder, record, shift, **changes)
        subprocess.run([COMMAND, "pack", spec, "-o", tmp_path / f"{name}.rung"], check=True, capture_output=True)
        return tmp_path / f"{name}.rung", packing.digest_of(folder / "tiny.onnx")
    return pack


@pytest.fixture
def family(make):
    f32, source = make("tiny")
    passed = entry(True, checks=FIGURES, bands=BANDS, pictures=192, labels={"form": {"ap": 0.2}, "f32": {"ap": 0.21}})
    i8, _ = make("tiny-i8", {"gates": [passed, entry(False, rung="tract")], "calibration": {"photographs": [{}] * 88}}, 0.25,
                 canonical=source, **LOWER)
    wide, _ = make("tiny-a16w8", {"unsafe_no_gate": True}, 0.5, canonical=source, **{**LOWER, "form": "a16w8"})
    return f32, i8, wide


def rows(page_text):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in page_text.splitlines() if line.startswith("|")]


def test_a_card_tells_what_the_files_say(family, tmp_path):
    told = page(tmp_path, *reversed(family))
    assert told.startswith("# tiny\n") and [line for line in told.splitlines() if line.startswith("## ")] == [
        "## Forms", "## Precision", "## Gates"]
    assert ["role", "detector, head yolo"] in rows(told) and ["licence", "MIT License"] in rows(told)
    assert ["classes", "2: cat, dog"] in rows(told) and ["canvas", "8 × 8, stretch, RGB"] in rows(told)
    assert [row[:2] for row in rows(told) if row[1].endswith(".rung")] == [
        ["f32", "tiny.rung"], ["int8", "tiny-i8.rung"], ["a16w8", "tiny-a16w8.rung"]]
    for path in family:
        assert packing.digest_of(tmp_path / path.stem / "tiny.onnx") in told


def test_a_card_tells_what_the_gates_measured(family, tmp_path):
    told = page(tmp_path, *family)
    assert ["form", "rung", "computes in", "gate", "photographs", "found ≥ 40 px", "worst band", "AP", "AP of f32"] in rows(told)
    assert ["int8", "ort-cpu", "i8", "passed", "192", "98.0 %", "96.5 % of 40 to 80 px", "0.2000", "0.2100"] in rows(told)
    assert "- int8 on tract missed: found of 40 px and more 0.9512, at least 0.97 is needed.\n" in told
    assert "int8 was calibrated on 88 photographs." in told
    assert ["int8", "ort-cpu", "40 to 80 px", "200", "196 (98.0 %)", "150"] in rows(told) and "160 px and more" not in told
    assert "a16w8 was packed without a gate (`--unsafe-no-gate`)." in told


def test_the_same_files_give_the_same_page_and_f32_alone_has_no_gates(family, tmp_path):
    assert page(tmp_path, *family) == page(tmp_path, *reversed(family))
    assert "## Gates" not in page(tmp_path, family[0]) and "## Precision" not in page(tmp_path, family[0])


def test_what_is_told_about_the_model_stands_in_the_page_as_it_is(family, tmp_path):
    (tmp_path / "about.md").write_text("From *here*, by `me` — for cats.\n")
    assert "\n## Origin\n\nFrom *here*, by `me` — for cats.\n\n## Forms\n" in page(tmp_path, family[0], "--about", tmp_path / "about.md")


def test_it_may_come_through_a_pipe(family, tmp_path):
    command = f'exec "{sys.executable}" -m rung_model card "{family[0]}" -o "{tmp_path}/card.md" --about <(printf "By me.")'
    done = subprocess.run(["bash", "-c", command], env=settings(PATH=f"{COMMAND.parent}:/usr/bin:/bin"), check=False, timeout=120)
    assert done.returncode == 0 and "\nBy me.\n" in (tmp_path / "card.md").read_text()


@pytest.mark.parametrize("content, words", [(b"\xff\xfe", "no UTF-8 at byte 0"), (b"a" * 70000, "more than 65536 bytes")])
def test_a_text_that_is_none_is_refused(family, tmp_path, content, words):
    (tmp_path / "about.md").write_bytes(content)
    (tmp_path / "out").mkdir()
    assert words in refused(tmp_path / "out", family[0], "--about", tmp_path / "about.md")


@pytest.mark.parametrize("changes, words", [
    ({"name": "other"}, "is of name other, and"),
    ({"canvas": {"width": 8, "height": 8}, "form": "f32", "precision": None, "gate": None}, "are both in f32"),
    ({"canonical": "5a" * 32}, " from 5a5a5a5a5a5a5a5a…, other graphs in f32"),
])
def test_files_of_other_models_are_refused(make, tmp_path, changes, words):
    first, _ = make("first")
    other, _ = make("other", None, 0.5, **{**LOWER, **changes})
    assert words in refused(tmp_path, first, other)


def test_no_file_of_it_is_written_over(family, tmp_path):
    before = family[0].read_bytes()
    done = card(family[0], "-o", family[0])
    assert done.returncode == 1 and "would be written over" in done.stderr and family[0].read_bytes() == before


def test_a_folder_is_no_text_about_a_model(family, tmp_path):
    assert f"{tmp_path} cannot be read: Is a directory; name a text about the model" in refused(tmp_path, family[0], "--about", tmp_path)


def test_what_was_written_is_told_as_one_object(family, tmp_path):
    done = card(*family, "-o", tmp_path / "card.md", "--json")
    told = json.loads(done.stdout)
    assert told["schema"] == 1 and told["output"] == str(tmp_path / "card.md") and told["name"] == "tiny"
    assert [(form["form"], form["verdict"]) for form in told["forms"]] == [
        ("f32", "not needed"), ("int8", "passed"), ("a16w8", "not measured")]
    assert [form["file"] for form in told["forms"]] == [str(path) for path in family]


def test_a_file_that_is_no_model_is_refused(tmp_path):
    (tmp_path / "no.rung").write_text("no model")
    assert "no.rung" in refused(tmp_path, tmp_path / "no.rung")


def test_texts_of_files_stay_texts():
    assert text.plain("a|b <b>*c*</b> [x](y) `z`\n# d") == r"a\|b \<b\>\*c\*\</b\> \[x\](y) \`z\` \# d"
    assert text.plain("\x1b]0;owned\x07 yunet_n_320 _a_") == r"\]0;owned yunet_n_320 \_a\_"


def test_a_table_stands_in_columns_in_a_terminal():
    assert text.table(["form", "x"], [["int8", "1 MB"]]) == "| form | x    |\n| ---- | ---- |\n| int8 | 1 MB |"


def test_what_serves_here_and_how_long_it_takes_is_measured(tmp_path):
    """YuNet as it is, and a graph of the same operations as a form: a ratio near 1, whatever the machine does."""
    source = MODELS / "yunet_n_320.rung"
    if not source.exists():
        pytest.skip("build/models has no yunet_n_320.rung: scripts/test-models makes it of RUNG_TEST_DATA")
    shutil.copy(source, tmp_path)
    info = json.loads(subprocess.run([COMMAND, "inspect", "--json", source], check=True, capture_output=True).stdout)
    spec = json.loads(subprocess.run([COMMAND, "inspect", "--spec", source], check=True, capture_output=True).stdout)
    payload = next(section for section in info["sections"] if section["name"] == "payload")
    graph = onnx.load_from_string(source.read_bytes()[payload["offset"]:][:payload["bytes"]])
    graph.doc_string = "a form"
    onnx.save(graph, tmp_path / "graph.onnx")
    spec.pop("golden", None)
    spec.update(form="int8", precision={"text": '{"operations": {"a": "i8", "b": "f32", "c": "i8"}}'}, canonical=info["digest"])
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    form = tmp_path / "yunet_n_320-i8.rung"
    subprocess.run([COMMAND, "pack", tmp_path / "spec.json", tmp_path / "graph.onnx", "-o", form], check=True, capture_output=True)
    told = page(tmp_path, tmp_path / "yunet_n_320.rung", form, "--time", "--allow-unsigned")
    assert ["int8", "1 in f32, 2 in i8"] in rows(told)
    (f32,), (i8,) = ([row for row in rows(told) if row[:2] == [name, "ort-cpu"]] for name in ("f32", "int8"))
    assert f32[2].endswith(" ms") and f32[3] == "1" and i8[2].endswith(" ms") and 0.05 < float(i8[3]) < 20
    least, greatest = map(float, re.fullmatch(r"([\d.]+) to ([\d.]+)", i8[4]).groups())
    assert least <= float(i8[3]) <= greatest
    assert "**f32** serves here on ort-cpu: " in told and "\n- int8 is " in told and "Measured on " in told
