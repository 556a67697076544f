# SPDX-License-Identifier: Apache-2.0
"""rung gate: forms that answer as f32 does pass, and what each way of answering otherwise costs is counted."""
import json

import numpy
import onnx
import pytest
import tiny
from PIL import Image
from conftest import json_lines, run, sentence

PICTURES = 40
SIDE = 200
LOWER = {"form": "int8", "precision": {"text": '{"all": "int8"}'}}
ROLES = {
    "detector": {},
    "embedder": {"role": "embedder", "head": "none", "selection": None, "labels": None, "embedding_length": 12},
    "segmenter": {"role": "segmenter", "head": "none", "labels": ["dark", "bright"], "canvas": {"width": 6, "height": 2},
                  "selection": {"min_confidence": 0.5, "suppress": False},
                  "input": {"name": "image", "dtype": "f32", "shape": [1, 3, 2, 6]}},
}


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    """Pictures of one colour each, on which the tiny model finds the corner, 50 pixels wide, and the middle, 100."""
    folder = tmp_path_factory.mktemp("photos")
    for i in range(PICTURES):
        Image.new("RGB", (SIDE, SIDE), (255 - i,) * 3).save(folder / f"{i:02}.png")
    return folder


@pytest.fixture(scope="module")
def pack(tmp_path_factory, keys):
    """Packs the tiny model of a role: with other rows (row 0's confidence is added to the picture's mean) and spec."""
    def make(file, role="detector", rows=None, **changes):
        folder = tmp_path_factory.mktemp(file)
        graph = tiny.graph(folder / "graph.onnx", shape=ROLES[role].get("input", tiny.SPEC["input"])["shape"])
        if rows is not None:
            model = onnx.load(graph)
            for initialiser in model.graph.initializer:
                if initialiser.name == "rows":
                    initialiser.CopyFrom(onnx.numpy_helper.from_array(numpy.array([rows], numpy.float32), "rows"))
            onnx.save(model, graph)
        spec = tiny.spec(folder / "spec.json", **{**ROLES[role], **changes})
        run("pack", spec, graph, "-o", folder / f"{file}.rung", "--key", keys / "key.pem")
        return folder / f"{file}.rung"
    return make


@pytest.fixture(scope="module")
def f32(pack):
    return {role: pack(f"f32-{role}", role) for role in ROLES}


@pytest.fixture
def gate(photos, keys):
    def measure(*arguments, status=0):
        return run("gate", *arguments, "--data", photos, "--trust", keys / "key.pub.pem", status=status)
    return measure


def report_of(result):
    (line,) = json_lines(result)
    return line


def checks_of(report):
    return {check["name"]: check["passed"] for check in report["checks"]}


MIDDLE, CORNER = [0.25, 0.25, 0.5, 0.5, 0, 0], [0, 0, 0.25, 0.25, 0.9, 1]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("rung", ["ort-cpu", "tract"])
def test_f32_passes_against_itself(f32, gate, role, rung):
    report = report_of(gate(f32[role], "--rung", rung, "--json"))
    assert report["passed"] and all(checks_of(report).values()) and report["schema"] == 1
    assert report["rung"] == rung and report["against"]["rung"] == "ort-cpu" and report["role"] == role
    assert report["identity"] == report["against"]["identity"] == "tiny" and report["precision"] == "f32"
    assert report["artifact"] == report["against"]["artifact"] and report["pictures"] == PICTURES
    assert report["outputs"]["largest"] < 1e-6


def test_targets_are_counted_by_their_size(f32, gate):
    report = report_of(gate(f32["detector"], "--rung", "tract", "--json"))
    assert [(band["size"], band["targets"], band["found"], band["exact"]) for band in report["bands"]] == [
        ("below 40 px", 0, 0, 0), ("40 to 80 px", PICTURES, PICTURES, PICTURES),
        ("80 to 160 px", PICTURES, PICTURES, PICTURES), ("160 px and more", 0, 0, 0)]
    assert report["extra"] == 0 and report["confidence_change"]["largest"] == 0


