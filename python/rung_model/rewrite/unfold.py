# SPDX-License-Identifier: Apache-2.0
"""Slices of every n-th pixel, joined as channels, as SpaceToDepth."""

from .graph import Left, Site, attribute_of, label, size_text, space_to_depth

NAME = "unfold"
ABOUT = "slices of every n-th pixel that are joined as channels as SpaceToDepth"
BOUND = 0.0


def slices_of(view, node, rank):
    """{axis: slice} of a Slice; None where its bounds are not constant."""
    names = list(node.input[1:]) + [""] * (5 - len(node.input))
    starts, ends, axes, steps = [view.constant(name) if name else None for name in names]
    if starts is None or ends is None or any(name and view.constant(name) is None for name in names):
        return None
    axes = range(len(starts)) if axes is None else axes.tolist()
    steps = [1] * len(starts) if steps is None else steps.tolist()
    return {axis % rank: slice(*bounds) for axis, *bounds in zip(axes, starts.tolist(), ends.tolist(), steps)}


def taken_from(view, name):
    """The tensor behind a chain of Slices, and which of its indices are taken on each axis; None where that is not
    known."""
    cuts = []
    while name in view.maker and view.maker[name].op_type == "Slice":
        cuts.append(view.maker[name])
        name = cuts[-1].input[0]
    shape = view.shape(name)
    if shape is None:
        return None
    taken = [range(size) for size in shape]
    for node in reversed(cuts):
        slices = slices_of(view, node, len(shape))
        if slices is None:
            return None
        for axis, part in slices.items():
            taken[axis] = taken[axis][part]
    return name, taken


def phase_of(taken, shape, axes, block):
    """Row and column in each block of the pixels that a part takes, where it takes all that is there."""
    phases = tuple(taken[axis].start for axis in axes)
    wanted = [range(size) for size in shape]
    for axis, phase in zip(axes, phases):
        wanted[axis] = range(shape[axis])[phase::block]
    return phases if taken == wanted and max(phases) < block else None


def judge(view, node, parts):
    """A Site, or the reason why there is none."""
    if None in parts:
        return "the bounds of its slices are not constant"
    if len({source for source, _ in parts}) != 1:
        return "its parts are not all slices of one tensor"
    source, shape, axis = parts[0][0], view.shape(parts[0][0]), attribute_of(node, "axis")
    if len(shape) != 4:
        return f"{source} has {len(shape)} dimensions, not 4"
    axes = {1: (2, 3), 3: (1, 2)}.get(axis % 4)
    if axes is None:
        return f"it joins along axis {axis}, which has no channels"
    block = max(abs(parts[0][1][axes[0]].step), 2)
    sizes = [shape[axis] for axis in axes]
    if len(parts) != block * block:
        return f"it joins {len(parts)} parts, and blocks of {block} have {block * block}"
    if any(size % block for size in sizes):
        return f"a picture of {size_text(sizes)} has no whole blocks of {block}"
    phases = [phase_of(taken, shape, axes, block) for _, taken in parts]
    if None in phases:
        return f"part {phases.index(None)} is not one pixel of each block of {block}, in order and with all channels"
    if len(set(phases)) != len(phases):
        return "it takes some pixels twice and others never"
    return unfolded(view, node, source, block, phases, axis % 4 == 3)


def unfolded(view, node, source, block, phases, interleaved):
    site = Site(view, node, [source])
    shape = view.shape(source)
    channels = shape[3 if interleaved else 1]
    order = [(row * block + column) * channels + channel for row, column in phases for channel in range(channels)]
    space_to_depth(site, source, block, order, interleaved, interleaved, view.shape(node.output[0]))
    site.what = f"{len(phases)} slices of {size_text(shape)} by blocks of {block} in {len(site.nodes)} nodes"
    return site


def skips(view, name):
    """Whether a tensor is a slice of every n-th element of something."""
    while name in view.maker and view.maker[name].op_type == "Slice":
        node = view.maker[name]
        steps = view.constant(node.input[4]) if len(node.input) > 4 else None
        if steps is not None and (abs(steps) > 1).any():
            return True
        name = node.input[0]
    return False


def find(view):
    for node in view.graph.node:
        if node.op_type == "Concat" and any(skips(view, name) for name in node.input):
            verdict = judge(view, node, [taken_from(view, name) for name in node.input])
            yield Left(label(node), verdict) if isinstance(verdict, str) else verdict
