# SPDX-License-Identifier: Apache-2.0
"""Which operations stay in float: those that were said, and those that no form serves well.

Row builders are the tail of a graph: what lies behind its last weights and puts rows together, or makes scores of them.
A scale of its own for each step costs answers there and saves nothing. Attention is the product, softmax and product of
two activations each, whose sums need more than 8 bits."""

import fnmatch
from typing import NamedTuple

from .. import Refusal
from ..rewrite.graph import View

WEIGHTED = ("Conv", "ConvTranspose", "Gemm", "MatMul")
# They limit what is before them, which has the range of their answer then.
LIMITS = ("Relu", "Clip")
# They bend it, by themselves or as the gate of a product (SiLU).
BENDS = (*LIMITS, "LeakyRelu", "PRelu", "Elu", "HardSwish", "Swish", "Gelu", "Mish", "Sigmoid", "HardSigmoid", "Tanh")
GATES = ("Sigmoid", "HardSigmoid", "Tanh", "Softplus")
# What may lie between a product and its softmax.
BETWEEN = ("Mul", "Div", "Add", "Sub", "Where", "Reshape", "Transpose", "Cast", "Squeeze", "Unsqueeze", "Identity", "Slice")


class Kept(NamedTuple):
    """An operation that stays in float."""

    at: str
    kind: str
    why: str


def has_weights(view, node):
    return node.op_type in WEIGHTED and len(node.input) > 1 and node.input[1] in view.constants


def limits_of(view, node):
    """Relu or Clip that alone reads an operation."""
    reader = view.only_reader(node.output[0])
    return [reader] if reader is not None and reader.op_type in LIMITS and reader.input[0] == node.output[0] else []


def activation_of(view, node):
    """What bends an operation's answer before anything else reads it."""
    name = node.output[0]
    reader = view.only_reader(name)
    if reader is not None:
        return [reader] if reader.op_type in BENDS and reader.input[0] == name else []
    readers = view.readers.get(name, [])
    gates = [one for one in readers if one.op_type in GATES]
    products = [one for one in readers if one.op_type == "Mul"]
    if len(readers) == 2 and gates and products and gates[0].output[0] in products[0].input and name not in view.outputs:
        return [*gates, *products]
    return []


def row_builders(view):
    """Nodes are in topological order, so one walk from the end knows what lies behind each."""
    ahead, tail = {}, []
    for node in reversed(view.graph.node):
        readers = [reader for name in node.output for reader in view.readers.get(name, [])]
        ahead[node.name] = any(has_weights(view, reader) or ahead[reader.name] for reader in readers)
        if not ahead[node.name] and not has_weights(view, node):
            tail.append(node)
    if len(tail) == len(view.graph.node):
        return []  # there are no weights, so there is no tail of them
    limits = {limit.name for node in view.graph.node if has_weights(view, node) for limit in limits_of(view, node)}
    return [node for node in tail if node.name not in limits]


def is_product(view, node):
    return node is not None and node.op_type in ("MatMul", "Einsum") and not has_weights(view, node)


def way(view, node, step):
    """From a Softmax to a product of activations; empty where there is none on this side."""
    passed = []
    while (node := step(node)) is not None and node.op_type in BETWEEN:
        passed.append(node)
    return [*passed, node] if is_product(view, node) else []


def attention(view):
    """Product, softmax, product, and what lies between them."""
    def back(node):
        return next((view.maker[name] for name in node.input if name in view.maker and name not in view.constants), None)

    def on(node):
        return view.only_reader(node.output[0])

    for node in view.graph.node:
        if node.op_type == "Softmax":
            before, behind = way(view, node, back), way(view, node, on)
            if before and behind:
                yield from [*before, node, *behind]


RULES = (("row builder", row_builders), ("attention", attention))


def by_rule(view):
    return {node.name: why for why, rule in RULES for node in rule(view)}


def by_name(view, patterns):
    """Patterns are of names or of kinds of operations. Refuses one that matches nothing."""
    kept = {}
    for pattern in patterns:
        matched = [node.name for node in view.graph.node
                   if fnmatch.fnmatchcase(node.name, pattern) or fnmatch.fnmatchcase(node.op_type, pattern)]
        if not matched:
            kinds = sorted({node.op_type for node in view.graph.node})
            raise Refusal(f"--float {pattern} matches no operation of the graph, by neither name nor kind; it has "
                          f"{', '.join(kinds)}")
        kept |= dict.fromkeys(matched, f"--float {pattern}")
    return kept


def kept_in_float(model, patterns, rules=True):
    """In the order of the graph."""
    view = View(model)
    kept = (by_rule(view) if rules else {}) | by_name(view, patterns)
    return [Kept(node.name, node.op_type, kept[node.name]) for node in view.graph.node if node.name in kept]


def groups(model, names):
    """Each of these operations that has weights, with its activation: what is quantised, or kept in float, as one."""
    view = View(model)
    return [[node, *(one for one in activation_of(view, node) if one.name in names)]
            for node in view.graph.node if node.name in names and has_weights(view, node)]
