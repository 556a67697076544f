# SPDX-License-Identifier: Apache-2.0
"""Makes a published ONNX graph fit to serve: a present opset, static shapes, weights that are no
inputs, nothing dead, one file. Only the container changes; compare.py proves that answers do not."""

import pathlib

import onnx
from onnx import helper, shape_inference, version_converter

from . import Refusal, first_line
from .files import write_whole

LEAST_OPSET = 17
LEAST_IR = 8
FIRST_RESIZE = 10


def load(path):
    """Weights that lie beside the file come along, so that what is saved stands alone."""
    try:
        model = onnx.load(path, load_external_data=False)
    except OSError as error:
        raise Refusal(f"{path} cannot be read: {error.strerror}; name the graph as it was exported")
    except Exception as error:  # protobuf and onnx each raise their own
        raise Refusal(f"{path} cannot be read as an ONNX model: {first_line(error)}; export it again")
    if not model.ByteSize():
        raise Refusal(f"{path} is empty; export or fetch the model again")
    load_weights_beside(model, path)
    return model


def load_weights_beside(model, path):
    try:
        onnx.load_external_data_for_model(model, str(pathlib.Path(path).parent))
    except Exception as error:  # onnx raises its own for what is missing, cut off, or outside the folder
        places = {entry.value for weight in model.graph.initializer for entry in weight.external_data
                  if entry.key == "location"}
        raise Refusal(f"the weights of {path} lie in other files ({', '.join(sorted(places)) or 'unnamed'}), which cannot "
                      f"be read: {first_line(error)}; put them beside the graph under these names, or export it as one file")


def save(model, path):
    write_whole(model.SerializeToString(deterministic=True), path)


def copy_of(model):
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    return copy


def keep(repeated, wanted):
    """Keeps the wanted elements of a repeated field, in their order."""
    kept = [element for element in repeated if wanted(element)]
    del repeated[:]
    repeated.extend(kept)


def real_inputs(graph):
    weights = {weight.name for weight in graph.initializer}
    return [value for value in graph.input if value.name not in weights]


def drop_initialiser_inputs(graph):
    """Old exporters list weights as inputs too. A runtime must then expect others at each run and
    folds nothing."""
    names = {value.name for value in real_inputs(graph)}
    keep(graph.input, lambda value: value.name in names)


def forget_shapes(graph):
    """What an exporter wrote about inner and output shapes may be wrong; all of it is inferred anew."""
    del graph.value_info[:]
    for value in graph.output:
        value.type.tensor_type.ClearField("shape")


def set_shape(value, dimensions):
    """A dimension is a number, or a name where it is free."""
    element = value.type.tensor_type.elem_type
    value.CopyFrom(helper.make_tensor_value_info(value.name, element, dimensions))


def shape_of(value):
    """The dimensions of a value; None where one is free."""
    dims = value.type.tensor_type.shape.dim
    return [dim.dim_value if dim.HasField("dim_value") else None for dim in dims]


def set_input_shapes(graph, shapes):
    known = {value.name: value for value in graph.input}
    for name, dimensions in shapes.items():
        if name not in known:
            raise Refusal(f"the model has no input {name}; it has {', '.join(known)}")
        rank = len(known[name].type.tensor_type.shape.dim)
        if rank != len(dimensions):
            raise Refusal(f"input {name} has {rank} dimensions, not {len(dimensions)}")
        set_shape(known[name], dimensions)
    for value in graph.input:
        if not all(shape_of(value)):
            sides = ",".join(str(side) if side else name for side, name in zip(shape_of(value), free_names(value)))
            raise Refusal(f"input {value.name} has a free dimension; give it one with --shape {value.name}={sides}")


def free_names(value):
    """What to call the dimensions of a picture in a command that a person completes."""
    sides = shape_of(value)
    names = ["1", "3", "HEIGHT", "WIDTH"] if len(sides) == 4 and sides[-1] != 3 else ["1", "HEIGHT", "WIDTH", "3"]
    return names if len(sides) == 4 else ["SIZE"] * len(sides)


