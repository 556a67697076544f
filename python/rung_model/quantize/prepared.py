# SPDX-License-Identifier: Apache-2.0
"""The graph in f32 as it goes to the quantiser: one that may be quantised, whose operations all have names, and whose
normalisations and constants are folded into the weights, as ONNX Runtime does it."""

import onnx
from onnx import TensorProto
from onnxruntime.quantization import quant_pre_process, quant_utils

from .. import Refusal, compare, fix
from ..rewrite import must_be_fixed
from ..rewrite.graph import label
from . import quiet

QUANTISED = ("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "ConvInteger", "MatMulInteger")
HALVES = (TensorProto.FLOAT16, TensorProto.BFLOAT16)


def must_be_f32(model):
    """Refuses what is quantised or in 16 bits already: a form is made of the canonical one, never of another form."""
    graph = model.graph
    if len(fix.real_inputs(graph)) != 1:
        raise Refusal(f"the graph has {len(fix.real_inputs(graph))} inputs; a model has one")
    for node in graph.node:
        if node.op_type in QUANTISED or node.op_type.startswith("QLinear"):
            raise Refusal(f"the graph is quantised already, as {label(node)} ({node.op_type}) shows; name the graph in f32")
    tensors = {value.name: value.type.tensor_type.elem_type for value in [*graph.input, *graph.output]}
    tensors |= {weight.name: weight.data_type for weight in graph.initializer}
    for name, kind in tensors.items():
        if kind in HALVES:
            raise Refusal(f"{name} is of 16 bits; forms are made of the graph in f32, so export that one")


def name_nodes(graph):
    """Those without a name get that of their first output; reports of `rewrite` call them so. No two share one."""
    taken = set()
    for node in graph.node:
        name = label(node)
        while name in taken:
            name += "_"
        taken.add(name)
        node.name = name


def drop_unused_domains(model):
    used = {node.domain for node in model.graph.node} | {""}
    fix.keep(model.opset_import, lambda entry: entry.domain in used)


def fold(model, folder):
    """ONNX Runtime's own preparation: normalisations go into the weights before them, constants become weights."""
    named, path = folder / "named.onnx", folder / "prepared.onnx"
    named.write_bytes(model.SerializeToString())
    try:
        with quiet.quiet():
            quant_pre_process(str(named), str(path), skip_symbolic_shape=True)
    except Exception as error:  # the runtime and onnx each raise their own
        raise Refusal(f"ONNX Runtime cannot prepare the graph: {quiet.first_line(error)}")
    return onnx.load(path)


def prepare(model, folder):
    """A model that answers as the given one does; `check` proves it."""
    must_be_f32(model)
    must_be_fixed(model)
    named = fix.copy_of(model)
    name_nodes(named.graph)
    folded = fold(named, folder)
    name_nodes(folded.graph)
    drop_unused_domains(folded)
    quant_utils.add_infer_metadata(folded)  # or its shapes were inferred anew, through the disk, at each use
    return folded


def check(before, after, feeds):
    """Refuses where the folding changed the answers."""
    sessions = [compare.session_of(model, False) for model in (before, after)]
    for feed in feeds:
        answers = [session.run(None, feed) for session in sessions]
        far = max(compare.relative_distance(*pair, compare.SERVED_FLOOR) for pair in zip(*answers, strict=True))
        if not far <= compare.SERVED_BOUND:
            raise Refusal(f"ONNX Runtime folds the graph to other answers: relative L2 {far:.3g}, allowed "
                          f"{compare.SERVED_BOUND}; nothing was written")
