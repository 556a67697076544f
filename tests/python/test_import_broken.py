# SPDX-License-Identifier: Apache-2.0
"""Graphs that cannot be served are told what to do in a sentence, and a hostile file costs no more than it has."""

import os
import random
import subprocess
import sys
import time

import onnx
import pytest
from onnx import TensorProto, helper

import graphs
from conftest import ROOT
from rung_model import Refusal
from rung_model.importers import graph, obstacles, onnx_file, recognise, wire


def run_import(model, *arguments):
    return subprocess.run([sys.executable, "-m", "rung_model", "import", model, *map(str, arguments)],
                          cwd=ROOT / "python", capture_output=True, text=True, timeout=60)


def refusal(made, folder, *arguments):
    """What the command says on standard error of a graph that it refuses; no spec is written."""
    model = graphs.save(made, folder / "model.onnx")
    result = run_import(model, "--accept", "--set", "labels=a,b", "-o", folder / "spec.json", *arguments)
    assert result.returncode == 1 and not (folder / "spec.json").exists(), result.stdout
    assert "Traceback" not in result.stderr
    return result.stderr, result.stdout


@pytest.mark.parametrize("shape", [[1, 3, None, None], [1, 3, "height", "width"], ["batch", 3, 640, 640], []])
def test_a_free_input_is_told_how_to_get_its_size(shape, tmp_path):
    made = graphs.model(shape, {"output0": [1, 84, None]}, [])
    error, text = refusal(made, tmp_path)
    assert "free dimensions" in error and "fix --shape picture=1,3,HEIGHT,WIDTH gives it one" in error
    assert "first: rung-model fix" in text and "--shape picture=1,3,HEIGHT,WIDTH" in text


def test_a_batch_is_told_how_to_be_one_picture(tmp_path):
    error, _ = refusal(graphs.model([10, 3, 32, 32], {"heat": [10, 1, 8, 8]}, []), tmp_path)
    assert "batch of 10" in error and "fix --shape picture=" in error


def test_outputs_without_a_size_are_told_how_to_get_one(tmp_path):
    error, _ = refusal(graphs.model([1, 3, 64, 64], {"output": [1, "rows", 6]}, []), tmp_path)
    assert "the shape of output 1×rows×6 f32 is not told; rung-model fix works it out" in error


def test_weights_in_another_file_are_told_and_never_opened(tmp_path):
    os.mkfifo(tmp_path / "weights")
    error, _ = refusal(graphs.external(graphs.yolov8(2), "weights"), tmp_path)
    assert "weights lie in other files (weights)" in error and "fix puts them into it" in error


def test_weights_in_another_file_are_found_inside_branches_as_well():
    made = graphs.yolov8(2)
    branch = helper.make_graph([], "branch", [], [graphs.value("x", [1])])
    branch.initializer.add(name="far", data_type=1, dims=[4], data_location=TensorProto.EXTERNAL)
    made.graph.node.append(helper.make_node("If", ["c"], ["x"], then_branch=branch, else_branch=branch))
    constant = helper.make_tensor("there", graphs.F32, [1], [0.0])
    constant.external_data.add(key="location", value="/etc/passwd")
    made.graph.node.append(helper.make_node("Constant", [], ["y"], value=constant))
    assert read(made.SerializeToString()).external == ["far", "/etc/passwd"]


@pytest.mark.parametrize("opset", [1, 9, 12])
def test_an_old_opset_is_told_how_to_be_raised_and_recognised_all_the_same(opset, tmp_path):
    made = graphs.yolov8(2)
    made.opset_import[0].version = opset
    error, text = refusal(made, tmp_path)
    assert f"opset {opset} is older than 13" in error and "fix raises it" in error
    assert "recognised as YOLOv8" in text


def test_weights_among_the_inputs_are_told(tmp_path):
    made = graphs.with_weights(graphs.yolov8(2))
    for index in range(2):
        made.graph.input.append(graphs.value(f"weight{index}", [2]))
    error, _ = refusal(made, tmp_path)
    assert "2 weights are listed as inputs" in error and "2 inputs" not in error


