# SPDX-License-Identifier: Apache-2.0
"""Where there are labels, COCO's average precision of both is told; labels that do not fit are one sentence."""

import json

import pytest

from gating import CORNER, MIDDLE, PICTURES, corner, forms, gate, photos, refused  # noqa: F401

BOXES = {1: ("bright", [50, 50, 100, 100]), 2: ("corner", [0, 0, 50, 50])}  # by category


def write_labels(path, names=("bright", "corner"), labelled=range(PICTURES), annotations=(), **members):
    """What the model finds on the photographs; annotations of other pictures and categories count nothing."""
    content = {
        "images": [{"id": 70 + i, "file_name": f"some/where/{i:02}.png"} for i in labelled],
        "categories": [{"id": 9, "name": "unicorn"}, *({"id": id, "name": name} for id, name in zip(BOXES, names))],
        "annotations": [*({"image_id": 70 + i, "category_id": id, "bbox": box} for i in labelled for id, (_, box) in BOXES.items()),
                        {"image_id": 70, "category_id": 9, "bbox": [0, 0, 9, 9]},
                        {"image_id": 999, "category_id": 1, "bbox": [0, 0, 9, 9]}, *annotations]}
    path.write_text(json.dumps({**content, **members}))
    return path


def against(forms):
    return "--against", forms.folder / "f32-detector.spec.json"


def measured(gate, forms, form, labels, *options, missed=False):
    return json.loads(gate(form, *against(forms), "--labels", labels, "--json", *options, missed=missed))["gate"]["coco"]


def test_average_precision_of_both_is_told_by_sizes(forms, gate, tmp_path):
    """The moved corner has an IoU of 0.85 with its label: right at 8 of the 10 thresholds. It has 2,500 pixels, a medium
    area, and the middle 10,000, a large one."""
    form = forms.form(rows=[MIDDLE, [0.02, *CORNER[1:]]])
    coco = measured(gate, forms, form, write_labels(tmp_path / "x.json", names=("BRIGHT", "Corner")))
    assert (coco["pictures"], coco["targets"], coco["classes"]) == (PICTURES, 2 * PICTURES, 2)
    assert coco["f32"]["all"] == {"ap": pytest.approx(1), "ap50": pytest.approx(1)}
    assert coco["form"]["all"] == {"ap": pytest.approx(0.9), "ap50": pytest.approx(1)}
    assert coco["form"]["medium"] == {"ap": pytest.approx(0.8), "ap50": pytest.approx(1)}
    assert coco["form"]["large"] == {"ap": pytest.approx(1), "ap50": pytest.approx(1)}
    assert coco["form"]["small"] == {"ap": None, "ap50": None}


def test_it_counts_what_is_found_below_the_models_own_threshold(forms, gate, tmp_path):
    form, labels = forms.form(rows=corner(0.3)), write_labels(tmp_path / "x.json")
    assert measured(gate, forms, form, labels, missed=True)["form"]["all"]["ap"] == pytest.approx(1)
    above = measured(gate, forms, form, labels, "--score-floor", "0.4", missed=True)
    assert above["form"]["all"]["ap"] == pytest.approx(0.5) and above["score_floor"] == 0.4


def test_a_class_that_the_labels_do_not_have_is_left_out_and_named(forms, gate, tmp_path, capsys):
    labels = write_labels(tmp_path / "x.json", names=("bright", "something else"))
    form = forms.form(rows=corner(0.85))
    told = gate(form, *against(forms), "--labels", labels)
    coco = forms.record()["gates"][0]["coco"]
    assert coco["left_out"] == ["corner"] and coco["classes"] == 1 and coco["targets"] == PICTURES
    assert coco["f32"]["all"]["ap"] == pytest.approx(1) and "COCO AP 1, f32 1; AP50 1, f32 1" in told


def test_nothing_found_is_a_precision_of_nothing(forms, gate, tmp_path):
    labels = write_labels(tmp_path / "x.json", names=("something else", "corner"))
    coco = measured(gate, forms, forms.form(rows=corner(0.01)), labels, missed=True)
    assert coco["form"]["all"] == coco["form"]["medium"] == {"ap": 0, "ap50": 0} and coco["f32"]["all"]["ap"] == pytest.approx(1)
    assert coco["form"]["small"] == coco["form"]["large"] == {"ap": None, "ap50": None}  # there are no such targets


def test_photographs_without_labels_do_not_count(forms, gate, tmp_path):
    labels = write_labels(tmp_path / "x.json", labelled=range(5))
    assert measured(gate, forms, forms.form(rows=corner(0.85)), labels)["pictures"] == 5


def test_labels_of_other_classes_are_refused_with_the_names_of_both(forms, refused, tmp_path):
    labels = write_labels(tmp_path / "x.json", names=("person", "bicycle"))
    told = refused(forms.form(), *against(forms), "--labels", labels)
    assert "no class of the model: the model has bright, corner, the file has unicorn, person, bicycle" in told
    assert 'give the spec\'s "labels" or the file\'s "categories" the same names' in told


@pytest.mark.parametrize("members, words", [
    ({"images": None}, "no list of images"),
    ({"categories": {}}, "no list of categories"),
    ({"images": [7]}, "an image"),
    ({"images": [{"id": 1, "file_name": "elsewhere.png"}]}, "labels none of the photographs; its file names are such as elsewhere.png"),
    ({"images": [{"id": 1, "file_name": "a/00.png"}, {"id": 2, "file_name": "b/00.png"}]}, "two images of the name 00.png"),
    ({"images": [{"id": 70, "file_name": "00.png"}, {"id": 70, "file_name": "elsewhere.png"}]}, "two images of the id 70"),
    ({"categories": [[]]}, "a category"),
    ({"annotations": [7]}, "an annotation"),
    ({"annotations": [{"image_id": 70, "category_id": 1, "bbox": [0, 0, "9", 9]}]}, "a bbox"),
    ({"annotations": [{"image_id": 70, "category_id": 1, "bbox": [0, 0, float("inf"), 9]}]}, "a bbox"),
    ({"annotations": [{"image_id": 70, "category_id": 1, "bbox": [0, 0, 10**400, 9]}]}, "a bbox"),
    ({"annotations": [{"image_id": 70, "category_id": 1}]}, "a bbox")])
def test_labels_that_are_none_are_refused(forms, refused, tmp_path, members, words):
    assert words in refused(forms.form(), *against(forms), "--labels", write_labels(tmp_path / "x.json", **members))


def test_photographs_of_one_name_cannot_be_told_apart(forms, refused, photos, tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "00.png").write_bytes((photos / "01.png").read_bytes() + b"another file")
    told = refused(forms.form(), *against(forms), "--labels", write_labels(tmp_path / "x.json"), places=[photos, tmp_path / "more"])
    assert "00.png" in told and "rename them" in told


def test_labels_that_the_program_refuses_are_told(forms, gate, refused, tmp_path, monkeypatch):
    """Those are the program's words, which come without a terminal through this command alone."""
    monkeypatch.setattr("rung_model.gate.command.Gate.read_labels", lambda _: None)
    told = refused(forms.form(), *against(forms), "--labels", tmp_path / "none.json")
    assert "none.json" in told and "No such file" in told and "said above" not in told and "replace it" not in told


def test_labels_are_for_detectors(forms, refused, tmp_path):
    assert "--labels is for detectors" in refused(forms.f32("embedder"), "--labels", write_labels(tmp_path / "x.json"))
