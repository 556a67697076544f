# SPDX-License-Identifier: Apache-2.0
"""Graphs are recognised by their tensors, what no graph tells is asked for, and a spec is written when all is said."""

import json
import os
import pathlib
import subprocess
import sys

import onnx
import pytest

import graphs
from conftest import ROOT
from rung_model import fix
from rung_model.importers import FAMILIES, graph, onnx_file, recognise

RUNG = pathlib.Path(os.environ.get("RUNG_BUILD", ROOT / "build")) / "cli" / "rung"
DATA = os.environ.get("RUNG_TEST_DATA")
PUBLISHED = ["deeplab_v3_257", "fastestdet_352", "road_segmentation_adas_0001", "ultraface_rfb_320", "yolox_nano_416",
             "yunet_n_320", "yunet_n_640"]
MADE = ["centerface", "effnet_lite0", "selfie_seg"]  # by scripts/demo-models, already fixed

# What a person says besides what is usual in the family, of each model of the tree; the licence is said of all.
SAID = {
    "deeplab_v3_257": ["order=RGB", "mean=127.5", "std=127.5", "fit=stretch"],
    "road_segmentation_adas_0001": ["order=BGR", "scale=1", "bias=0", "fit=stretch"],
    "effnet_lite0": ["order=RGB", "mean=127", "std=128", "fit=cover", "tensor.normalised=false",
                     "embedder.vector=embedding"],
    "selfie_seg": ["order=RGB", "scale=1/255", "bias=0", "fit=stretch", "selection.min_confidence=0.5"],
}


def run_import(model, *arguments):
    return subprocess.run([sys.executable, "-m", "rung_model", "import", model, *map(str, arguments)],
                          cwd=ROOT / "python", capture_output=True, text=True)


def told(model, *arguments):
    """What the command tells as JSON, and its exit code."""
    result = run_import(model, "--json", *arguments)
    return json.loads(result.stdout), result.returncode


def tree_spec(name):
    return json.loads((ROOT / "models" / name / "spec.json").read_text())


def servable(name, folder):
    """The graph of a model of the tree as it is packed."""
    if name in MADE:
        path = ROOT / "build/demo" / name / f"{name}.onnx"
        if not path.exists():
            pytest.skip(f"{path.name} is not there; scripts/demo-models makes it")
        return path
    if not DATA:
        pytest.skip("RUNG_TEST_DATA is not set: it names the folder of further test data")
    path = folder / f"{name}.onnx"
    fix.save(fix.fix(fix.load(pathlib.Path(DATA) / "models" / f"{name}.onnx"), {}), path)
    return path


@pytest.mark.parametrize("name", PUBLISHED + MADE)
def test_a_real_graph_gives_the_spec_that_the_tree_has(name, tmp_path):
    expected = tree_spec(name)
    rest = tmp_path / "rest.json"
    rest.write_text(json.dumps({member: expected[member] for member in ("labels", "licence", "providers")
                                if member in expected}))
    pairs = [part for pair in SAID.get(name, []) for part in ("--set", pair)]
    result = run_import(servable(name, tmp_path), "--accept", "--spec", rest, *pairs, "-o", tmp_path / "spec.json")
    assert result.returncode == 0, result.stderr
    written = json.loads((tmp_path / "spec.json").read_text())
    assert {member: (written.get(member), value) for member, value in expected.items()
            if written.get(member) != value} == {}
    assert set(written) == set(expected)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_graph_as_published_is_recognised_and_told_what_it_needs(name):
    if not DATA:
        pytest.skip("RUNG_TEST_DATA is not set: it names the folder of further test data")
    result, code = told(pathlib.Path(DATA) / "models" / f"{name}.onnx")
    expected = tree_spec(name)
    assert code == 1 and "rung-model fix raises it" in result["obstacles"][0]
    assert [(one["role"], one["head"]) for one in result["recognised"]] == [(expected["role"], expected.get("head"))]


