# SPDX-License-Identifier: Apache-2.0
"""A TensorFlow Lite file as an ONNX graph, read without TensorFlow. Tensors are turned from rows of pixels
to planes. It knows the operators of the models that are made here; an unknown one is refused by name."""

import numpy

from . import Refusal, build, flatbuffer

IDENTIFIER = b"TFL3"

# Numbers of the fields that are read, from the format's schema.
MODEL_CODES, MODEL_GRAPHS, MODEL_BUFFERS = 1, 2, 4
CODE_OLD, CODE_CUSTOM, CODE_NUMBER = 0, 1, 3
GRAPH_TENSORS, GRAPH_INPUTS, GRAPH_OUTPUTS, GRAPH_OPERATORS = 0, 1, 2, 3
TENSOR_SHAPE, TENSOR_TYPE, TENSOR_BUFFER = 0, 1, 2
OPERATOR_CODE, OPERATOR_INPUTS, OPERATOR_OUTPUTS, OPERATOR_OPTIONS = 0, 1, 2, 4
PADDING, STRIDE_W, STRIDE_H = 0, 1, 2  # of all that slide a window
CONV_ACTIVATION, CONV_DILATIONS = 3, (4, 5)
DEPTHWISE_ACTIVATION, DEPTHWISE_DILATIONS = 4, (5, 6)
POOL_WIDTH, POOL_HEIGHT, POOL_ACTIVATION = 3, 4, 5
RESIZE_ALIGN_CORNERS, RESIZE_HALF_PIXEL = 2, 3
ELEMENTWISE_ACTIVATION = 0

TYPES = {0: "<f4", 1: "<f2", 2: "<i4"}
PADDINGS = {0: "SAME_UPPER", 1: "VALID"}
NO_ACTIVATION, RELU, RELU6 = 0, 1, 3
CUSTOM = 32
ELEMENTWISE = {0: "Add", 18: "Mul"}
UNARY = {14: "Sigmoid", 19: "Relu", 117: "HardSwish"}