def free_shapes(model):
    """The same graph for any input size, as the reference to compare with."""
    free = copy_of(model)
    forget_shapes(free.graph)
    for value in real_inputs(free.graph):
        set_shape(value, [f"{value.name}.{axis}" for axis in range(len(shape_of(value)))])
    return free


def keep_upsampling(graph):
    """Before opset 10 there was Upsample alone, which scales from the corner. The Resize that onnx's converter
    makes of it does so only when it is told to."""
    for node in graph.node:
        if node.op_type == "Resize":
            keep(node.attribute, lambda attribute: attribute.name == "mode")
            node.attribute.extend([helper.make_attribute("coordinate_transformation_mode", "asymmetric"),
                                   helper.make_attribute("nearest_mode", "floor")])


def upgrade(model, opset):
    """To the opset at least; a newer model stays what it is."""
    present = max((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), default=1)
    if present < opset:
        try:
            model = version_converter.convert_version(model, opset)
        except Exception as error:  # the converter raises RuntimeError and its own kinds
            raise Refusal(f"the model cannot be converted from opset {present} to {opset}: "
                          f"{first_line(error)}; export it again with opset {opset}")
    if present < FIRST_RESIZE <= opset:
        keep_upsampling(model.graph)
    model.ir_version = max(model.ir_version, LEAST_IR)
    return model


def names_read(node):
    """What a node reads, also inside its branches and loops."""
    names = set(node.input)
    for attribute in node.attribute:
        for graph in [attribute.g, *attribute.graphs]:
            names.update(value.name for value in graph.output)
            for inner in graph.node:
                names |= names_read(inner)
    return names


def drop_dead(graph):
    """Nodes are in topological order, so one walk from the end finds all that an output needs."""
    needed = {value.name for value in graph.output}
    live = []
    for node in reversed(graph.node):
        if needed.intersection(node.output):
            needed |= names_read(node)
            live.append(node)
    live.reverse()
    del graph.node[:]
    graph.node.extend(live)
    keep(graph.initializer, lambda weight: weight.name in needed)
    keep(graph.sparse_initializer, lambda weight: weight.values.name in needed)


def how_to_be_of_one_size(graph):
    kinds = sorted({node.op_type for node in graph.node if "NMS" in node.op_type or node.op_type == "NonMaxSuppression"})
    if kinds:
        return f"it suppresses boxes itself ({', '.join(kinds)}): export it without (in ultralytics nms=False)"
    return "export it with outputs of a fixed size"


def infer_outputs(model):
    try:
        inferred = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    except shape_inference.InferenceError as error:
        raise Refusal(f"the graph does not fit the shapes: {first_line(error)}; give the sizes that it was "
                      "trained with, or export it again")
    for value, known in zip(model.graph.output, inferred.graph.output):
        if not known.type.tensor_type.HasField("shape") or not all(shape_of(known)):
            raise Refusal(f"the shape of output {value.name} does not follow from the inputs' shapes, and a graph whose "
                          f"answer varies in size cannot be served; {how_to_be_of_one_size(model.graph)}")
        value.CopyFrom(known)


def check(model):
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, shape_inference.InferenceError) as error:
        raise Refusal(f"the fixed graph is no valid ONNX model: {error}")


def fix(model, shapes, opset=LEAST_OPSET):
    """A fixed copy of the model. `shapes`: {input name: [dimension, ...]}."""
    fixed = copy_of(model)
    drop_initialiser_inputs(fixed.graph)
    forget_shapes(fixed.graph)
    set_input_shapes(fixed.graph, shapes)
    fixed = upgrade(fixed, opset)
    forget_shapes(fixed.graph)
    drop_dead(fixed.graph)
    infer_outputs(fixed)
    check(fixed)
    return fixed
