# SPDX-License-Identifier: Apache-2.0
"""Reshape, Transpose and Reshape through six dimensions, which exporters write for packing blocks of pixels into
channels, as SpaceToDepth. Many devices stop at four or five dimensions."""

import numpy

from .graph import Left, Site, attribute_of, label, size_text, space_to_depth

NAME = "packing"
ABOUT = "packing of pixels through six dimensions as SpaceToDepth"
BOUND = 0.0

# What the six dimensions are: n batch, c channel, h and w blocks, y and x the pixel in its block.
PLANAR = "nchywx"
INTERLEAVED = "nhywxc"


def roles_of(shape, cut):
    """Which layout a picture of four dimensions has, by how it was cut into six; None if it was not cut into blocks."""
    for roles, channel, height, width in ((PLANAR, 1, 2, 3), (INTERLEAVED, 3, 1, 2)):
        sizes = dict(zip(roles, cut))
        if (sizes["n"] == shape[0] and sizes["c"] == shape[channel] and sizes["h"] * sizes["y"] == shape[height]
                and sizes["w"] * sizes["x"] == shape[width] and sizes["y"] * sizes["x"] > 1):
            return roles
    return None


def answer_layout(moved):
    """Whether the channels come last; None where the pixels of a block do not become channels."""
    if moved[0] == "n" and moved[4:] == "hw":
        return False
    if moved[:3] == "nhw":
        return True
    return None


def channel_order(moved, block, channels):
    """For each channel wanted, its number among those of SpaceToDepth."""
    numbers = numpy.arange(block * block * channels).reshape(block, block, channels)
    return numbers.transpose(["yxc".index(role) for role in moved if role in "yxc"]).ravel().tolist()


def judge(view, transpose):
    """A Site, or the reason why there is none."""
    before, after = view.maker.get(transpose.input[0]), view.only_reader(transpose.output[0])
    if before is None or before.op_type != "Reshape" or after is None or after.op_type != "Reshape":
        return "it does not stand between two Reshapes, alone"
    if view.only_reader(before.output[0]) is None:
        return f"what {label(before)} makes is read elsewhere, too"
    source = before.input[0]
    shape, cut, final = view.shape(source), view.shape(before.output[0]), view.shape(after.output[0])
    if shape is None or cut is None or final is None:
        return "not all of its sizes are fixed"
    if len(shape) != 4 or len(cut) != 6:
        return f"it goes from {len(shape)} to {len(cut)} dimensions, and only 4 to 6 are known"
    roles = roles_of(shape, cut)
    if roles is None:
        return f"{size_text(cut)} is not {size_text(shape)} with height and width cut into blocks"
    sizes = dict(zip(roles, cut))
    if sizes["y"] != sizes["x"]:
        return f"its blocks of {sizes['y']}x{sizes['x']} pixels are not square"
    moved = "".join(roles[axis] for axis in attribute_of(transpose, "perm", range(5, -1, -1)))
    interleaved = answer_layout(moved)
    if interleaved is None:
        return "it does not make channels of the pixels of a block"
    site = Site(view, after, [source])
    order = channel_order(moved, sizes["y"], sizes["c"])
    space_to_depth(site, source, sizes["y"], order, roles == INTERLEAVED, interleaved, final)
    site.what = f"{size_text(shape)} packed by blocks of {sizes['y']} in {len(site.nodes)} nodes of at most 4 dimensions"
    return site


def find(view):
    for node in view.graph.node:
        shape = view.shape(node.output[0]) if node.op_type == "Transpose" else None
        if shape is not None and len(shape) > 5:
            verdict = judge(view, node)
            yield Left(label(node), verdict) if isinstance(verdict, str) else verdict