class Converter:
    def __init__(self, data):
        model = flatbuffer.root(data, IDENTIFIER)
        self.codes = model.tables(MODEL_CODES)
        self.buffers = model.tables(MODEL_BUFFERS)
        graphs = model.tables(MODEL_GRAPHS)
        if len(graphs) != 1:
            raise Refusal(f"the file has {len(graphs)} graphs, not one")
        self.source = graphs[0]
        self.tensors = self.source.tables(GRAPH_TENSORS)
        self.graph = build.Graph("tflite")
        self.widened = {}  # half-precision weights behind their DEQUANTIZE
        self.names = {}  # of tensors that are computed

    # ---- tensors

    def shape(self, index):
        return [int(length) for length in self.tensors[index].array(TENSOR_SHAPE, "<i4")]

    def planes(self, index):
        """The shape of a picture as ONNX has it."""
        batch, height, width, channels = self.shape(index)
        return [batch, channels, height, width]

    def constant(self, index):
        """The numbers of a tensor that is not computed, else None."""
        if index in self.widened:
            return self.widened[index]
        tensor = self.tensors[index]
        data = self.buffers[tensor.number(TENSOR_BUFFER, "<I")].array(0, numpy.uint8)
        if data.size == 0:
            return None
        kind = tensor.number(TENSOR_TYPE, "<b")
        if kind not in TYPES:
            raise Refusal(f"tensor {index} is of type {kind}, which is not handled")
        return data.view(TYPES[kind]).reshape(self.shape(index))

    def weight(self, name, values):
        return self.graph.weight(name, values.astype(numpy.float32))

    def value(self, index):
        """The name of a tensor; a constant one is turned to planes."""
        array = self.constant(index)
        if array is None:
            return self.names[index]
        if array.ndim == 4:
            array = array.transpose(0, 3, 1, 2)
        elif array.ndim == 1:
            array = array.reshape(1, -1, 1, 1)
        return self.weight(f"constant{index}", array)

    # ---- operators

    def activate(self, code, value, output):
        """The activation that is part of another operator."""
        if code == RELU:
            return self.graph.node("Relu", [value], output)
        if code == RELU6:
            limits = [self.weight("zero", numpy.float32(0)), self.weight("six", numpy.float32(6))]
            return self.graph.node("Clip", [value, *limits], output)
        raise Refusal(f"the activation {code} is not handled")

    def emit(self, kind, inputs, output, activation, **attributes):
        if activation == NO_ACTIVATION:
            return self.graph.node(kind, inputs, output, **attributes)
        before = self.graph.node(kind, inputs, f"{output}.before", **attributes)
        return self.activate(activation, before, output)

    def convolution(self, inputs, output, options, depthwise):
        activation, dilations = ((DEPTHWISE_ACTIVATION, DEPTHWISE_DILATIONS) if depthwise
                                 else (CONV_ACTIVATION, CONV_DILATIONS))
        if any(options.number(field) > 1 for field in dilations):
            raise Refusal("a dilated convolution is not handled")
        kernel = self.constant(inputs[1]).transpose((3, 0, 1, 2) if depthwise else (0, 3, 1, 2))
        self.emit("Conv", [self.value(inputs[0]), self.weight(f"{output}.kernel", kernel),
                           self.weight(f"{output}.bias", self.constant(inputs[2]))],
                  output, options.number(activation, "<b"), kernel_shape=list(kernel.shape[2:]),
                  strides=[options.number(STRIDE_H), options.number(STRIDE_W)],
                  group=len(kernel) if depthwise else 1, auto_pad=PADDINGS[options.number(PADDING, "<b")])

    def conv_2d(self, inputs, output, options, _):
        self.convolution(inputs, output, options, False)

    def depthwise_conv_2d(self, inputs, output, options, _):
        self.convolution(inputs, output, options, True)

    def average_pool(self, inputs, output, options, _):
        window = [options.number(POOL_HEIGHT), options.number(POOL_WIDTH)]
        if window == self.planes(inputs[0])[2:]:
            self.emit("GlobalAveragePool", [self.value(inputs[0])], output, options.number(POOL_ACTIVATION, "<b"))
            return
        self.emit("AveragePool", [self.value(inputs[0])], output, options.number(POOL_ACTIVATION, "<b"),
                  kernel_shape=window, strides=[options.number(STRIDE_H), options.number(STRIDE_W)],
                  auto_pad=PADDINGS[options.number(PADDING, "<b")])

    def resize_bilinear(self, inputs, output, options, index):
        mode = ("align_corners" if options.flag(RESIZE_ALIGN_CORNERS)
                else "half_pixel" if options.flag(RESIZE_HALF_PIXEL) else "asymmetric")
        sizes = self.graph.weight(f"{output}.sizes", numpy.array(self.planes(index), numpy.int64))
        self.graph.node("Resize", [self.value(inputs[0]), "", "", sizes], output, mode="linear",
                        coordinate_transformation_mode=mode)

    def transpose_convolution(self, inputs, output, index):
        """MediaPipe's own operator, as far as it doubles both sides."""
        kernel = self.constant(inputs[1]).transpose(3, 0, 1, 2)
        doubled = [2 * side for side in self.planes(inputs[0])[2:]]
        if kernel.shape[2:] != (2, 2) or doubled != self.planes(index)[2:]:
            raise Refusal("a transposed convolution that does not just double both sides is not handled")
        self.graph.node("ConvTranspose", [self.value(inputs[0]), self.weight(f"{output}.kernel", kernel),
                                          self.weight(f"{output}.bias", self.constant(inputs[2]))],
                        output, kernel_shape=[2, 2], strides=[2, 2])

    def custom(self, code, inputs, output, index):
        name = code.text(CODE_CUSTOM)
        if name != "Convolution2DTransposeBias":
            raise Refusal(f"the custom operator {name} is not handled")
        self.transpose_convolution(inputs, output, index)

    WITH_OPTIONS = {1: average_pool, 3: conv_2d, 4: depthwise_conv_2d, 23: resize_bilinear}
    DEQUANTIZE = 6

    def operator(self, operator):
        code = self.codes[operator.number(OPERATOR_CODE, "<I")]
        number = max(code.number(CODE_OLD, "<b"), code.number(CODE_NUMBER))
        inputs = [int(tensor) for tensor in operator.array(OPERATOR_INPUTS, "<i4")]
        index = int(operator.array(OPERATOR_OUTPUTS, "<i4")[0])
        options = operator.table(OPERATOR_OPTIONS)
        if number == self.DEQUANTIZE:
            self.widened[index] = self.constant(inputs[0]).astype(numpy.float32)
            return
        output = self.names[index] = f"tensor{index}"
        if number in self.WITH_OPTIONS:
            self.WITH_OPTIONS[number](self, inputs, output, options, index)
        elif number in ELEMENTWISE:
            activation = options.number(ELEMENTWISE_ACTIVATION, "<b") if options else NO_ACTIVATION
            self.emit(ELEMENTWISE[number], [self.value(tensor) for tensor in inputs], output, activation)
        elif number in UNARY:
            self.graph.node(UNARY[number], [self.value(inputs[0])], output)
        elif number == CUSTOM:
            self.custom(code, inputs, output, index)
        else:
            raise Refusal(f"the operator {number} is not handled")

    # ---- the whole

    def model(self):
        ends = [self.source.array(field, "<i4") for field in (GRAPH_INPUTS, GRAPH_OUTPUTS)]
        if any(len(end) != 1 for end in ends):
            raise Refusal("the graph has more than one input or output, which is not handled")
        source, result = (int(end[0]) for end in ends)
        self.names[source] = "input"
        for operator in self.source.tables(GRAPH_OPERATORS):
            self.operator(operator)
        self.graph.node("Identity", [self.value(result)], "output")
        return self.graph.model({"input": self.planes(source)}, {"output": self.planes(result)})


def convert(data):
    try:
        return Converter(data).model()
    except (IndexError, KeyError, ValueError, AttributeError, TypeError) as error:
        raise Refusal(f"the file is not a TensorFlow Lite model as it should be: {error!r}")