SYNTHETIC = {
    "yolov8": (graphs.yolov8(), "yolov8", {"logits": False}, 80),
    "yolov5": (graphs.yolov5(2), "yolov5", {"logits": False}, 2),
    "yolo-e2e": (graphs.yolo_e2e(), "yolo-e2e", {"logits": False}, None),
    "yolox raw": (graphs.yolox(), "yolox", {"raw": True, "strides": [8, 16, 32], "logits": False}, 80),
    "yolox decoded": (graphs.yolox(True, 1), "yolox", {"raw": False, "logits": False}, 1),
    "rf-detr": (graphs.detr(), "detr", {}, 91),
    "centerface": (graphs.centerface(), "centerface", {"strides": [4], "logits": False}, 1),
    "scrfd with points": (graphs.scrfd(), "scrfd", {"strides": [8, 16, 32], "anchors": [2], "distances": True,
                                                    "logits": False}, 1),
    "scrfd": (graphs.scrfd(False, 320), "scrfd", {"strides": [8, 16, 32], "anchors": [2], "distances": True,
                                                  "logits": False}, 1),
    "yunet": (graphs.yunet(), "yunet", {"strides": [8, 16, 32], "logits": False}, 1),
    "ultraface decoded": (graphs.ultraface(decoded=True), "ultraface", {"logits": False}, 1),
    "fastestdet": (graphs.fastestdet(), "fastestdet", {"strides": [16], "logits": False}, 80),
}


@pytest.mark.parametrize("name", SYNTHETIC)
def test_the_tensors_of_each_detector_are_recognised(name, tmp_path):
    made, family, parameters, classes = SYNTHETIC[name]
    labels = ",".join(f"class {index}" for index in range(classes or 3))
    result, code = told(graphs.save(made, tmp_path / "model.onnx"), "--accept", "--set", f"labels={labels}",
                        "-o", tmp_path / "spec.json")
    assert code == 0, result
    assert [one["family"] for one in result["recognised"]] == [family] and result["recognised"][0]["by"]
    written = json.loads((tmp_path / "spec.json").read_text())
    assert written.get("parameters", {}) == parameters
    assert written == result["spec"] and written["role"] == "detector"


PICTURE = ["order=RGB", "scale=1/255", "bias=0", "fit=stretch"]
OTHERS = {
    "rows": (graphs.yolo_e2e(chosen=False), "rows", [*PICTURE, "selection.min_confidence=0.5",
                                                     "selection.suppress=false", "labels="]),
    "embedder": (graphs.embedder(), "embedder", [*PICTURE, "embedder.vector=embedding", "tensor.normalised=true"]),
    "segmenter": (graphs.segmenter((1, 64, 96, 2)), "segmenter", [*PICTURE, "labels=a,b"]),
    "mask": (graphs.segmenter((1, 1, 64, 96)), "segmenter", [*PICTURE, "labels=a,b", "selection.min_confidence=0.5"]),
    "centerface of other names": (graphs.centerface(("a", "b", "c", "d")), "centerface", ["outputs.scale=c"]),
}
PACKED = {**OTHERS, **{name: (made, family, ["labels=" + ",".join(f"class {index}" for index in range(classes or 3))])
                       for name, (made, family, _, classes) in SYNTHETIC.items()}}


