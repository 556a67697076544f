# SPDX-License-Identifier: Apache-2.0
"""A graph as rewrites see it, and what a rewrite says of one place in it."""

import math
from typing import NamedTuple

import numpy
from onnx import helper, numpy_helper, shape_inference

from .. import Refusal, fix


class Left(NamedTuple):
    """A place that looks like the pattern and stays as it is."""

    at: str
    why: str


class View:
    """Who makes and who reads each tensor, what is constant, and all shapes."""

    def __init__(self, model):
        self.model = model
        self.graph = model.graph
        self.outputs = {value.name for value in model.graph.output}
        self.maker = {name: node for node in model.graph.node for name in node.output}
        self.readers = {}
        for node in model.graph.node:
            for name in sorted(fix.names_read(node)):
                self.readers.setdefault(name, []).append(node)
        self.constants = {weight.name: weight for weight in model.graph.initializer}
        self.constants |= {node.output[0]: value for node in model.graph.node if (value := constant_of(node)) is not None}
        self.values = inferred_values(model)
        self.taken = set(self.maker) | set(self.values) | set(self.constants) | {node.name for node in self.graph.node}

    def constant(self, name):
        """An array, or None for what is no constant."""
        weight = self.constants.get(name)
        return None if weight is None else numpy_helper.to_array(weight)

    def shape(self, name):
        """A list of numbers; None unless all are known."""
        if name in self.constants:
            return list(self.constants[name].dims)
        value = self.values.get(name)
        if value is None or not value.type.tensor_type.HasField("shape"):
            return None
        dimensions = fix.shape_of(value)
        return None if any(not dimension for dimension in dimensions) else dimensions

    def element(self, name):
        """The type of its numbers, as ONNX counts types; 0 where it is not known."""
        if name in self.constants:
            return self.constants[name].data_type
        value = self.values.get(name)
        return 0 if value is None else value.type.tensor_type.elem_type

    def only_reader(self, name):
        """The node that alone reads a tensor, which is no output of the graph."""
        readers = self.readers.get(name, [])
        return readers[0] if len(readers) == 1 and name not in self.outputs else None

    def fresh(self, base):
        name = base
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


def constant_of(node):
    """The tensor of a node Constant."""
    if node.op_type != "Constant":
        return None
    for attribute in node.attribute:
        if attribute.name == "value":
            return attribute.t
        if attribute.name in ("value_int", "value_ints"):
            return numpy_helper.from_array(numpy.array(helper.get_attribute_value(attribute), numpy.int64))
    return None


def inferred_values(model):
    try:
        graph = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph
    except shape_inference.InferenceError as error:
        raise Refusal(f"the graph's shapes do not follow from its inputs: {str(error).splitlines()[0]}; fix it first")
    return {value.name: value for value in [*graph.input, *graph.value_info, *graph.output]}


def attribute_of(node, name, default=None):
    """Texts as str."""
    for attribute in node.attribute:
        if attribute.name == name:
            value = helper.get_attribute_value(attribute)
            return value.decode() if isinstance(value, bytes) else value
    return default


def label(node):
    """How the report names a node."""
    return node.name or node.output[0]


def size_text(sizes):
    return "x".join(map(str, sizes))


class Site:
    """A place to replace: `nodes` make `output` of `sources`, and the graph's own nodes do so at present.
    `bound` is the largest difference allowed, as a share of the largest number that goes in; 0: bit for bit."""

    def __init__(self, view, node, sources, bound=0.0):
        self.view = view
        self.at = label(node)
        self.output = node.output[0]
        self.sources = sources
        self.bound = bound
        self.what = ""
        self.nodes = []
        self.weights = []

    def node(self, kind, inputs, output=None, **attributes):
        output = output or self.view.fresh(f"{self.output}.{kind}_{len(self.nodes)}")
        name = self.view.fresh(f"{self.at}.{kind}_{len(self.nodes)}")
        self.nodes.append(helper.make_node(kind, inputs, [output], name=name, **attributes))
        return output

    def weight(self, what, values):
        name = self.view.fresh(f"{self.output}.{what}_{len(self.weights)}")
        self.weights.append(numpy_helper.from_array(numpy.ascontiguousarray(values), name))
        return name

    def chain(self, source, steps):
        """Each step, (kind, further inputs, attributes), reads what the one before it makes; the last makes the
        output."""
        for number, (kind, inputs, attributes) in enumerate(steps, 1):
            output = self.output if number == len(steps) else None
            source = self.node(kind, [source, *inputs], output, **attributes)


def space_to_depth(site, source, block, order, interleaved, answer_interleaved, shape):
    """Blocks of pixels as channels. SpaceToDepth knows planar pictures and one order of the channels, row and
    column of the pixel before its channel; `order` names those wanted, as it numbers them."""
    steps = [("Transpose", [], {"perm": [0, 3, 1, 2]})] if interleaved else []
    steps.append(("SpaceToDepth", [], {"blocksize": block}))
    if list(order) != list(range(len(order))):
        steps.append(("Gather", [site.weight("order", numpy.array(order, numpy.int64))], {"axis": 1}))
    if answer_interleaved:
        steps.append(("Transpose", [], {"perm": [0, 2, 3, 1]}))
    batch, *sizes = site.view.shape(source)
    height, width = sizes[:2] if interleaved else sizes[1:]
    packed = [height // block, width // block]
    made = [batch, *packed, len(order)] if answer_interleaved else [batch, len(order), *packed]
    if made != shape:
        steps.append(("Reshape", [site.weight("shape", numpy.array(shape, numpy.int64))], {}))
    site.chain(source, steps)


def excerpt(view, site):
    """The nodes that make the site's output of its sources at present, and the weights that they read."""
    needed, nodes = {site.output}, []
    for node in reversed(view.graph.node):
        if needed.difference(site.sources).intersection(node.output):
            needed |= fix.names_read(node)
            nodes.append(node)
    weights = [weight for weight in view.graph.initializer if weight.name in needed]
    return list(reversed(nodes)), weights


def excerpt_model(view, site, nodes, weights):
    """A model of these nodes alone, from the site's sources to its output."""
    values = [[helper.make_tensor_value_info(name, view.element(name), view.shape(name)) for name in names]
              for names in (site.sources, [site.output])]
    graph = helper.make_graph(nodes, "excerpt", *values, weights)
    return helper.make_model(graph, opset_imports=view.model.opset_import, ir_version=view.model.ir_version)


def replaced(model, site):
    """A copy of the model with the site's nodes in place of the one that made its output, and without what
    nothing reads any more."""
    edited = fix.copy_of(model)
    graph = edited.graph
    nodes = list(graph.node)
    place = next(index for index, node in enumerate(nodes) if site.output in node.output)
    nodes[place:place + 1] = site.nodes
    del graph.node[:]
    graph.node.extend(nodes)
    graph.initializer.extend(site.weights)
    del graph.value_info[:]
    fix.drop_dead(graph)
    return edited


def same_axis(before, after, axis):
    """Where an axis of the shape `before` is in the shape `after` of the same numbers; None if it is not there."""
    ahead = math.prod(before[:axis])
    for other, size in enumerate(after):
        if size == before[axis] and math.prod(after[:other]) == ahead:
            return other
    return None