def test_what_a_form_loses_is_counted_and_a_band_that_is_lost_is_named(f32, pack, gate):
    """Without the corner half of all is found, and of the band from 40 to 80 nothing."""
    form = pack("blind", rows=[MIDDLE, [*CORNER[:4], 0.1, 1]], **LOWER)
    report = report_of(gate(form, "--against", f32["detector"], "--json", status=1))
    assert not report["passed"] and report["identity"] == "tiny+i8" and report["precision"] == "i8"
    assert report["all"] == {"targets": 2 * PICTURES, "found": PICTURES, "exact": PICTURES}
    assert report["lost_confidence"]["median"] == pytest.approx(0.9, abs=1e-4)
    checks = checks_of(report)
    assert not checks["found of 40 px and more"] and not checks["found of 40 to 80 px"]
    assert checks["found of 80 to 160 px"] and checks["targets of 40 px and more"]


def test_a_box_that_moved_is_found_and_not_exact(f32, pack, gate):
    """The corner begins 0.02 further right: IoU 0.23 / 0.27."""
    form = pack("moved", rows=[MIDDLE, [0.02, *CORNER[1:]]], **LOWER)
    report = report_of(gate(form, "--against", f32["detector"], "--json"))
    assert report["all"] == {"targets": 2 * PICTURES, "found": 2 * PICTURES, "exact": PICTURES}


def test_what_f32_does_not_find_is_extra(f32, pack, gate):
    """The corner is somewhere else: one is lost and one is extra in each picture."""
    form = pack("astray", rows=[MIDDLE, [0.75, 0.75, *CORNER[2:]]], **LOWER)
    report = report_of(gate(form, "--against", f32["detector"], "--json", status=1))
    assert report["all"]["found"] == PICTURES and report["extra"] == PICTURES
    assert report["extra_share"] == pytest.approx(0.5)


def test_a_target_of_another_class_is_another_target(f32, pack, gate):
    form = pack("confused", rows=[MIDDLE, [*CORNER[:5], 0]], **LOWER)
    report = report_of(gate(form, "--against", f32["detector"], "--json", status=1))
    assert report["all"]["found"] == PICTURES and report["extra"] == PICTURES


def test_how_confidence_changes_is_told(f32, pack, gate):
    form = pack("unsure", rows=[MIDDLE, [*CORNER[:4], 0.7, 1]], **LOWER)
    report = report_of(gate(form, "--against", f32["detector"], "--json"))
    assert report["confidence_change"]["smallest"] == pytest.approx(-0.2, abs=1e-4)
    assert report["confidence_change"]["largest"] == 0 and report["outputs"]["largest"] > 0.05


def test_few_targets_prove_nothing(f32, keys, photos):
    report = report_of(run("gate", f32["detector"], "--data", photos / "00.png", "--trust", keys / "key.pub.pem", "--json",
                           status=1))
    assert not checks_of(report)["targets of 40 px and more"] and not report["passed"]


def test_numbers_that_are_not_finite_do_not_pass(f32, pack, gate):
    form = pack("broken", rows=[[*MIDDLE[:4], 0, float("nan")], CORNER], **LOWER)
    report = report_of(gate(form, "--against", f32["detector"], "--json", status=1))
    assert not checks_of(report)["outputs are finite"] and report["outputs"]["median"] is None


def test_noise_beside_an_output_of_nothing_is_no_distance(pack, keys, tmp_path):
    """Of a mask in the dark, say: 1e-9 is far from 0 relative to it, and means nothing."""
    Image.new("RGB", (SIDE, SIDE), "black").save(tmp_path / "black.png")
    nothing = pack("nothing", "segmenter", rows=[[0] * 6, [0] * 6])
    noise = pack("noise", "segmenter", rows=[[0] * 6, [1e-9] * 6], **LOWER)
    report = report_of(run("gate", noise, "--against", nothing, "--data", tmp_path / "black.png", "--trust",
                           keys / "key.pub.pem", "--json", status=1))
    assert checks_of(report)["outputs are finite"] and 0 < report["outputs"]["largest"] < 0.01


