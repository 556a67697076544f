# SPDX-License-Identifier: Apache-2.0
"""What each operation of a quantised graph computes in, as the graph itself shows it: an operation is quantised when it
reads quantised tensors alone and all that it makes is quantised."""

import json

import numpy
from onnx import TensorProto, helper

from .. import Refusal
from .rules import WEIGHTED

SCHEMA = 1
MOST_BYTES = 262144  # of the section in a model file
PAIR = ("QuantizeLinear", "DequantizeLinear")
# They move numbers, or tell sizes.
MOVES = ("Reshape", "Transpose", "Slice", "Concat", "Split", "Gather", "Identity", "Flatten", "Squeeze", "Unsqueeze", "Pad", "Cast",
         "Shape", "Constant", "ConstantOfShape", "Expand", "Tile", "SpaceToDepth", "DepthToSpace")
WHOLE = (TensorProto.INT8, TensorProto.UINT8, TensorProto.INT16, TensorProto.UINT16)


class Map:
    """The operations of a quantised graph."""

    def __init__(self, model, form):
        graph = model.graph
        self.form = form
        self.weights = {weight.name: weight for weight in graph.initializer}
        self.maker = {name: node for node in graph.node for name in node.output}
        self.readers = {}
        for node in graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)
        self.operations = {node.name: self.precision_of(node) for node in graph.node
                           if node.op_type not in PAIR and node.op_type not in MOVES}
        self.quantised_weights = [weight for node in graph.node if node.op_type in WEIGHTED
                                  and (weight := self.whole_weight(node)) is not None]

    def is_dequantised(self, name):
        return name in self.maker and self.maker[name].op_type == "DequantizeLinear"

    def whole_weight(self, node):
        """The integers behind an operation's weights; None where they are of floats."""
        if len(node.input) < 2 or not self.is_dequantised(node.input[1]):
            return None
        weight = self.weights.get(self.maker[node.input[1]].input[0])
        return weight if weight is not None and weight.data_type in WHOLE else None

    def precision_of(self, node):
        activations = [name for name in node.input if name and name not in self.weights]
        if node.op_type in WEIGHTED:
            activations = node.input[:2]
        readers = [reader for name in node.output for reader in self.readers.get(name, [])]
        quantised = (activations and all(map(self.is_dequantised, activations))
                     and readers and all(reader.op_type == "QuantizeLinear" for reader in readers))
        return self.form.precision if quantised else "f32"

    def counts(self):
        """{precision: number of operations}"""
        values = list(self.operations.values())
        return {precision: values.count(precision) for precision in sorted(set(values))}

    def weight_bytes(self):
        """Of the weights that are integers."""
        return sum(int(numpy.prod(weight.dims)) * helper.tensor_dtype_to_np_dtype(weight.data_type).itemsize
                   for weight in {weight.name: weight for weight in self.quantised_weights}.values())

    def must_be_quantised(self):
        if not self.quantised_weights or self.form.precision not in self.operations.values():
            raise Refusal("nothing was quantised: no operation has both its weights and its answer as whole numbers; keep fewer "
                          "operations in float")

    def section(self):
        """Section 6 of a model file."""
        data = json.dumps({"schema": SCHEMA, "operations": self.operations}, ensure_ascii=False, separators=(",", ":"))
        if len(data.encode()) >= MOST_BYTES:
            raise Refusal(f"the names of the {len(self.operations)} operations take {len(data.encode())} bytes, more than the "
                          f"{MOST_BYTES} that a precision map has; give them shorter names")
        return data.encode() + b"\n"
