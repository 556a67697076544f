# SPDX-License-Identifier: Apache-2.0
"""Puts an ONNX graph together: what the converters share."""

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

from . import fix


class Graph:
    """Nodes and weights in the order in which they are added; a name is a tensor."""

    def __init__(self, name):
        self.name = name
        self.nodes = []
        self.weights = {}

    def weight(self, name, values):
        """A weight of this name, which is kept once."""
        array = numpy.ascontiguousarray(values)
        self.weights.setdefault(name, numpy_helper.from_array(array, name))
        return name

    def node(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], name=f"{kind}_{len(self.nodes)}", **attributes))
        return output

    def model(self, inputs, outputs):
        """A checked model; `inputs` and `outputs`: {name: shape}, all f32."""
        values = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in sorted(tensors.items())]
                  for tensors in (inputs, outputs)]
        graph = helper.make_graph(self.nodes, self.name, *values, list(self.weights.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", fix.LEAST_OPSET)],
                                  ir_version=fix.LEAST_IR, producer_name="rung_model")
        fix.check(model)
        return model


def read_file(path):
    with open(path, "rb") as file:
        return file.read()