def test_made_up_numbers_do_not_pass(f32, gate):
    assert "not passed" in gate(f32["segmenter"], "--rung", "dummy", status=1).out.splitlines()[-1]


@pytest.mark.parametrize("change, status", [(0.001, 0), (0.2, 1)])
def test_an_embedder_passes_by_the_cosines_of_its_embeddings(f32, pack, gate, change, status):
    rows = numpy.array([MIDDLE, CORNER], numpy.float32)
    rows[1, 0] += change
    form = pack("embedder", "embedder", rows=rows, **LOWER)
    report = report_of(gate(form, "--against", f32["embedder"], "--json", status=status))
    right = numpy.array([MIDDLE, CORNER], numpy.float64)
    right[0, 4] = 1
    changed = right.copy()
    changed[1, 0] += change
    cosine = (right * changed).sum() / numpy.linalg.norm(right) / numpy.linalg.norm(changed)
    assert report["cosine"]["median"] == pytest.approx(cosine, abs=1e-3)
    assert report["cosine"]["smallest"] <= report["cosine"]["p0.1"] <= report["cosine"]["p1"] <= report["cosine"]["median"]


def test_the_threshold_of_a_match_is_told(f32, gate):
    """Middles of pictures of one colour are the pictures: whatever tells them apart, both have the same."""
    report = report_of(gate(f32["embedder"], "--rung", "tract", "--json"))
    match = report["match"]
    assert match["form"] == pytest.approx(match["f32"], abs=1e-6) and match["from"] <= match["f32"] <= match["to"]
    assert checks_of(report)["interval of the match threshold, against its move"]


def test_few_pictures_prove_nothing(f32, keys, photos):
    for role in ("embedder", "segmenter"):
        report = report_of(run("gate", f32[role], "--data", photos / "00.png", "--trust", keys / "key.pub.pem", "--json", status=1))
        assert not checks_of(report)["pictures"] and not report["passed"]


def test_a_segmenter_passes_by_the_mean_iou_of_its_classes(f32, pack, gate):
    """Of the twelve pixels f32 says that 4 are bright (0.5 and more); the form has one more."""
    rows = numpy.array([MIDDLE, CORNER], numpy.float32)
    rows[1, 0] = 0.9
    form = pack("segmenter", "segmenter", rows=rows, **LOWER)
    report = report_of(gate(form, "--against", f32["segmenter"], "--json", status=1))
    bright = int((numpy.array([[*MIDDLE[:4], 1, 0], CORNER]) >= 0.5).sum())
    assert report["same_pixels"] == pytest.approx(11 / 12) and report["classes"] == 2
    assert report["mean_iou"] == pytest.approx((bright / (bright + 1) + (12 - bright - 1) / (12 - bright)) / 2)


# ---- what plots need ----------------------------------------------------------------------------


def test_quantiles_tell_how_figures_are_spread(f32, pack, gate):
    """The middle keeps its confidence and the corner loses 0.2 of it: half of the changes each."""
    form = pack("unsure-2", rows=[MIDDLE, [*CORNER[:4], 0.7, 1]], **LOWER)
    spread = report_of(gate(form, "--against", f32["detector"], "--json"))["quantiles"]
    assert spread["lost_confidence"] is None and spread["keypoints_moved"] is None
    assert spread["confidence_change"] == [pytest.approx(-0.2, abs=1e-4)] * 51 + [0] * 50


