# SPDX-License-Identifier: Apache-2.0
"""What is read of an ONNX file: its inputs, outputs and nodes by name, never a weight, never another file."""

import dataclasses
import mmap
import os
import stat

from .. import Refusal
from . import wire

MOST_BYTES = 2**31 - 1  # protobuf's own limit
MOST_NAME = 211  # bytes, of the model file's tensor section
MOST_TEXT = 65536
SHOWN = 80

# Field numbers of the format's schema.
MODEL_PRODUCER, MODEL_GRAPH, MODEL_OPSET, MODEL_METADATA, MODEL_FUNCTION = 2, 7, 8, 14, 25
OPSET_DOMAIN, OPSET_VERSION = 1, 2
ENTRY_KEY, ENTRY_VALUE = 1, 2
GRAPH_NODE, GRAPH_INITIALISER, GRAPH_INPUT, GRAPH_OUTPUT, GRAPH_SPARSE = 1, 5, 11, 12, 15
FUNCTION_NODE = 7
NODE_INPUT, NODE_OUTPUT, NODE_TYPE, NODE_ATTRIBUTE = 1, 2, 4, 5
ATTRIBUTE_TENSORS, ATTRIBUTE_GRAPHS = (5, 10), (6, 11)
TENSOR_DATA_TYPE, TENSOR_NAME, TENSOR_EXTERNAL, TENSOR_LOCATION = 2, 8, 13, 14
SPARSE_VALUES = 1
VALUE_NAME, VALUE_TYPE = 1, 2
TYPE_TENSOR, TENSOR_TYPE_ELEMENT, TENSOR_TYPE_SHAPE = 1, 1, 2
SHAPE_DIMENSION, DIMENSION_VALUE, DIMENSION_NAME = 1, 1, 2

ELEMENTS = {1: "f32", 2: "u8", 3: "i8", 10: "f16"}
OTHER_ELEMENTS = {4: "u16", 5: "i16", 6: "i32", 7: "i64", 8: "string", 9: "bool", 11: "f64", 12: "u32", 13: "u64",
                  16: "bf16"}
FLOAT16 = 10

# How files of other kinds begin, and what to do with them.
OTHERS = [
    (4, b"TFL3", "a TensorFlow Lite file; make an ONNX graph of it by rung-model convert tflite"),
    (0, b"RUNG", "a model file already; rung inspect shows it"),
    (0, b"PK\x03\x04", "a zip archive, as PyTorch saves weights; export the model to ONNX with the code it came with"),
    (0, b"\x89HDF", "an HDF5 file, as Keras saves models; export the model to ONNX"),
    (0, b"version https://git-lfs", "a pointer of Git LFS in place of the model; fetch it by git lfs pull"),
    (0, b"<", "a page of text in place of a model; the download failed"),
    (0, b"{", "JSON; name the model first, and a spec by --spec"),
]


def shown(name):
    """A name as a terminal may have it."""
    short = name if len(name) <= SHOWN else name[:SHOWN] + "…"
    return short if short.isprintable() else ascii(short)


def shape_text(shape):
    return "×".join("?" if side is None else shown(str(side)) for side in shape)


@dataclasses.dataclass
class Tensor:
    """An input or output. A free dimension is its name, or None when it has none."""
    name: str
    dtype: str
    shape: list

    def __str__(self):
        return f"{shown(self.name)} {shape_text(self.shape)} {self.dtype}"

    def fixed(self):
        return bool(self.shape) and all(isinstance(side, int) and side > 0 for side in self.shape)


@dataclasses.dataclass
class Node:
    kind: str = ""
    inputs: list = dataclasses.field(default_factory=list)
    outputs: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class File:
    path: str
    opset: int = 0
    producer: str = ""
    metadata: dict = dataclasses.field(default_factory=dict)
    inputs: list = dataclasses.field(default_factory=list)
    outputs: list = dataclasses.field(default_factory=list)
    nodes: list = dataclasses.field(default_factory=list)  # of the graph itself
    kinds: set = dataclasses.field(default_factory=set)  # of all nodes, inside branches and functions as well
    weights: set = dataclasses.field(default_factory=set)
    weights_listed: list = dataclasses.field(default_factory=list)  # among the inputs, by old exporters
    half_weights: bool = False
    external: list = dataclasses.field(default_factory=list)


