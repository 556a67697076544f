# SPDX-License-Identifier: Apache-2.0
"""A small real model for tests: `rows` of one channel's corner pixels, 8 × 8 canvas, two rows out."""
import json

import numpy
import onnx
from onnx import TensorProto, helper


def chain(name, steps=30):
    """Arithmetic on a large tensor, step by step, which changes nothing: a compiler that fuses the steps is fast."""
    names = ["repeated", *(f"step{i}" for i in range(steps))]
    nodes = [helper.make_node("Tile", [name, "repeats"], names[:1])]
    nodes += [helper.make_node(("Add", "Sub")[i % 2], [before, "little"], [after])
              for i, (before, after) in enumerate(zip(names, names[1:]))]
    nodes.append(helper.make_node("Slice", [names[-1], "begin", "end"], ["sliced"]))
    return nodes, {"repeats": numpy.int64([1, 8, 32, 32]), "little": numpy.float32([1e-9]), "begin": numpy.int64([0] * 4),
                   "end": numpy.int64([1, 3, 8, 8])}


def eight_bits(name):
    """The picture as whole numbers and back, as quantising tools write it."""
    parameters = ["eight.scale", "eight.zero"]
    return ([helper.make_node("QuantizeLinear", [name, *parameters], ["eight"]),
             helper.make_node("DequantizeLinear", ["eight", *parameters], ["dequantised"])],
            {"eight.scale": numpy.array(1 / 255, numpy.float32), "eight.zero": numpy.array(0, numpy.uint8)})


def graph(path, opset=17, shape=(1, 3, 8, 8), name="image", ir_version=8, axes=(1, 2, 3),
          corner=(0.0, 0.0, 0.25, 0.25), corner_class=1, before=None):
    """Rows are x, y, w, h, confidence, class: constants, with the confidence of row 0 from the picture's mean. `before` makes the
    nodes and constants that the picture goes through first."""
    rows = numpy.array([[0.25, 0.25, 0.5, 0.5, 0, 0], [*corner, 0.9, corner_class]], numpy.float32)
    pick = numpy.zeros((1, 1, 6), numpy.float32)
    pick[0, 0, 4] = 1.0
    first, constants = before(name) if before else ([], {})
    nodes = [
        *first,
        helper.make_node("ReduceMean", [first[-1].output[0] if first else name], ["mean"], axes=axes, keepdims=0),
        helper.make_node("Reshape", ["mean", "three"], ["mean3"]),
        helper.make_node("Mul", ["mean3", "pick"], ["row0"]),
        helper.make_node("Pad", ["row0", "pads"], ["padded"]),
        helper.make_node("Add", ["padded", "rows"], ["out"]),
    ]
    initialisers = [
        onnx.numpy_helper.from_array(numpy.array([1, 1, 1], numpy.int64), "three"),
        onnx.numpy_helper.from_array(pick, "pick"),
        onnx.numpy_helper.from_array(numpy.array([0, 0, 0, 0, 1, 0], numpy.int64), "pads"),
        onnx.numpy_helper.from_array(rows[None], "rows"),
        *(onnx.numpy_helper.from_array(value, constant) for constant, value in constants.items()),
    ]
    model = helper.make_model(
        helper.make_graph(nodes, "tiny", [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)],
                          [helper.make_tensor_value_info("out", TensorProto.FLOAT, (1, 2, 6))], initialisers),
        opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.checker.check_model(model)
    model.ir_version = ir_version
    onnx.save(model, path)
    return path


SPEC = {
    "schema": 1, "name": "tiny", "role": "detector", "kind": "onnx", "form": "f32", "head": "rows",
    "canvas": {"width": 8, "height": 8}, "tensor": {"dtype": "f32", "layout": "planar"},
    "fit": "stretch", "rounding": "nearest", "resampler": "bilinear", "order": "RGB",
    "scale": [1 / 255] * 3, "bias": [0, 0, 0], "fill": [0, 0, 0],
    "selection": {"min_confidence": 0.5, "iou": 0.5, "suppress": True, "containment": False,
                  "per_class": True, "capacity": 2, "considered": 2, "max_targets": 2},
    "input": {"name": "image", "dtype": "f32", "shape": [1, 3, 8, 8]},
    "outputs": [{"purpose": "output", "name": "out", "dtype": "f32", "shape": [1, 2, 6]}],
    "labels": ["bright", "corner"], "providers": ["ort", "tract"],
}


def spec(path, **changes):
    """Writes the spec with members replaced (None: left out)."""
    content = {**SPEC, **changes}
    path.write_text(json.dumps({k: v for k, v in content.items() if v is not None}))
    return path
