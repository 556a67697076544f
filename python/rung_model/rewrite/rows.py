# SPDX-License-Identifier: Apache-2.0
"""Rows that mix scores with pixels are joined by the last node alone. A tensor that holds both has one scale when
it is quantised, and a score of 0..1 vanishes beside a coordinate of 0..640. So scores and the rest go their way to
the output apart, and the last node, which is to stay in float, joins them."""

from itertools import groupby
from typing import NamedTuple

import numpy
from onnx import NodeProto

from .graph import Left, Site, attribute_of, label, same_axis

NAME = "rows"
ABOUT = "rows that mix scores with pixels joined by the last node alone"
BOUND = 0.0

TO_0_1 = ("Sigmoid", "HardSigmoid", "Softmax")
# Of numbers of 0..1 they make such again. All their inputs count, or the first alone.
KEEP_ALL = ("Mul", "Concat", "Max", "Min")
KEEP_FIRST = ("Identity", "Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Slice", "Split", "Gather", "Sqrt",
              "MaxPool", "ReduceMax")


class Stuck(Exception):
    """The rows cannot be joined later; the text says why."""


class Join(NamedTuple):
    """Where scores and the rest come together: runs of (whether they are scores, their tensors)."""

    node: NodeProto
    axis: int
    runs: list


class Move(NamedTuple):
    """A node between a join and the output, and what it reads; `axis` is that of the rows in what it makes."""

    node: NodeProto
    axis: int
    inputs: list


def axis_of(view, node):
    """That of a Concat; raises Stuck where it cannot be known."""
    shape = view.shape(node.output[0])
    if shape is None:
        raise Stuck(f"the size of {node.output[0]} is not known")
    return attribute_of(node, "axis") % len(shape)


def perm_of(view, node):
    return attribute_of(node, "perm") or list(reversed(range(len(view.shape(node.output[0])))))


def are_scores(view, name, known):
    """Whether a tensor holds nothing but numbers of 0..1 that say how sure the model is."""
    if name not in known:
        node = view.maker.get(name)
        kind = node.op_type if node is not None else ""
        behind = node.input if kind in KEEP_ALL else node.input[:1] if kind in KEEP_FIRST else []
        known[name] = kind in TO_0_1 or len(behind) > 0 and all(are_scores(view, other, known) for other in behind)
    return known[name]


def parts_of(view, node, axis):
    """What a Concat joins, through those before it on the same axis that it alone reads."""
    for name in node.input:
        inner = view.maker.get(name)
        if (inner is not None and inner.op_type == "Concat" and axis_of(view, inner) == axis
                and view.only_reader(name) is not None):
            yield from parts_of(view, inner, axis)
        else:
            yield name


def join_of(view, node, known):
    """None for a Concat that does not mix."""
    axis = axis_of(view, node)
    parts = list(parts_of(view, node, axis))
    if None in map(view.shape, parts):
        raise Stuck("not all sizes of its parts are known")
    runs = [(scores, list(names)) for scores, names in groupby(parts, lambda name: are_scores(view, name, known))]
    return Join(node, axis, runs) if len(runs) > 1 else None


def widths(view, join):
    return [sum(view.shape(name)[join.axis] for name in names) for _, names in join.runs]


def axis_before(view, node, axis):
    """Where the rows' axis is in what a moving node reads."""
    if node.op_type == "Transpose":
        return perm_of(view, node)[axis]
    if node.op_type == "Reshape":
        return same_axis(view.shape(node.output[0]), view.shape(node.input[0]), axis)
    return axis


def axis_after(view, node, name, axis):
    """Where it is in what it makes of `name`; raises Stuck where the node does more than move rows whole."""
    if node.op_type == "Transpose":
        return perm_of(view, node).index(axis)
    if node.op_type == "Identity" or node.op_type == "Concat" and axis_of(view, node) != axis:
        return axis
    if node.op_type != "Reshape" or name != node.input[0]:
        raise Stuck(f"{label(node)} ({node.op_type}) works on its rows")
    before, after = view.shape(name), view.shape(node.output[0])
    moved = same_axis(before, after, axis) if before and after else None
    if moved is None:
        raise Stuck(f"{label(node)} takes its rows apart")
    return moved