class Reader:
    def __init__(self, path):
        self.file = File(str(path))

    def external_place(self, entry):
        pair = {"key": "", "value": ""}
        for number, value in wire.message_of(entry):
            if number in (ENTRY_KEY, ENTRY_VALUE):
                pair["key" if number == ENTRY_KEY else "value"] = wire.message_of(value).text(MOST_TEXT)
        return pair["value"] if pair["key"] == "location" else None

    def tensor(self, message):
        """Name, and what else there is to know of weights."""
        name, elsewhere, location = "", False, None
        for number, value in wire.message_of(message):
            if number == TENSOR_NAME:
                name = wire.message_of(value).text(MOST_TEXT)
            elif number == TENSOR_DATA_TYPE:
                self.file.half_weights |= value == FLOAT16
            elif number == TENSOR_LOCATION:
                elsewhere |= value == 1
            elif number == TENSOR_EXTERNAL:
                elsewhere, location = True, self.external_place(value) or location
        if elsewhere and (location or name) not in self.file.external:
            self.file.external.append(location or name)
        return name

    def attribute(self, message):
        for number, value in wire.message_of(message):
            if number in ATTRIBUTE_TENSORS:
                self.tensor(value)
            elif number in ATTRIBUTE_GRAPHS:
                self.inner_graph(value)

    def node(self, message):
        node = Node()
        for number, value in wire.message_of(message):
            if number == NODE_INPUT:
                node.inputs.append(wire.message_of(value).text(MOST_TEXT))
            elif number == NODE_OUTPUT:
                node.outputs.append(wire.message_of(value).text(MOST_TEXT))
            elif number == NODE_TYPE:
                node.kind = wire.message_of(value).text(MOST_TEXT)
            elif number == NODE_ATTRIBUTE:
                self.attribute(value)
        self.file.kinds.add(node.kind)
        return node

    def inner_graph(self, message, node_field=GRAPH_NODE):
        for number, value in wire.message_of(message):
            if number == node_field:
                self.node(value)
            elif number == GRAPH_INITIALISER and node_field == GRAPH_NODE:
                self.tensor(value)

    def dimension(self, message):
        side = None
        for number, value in wire.message_of(message):
            if number == DIMENSION_VALUE:
                side = wire.number_of(value)
            elif number == DIMENSION_NAME:
                side = wire.message_of(value).text(MOST_TEXT) or None
        return side

    def value(self, message):
        """An input or output, whose name must be fit to be shown."""
        tensor = Tensor("", "no tensor", [])
        for number, value in wire.message_of(message):
            if number == VALUE_NAME:
                tensor.name = wire.message_of(value).text(MOST_TEXT)
            elif number == VALUE_TYPE:
                for kind, inner in wire.message_of(value):
                    if kind == TYPE_TENSOR:
                        self.tensor_type(inner, tensor)
        if not tensor.name.isprintable():
            raise Refusal(f"the tensor {shown(tensor.name)} has a name that cannot be shown; rename it in the export")
        return tensor

    def tensor_type(self, message, tensor):
        tensor.dtype, tensor.shape = "no type", []
        for number, value in wire.message_of(message):
            if number == TENSOR_TYPE_ELEMENT:
                code = wire.number_of(value)
                tensor.dtype = ELEMENTS.get(code) or OTHER_ELEMENTS.get(code, f"type {code}")
            elif number == TENSOR_TYPE_SHAPE:
                tensor.shape = [self.dimension(side) for kind, side in wire.message_of(value)
                                if kind == SHAPE_DIMENSION]

    def graph(self, message):
        for number, value in wire.message_of(message):
            if number == GRAPH_NODE:
                self.file.nodes.append(self.node(value))
            elif number == GRAPH_INITIALISER:
                self.file.weights.add(self.tensor(value))
            elif number == GRAPH_SPARSE:
                names = [self.tensor(part) for kind, part in wire.message_of(value) if kind == SPARSE_VALUES]
                self.file.weights.update(names)
            elif number == GRAPH_INPUT:
                self.file.inputs.append(self.value(value))
            elif number == GRAPH_OUTPUT:
                self.file.outputs.append(self.value(value))

    def pair(self, message):
        texts = {}
        for number, value in wire.message_of(message):
            texts[number] = wire.message_of(value).text(MOST_TEXT)
        self.file.metadata[texts.get(ENTRY_KEY, "")] = texts.get(ENTRY_VALUE, "")

    def opset(self, message):
        domain, version = "", 1
        for number, value in wire.message_of(message):
            if number == OPSET_DOMAIN:
                domain = wire.message_of(value).text(MOST_TEXT)
            elif number == OPSET_VERSION:
                version = wire.number_of(value)
        if domain in ("", "ai.onnx"):
            self.file.opset = max(self.file.opset, version)

    def model(self, message):
        graphs = 0
        for number, value in message:
            if number == MODEL_GRAPH:
                graphs += 1
                self.graph(value)
            elif number == MODEL_OPSET:
                self.opset(value)
            elif number == MODEL_METADATA:
                self.pair(value)
            elif number == MODEL_FUNCTION:
                self.inner_graph(value, FUNCTION_NODE)
            elif number == MODEL_PRODUCER:
                self.file.producer = wire.message_of(value).text(MOST_TEXT)
        if graphs != 1:
            raise wire.damaged(f"there are {graphs} graphs in it, not one")
        self.file.weights_listed = [value.name for value in self.file.inputs if value.name in self.file.weights]
        self.file.inputs = [value for value in self.file.inputs if value.name not in self.file.weights]
        return self.file


def refuse_other_kinds(data):
    for at, magic, what in OTHERS:
        if data[at:at + len(magic)] == magic:
            raise Refusal(f"the file is {what}")


def read(path):
    """The File at a path; a name that stands for no regular file is not opened."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise Refusal(f"there is no model at {shown(str(path))}: {error.strerror}; name an ONNX file")
    if not stat.S_ISREG(status.st_mode):
        raise Refusal(f"{shown(str(path))} is no file; name an ONNX file")
    if status.st_size == 0:
        raise Refusal(f"{shown(str(path))} is empty; export or fetch the model again")
    if status.st_size > MOST_BYTES:
        raise Refusal(f"{shown(str(path))} has {status.st_size} bytes; an ONNX file has at most {MOST_BYTES}")
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        refuse_other_kinds(data)
        return Reader(path).model(wire.Message(data, 0, len(data), wire.Budget()))
