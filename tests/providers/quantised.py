# SPDX-License-Identifier: Apache-2.0
"""A small model in int8, as quantising tools write them (QDQ): three convolutions that segment a picture in two classes."""
import json

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

SIDE = 32


class Graph:
    """Nodes and constants of a graph whose tensors all have a scale."""

    def __init__(self):
        self.nodes, self.constants, self.scales = [], [], {}
        self.random = numpy.random.default_rng(7)

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(numpy.asarray(value), name))
        return name

    def node(self, operation, inputs, output, **attributes):
        self.nodes.append(helper.make_node(operation, inputs, [output], **attributes))
        return output

    def dequantised(self, name, value, scale):
        """A constant that is stored as whole numbers."""
        zero = self.constant(name + ".zero", numpy.zeros((), value.dtype))
        return self.node("DequantizeLinear", [self.constant(name + ".int", value),
                                              self.constant(name + ".scale", numpy.float32(scale)), zero], name)

    def requantised(self, name, output, scale, zero):
        parameters = [self.constant(output + ".scale", numpy.float32(scale)), self.constant(output + ".zero", numpy.uint8(zero))]
        self.node("QuantizeLinear", [name, *parameters], output + ".int")
        self.scales[output] = scale
        return self.node("DequantizeLinear", [output + ".int", *parameters], output)

    def convolution(self, name, output, channels, stride, scale, zero=0):
        """3 × 3, from and to channels; a ReLU, unless its output has a zero point, which is for both signs."""
        wide = self.random.integers(-127, 128, (channels[1], channels[0], 3, 3)).astype(numpy.int8)
        weight_scale = 1 / (127 * numpy.sqrt(channels[0]))
        bias = self.random.integers(-2000, 2000, channels[1]).astype(numpy.int32)
        inputs = [name, self.dequantised(output + ".weight", wide, weight_scale),
                  self.dequantised(output + ".bias", bias, weight_scale * self.scales[name])]
        sums = self.node("Conv", inputs, output + ".sums", kernel_shape=[3, 3], pads=[1] * 4, strides=[stride] * 2)
        if not zero:
            sums = self.node("Relu", [sums], output + ".positive")
        return self.requantised(sums, output, scale, zero)

    def save(self, path, inputs, outputs):
        values = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in side.items()]
                  for side in (inputs, outputs)]
        model = helper.make_model(helper.make_graph(self.nodes, "quantised", *values, self.constants),
                                  opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model)
        onnx.save(model, path)


def graph(path):
    made = Graph()
    made.requantised("image", "picture", 1 / 255, 0)
    made.convolution("picture", "wide", (3, 16), 1, 1 / 64)
    made.convolution("wide", "deep", (16, 16), 1, 1 / 40)
    made.convolution("deep", "classes", (16, 2), 1, 1 / 20, zero=128)
    made.save(path, {"image": [1, 3, SIDE, SIDE]}, {"classes": [1, 2, SIDE, SIDE]})
    return path


def spec(path):
    path.write_text(json.dumps({
        "schema": 1, "name": "quantised", "role": "segmenter", "kind": "onnx", "form": "int8", "canvas": {"width": SIDE, "height": SIDE},
        "tensor": {"dtype": "f32", "layout": "planar"}, "fit": "stretch", "order": "RGB", "scale": [1 / 255] * 3,
        "input": {"name": "image", "dtype": "f32", "shape": [1, 3, SIDE, SIDE]},
        "outputs": [{"purpose": "output", "name": "classes", "dtype": "f32", "shape": [1, 2, SIDE, SIDE]}],
        "precision": {"text": '{"Conv":"int8"}'}, "labels": ["this", "that"], "providers": ["ort"]}))
    return path
