# SPDX-License-Identifier: Apache-2.0
"""What a fixed graph is, and that its answers are those of the graph as published."""

import json
import os
import signal
import subprocess
import sys

import numpy
import onnx
import onnxruntime
import pytest
from PIL import Image
from onnx import TensorProto, helper, numpy_helper

from conftest import ROOT
from rung_model import Refusal, compare, fix

SHAPES = {"picture": [1, 3, 16, 24]}


def old_export():
    """What exporters of opset 9 wrote: weights among the inputs, a wrong declared size, a dead node."""
    random = numpy.random.default_rng(7)
    weights = {
        "kernel": random.standard_normal((4, 3, 3, 3)).astype(numpy.float32),
        "scale": random.uniform(0.5, 2, 4).astype(numpy.float32),
        "bias": random.standard_normal(4).astype(numpy.float32),
        "mean": random.standard_normal(4).astype(numpy.float32),
        "variance": random.uniform(0.5, 2, 4).astype(numpy.float32),
        "unused": random.standard_normal(9).astype(numpy.float32),
    }
    nodes = [
        helper.make_node("Conv", ["picture", "kernel"], ["convolved"], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("BatchNormalization", ["convolved", "scale", "bias", "mean", "variance"], ["normal"]),
        helper.make_node("Relu", ["unused"], ["dead"]),
        helper.make_node("Sigmoid", ["normal"], ["heat"]),
    ]
    inputs = [helper.make_tensor_value_info("picture", TensorProto.FLOAT, [10, 3, 8, 8])]
    inputs += [helper.make_tensor_value_info(name, TensorProto.FLOAT, list(array.shape))
               for name, array in weights.items()]
    outputs = [helper.make_tensor_value_info("heat", TensorProto.FLOAT, [10, 4, 4, 4])]
    graph = helper.make_graph(nodes, "old", inputs, outputs,
                              [numpy_helper.from_array(array, name) for name, array in weights.items()])
    return helper.make_model(graph, ir_version=4, opset_imports=[helper.make_opsetid("", 9)])


def save_inputs(folder, count=2):
    random = numpy.random.default_rng(11)
    paths = [folder / f"{index}.npy" for index in range(count)]
    for path in paths:
        numpy.save(path, random.uniform(0, 255, SHAPES["picture"]).astype(numpy.float32))
    return paths


def run_fix(*arguments):
    return subprocess.run([sys.executable, "-m", "rung_model", "fix", *map(str, arguments)],
                          cwd=ROOT / "python", capture_output=True, text=True)


def test_a_fixed_graph_has_only_real_inputs():
    fixed = fix.fix(old_export(), SHAPES)
    assert [value.name for value in fixed.graph.input] == ["picture"]


def test_shapes_are_static_and_those_of_the_answer():
    fixed = fix.fix(old_export(), SHAPES)
    assert fix.shape_of(fixed.graph.input[0]) == [1, 3, 16, 24]
    assert fix.shape_of(fixed.graph.output[0]) == [1, 4, 8, 12]
    session = onnxruntime.InferenceSession(fixed.SerializeToString(), providers=["CPUExecutionProvider"])
    answer, = session.run(None, {"picture": numpy.zeros(SHAPES["picture"], numpy.float32)})
    assert answer.shape == (1, 4, 8, 12)


def test_an_old_opset_is_raised_and_a_newer_one_kept():
    fixed = fix.fix(old_export(), SHAPES)
    assert fixed.opset_import[0].version == 17 and fixed.ir_version == 8
    newer = fix.fix(fix.fix(old_export(), SHAPES, opset=20), SHAPES, opset=17)
    assert newer.opset_import[0].version == 20


def test_nothing_dead_is_kept():
    fixed = fix.fix(old_export(), SHAPES)
    assert "dead" not in [name for node in fixed.graph.node for name in node.output]
    assert "unused" not in [weight.name for weight in fixed.graph.initializer]


def test_what_a_branch_reads_is_alive():
    picture = helper.make_tensor_value_info("picture", TensorProto.FLOAT, [4])
    branch = [helper.make_graph([helper.make_node("Mul", ["picture", "factor"], [name])], name, [],
                                [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4])])
              for name in ("yes", "no")]
    choice = helper.make_node("If", ["flag"], ["answer"], then_branch=branch[0], else_branch=branch[1])
    graph = helper.make_graph(
        [choice], "choice", [picture], [helper.make_tensor_value_info("answer", TensorProto.FLOAT, [4])],
        [numpy_helper.from_array(numpy.array(True), "flag"),
         numpy_helper.from_array(numpy.array([2], numpy.float32), "factor")])
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
    fixed = fix.fix(model, {})
    assert {weight.name for weight in fixed.graph.initializer} == {"flag", "factor"}


def test_the_same_model_gives_the_same_bytes(tmp_path):
    fix.save(fix.fix(old_export(), SHAPES), tmp_path / "one.onnx")
    fix.save(fix.fix(old_export(), SHAPES), tmp_path / "two.onnx")
    assert (tmp_path / "one.onnx").read_bytes() == (tmp_path / "two.onnx").read_bytes()


