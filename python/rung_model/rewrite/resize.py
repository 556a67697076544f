# SPDX-License-Identifier: Apache-2.0
"""A bilinear Resize between fixed sizes, by centres of pixels, as a MatMul for each axis."""

from fractions import Fraction
from math import floor

import numpy
from onnx import TensorProto

from .graph import Left, Site, attribute_of, label, size_text

NAME = "resize"
ABOUT = "bilinear Resize by centres of pixels between fixed sizes as MatMuls"
# Of the whole graph, on noise that no photograph is, which a network may answer a thousand times as loudly.
BOUND = 1e-3

ROUNDING = 2.0 ** -24
# A runtime's coordinate is off by three roundings of a number of the axis' length, which moves a weight by as
# much, between two pixels that lie up to twice the largest number apart.
ROUNDINGS_A_PIXEL = 6
# Products and sums of either way.
ROUNDINGS_ELSE = 16

# Attributes that must be as here, and the sentence when one is not. Those missing are what ONNX says.
WANTED = (
    ("mode", "nearest", ("linear",), "its mode is {}, not linear"),
    ("coordinate_transformation_mode", "half_pixel", ("half_pixel", "pytorch_half_pixel"),
     "it maps pixels by {}, not by their centres"),
    ("antialias", 0, (0,), "it smooths when it shrinks"),
    ("exclude_outside", 0, (0,), "it leaves out what lies beyond the edge"),
    ("keep_aspect_ratio_policy", "stretch", ("stretch",), "its size depends on the aspect ratio ({})"),
)


def weights_of(size, answer, scale):
    """Row i has the shares that pixels have in pixel i of the answer; exact, then rounded once."""
    shares = numpy.zeros((answer, size))
    for index in range(answer):
        at = min(max((index + Fraction(1, 2)) / scale - Fraction(1, 2), Fraction(0)), Fraction(size - 1))
        low = floor(at)
        shares[index, low] += float(1 - (at - low))
        shares[index, min(low + 1, size - 1)] += float(at - low)
    return shares.astype(numpy.float32)


def scales_of(view, node, before, after):
    """Those of height and width as ONNX defines them: as given, or by the sizes. None where they are not constant or
    scale other axes, too."""
    if len(node.input) > 3 and node.input[3]:
        return [Fraction(after[axis], before[axis]) for axis in (2, 3)]
    given = view.constant(node.input[2]) if len(node.input) > 2 else None
    return None if given is None or (given[:-2] != 1).any() else [Fraction(float(scale)) for scale in given[-2:]]


def why_not(view, node):
    """What keeps a Resize from being one of those known; None when it is."""
    for name, default, wanted, reason in WANTED:
        if (value := attribute_of(node, name, default)) not in wanted:
            return reason.format(value)
    before, after = view.shape(node.input[0]), view.shape(node.output[0])
    if before is None or after is None:
        return "not all of its sizes are fixed"
    if view.element(node.input[0]) != TensorProto.FLOAT:
        return "its numbers are not float32"
    if len(before) != 4 or before[:2] != after[:2] or attribute_of(node, "axes", [2, 3]) not in ([0, 1, 2, 3], [2, 3]):
        return f"from {size_text(before)} to {size_text(after)} it does not scale the last two of four axes alone"
    if before == after:
        return "it does not change the size"
    if attribute_of(node, "coordinate_transformation_mode") == "pytorch_half_pixel" and 1 in after[2:]:
        return "to one pixel, it does not go by centres"
    if scales_of(view, node, before, after) is None:
        return "its scales are not constant, or not of the last two axes alone"
    return None


def multiplied(view, node):
    source = node.input[0]
    before, after = view.shape(source), view.shape(node.output[0])
    scales = scales_of(view, node, before, after)
    axes = [axis for axis in (2, 3) if (before[axis], scales[axis - 2]) != (after[axis], 1)]
    roundings = ROUNDINGS_ELSE + ROUNDINGS_A_PIXEL * sum(before[axis] for axis in axes)
    site = Site(view, node, [source], bound=roundings * ROUNDING)
    name = source
    for axis in axes:
        shares = weights_of(before[axis], after[axis], scales[axis - 2])
        output = site.output if axis == axes[-1] else None
        if axis == 2:
            name = site.node("MatMul", [site.weight("rows", shares), name], output)
        else:
            name = site.node("MatMul", [name, site.weight("columns", shares.T)], output)
    site.what = f"{size_text(before[2:])} to {size_text(after[2:])} by {len(axes)} nodes MatMul"
    return site


def find(view):
    for node in view.graph.node:
        if node.op_type == "Resize":
            reason = why_not(view, node)
            yield Left(label(node), reason) if reason else multiplied(view, node)