@pytest.mark.parametrize("made, sentence", [
    (graphs.ultraface(("boxes", "scores")), "boxes 1×4420×2 f32 has the columns of scores"),
    (graphs.detr(("logits", "pred_boxes")), "logits 1×300×4 f32 those of boxes"),
    (graphs.yunet(lambda name: {"cls_8": "cls_16", "cls_16": "cls_8"}.get(name, name)), "cls_16 1×1600×1 f32"),
    (graphs.yunet(lambda name: {"kps_8": "bbox_8", "bbox_8": "kps_8"}.get(name, name)), "kps_8 1×1600×4 f32"),
])
def test_outputs_with_each_others_names_are_called_swapped(made, sentence, tmp_path):
    error, _ = refusal(made, tmp_path)
    assert "swapped" in error and sentence in error and "export again with output_names" in error


def test_outputs_that_a_spec_swaps_are_called_swapped(tmp_path):
    (tmp_path / "said.json").write_text(
        '{"outputs": [{"purpose": "scores", "name": "boxes", "shape": [1, 4420, 2]},'
        ' {"purpose": "boxes", "name": "scores", "shape": [1, 4420, 4]}]}')
    error, _ = refusal(graphs.ultraface(), tmp_path, "--spec", tmp_path / "said.json")
    assert "swapped two outputs: boxes is 1×4420×4 in the graph" in error and "exchange the two names" in error


def test_swapped_names_are_taken_when_the_person_says_so(tmp_path):
    model = graphs.save(graphs.ultraface(("boxes", "scores")), tmp_path / "model.onnx")
    assert run_import(model, "--accept", "--set", "outputs.scores=boxes").returncode == 0
    result = run_import(model, "--accept", "--set", "outputs.scores=scores")
    assert result.returncode == 1 and "by its shape it is boxes" in result.stderr


def test_outputs_that_nothing_tells_apart_are_asked_for(tmp_path):
    model = graphs.save(graphs.centerface(("a", "b", "c", "d")), tmp_path / "model.onnx")
    result = run_import(model, "--accept", "-o", tmp_path / "spec.json")
    assert result.returncode == 3 and "b and c look alike" in result.stdout
    assert not (tmp_path / "spec.json").exists()
    result = run_import(model, "--accept", "--set", "outputs.scale=c", "--json")
    assert result.returncode == 0 and '"name": "c",' in result.stdout.split('"purpose": "scale",')[1].split("}")[0]


def test_an_input_of_16_bits_is_told_and_packed_only_as_the_form_that_it_is(tmp_path):
    made = graphs.yolov8(2)
    for value in [*made.graph.input, *made.graph.output]:
        value.type.tensor_type.elem_type = graphs.F16
    error, _ = refusal(made, tmp_path)
    assert "input picture 1×3×640×640 f16 of 16 bits" in error and "export that (half=False)" in error
    model = tmp_path / "model.onnx"
    said = ["--accept", "--set", "labels=a,b", "--set", "form=f16", "-o", tmp_path / "spec.json"]
    assert run_import(model, *said).returncode == 3
    assert run_import(model, *said, "--set", "precision=precision.json").returncode == 0
    assert '"form": "f16"' in (tmp_path / "spec.json").read_text()


def test_a_quantised_graph_is_told_to_be_a_form_of_another(tmp_path):
    made = graphs.yolov8(2)
    made.graph.node.append(helper.make_node("QuantizeLinear", ["a", "b"], ["c"]))
    error, _ = refusal(made, tmp_path)
    assert "the graph is quantised: import the f32 graph first" in error


@pytest.mark.parametrize("kind", ["NonMaxSuppression", "EfficientNMS_TRT", "BatchedNMSDynamic_TRT"])
def test_suppression_in_the_graph_is_told_how_to_be_left_out(kind, tmp_path):
    made = graphs.yolo_e2e()
    made.graph.node.append(helper.make_node(kind, ["a"], ["b"]))
    error, _ = refusal(made, tmp_path)
    assert f"suppresses boxes itself ({kind})" in error and "nms=False" in error