def test_weights_beside_the_file_come_into_it(tmp_path):
    (tmp_path / "published").mkdir()
    published = tmp_path / "published" / "model.onnx"
    onnx.save(old_export(), published, save_as_external_data=True, location="weights", size_threshold=0)
    assert run_fix(published, tmp_path / "fixed.onnx", "--shape", "picture=1,3,16,24",
                   "--inputs", *save_inputs(tmp_path)).returncode == 0
    (tmp_path / "published" / "weights").unlink()
    fixed = onnx.load(tmp_path / "fixed.onnx", load_external_data=False)
    assert not any(weight.external_data for weight in fixed.graph.initializer)
    onnxruntime.InferenceSession(tmp_path / "fixed.onnx", providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("optimised, bound", [(False, 0), (True, compare.SERVED_BOUND)])
def test_the_answers_are_those_of_the_published_graph(tmp_path, optimised, bound):
    model = old_export()
    distance = compare.largest_distance(fix.free_shapes(model), fix.fix(model, SHAPES),
                                        save_inputs(tmp_path), optimised)
    assert distance <= bound


def test_another_answer_is_seen(tmp_path):
    model = old_export()
    fixed = fix.fix(model, SHAPES)
    bias, = [weight for weight in fixed.graph.initializer if weight.name == "bias"]
    bias.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(bias) + numpy.float32(0.01), "bias"))
    distance = compare.largest_distance(fix.free_shapes(model), fixed, save_inputs(tmp_path))
    assert distance > compare.BOUND


@pytest.mark.parametrize("answer", [[1.0, numpy.nan], [1.0, numpy.inf]])
def test_an_answer_that_is_not_finite_is_infinitely_far(answer):
    reference = numpy.array([1.0, 2.0], numpy.float32)
    assert compare.relative_distance(reference, numpy.array(answer, numpy.float32)) == numpy.inf


def test_the_last_digits_of_scores_near_0_do_not_count_but_a_score_does():
    near_0 = numpy.full(1600, 3e-5, numpy.float32)
    answer = near_0 + numpy.float32(5e-8)
    assert compare.relative_distance(near_0, answer) > compare.SERVED_BOUND
    assert compare.relative_distance(near_0, answer, compare.SERVED_FLOOR) < compare.SERVED_BOUND
    answer[7] += numpy.float32(1e-4)
    assert compare.relative_distance(near_0, answer, compare.SERVED_FLOOR) > compare.SERVED_BOUND


def test_a_photograph_serves_as_input(tmp_path):
    entry = compare.only_input(compare.session_of(fix.fix(old_export(), SHAPES), False))
    Image.new("RGB", (5, 7), (10, 20, 30)).save(tmp_path / "plain.png")
    array = compare.read_input(tmp_path / "plain.png", entry)
    assert array.shape == (1, 3, 16, 24) and array.dtype == numpy.float32
    assert [set(plane.flat) for plane in array[0]] == [{10}, {20}, {30}]
    with pytest.raises(Refusal, match="cannot be read"):
        compare.read_input(__file__, entry)


@pytest.mark.parametrize("shape, reason", [
    ("other=1,3,16,24", "no input other"),
    ("picture=1,3,16", "4 dimensions, not 3"),
    ("picture=2,3,16,24", "0.npy is (1, 3, 16, 24)"),
])
def test_a_wrong_shape_is_refused_in_a_sentence_and_nothing_is_written(tmp_path, shape, reason):
    onnx.save(old_export(), tmp_path / "model.onnx")
    result = run_fix(tmp_path / "model.onnx", tmp_path / "fixed.onnx", "--shape", shape,
                     "--inputs", *save_inputs(tmp_path))
    assert result.returncode == 1 and reason in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "fixed.onnx").exists()


def test_a_shape_that_the_graph_cannot_take_is_refused():
    nodes = [helper.make_node("Add", ["picture", "grid"], ["sum"])]
    model = helper.make_model(helper.make_graph(
        nodes, "sum", [helper.make_tensor_value_info("picture", TensorProto.FLOAT, [None])],
        [helper.make_tensor_value_info("sum", TensorProto.FLOAT, [3])],
        [numpy_helper.from_array(numpy.zeros(3, numpy.float32), "grid")]))
    with pytest.raises(Refusal, match="does not fit the shapes"):
        fix.fix(model, {"picture": [4]})


def test_answers_too_far_apart_are_refused_and_nothing_is_written(tmp_path):
    onnx.save(old_export(), tmp_path / "model.onnx")
    result = run_fix(tmp_path / "model.onnx", tmp_path / "fixed.onnx", "--shape", "picture=1,3,16,24",
                     "--inputs", *save_inputs(tmp_path), "--bound", "-1")
    assert result.returncode == 1 and "answers otherwise" in result.stderr
    assert not (tmp_path / "fixed.onnx").exists()