def test_quantiles_of_cosines_are_those_of_the_cosines(f32, pack, gate):
    form = pack("embedder-2", "embedder", rows=[[0.27, *MIDDLE[1:]], CORNER], **LOWER)
    report = report_of(gate(form, "--against", f32["embedder"], "--json"))
    spread = report["quantiles"]["cosine"]
    assert len(spread) == 101 and spread == sorted(spread)
    assert [spread[0], spread[1], spread[50]] == [report["cosine"][name] for name in ("smallest", "p1", "median")]


def test_the_worst_photographs_are_named_the_worst_first(f32, pack, gate):
    """Darker ones lose the middle, too: its confidence begins 0.2 lower, and it is kept from 0.5 on."""
    form = pack("dim", rows=[[*MIDDLE[:4], -0.4, 0], [*CORNER[:4], 0.1, 1]], **LOWER)
    worst = report_of(gate(form, "--against", f32["detector"], "--json", status=1))["worst"]
    dark = [i for i in range(PICTURES) if (255 - i) / 255 - 0.4 < 0.5]
    assert 0 < len(dark) < PICTURES
    expected = [*dark, *(i for i in range(PICTURES) if i not in dark)][:8]
    assert [row["place"] for row in worst] == expected
    assert [row["source"] for row in worst] == [f"{i:02}.png" for i in expected]
    assert [row["apart"] for row in worst] == [2 if i in dark else 1 for i in expected]


@pytest.mark.parametrize("role", ROLES)
def test_photographs_that_do_not_differ_are_none_of_the_worst(f32, gate, role):
    assert all(row["apart"] < 1e-6 for row in report_of(gate(f32[role], "--rung", "tract", "--json"))["worst"])


def test_each_class_of_a_mask_has_its_iou(f32, pack, gate):
    rows = numpy.array([MIDDLE, CORNER], numpy.float32)
    rows[1, 0] = 0.9
    form = pack("segmenter-2", "segmenter", rows=rows, **LOWER)
    report = report_of(gate(form, "--against", f32["segmenter"], "--json", status=1))
    bright = int((numpy.array([[*MIDDLE[:4], 1, 0], CORNER]) >= 0.5).sum())
    assert report["class_iou"] == [
        {"class_id": 0, "label": "dark", "iou": pytest.approx((11 - bright) / (12 - bright)), "pixels": PICTURES * (12 - bright)},
        {"class_id": 1, "label": "bright", "iou": pytest.approx(bright / (bright + 1)), "pixels": PICTURES * (bright + 1)}]
    assert [row["apart"] for row in report["worst"]] == [pytest.approx(1 / 12)] * 8
    assert [row["place"] for row in report["worst"]] == list(range(8))


def test_people_read_the_same_figures(f32, pack, gate):
    form = pack("blind-2", rows=[MIDDLE, [*CORNER[:4], 0.1, 1]], **LOWER)
    lines = gate(form, "--against", f32["detector"], status=1).out.splitlines()
    assert lines[0].startswith("gate       tiny+i8 on ort-cpu in i8, artifact ")
    assert lines[1].startswith("against    tiny on ort-cpu in f32, artifact ")
    assert any(line.split() == ["40", "to", "80", "px", str(PICTURES), "0", "0"] for line in lines)
    assert "found of 40 px and more: 0.5, at least 0.97  MISSED" in "\n".join(lines)
    assert lines[-1] == "verdict    not passed"


# ---- labels -------------------------------------------------------------------------------------

BOXES = {1: ("bright", [50, 50, 100, 100]), 2: ("corner", [0, 0, 50, 50])}


def write_labels(path, labelled=range(PICTURES), corners=range(PICTURES), crowd=False):
    """What the tiny model finds on those pictures, and a category that it does not know."""
    annotations = [{"image_id": 7 + i, "category_id": category, "bbox": box, "iscrowd": int(crowd and category == 2)}
                   for i in labelled for category, (_, box) in BOXES.items() if category == 1 or i in corners]
    annotations += [{"image_id": 7, "category_id": 9, "bbox": [0, 0, 9, 9]}, {"image_id": 999, "category_id": 1, "bbox": [0, 0, 9, 9]}]
    path.write_text(json.dumps({
        "images": [{"id": 7 + i, "file_name": f"some/where/{i:02}.png"} for i in labelled],
        "categories": [{"id": 9, "name": "unicorn"}, *({"id": id, "name": name.upper()} for id, (name, _) in BOXES.items())],
        "annotations": annotations}))
    return path