def test_80_labels_for_2_classes_are_refused(tmp_path):
    names = tmp_path / "coco.txt"
    names.write_text("".join(f"thing {index}\n" for index in range(80)))
    model = graphs.save(graphs.yolov8(2), tmp_path / "model.onnx")
    result = run_import(model, "--accept", "--set", f"labels=@{names}", "-o", tmp_path / "spec.json")
    assert result.returncode == 1 and not (tmp_path / "spec.json").exists()
    assert "the model has 2 classes by its outputs, and 80 labels were said" in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("made, sentence", [
    (graphs.yolov8(52, {"task": "pose"}), "task is 'pose'"),
    (graphs.detr(last="Sigmoid"), "the head detr takes logits"),
    (graphs.detr(last="Softmax"), "no family has such tensors"),
    (graphs.embedder(1000, "Softmax"), "scores of a classifier"),
    (graphs.embedder(1001, "Gemm"), None),
    (graphs.segmenter((1, 21, 16, 24)), "the 96×64 pixels of the canvas"),
])
def test_a_model_that_only_looks_servable_is_told_why_not(made, sentence, tmp_path):
    model = graphs.save(made, tmp_path / "model.onnx")
    result = run_import(model, "--accept")
    if sentence is None:  # an embedding or a classifier's logits: nothing but the person can tell
        assert result.returncode == 3 and "embedder.vector" in result.stdout
        assert "cut the graph" in run_import(model, "--accept", "--set", "embedder.vector=classes").stderr
        return
    assert result.returncode == 1 and sentence in result.stderr


@pytest.mark.parametrize("change, sentence", [
    (lambda made: made.graph.input.append(graphs.value("sizes", [1, 2])), "2 inputs"),
    (lambda made: made.graph.ClearField("input"), "0 inputs (none)"),
    (lambda made: made.graph.ClearField("output"), "0 outputs"),
    (lambda made: made.graph.output.extend(graphs.value(f"o{i}", [1]) for i in range(20)), "21 outputs"),
    (lambda made: made.graph.output.append(made.graph.output[0]), "same name"),
    (lambda made: setattr(made.graph.output[0], "name", "n" * 212), "212 bytes"),
    (lambda made: setattr(made.graph.output[0], "name", "\x1b[2Jclear"), "cannot be shown"),
    (lambda made: setattr(made.graph.output[0].type.tensor_type, "elem_type", TensorProto.INT64), "not served"),
    (lambda made: made.graph.output[0].CopyFrom(graphs.value("big", [1, 2**40, 6])), "elements, more than"),
    (lambda made: made.graph.output[0].CopyFrom(graphs.value("minus", [1, -6, 6])), "is not told"),
    (lambda made: made.graph.output[0].CopyFrom(graphs.value("deep", [1] * 9)), "at most 8"),
    (lambda made: made.graph.input[0].CopyFrom(graphs.value("grey", [1, 1, 64, 64])), "no picture"),
])
def test_what_a_model_file_cannot_hold_is_told(change, sentence, tmp_path):
    made = graphs.yolov8(2)
    change(made)
    error, _ = refusal(made, tmp_path)
    assert sentence in error and "\x1b" not in error


@pytest.mark.parametrize("data, sentence", [
    (b"", "is empty"),
    (b"\x1c\0\0\0TFL3", "convert tflite"),
    (b"RUNG\1\0\0\0", "rung inspect"),
    (b"PK\3\4", "PyTorch"),
    (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
    (b"<!doctype html>", "download failed"),
    (b"plain words, no model", "damaged or no ONNX model"),
    (b"\xff" * 100, "damaged or no ONNX model"),
    (b"\x08\x08", "0 graphs"),
])
def test_what_is_no_model_is_refused_by_what_it_is(data, sentence, tmp_path):
    (tmp_path / "model.onnx").write_bytes(data)
    result = run_import(tmp_path / "model.onnx")
    assert result.returncode == 1 and sentence in result.stderr and len(result.stderr.splitlines()) == 1


def test_what_is_no_file_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "nothing.onnx", tmp_path, tmp_path / "pipe", "/dev/zero"):
        result = run_import(path)
        assert result.returncode == 1 and "name an ONNX file" in result.stderr


def test_a_file_larger_than_a_model_can_be_is_not_read(tmp_path):
    with open(tmp_path / "model.onnx", "wb") as file:
        file.truncate(2**31)
    with pytest.raises(Refusal, match="at most 2147483647"):
        onnx_file.read(tmp_path / "model.onnx")


def varint(number):
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def read(data):
    return onnx_file.Reader("model.onnx").model(wire.Message(data, 0, len(data), wire.Budget()))