def way_out(view, join):
    """The output that a join's rows reach, and their axis there. None for a join that is part of another one."""
    name, axis = join.node.output[0], join.axis
    while name not in view.outputs:
        node = view.only_reader(name)
        if node is None:
            raise Stuck(f"{name} is read by several nodes")
        if node.op_type == "Concat" and axis_of(view, node) == axis:
            return None
        axis = axis_after(view, node, name, axis)
        name = node.output[0]
    if name in view.readers:
        raise Stuck(f"the output {name} is read by other nodes, too")
    return name, axis


def tree_of(view, name, axis, known):
    """All that an output's rows are joined from: Moves, with Joins at their ends."""
    node = view.maker.get(name)
    if node is None:
        raise Stuck(f"{name} comes as it is")
    if node.op_type == "Concat" and axis_of(view, node) == axis:
        join = join_of(view, node, known)
        if join is None:
            raise Stuck(f"{label(node)} joins rows that do not mix")
        return join
    if node.op_type not in ("Identity", "Transpose", "Reshape", "Concat"):
        raise Stuck(f"{label(node)} ({node.op_type}) makes rows whole")
    if view.shape(name) is None or view.shape(node.input[0]) is None:
        raise Stuck(f"the size of {name} is not known")
    before = axis_before(view, node, axis)
    if before is None:
        raise Stuck(f"{label(node)} puts its rows together of pieces")
    read = list(node.input) if node.op_type == "Concat" else [node.input[0]]
    return Move(node, axis, [tree_of(view, other, before, known) for other in read])


def joins_in(tree):
    return [tree] if isinstance(tree, Join) else [join for inner in tree.inputs for join in joins_in(inner)]


def rebuilt(view, site, tree, run):
    """One run of all joins, moved as the whole was. Returns its tensor."""
    if isinstance(tree, Join):
        names = tree.runs[run][1]
        return names[0] if len(names) == 1 else site.node("Concat", names, axis=tree.axis)
    read = [rebuilt(view, site, inner, run) for inner in tree.inputs]
    if tree.node.op_type == "Transpose":
        return site.node("Transpose", read, perm=perm_of(view, tree.node))
    if tree.node.op_type == "Concat":
        return site.node("Concat", read, axis=axis_of(view, tree.node))
    if tree.node.op_type == "Identity":
        return read[0]
    shape = list(view.shape(tree.node.output[0]))
    shape[tree.axis] = widths(view, joins_in(tree)[0])[run]
    return site.node("Reshape", [*read, site.weight("shape", numpy.array(shape, numpy.int64))])


def joined_last(view, name, axis, tree):
    """A Site; raises Stuck when the joins differ."""
    joins = joins_in(tree)
    kinds = {(tuple(scores for scores, _ in join.runs), tuple(widths(view, join))) for join in joins}
    if len(kinds) != 1:
        raise Stuck("the rows that come together are not mixed alike")
    sources = {part: None for join in joins for _, names in join.runs for part in names}
    site = Site(view, view.maker[name], list(sources))
    runs = [rebuilt(view, site, tree, run) for run in range(len(joins[0].runs))]
    site.node("Concat", runs, name, axis=axis)
    (scores, sizes), = kinds
    texts = [f"{size} {'scores' if score else 'others'}" for score, size in zip(scores, sizes)]
    site.what = f"{', '.join(texts)} go apart from {len(joins)} join on to the last node {site.nodes[-1].name}: keep it in float"
    return site


def judge(view, node, known):
    """A Site, the reason why there is none, or None for a Concat that does not mix or is part of one that does."""
    try:
        join = join_of(view, node, known)
        if join is None:
            return None
        reached = way_out(view, join)
        if reached is None:
            return None
        tree = tree_of(view, *reached, known)
        if isinstance(tree, Join):
            return "it is the last node already: keep it in float"
        return joined_last(view, *reached, tree)
    except Stuck as reason:
        return str(reason)


def find(view):
    known, done = {}, set()
    for node in view.graph.node:
        verdict = judge(view, node, known) if node.op_type == "Concat" else None
        if isinstance(verdict, str):
            yield Left(label(node), verdict)
        elif verdict is not None and verdict.output not in done:
            done.add(verdict.output)
            yield verdict
