# SPDX-License-Identifier: Apache-2.0
"""A graph as the importers look at it: its picture, its outputs, and what computes them last."""

import re

from .onnx_file import shown

# Nodes that move numbers and change none.
MOVES = {"Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Identity", "Slice", "Split", "Gather", "Cast",
         "QuantizeLinear", "DequantizeLinear", "Resize", "Upsample", "Dropout"}
JOINS = {"Concat"}
SQUASHES = {"Sigmoid", "Softmax", "HardSigmoid"}
LINEAR = {"Conv", "ConvTranspose", "Gemm", "MatMul", "BatchNormalization"}
ARITHMETIC = {"Mul", "Sub", "Div", "Exp", "Pow"}

CLASS_NAME = re.compile(r"""(\d{1,3})\s*:\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")""")
MOST_CLASSES = 256


class Graph:
    def __init__(self, file):
        self.file = file
        self.outputs = file.outputs
        self.made_by = {name: node for node in file.nodes for name in node.outputs if name}
        self.input = file.inputs[0] if file.inputs else None
        self.layout, self.canvas = picture_of(self.input) if self.input else (None, None)

    def output(self, name):
        return next((tensor for tensor in self.outputs if tensor.name == name), None)

    def ends(self, name):
        """The kinds of the nodes that compute an output's numbers, past those that only move them."""
        kinds, seen, open_names = set(), set(), [name]
        while open_names:
            name = open_names.pop()
            node = self.made_by.get(name)
            if node is None or name in seen:
                continue
            seen.add(name)
            if node.kind in MOVES:
                open_names += node.inputs[:1]
            elif node.kind in JOINS:
                open_names += node.inputs
            else:
                kinds.add(node.kind)
        return kinds

    def is_joined(self, name):
        """Whether an output is put together of parts."""
        node = self.made_by.get(name)
        for _ in self.file.nodes:
            if node is None or node.kind not in MOVES:
                break
            node = self.made_by.get(node.inputs[0]) if node.inputs else None
        return node is not None and node.kind in JOINS

    def logits(self, *names):
        """Whether scores still lack their sigmoid, None where the graph does not show it; and how it shows it."""
        kinds = set().union(*(self.ends(name) for name in names))
        what = ", ".join(map(shown, names))
        squashes = kinds & SQUASHES
        if squashes:
            return False, f"{'/'.join(sorted(squashes))} computes the scores of {what}: they are confidences already"
        if kinds & LINEAR and kinds <= LINEAR | ARITHMETIC | {"Add"}:
            return True, f"no sigmoid follows {'/'.join(sorted(kinds & LINEAR))} before {what}: scores are logits"
        return None, None

    def decoded(self, name):
        """Whether a graph computes boxes behind its last convolutions, None where it does not show it."""
        kinds = self.ends(name)
        if kinds & ARITHMETIC:
            return True
        return False if kinds & LINEAR and kinds <= LINEAR | SQUASHES else None

    def class_names(self):
        """What the exporter wrote about its classes, as {0: 'person', …}; empty where it wrote nothing."""
        pairs = CLASS_NAME.findall(self.file.metadata.get("names", ""))
        names = [one or other for _, one, other in pairs]
        whole = [int(number) for number, _, _ in pairs] == list(range(len(pairs)))
        fit = all(name.strip() and name.isprintable() for name in names)
        return names if whole and fit and len(names) <= MOST_CLASSES else []


def picture_of(tensor):
    """Layout of an input and (width, height) of its canvas; None, None where it is no picture of fixed size."""
    sides = tensor.shape
    if not tensor.fixed() or len(sides) < 3 or any(side != 1 for side in sides[:-3]):
        return None, None
    first, second, third = sides[-3:]
    if (first == 3) == (third == 3):
        if third == 4 and tensor.dtype == "u8":
            return "bgra", (second, first)
        return None, None
    return ("planar", (third, second)) if first == 3 else ("interleaved", (second, first))


def without_batch(shape):
    """A shape without the ones before it; at least one side is left."""
    start = 0
    while start < len(shape) - 1 and shape[start] == 1:
        start += 1
    return shape[start:]