def nested(levels):
    graph_ = b""
    for _ in range(levels):
        graph_ = field(1, field(5, field(6, graph_)))
    return field(7, graph_)


@pytest.mark.parametrize("data, sentence", [
    (b"\x3a" + varint(2**62), "where 0 are left"),
    (b"\x3a" + varint(100) + b"\0" * 10, "100 bytes where 10 are left"),
    (b"\x3a" + b"\xff" * 11, "more than 10 bytes"),
    (b"\x3a", "in the middle of a number"),
    (b"\x3b\x3c", "of kind 3"),
    (b"\x02\x00", "number 0"),
    (field(7, b"") + field(7, b""), "2 graphs"),
    (b"\x38\x01", "a number where bytes belong"),
    (nested(200), "40 deep"),
    (field(7, field(1, field(4, b"\xff\xfe"))), "no UTF-8"),
    (field(7, field(1, field(4, b"n" * 70000))), "at most 65536"),
    (field(7, field(11, field(2, field(1, b"\x12\x02\x00\x00")))), "a field has the number 0"),
    (field(7, field(11, field(2, field(1, b"\x0a\x01\x00")))), "bytes where a number belongs"),
])
def test_a_hostile_message_is_refused_before_anything_is_made_of_it(data, sentence):
    with pytest.raises(Refusal, match=sentence):
        read(data)


def test_a_file_of_nothing_but_small_parts_is_refused_in_bounded_time():
    data = field(7, field(1, b"") * (wire.MAX_FIELDS + 10))
    began = time.monotonic()
    with pytest.raises(Refusal, match="fields outside its weights"):
        read(data)
    assert time.monotonic() - began < 30


def test_a_file_of_nothing_but_names_is_refused():
    data = field(7, field(1, field(1, b"n" * 65000) * 1100))
    with pytest.raises(Refusal, match="bytes of names"):
        read(data)


def test_weights_are_stepped_over_and_not_read():
    class Watched(bytearray):
        """Bytes that count how many are looked at."""
        looked = 0

        def __getitem__(self, place):
            Watched.looked += len(range(*place.indices(len(self)))) if isinstance(place, slice) else 1
            return super().__getitem__(place)

    made = graphs.yolov8(2)
    made.graph.initializer.append(helper.make_tensor("w", graphs.F32, [2**18], b"\0" * 2**20, raw=True))
    data = Watched(made.SerializeToString())
    assert read(data).weights == {"w"}
    assert Watched.looked < 3000 < 2**20 < len(data)


def test_every_cut_and_changed_file_is_refused_or_read_and_nothing_else():
    whole = graphs.yunet().SerializeToString()
    places, refused = random.Random(9), 0
    samples = [whole[:size] for size in range(0, len(whole), 17)]
    for _ in range(600):
        changed = bytearray(whole)
        for _ in range(places.randrange(1, 4)):
            changed[places.randrange(len(whole))] = places.randrange(256)
        samples.append(bytes(changed))
    for data in samples:
        try:
            looked_at = graph.Graph(read(data))
            obstacles.of(looked_at)
            if looked_at.canvas and looked_at.outputs and all(tensor.fixed() for tensor in looked_at.outputs):
                recognise(looked_at, {})
        except Refusal as reason:
            refused += 1
            assert str(reason)
    assert refused > len(samples) // 4


def test_the_reader_sees_what_the_format_s_own_library_sees():
    for made in (graphs.yolov8(2, graphs.names_of(2)), graphs.yunet(), graphs.with_weights(graphs.centerface())):
        seen, own = read(made.SerializeToString()), onnx.load_from_string(made.SerializeToString())
        assert [tensor.name for tensor in seen.outputs] == [output.name for output in own.graph.output]
        assert [tensor.shape for tensor in seen.outputs] == \
            [[side.dim_value for side in output.type.tensor_type.shape.dim] for output in own.graph.output]
        assert [(node.kind, node.inputs, node.outputs) for node in seen.nodes] == \
            [(node.op_type, list(node.input), list(node.output)) for node in own.graph.node]
        assert seen.weights == {weight.name for weight in own.graph.initializer}
        assert seen.metadata == {entry.key: entry.value for entry in own.metadata_props} and seen.opset == 17