def test_a_file_that_is_no_model_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"\xff" * 100)
    result = run_fix(tmp_path / "model.onnx", tmp_path / "fixed.onnx", "--inputs", "none.png")
    assert result.returncode == 1 and "cannot be read as an ONNX model" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_free_dimension_must_be_given():
    with pytest.raises(Refusal, match="free dimension"):
        fix.fix(fix.free_shapes(old_export()), {})


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_upsampling_still_scales_from_the_corner(mode, tmp_path):
    """Opset 9 has Upsample; onnx's converter makes a Resize of it that scales around centres of pixels."""
    scales = numpy_helper.from_array(numpy.array([1, 1, 2, 3], numpy.float32), "scales")
    nodes = [helper.make_node("Upsample", ["picture", "scales"], ["large"], mode=mode)]
    graph = helper.make_graph(nodes, "up", [helper.make_tensor_value_info("picture", TensorProto.FLOAT, SHAPES["picture"])],
                              [helper.make_tensor_value_info("large", TensorProto.FLOAT, [1, 3, 32, 72])], [scales])
    old = helper.make_model(graph, ir_version=4, opset_imports=[helper.make_opsetid("", 9)])
    fixed = fix.fix(old, {})
    assert [node.op_type for node in fixed.graph.node].count("Resize") == 1
    assert compare.largest_distance(fix.free_shapes(old), fixed, save_inputs(tmp_path)) == 0


def test_a_picture_becomes_either_layout(tmp_path):
    Image.new("RGB", (5, 4), (10, 20, 30)).save(tmp_path / "a.png")
    planar = compare.read_picture(tmp_path / "a.png", [1, 3, 6, 8])
    interleaved = compare.read_picture(tmp_path / "a.png", [1, 6, 8, 3])
    assert planar.shape == (1, 3, 6, 8) and (planar[0].transpose(1, 2, 0) == interleaved[0]).all()
    with pytest.raises(Refusal, match="1x6x8x4"):
        compare.read_picture(tmp_path / "a.png", [1, 6, 8, 4])


def interrupted(process):
    """Its standard error. A signal that comes between two steps of a reading waits for the next one."""
    for _ in range(60):
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=1)[1]
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError("an interrupt did not end it")


def test_an_interrupt_ends_it_with_a_sentence_and_leaves_nothing(tmp_path):
    model, endless = tmp_path / "old.onnx", tmp_path / "endless.npy"
    onnx.save(old_export(), model)
    os.mkfifo(endless)
    with subprocess.Popen([sys.executable, "-m", "rung_model", "fix", model, tmp_path / "fixed.onnx", "--shape",
                           "picture=1,3,16,24", "--inputs", endless], cwd=ROOT / "python", stderr=subprocess.PIPE, text=True) as one:
        with open(endless, "wb"):  # which waits until it is opened to be read
            error = interrupted(one)
    assert one.returncode == 130 and error == "rung-model: stopped; what was not finished was not written\n"
    assert {path.name for path in tmp_path.iterdir()} == {"old.onnx", "endless.npy"}


@pytest.mark.parametrize("name, content, words", [
    ("empty.npy", b"", "cannot be read as an input"),
    ("text.npy", None, "no array of numbers"),
    ("huge.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (40000).to_bytes(4) * 2 + b"\x08\x02\0\0\0\x99\x4e\x4f\x50", "photograph"),
    ("odd.jpg", b"\xff\xd8\xff\xe1\0\x12Exif\0\0MM\0*\0\0\0\x08\xff\xff", "photograph"),
])
def test_an_input_that_is_none_is_a_sentence(tmp_path, name, content, words):
    model, given = tmp_path / "old.onnx", tmp_path / name
    onnx.save(old_export(), model)
    if content is None:
        numpy.save(given, numpy.array(["words"]))
    else:
        given.write_bytes(content)
    result = run_fix(model, tmp_path / "fixed.onnx", "--shape", "picture=1,3,16,24", "--inputs", given)
    assert result.returncode == 1 and result.stderr.startswith("rung-model: ") and result.stderr.count("\n") == 1, result.stderr
    assert words in result.stderr and not (tmp_path / "fixed.onnx").exists()


def test_a_bound_that_nothing_misses_is_a_mistake(tmp_path):
    result = run_fix("a.onnx", tmp_path / "b.onnx", "--inputs", "a.png", "--bound", "inf")
    assert result.returncode == 2 and "inf is no finite number" in result.stderr


def test_a_graph_is_not_written_over_itself(tmp_path):
    model = tmp_path / "old.onnx"
    onnx.save(old_export(), model)
    before = model.read_bytes()
    result = run_fix(model, model, "--shape", "picture=1,3,16,24", "--inputs", *save_inputs(tmp_path))
    assert result.returncode == 1 and "would be written over" in result.stderr and model.read_bytes() == before


def test_what_was_compared_is_told_machines(tmp_path):
    model = tmp_path / "old.onnx"
    onnx.save(old_export(), model)
    result = run_fix(model, tmp_path / "fixed.onnx", "--shape", "picture=1,3,16,24", "--json", "--inputs", *save_inputs(tmp_path))
    told = json.loads(result.stdout)
    assert told["inputs"] == 2 and 0 <= told["as_written"]["distance"] <= told["as_written"]["allowed"]
