# SPDX-License-Identifier: Apache-2.0
"""A small real model that the tests of packing and of cards share: its spec, its graph, and records of gates."""

import hashlib
import json

import numpy
import onnx
from onnx import TensorProto, helper

LOWER = {"form": "int8", "precision": {"file": "precision.json"}, "gate": {"file": "gate.json"}}
MISSED = [{"name": "found of 40 px and more", "value": 0.9512, "least": 0.97, "passed": False},
          {"name": "outputs are finite", "value": 1.0, "least": 1.0, "passed": True}]
SPEC = {
    "schema": 1, "name": "tiny", "role": "detector", "form": "f32", "head": "yolo", "canvas": {"width": 8, "height": 8},
    "tensor": {"dtype": "f32", "layout": "planar"}, "fit": "stretch", "order": "RGB",
    "selection": {"min_confidence": 0.5, "iou": 0.5, "suppress": True},
    "input": {"name": "image", "dtype": "f32", "shape": [1, 3, 8, 8]},
    "outputs": [{"purpose": "output", "name": "out", "dtype": "f32", "shape": [1, 6, 4]}],
    "labels": ["cat", "dog"], "licence": {"text": "MIT License\n\nPermission is hereby granted …\n"}, "graph": "tiny.onnx",
}


def graph(path, shift=0.0):
    """Boxes and scores that only the mean of the picture moves; `shift` makes another payload."""
    constants = {"one": numpy.array([1, 1, 1], numpy.int64), "shape": numpy.array([1, 6, 4], numpy.int64),
                 "shift": numpy.array([shift], numpy.float32)}
    nodes = [helper.make_node("ReduceMean", ["image"], ["mean"], axes=[1, 2, 3], keepdims=0),
             helper.make_node("Reshape", ["mean", "one"], ["single"]), helper.make_node("Add", ["single", "shift"], ["sum"]),
             helper.make_node("Expand", ["sum", "shape"], ["out"])]
    made = helper.make_model(helper.make_graph(
        nodes, "tiny", [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 8, 8])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, [1, 6, 4])],
        [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()]),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(made.SerializeToString())
    return path


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write(folder, record=None, shift=0.0, **changes):
    """A spec with its graph and records in a folder; the record's entries are of the graph where they do not say otherwise."""
    digest = digest_of(graph(folder / "tiny.onnx", shift))
    gates = [{"artifact": digest, **gate} for gate in (record or {}).get("gates", [])]
    (folder / "gate.json").write_text(json.dumps({"schema": 1, **(record or {}), "gates": gates}))
    (folder / "precision.json").write_text('{"Conv_0": "int8"}')
    content = {name: value for name, value in {**SPEC, **changes}.items() if value is not None}
    (folder / "spec.json").write_text(json.dumps(content))
    return folder / "spec.json"


def entry(passed, **more):
    return {"rung": "ort-cpu", "precision": "i8", "passed": passed, "min_confidence": 0.5, "checks": [] if passed else MISSED, **more}
