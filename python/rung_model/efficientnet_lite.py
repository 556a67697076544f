# SPDX-License-Identifier: Apache-2.0
"""EfficientNet-Lite0 from its weights: the network up to the average over the picture, 1280 numbers, without
the classifier behind it. Batch normalisation is folded into the convolutions."""

import collections

import numpy

from . import Refusal, build, torch_file

SIDE = 224
LENGTH = 1280
NORM_EPSILON = 1e-3
STEM_CHANNELS = 32
Stage = collections.namedtuple("Stage", "expand channels repeats kernel stride")
STAGES = [Stage(1, 16, 1, 3, 1), Stage(6, 24, 2, 3, 2), Stage(6, 40, 2, 5, 2), Stage(6, 80, 3, 3, 2),
          Stage(6, 112, 3, 5, 1), Stage(6, 192, 4, 5, 2), Stage(6, 320, 1, 3, 1)]


class Network:
    def __init__(self, weights):
        self.weights = weights
        self.graph = build.Graph("efficientnet_lite0")
        self.graph.weight("zero", numpy.float32(0))
        self.graph.weight("six", numpy.float32(6))

    def take(self, name):
        if name not in self.weights:
            raise Refusal(f"the weights have no {name}; they are not those of EfficientNet-Lite0")
        return self.weights[name]

    def convolve(self, value, name, norm, stride=1, relu=True):
        """A convolution and its normalisation; a depthwise one is told by its weight's shape."""
        kernel = self.take(f"{name}.weight")
        scale = self.take(f"{norm}.weight") / numpy.sqrt(self.take(f"{norm}.running_var") + NORM_EPSILON)
        bias = self.take(f"{norm}.bias") - self.take(f"{norm}.running_mean") * scale
        depthwise = kernel.shape[1] == 1
        folded = kernel * scale[:, None, None, None]
        inputs = [value, self.graph.weight(f"{name}.kernel", folded.astype(numpy.float32)),
                  self.graph.weight(f"{name}.bias", bias.astype(numpy.float32))]
        value = self.graph.node("Conv", inputs, name, kernel_shape=list(kernel.shape[2:]), strides=[stride, stride],
                                group=len(kernel) if depthwise else 1, auto_pad="SAME_UPPER")
        return self.graph.node("Clip", [value, "zero", "six"], f"{name}.relu6") if relu else value

    def block(self, value, name, expand, stride, residual):
        inner = value
        if expand > 1:
            inner = self.convolve(inner, f"{name}._expand_conv", f"{name}._bn0")
        inner = self.convolve(inner, f"{name}._depthwise_conv", f"{name}._bn1", stride)
        inner = self.convolve(inner, f"{name}._project_conv", f"{name}._bn2", relu=False)
        return self.graph.node("Add", [inner, value], f"{name}.sum") if residual else inner

    def body(self, value):
        channels, index = STEM_CHANNELS, 0
        for stage in STAGES:
            for repeat in range(stage.repeats):
                stride = stage.stride if repeat == 0 else 1
                residual = stride == 1 and channels == stage.channels
                value = self.block(value, f"_blocks.{index}", stage.expand, stride, residual)
                channels, index = stage.channels, index + 1
        return value

    def model(self):
        value = self.convolve("input", "_conv_stem", "_bn0", stride=2)
        value = self.convolve(self.body(value), "_conv_head", "_bn1")
        value = self.graph.node("GlobalAveragePool", [value], "pooled")
        self.graph.node("Flatten", [value], "embedding")
        return self.graph.model({"input": [1, 3, SIDE, SIDE]}, {"embedding": [1, LENGTH]})


def convert(data):
    return Network(torch_file.read(data)).model()