def test_with_labels_the_average_precision_of_both_is_told(f32, pack, gate, tmp_path):
    """The moved corner has an IoU of 0.85 with the label: right at 8 of the 10 thresholds."""
    form = pack("moved-2", rows=[MIDDLE, [0.02, *CORNER[1:]]], **LOWER)
    labels = write_labels(tmp_path / "x.json")
    report = report_of(gate(form, "--against", f32["detector"], "--labels", labels, "--json"))
    assert report["labels"]["pictures"] == PICTURES and report["labels"]["targets"] == 2 * PICTURES
    assert report["labels"]["f32"] == {"ap": pytest.approx(1), "ap50": pytest.approx(1)}
    assert report["labels"]["form"] == {"ap": pytest.approx(0.9), "ap50": pytest.approx(1)}
    assert "AP 0.9000, f32 1.0000" in gate(form, "--against", f32["detector"], "--labels", labels).out


@pytest.mark.parametrize("changes, ap", [
    ({"labelled": range(5)}, 1),  # what has no labels is not scored
    ({"corners": range(PICTURES // 2)}, 1),  # of equal confidence, those of later pictures are wrong
    ({"corners": range(PICTURES // 2, PICTURES)}, (1 + 0.5) / 2),  # those of earlier ones: the precision ends at a half
    ({"corners": []}, 1),  # a class without labels is left out
    ({"crowd": True}, 1),  # and so is one that is labelled as crowds alone
])
def test_average_precision_is_that_of_coco(f32, gate, tmp_path, changes, ap):
    labels = write_labels(tmp_path / "x.json", **changes)
    report = report_of(gate(f32["detector"], "--rung", "tract", "--labels", labels, "--json"))
    assert report["labels"]["f32"]["ap"] == pytest.approx(ap)
    assert report["labels"]["form"] == report["labels"]["f32"]


def test_labels_in_the_folder_are_found(f32, keys, photos, tmp_path):
    for path in photos.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    write_labels(tmp_path / "labels.json")
    result = run("gate", f32["detector"], "--data", tmp_path, "--trust", keys / "key.pub.pem", "--json")
    assert report_of(result)["labels"]["form"]["ap"] == pytest.approx(1)


@pytest.mark.parametrize("text, words", [
    ("", "no JSON of COCO's format"), ("[]", "no JSON of COCO's format"), ("{", "no JSON"), ("{}", "labels none"),
    ('{"images":[{"id":1,"file_name":"00.png"}],"categories":[{"id":1,"name":"corner"}],'
     '"annotations":[{"image_id":1,"category_id":1,"bbox":[0,0,"9",9]}]}', "bbox"),
    ('{"images":7,"categories":{},"annotations":[[]]}', "labels none")])
def test_labels_that_are_none_are_refused(f32, gate, tmp_path, text, words):
    (tmp_path / "x.json").write_text(text)
    assert words in sentence(gate(f32["detector"], "--labels", tmp_path / "x.json", status=5))


def test_labels_that_are_named_must_be_there_and_are_for_detectors(f32, gate, tmp_path):
    assert "cannot read" in sentence(gate(f32["detector"], "--labels", tmp_path / "none.json", status=5))
    labels = write_labels(tmp_path / "x.json")
    assert "--labels is for detectors" in sentence(gate(f32["embedder"], "--labels", labels, status=2))


# ---- records ------------------------------------------------------------------------------------


def test_an_embedder_serves_in_a_lower_precision_with_the_record_of_its_gate_alone(f32, pack, gate, photos, keys, tmp_path):
    form = pack("form", "embedder", **LOWER)
    embed = ("embed", "--json", "--trust", keys / "key.pub.pem", photos / "00.png")
    refused = sentence(run(*embed, "-m", form, status=3))
    assert "embedder are served in f32 unless their gate record" in refused
    gate(form, "--against", f32["embedder"], "-o", tmp_path / "gate.json")
    record = json.loads((tmp_path / "gate.json").read_text())
    assert record["schema"] == 1 and record["gates"][0]["passed"] and record["gates"][0]["rung"] == "ort-cpu"
    passed = pack("passed", "embedder", gate={"text": json.dumps(record)}, **LOWER)
    (line,) = json_lines(run(*embed, "-m", passed))
    assert line["identity"] == "tiny+i8" and line["precision"] == "i8" and line["rung"] == "ort-cpu"


def test_a_record_that_did_not_pass_opens_nothing(f32, pack, gate, photos, keys, tmp_path):
    form = pack("poor", "embedder", rows=[[0.9, *MIDDLE[1:]], CORNER], **LOWER)
    gate(form, "--against", f32["embedder"], "-o", tmp_path / "gate.json", status=1)
    record = (tmp_path / "gate.json").read_text()
    packed = pack("poor-2", "embedder", rows=[[0.9, *MIDDLE[1:]], CORNER], gate={"text": record}, **LOWER)
    run("embed", "-m", packed, "--trust", keys / "key.pub.pem", photos / "00.png", status=3)


# ---- what is refused ----------------------------------------------------------------------------


def test_pictures_are_needed(f32):
    assert "--data DIR is missing" in sentence(run("gate", f32["detector"], status=2))


def test_a_lower_form_needs_its_model_in_f32(pack, gate):
    form = pack("alone", **LOWER)
    assert "with --against" in sentence(gate(form, status=2))
    assert "is not in f32" in sentence(gate(form, "--against", form, status=2))


def test_another_model_is_no_form_of_it(f32, pack, gate):
    other = pack("other", name="other", **LOWER)
    assert "other is no form of tiny" in sentence(gate(other, "--against", f32["detector"], status=2))
    assert "is no form of" in sentence(gate(f32["embedder"], "--against", f32["detector"], status=2))


def test_a_form_is_measured_against_what_it_was_made_from(f32, pack, gate):
    artifact = json.loads(run("inspect", "--json", f32["detector"]).out)["digest"]
    form = pack("derived", canonical=artifact, **LOWER)
    gate(form, "--against", f32["detector"])
    stranger = pack("stranger", canonical="5a" * 32, **LOWER)
    refused = sentence(gate(stranger, "--against", f32["detector"], status=2))
    assert "5a5a5a5a5a5a5a5a…" in refused and artifact[:16] in refused


def test_masks_that_are_placed_otherwise_have_nothing_in_common(f32, pack, gate):
    form = pack("letterbox", "segmenter", fit="letterbox", **LOWER)
    report = report_of(gate(form, "--against", f32["segmenter"], "--json", status=1))
    assert report["same_pixels"] == 0 and report["mean_iou"] == 0


def test_a_rung_that_does_not_take_the_form_says_so(f32, pack, gate):
    form = pack("quantised", **LOWER)
    refused = sentence(gate(form, "--against", f32["detector"], "--rung", "tract", status=3))
    assert "tract cannot serve tiny: it takes models in f32, and this one is in i8" in refused


def test_a_picture_that_cannot_be_read_leaves_no_verdict(f32, keys, photos, tmp_path):
    for path in photos.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "zz.png").write_text("no picture")
    result = run("gate", f32["detector"], "--data", tmp_path, "--trust", keys / "key.pub.pem", "-o", tmp_path / "gate.json",
                 status=5)
    assert not result.out and "zz.png" in result.err and not (tmp_path / "gate.json").exists()
