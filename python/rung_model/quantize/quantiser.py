# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's quantiser: pairs of QuantizeLinear and DequantizeLinear around operations, weights per channel."""

from onnxruntime.quantization import QDQQuantizer, QuantType, registry
from onnxruntime.quantization.execution_providers.qnn import get_qnn_qdq_config

from .. import Refusal, fix
from . import quiet

KINDS = sorted({*registry.QLinearOpsRegistry, *registry.QDQRegistry})


TYPES = {"UINT8": QuantType.QUInt8, "INT8": QuantType.QInt8, "UINT16": QuantType.QUInt16, "INT16": QuantType.QInt16}


def options_for(model, form, excluded):
    """What QNN asks of numbers of 16 bits: the ranges of Sigmoid and Tanh, products of one scale, no range of nothing.
    Before opset 21 QuantizeLinear of 16 bits is ONNX Runtime's own (com.microsoft)."""
    if not form.is_wide:
        return {}
    config = get_qnn_qdq_config(model, None, activation_type=TYPES[form.activations], weight_type=TYPES[form.weights],
                                per_channel=True, op_types_to_quantize=KINDS, nodes_to_exclude=excluded)
    return {name: value for name, value in config.extra_options.items() if not name.startswith("Calib")}


def quantised(model, form, ranges, names, weight_bits=None):
    """A copy of a prepared model in which the operations of these names are quantised."""
    copy = fix.copy_of(model)
    excluded = [node.name for node in copy.graph.node if node.name not in names]
    try:
        with quiet.quiet():
            quantiser = QDQQuantizer(copy, True, weight_bits == 7, TYPES[form.weights], TYPES[form.activations], ranges, [],
                                     excluded, KINDS, options_for(copy, form, excluded))
            quantiser.quantize_model()
            quantiser.model.topological_sort()
    except Exception as error:  # asserts, KeyErrors and its own
        raise Refusal(f"the quantiser does not take the graph: {type(error).__name__}: {quiet.first_line(error)}; "
                      "keep the operation that it names in float (--float)")
    result = quantiser.model.model
    del result.graph.value_info[:]
    del result.metadata_props[:]
    result.producer_name, result.producer_version = "rung_model", ""
    return result
