# SPDX-License-Identifier: Apache-2.0
"""Every broken input is one sentence with a remedy, at each command of the chain that meets it; nothing is written.
What `import` alone sees is in test_import_broken.py."""

import json

import numpy
import onnx
import pytest
from PIL import Image
from onnx import TensorProto, helper, numpy_helper

import graphs
from commands import rung, rung_model, tried

SIDE, CELLS = 32, 64


def weight(name, numbers):
    return numpy_helper.from_array(numbers, name)


def branch(name, source, channels, kind, *ends):
    """A table of as many columns from the picture, a row for each of the cells; `ends` are the operations behind it."""
    nodes = [helper.make_node("Conv", [source, f"{name}.kernel"], [f"{name}.map"], strides=[4, 4]),
             helper.make_node("Reshape", [f"{name}.map", f"{name}.size"], [f"{name}.flat"]),
             helper.make_node("Transpose", [f"{name}.flat"], [f"{name}.rows" if ends else name], perm=[0, 2, 1])]
    nodes += [helper.make_node(end, [f"{name}.rows"], [name]) for end in ends]
    return nodes, [weight(f"{name}.kernel", numpy.zeros((channels, 3, 4, 4), kind)),
                   weight(f"{name}.size", numpy.array([1, channels, -1]))]


def detector(opset=17, kind=numpy.float32, sides=(SIDE, SIDE)):
    """Scores of background and two classes, and boxes; it runs, and finds nothing anywhere."""
    boxes, box_weights = branch("boxes", "picture", 4, kind)
    scores, score_weights = branch("scores", "picture", 3, kind, "Sigmoid")
    element = helper.np_dtype_to_tensor_dtype(numpy.dtype(kind))
    return helper.make_model(helper.make_graph(
        boxes + scores, "detector", [graphs.value("picture", [1, 3, *sides], element)],
        [graphs.value("boxes", [1, CELLS, 4], element), graphs.value("scores", [1, CELLS, 3], element)],
        box_weights + score_weights), opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def failing():
    """The brighter the picture, the further behind the last row is what it looks for."""
    made = detector()
    made.graph.node[-1].output[0] = "all scores"
    made.graph.initializer.append(weight("rows", numpy.arange(CELLS)))
    made.graph.node.extend([
        helper.make_node("ReduceMax", ["picture"], ["brightest"], keepdims=0),
        helper.make_node("Cast", ["brightest"], ["offset"], to=TensorProto.INT64),
        helper.make_node("Add", ["rows", "offset"], ["moved"]),
        helper.make_node("Gather", ["all scores", "moved"], ["scores"], axis=1)])
    return made


def suppressing():
    made = detector()
    made.graph.initializer.append(weight("most", numpy.array([10])))
    made.graph.node.extend([
        helper.make_node("Transpose", ["scores"], ["turned"], perm=[0, 2, 1]),
        helper.make_node("NonMaxSuppression", ["boxes", "turned", "most"], ["chosen"])])
    made.graph.output.append(graphs.value("chosen", [None, 3], TensorProto.INT64))
    return made


def spec(**members):
    whole = {"schema": 1, "name": "two", "role": "detector", "head": "ssd", "canvas": {"width": SIDE, "height": SIDE},
             "tensor": {"dtype": "f32", "layout": "planar"}, "fit": "stretch", "order": "RGB",
             "selection": {"min_confidence": 0.7, "iou": 0.3, "suppress": True},
             "input": {"name": "picture", "dtype": "f32", "shape": [1, 3, SIDE, SIDE]},
             "outputs": [{"purpose": "scores", "name": "scores", "dtype": "f32", "shape": [1, CELLS, 3]},
                         {"purpose": "boxes", "name": "boxes", "dtype": "f32", "shape": [1, CELLS, 4]}],
             "parameters": {"logits": False}, "labels": ["cat", "dog"], "graph": "good.onnx"}
    return {**whole, **members}


def swapped():
    """The purposes stay with their shapes, and the names are those of the other."""
    scores, boxes = spec()["outputs"]
    return [{**scores, "name": "boxes"}, {**boxes, "name": "scores"}]


def save_skies(folder, count):
    """Different ones, as a camera that points up takes them: nothing is there to be found."""
    folder.mkdir()
    rows, columns = numpy.mgrid[0:48, 0:64]
    for index in range(count):
        grey = 60 + 2 * index + rows + columns * (index % 7) / 8
        Image.fromarray(numpy.stack([grey, grey, grey + 20], axis=2).clip(0, 255).astype(numpy.uint8)) \
            .save(folder / f"{index}.png")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A folder with a model that is whole, and all that is broken about others."""
    folder = tmp_path_factory.mktemp("inputs")
    onnx.save(detector(), folder / "good.onnx")
    onnx.save(detector(sides=("height", "width")), folder / "free.onnx")
    onnx.save(detector(opset=9), folder / "old.onnx")
    onnx.save(detector(kind=numpy.float16), folder / "half.onnx")
    onnx.save(suppressing(), folder / "nms.onnx")
    onnx.save(failing(), folder / "failing.onnx")
    (folder / "hollow.onnx").touch()
    onnx.save(detector(), folder / "far.onnx", save_as_external_data=True, location="weights", size_threshold=0)
    (folder / "lost").mkdir()
    onnx.save(detector(), folder / "lost/far.onnx", save_as_external_data=True, location="weights", size_threshold=0)
    (folder / "lost/weights").unlink()
    onnx.save(graphs.yolov8(2), folder / "yolo.onnx")
    onnx.save(graphs.ultraface(("boxes", "scores")), folder / "swapped.onnx")
    (folder / "coco.txt").write_text("".join(f"thing {index}\n" for index in range(80)))
    for name, members in (("good", {}), ("swapped", {"outputs": swapped()}),
                          ("form", {"form": "int8", "precision": {"text": "{}"}}),
                          ("many", {"labels": [f"thing {index}" for index in range(80)]})):
        (folder / f"{name}.json").write_text(json.dumps(spec(**members)))
    (folder / "empty").mkdir()
    save_skies(folder / "skies", 64)
    return folder


def fix(model, *more):
    return rung_model("fix", model, "new.onnx", *more, "--inputs", "skies/0.png")


def make_spec(model, *more):
    return rung_model("import", model, "--accept", *more, "-o", "new.json")


def pack(spec_file, model="good.onnx"):
    return rung("pack", spec_file, model, "-o", "new.rung")


def ship(spec_file, model="good.onnx"):
    return rung_model("pack", spec_file, model, "-o", "new.rung")


def quantize(spec_file, photographs, model="good.onnx"):
    return rung_model("quantize", spec_file, model, "--form", "int8", "--photos", photographs, "-o", "new.onnx")


def gate(photographs):
    return rung_model("gate", "good.json", "--photos", photographs)


# What is broken and who meets it: the command, what the sentence says of it, and the remedy that it names.
BROKEN = {
    "dynamic shapes, fix": (fix("free.onnx"), "free dimension", "--shape picture=1,3,HEIGHT,WIDTH"),
    "dynamic shapes, a size too small": (fix("free.onnx", "--shape", "picture=1,3,2,2"),
                                         "cannot be run on skies/0.png", "another size with --shape"),
    "dynamic shapes, import": (make_spec("free.onnx"), "free dimensions", "fix --shape picture=1,3,HEIGHT,WIDTH"),
    "dynamic shapes, rewrite": (rung_model("rewrite", "free.onnx", "-o", "new.onnx"), "free dimension", "fix the graph"),
    "dynamic shapes, pack": (pack("good.json", "free.onnx"), "[1,3,?,?], not [1,3,32,32]", "rung-model fix"),
    "dynamic shapes, quantize": (quantize("good.json", "skies", "free.onnx"), "picture", "fix"),
    "external data, import": (make_spec("far.onnx"), "other files (weights)", "fix puts them into it"),
    "external data, pack": (pack("good.json", "far.onnx"), "external data", "save the graph as one file"),
    "external data that is lost, fix": (fix("lost/far.onnx"), "other files (weights), which cannot be read",
                                        "put them beside the graph"),
    "opset 9, import": (make_spec("old.onnx"), "opset 9 is older than 13", "fix raises it"),
    "opset 9, rewrite": (rung_model("rewrite", "old.onnx", "-o", "new.onnx"), "opset 9, less than 17", "fix it"),
    "opset 9, pack": (pack("good.json", "old.onnx"), "opset 9 and at least 13", "rung-model fix"),
    "two outputs swapped, import": (make_spec("swapped.onnx"), "two outputs are swapped", "export again with output_names"),
    "two outputs swapped, pack": (pack("swapped.json"), "\"boxes\" has shape [1,64,4], not [1,64,3]",
                                  "declare what this one has"),
    "two outputs swapped, quantize": (quantize("swapped.json", "skies"), "boxes", "declare what this one has"),
    "16 bits, import": (make_spec("half.onnx"), "16 bits", "export that (half=False)"),
    "16 bits, pack": (pack("good.json", "half.onnx"), "is f16, not f32", "declare what this one has"),
    "16 bits, quantize": (quantize("good.json", "skies", "half.onnx"), "picture is of 16 bits", "export that one"),
    "NMS inside, fix": (fix("nms.onnx"), "suppresses boxes itself (NonMaxSuppression)", "nms=False"),
    "NMS inside, import": (make_spec("nms.onnx"), "suppresses boxes itself (NonMaxSuppression)", "nms=False"),
    "NMS inside, pack": (pack("good.json", "nms.onnx"), "3 outputs, not 2", "rung-model fix"),
    "a graph that fails as it runs, fix": (fix("failing.onnx"), "cannot be run on skies/0.png", "export it again"),
    "a graph that fails as it runs, quantize": (quantize("good.json", "skies", "failing.onnx"), "does not run", "export it again"),
    "an empty file, fix": (fix("hollow.onnx"), "hollow.onnx is empty", "export or fetch the model again"),
    "an empty file, rewrite": (rung_model("rewrite", "hollow.onnx", "-o", "new.onnx"), "hollow.onnx is empty",
                               "export or fetch the model again"),
    "an empty file, quantize": (quantize("good.json", "skies", "hollow.onnx"), "hollow.onnx is empty",
                                "export or fetch the model again"),
    "an empty folder, fix": (rung_model("fix", "good.onnx", "new.onnx", "--inputs", "empty"), "empty", "name photographs"),
    "an empty folder, quantize": (quantize("good.json", "empty"), "empty holds no photographs", "name a folder that does"),
    "an empty folder, gate": (gate("empty"), "empty holds no photographs", "name a folder that does"),
    "photographs without objects, quantize": (quantize("good.json", "skies"), "nothing", "photographs"),
    "photographs without objects, gate": (gate("skies"), "finds nothing", "photographs"),
    "80 labels for 2 classes, import": (make_spec("yolo.onnx", "--set", "labels=@coco.txt"),
                                        "2 classes by its outputs, and 80 labels", "give those of this model"),
    "80 labels for 2 classes, pack": (pack("many.json"), "80 labels, and by its tensors the model has 2",
                                      "give the labels of this model"),
    "80 labels for 2 classes, rung-model pack": (ship("many.json"), "80 labels, and by its tensors the model has 2",
                                                 "give the labels of this model"),
    "opset 9, rung-model pack": (ship("good.json", "old.onnx"), "opset 9 and at least 13", "rung-model fix"),
    "a form without a gate, rung-model pack": (ship("form.json"), "two in int8 is not packed",
                                               "Measure it with rung-model gate"),
    "no such file, fix": (fix("nowhere.onnx"), "nowhere.onnx cannot be read: No such file", "name the graph"),
    "no such folder, fix": (rung_model("fix", "good.onnx", "no/new.onnx", "--inputs", "skies/0.png"),
                            "no/new.onnx cannot be written", "name a place that can"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_every_broken_input_is_one_sentence_with_a_remedy(inputs, name):
    command, words, remedy = BROKEN[name]
    before = sorted(inputs.rglob("*"))
    refused = tried(command, inputs)
    assert refused.returncode in (1, 2, 4, 5), (refused.returncode, refused.stdout, refused.stderr)
    sentence = [line for line in refused.stderr.splitlines() if words in line]
    assert len(sentence) == 1 and sentence[0].startswith("rung"), refused.stderr
    assert remedy in sentence[0], sentence[0]
    assert all(line.startswith("rung") for line in refused.stderr.splitlines()), refused.stderr
    assert sorted(inputs.rglob("*")) == before


def test_the_same_model_whole_passes_every_command(inputs, tmp_path):
    """So that what is refused above is refused for what is broken."""
    for command in (rung_model("fix", "good.onnx", tmp_path / "fixed.onnx", "--inputs", "skies/0.png"),
                    rung_model("fix", "old.onnx", tmp_path / "raised.onnx", "--inputs", "skies/0.png"),
                    rung_model("fix", "far.onnx", tmp_path / "whole.onnx", "--inputs", "skies/0.png"),
                    rung_model("fix", "free.onnx", tmp_path / "sized.onnx", "--shape", "picture=1,3,32,32",
                               "--inputs", "skies/0.png"),
                    *(rung("pack", "good.json", tmp_path / f"{name}.onnx", "-o", tmp_path / f"{name}.rung")
                      for name in ("fixed", "raised", "whole", "sized"))):
        result = tried(command, inputs)
        assert result.returncode == 0, (command, result.stderr)