@pytest.mark.parametrize("name", PACKED)
def test_rung_pack_takes_the_spec_of_each_family_with_its_graph(name, tmp_path):
    if not RUNG.exists():
        pytest.skip(f"{RUNG} is not there; build the tree")
    made, family, said = PACKED[name]
    model, spec = graphs.save(made, tmp_path / "model.onnx"), tmp_path / "spec.json"
    pairs = [part for pair in said for part in ("--set", pair)]
    written = run_import(model, "--as", family, "--accept", *pairs, "-o", spec)
    assert written.returncode == 0, written.stdout + written.stderr
    result = subprocess.run([RUNG, "pack", spec, model, "-o", tmp_path / "model.rung"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_purposes_follow_the_shapes_where_names_say_nothing(tmp_path):
    result, _ = told(graphs.save(graphs.scrfd(), tmp_path / "model.onnx"))
    assert [(one["purpose"], one["name"]) for one in result["spec"]["outputs"]] == \
        [("score0", "443"), ("box0", "452"), ("points0", "461"), ("score1", "446"), ("box1", "455"),
         ("points1", "464"), ("score2", "449"), ("box2", "458"), ("points2", "467")]


@pytest.mark.parametrize("shape, last, extra", [
    ((1, 21, 64, 96), "Conv", ["labels=" + ",".join("abcdefghijklmnopqrstu")]),
    ((1, 64, 96, 2), "Softmax", ["labels=a,b"]),
    ((1, 1, 64, 96), "Sigmoid", ["labels=rest,person", "selection.min_confidence=0.5"]),
])
def test_a_segmenter_is_recognised_in_either_layout(shape, last, extra, tmp_path):
    model = graphs.save(graphs.segmenter(shape, last), tmp_path / "model.onnx")
    pairs = [part for pair in ["order=RGB", "scale=1/255", "bias=0", "fit=stretch", "name=mask", *extra]
             for part in ("--set", pair)]
    result, code = told(model, *pairs)
    assert code == 0 and result["spec"]["role"] == "segmenter" and "head" not in result["spec"]


def test_preprocessing_is_never_guessed(tmp_path):
    model = graphs.save(graphs.yolov8(), tmp_path / "model.onnx")
    result, code = told(model, "-o", tmp_path / "spec.json")
    asked = {one["member"] for one in result["missing"]}
    assert code == 3 and not (tmp_path / "spec.json").exists()
    assert asked == {"name", "order", "scale", "bias", "fit", "labels", "selection.min_confidence",
                     "selection.suppress"}
    usual = {one["member"]: one["usual"] for one in result["missing"] if "usual" in one}
    assert usual["order"] == "RGB" and "labels" not in usual


def test_labels_are_asked_for_even_when_what_is_usual_is_taken(tmp_path):
    result, code = told(graphs.save(graphs.yolov8(), tmp_path / "model.onnx"), "--accept")
    assert code == 3 and [one["member"] for one in result["missing"]] == ["labels"]


def test_class_names_in_the_metadata_are_the_graphs_own_and_may_be_said_otherwise(tmp_path):
    model = graphs.save(graphs.yolov8(2, graphs.names_of(2)), tmp_path / "model.onnx")
    result, code = told(model, "--accept")
    assert code == 0 and result["values"]["labels"] == {"value": ["class 0", "class 1"], "source": "graph"}
    assert told(model, "--accept", "--set", "labels=cat,dog")[0]["spec"]["labels"] == ["cat", "dog"]


def test_metadata_of_another_model_names_no_classes(tmp_path):
    result, code = told(graphs.save(graphs.yolov8(2, graphs.names_of(80)), tmp_path / "model.onnx"), "--accept")
    assert code == 3 and "names 80, which are others" in result["missing"][0]["why"]


def test_an_ambiguous_graph_lists_the_candidates_with_what_tells_them_apart(tmp_path):
    model = graphs.save(graphs.yolo_e2e(chosen=False), tmp_path / "model.onnx")
    result, code = told(model, "--accept", "-o", tmp_path / "spec.json")
    assert code == 3 and not (tmp_path / "spec.json").exists() and result["spec"] is None
    assert {one["family"]: one["by"] for one in result["recognised"]} == {
        "yolo-e2e": ["output output0 1×300×6 f32: 6 columns can be left, top, right, bottom in pixels, score and "
                     "class"],
        "rows": ["output output0 1×300×6 f32: 6 columns can be left, top, width, height as fractions, confidence and "
                 "class"]}
    assert "--as FAMILY" in run_import(model).stdout
    assert [one["family"] for one in told(model, "--as", "rows")[0]["recognised"]] == ["rows"]


def test_a_family_that_does_not_fit_says_why(tmp_path):
    result = run_import(graphs.save(graphs.yolov8(), tmp_path / "model.onnx"), "--as", "yolox")
    assert result.returncode == 1 and "not yolox: yolox: its output has one row for each cell" in result.stderr


def test_a_graph_of_no_family_is_told_why_and_can_be_said_outright(tmp_path):
    made = graphs.model([1, 3, 64, 64], {"a": [1, 7, 5], "b": [1, 7, 4]}, graphs.chain("a", ["Softmax"]))
    model = graphs.save(made, tmp_path / "model.onnx")
    result = run_import(model)
    assert result.returncode == 1 and "ultraface: it scores background" in result.stderr and "--spec" in result.stderr
    spec = {"role": "detector", "head": "ssd", "name": "odd", "order": "RGB", "scale": [1, 1, 1], "bias": [0, 0, 0],
            "fit": "stretch", "outputs": [{"purpose": "scores", "name": "a"}, {"purpose": "boxes", "name": "b"}],
            "selection": {"min_confidence": 0.5, "suppress": False}, "labels": list("abcd")}
    (tmp_path / "said.json").write_text(json.dumps(spec))
    assert run_import(model, "--spec", tmp_path / "said.json", "-o", tmp_path / "spec.json").returncode == 0
    written = json.loads((tmp_path / "spec.json").read_text())
    assert written["head"] == "ssd" and written["outputs"][1] == \
        {"purpose": "boxes", "name": "b", "dtype": "f32", "shape": [1, 7, 4]}


def test_a_whole_spec_says_it_outright_and_comes_back_the_same(tmp_path):
    model = graphs.save(graphs.centerface(), tmp_path / "centerface.onnx")
    expected = tree_spec("centerface")
    expected["input"]["name"] = "picture"
    (tmp_path / "said.json").write_text(json.dumps(expected))
    assert run_import(model, "--spec", tmp_path / "said.json", "-o", tmp_path / "spec.json").returncode == 0
    assert json.loads((tmp_path / "spec.json").read_text()) == expected


@pytest.mark.parametrize("change, sentence", [
    ({"canvas": {"width": 320, "height": 640}}, "the spec says canvas"),
    ({"head": "yolo"}, "another role or head"),
    ({"input": {"name": "image"}}, "the input of the graph is picture"),
    ({"parameters": {"strides": [8]}}, "parameters.strides"),
    ({"outputs": [{"purpose": "heat", "name": "540"}]}, "heat is output 540"),
    ({"outputs": [{"purpose": "heat", "name": "none"}]}, "name one of those"),
    ({"surprise": 1}, "nothing that can be said"),
    ({"scale": [1, 2]}, "one or three numbers"),
])
def test_a_spec_that_contradicts_the_graph_is_refused(change, sentence, tmp_path):
    model = graphs.save(graphs.centerface(), tmp_path / "model.onnx")
    (tmp_path / "said.json").write_text(json.dumps(change))
    result = run_import(model, "--accept", "--spec", tmp_path / "said.json", "-o", tmp_path / "spec.json")
    assert result.returncode == 1 and sentence in result.stderr and not (tmp_path / "spec.json").exists()


@pytest.mark.parametrize("text", ["", "[]", '{"fit": NaN}', '{"fit": "cover", "fit": "stretch"}', "[" * 100000])
def test_a_spec_file_that_is_none_is_refused_in_a_sentence(text, tmp_path):
    model = graphs.save(graphs.centerface(), tmp_path / "model.onnx")
    (tmp_path / "said.json").write_text(text)
    result = run_import(model, "--spec", tmp_path / "said.json")
    assert result.returncode == 1 and len(result.stderr.splitlines()) == 1 and "said.json" in result.stderr


@pytest.mark.parametrize("pair, sentence", [
    ("order", "MEMBER=VALUE"), ("order=rgb", "one of RGB, BGR"), ("fill=300", "0 to 255"), ("scale=1/0", "no number"),
    ("selection.iou=7", "fraction"), ("canvas=3", "nothing that can be said"), ("name=A b", "no name"),
    ("labels=@/nowhere/at/all", "cannot be read"), ("mean=0.485,0.456,0.406", "mean=123.675,116.28,103.53"),
    ("outputs.boxes=537", "means nothing"), ("tensor.normalised=true", "means nothing"),
    ("outputs.heat=540", "by its shape it is 537"),
])
def test_a_member_that_is_said_wrongly_is_refused_in_a_sentence(pair, sentence, tmp_path):
    result = run_import(graphs.save(graphs.centerface(), tmp_path / "model.onnx"), "--accept", "--set", pair)
    assert result.returncode == 1 and len(result.stderr.splitlines()) == 1 and sentence in result.stderr


def test_mean_and_deviation_become_scale_and_bias(tmp_path):
    model = graphs.save(graphs.embedder(), tmp_path / "model.onnx")
    result, _ = told(model, "--set", "mean=123.675,116.28,103.53", "--set", "std=58.395,57.12,57.375")
    assert result["values"]["scale"]["value"] == [0.0171247538, 0.0175070028, 0.0174291939]
    assert result["values"]["bias"]["value"] == [-2.11790393, -2.03571429, -1.80444444]


def test_every_family_is_a_row_whose_usual_members_can_be_said():
    from rung_model.importers import members
    for name, family in FAMILIES.items():
        assert name == family.name and (not family.usual or family.source)
        assert {member: members.read(member, value) for member, value in family.usual.items()} == family.usual


def test_no_family_takes_the_tensors_of_another(tmp_path):
    for name, (made, family, _, _) in SYNTHETIC.items():
        found, _ = recognise(graph.Graph(onnx_file.read(graphs.save(made, tmp_path / "model.onnx"))), {})
        assert [one.family.name for one in found] == [family], name


def test_the_model_is_never_written_over(tmp_path):
    model = graphs.save(graphs.centerface(), tmp_path / "model.onnx")
    before = model.read_bytes()
    result = run_import(model, "--accept", "-o", model)
    assert result.returncode == 1 and "is the model itself" in result.stderr and model.read_bytes() == before
    assert onnx.load(model).graph.name == "graph"


def test_help_names_the_families_the_members_and_the_exit_codes(tmp_path):
    text = run_import("--help").stdout
    assert all(name in text for name in [*FAMILIES, "selection.min_confidence", "mean, std", "exit codes"])
    assert run_import("model.onnx", "--as", "nothing").returncode == 2
