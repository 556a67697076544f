# SPDX-License-Identifier: Apache-2.0
"""Which operations stay in float: by rule, by name, and by the error that they make."""

import numpy
import onnx
import pytest

import quantizing
from quantizing import attention, calibrated, folded, pictures, small
from rung_model import Refusal
from rung_model.quantize import forms, prepared, rules, sensitivity

INT8 = forms.FORMS["int8"]


def names(kept):
    return [one.at for one in kept]


def test_the_tail_behind_the_last_weights_stays_in_float(tmp_path):
    model = folded(small(("Sigmoid", "Exp")), tmp_path)
    kept = rules.kept_in_float(model, [])
    assert [(one.kind, one.why) for one in kept] == [("Sigmoid", "row builder"), ("Exp", "row builder")]
    assert rules.kept_in_float(model, [], rules=False) == []


def test_what_limits_the_last_weights_is_no_tail(tmp_path):
    assert rules.kept_in_float(folded(small(("Relu",)), tmp_path), []) == []


def test_attention_stays_in_float_and_its_projections_do_not(tmp_path):
    kept = rules.kept_in_float(folded(attention(), tmp_path), [])
    kinds = sorted(one.kind for one in kept if one.why == "attention")
    assert kinds.count("MatMul") == 2 and kinds.count("Softmax") == 1 and "Mul" in kinds
    assert not {"query", "key", "value", "answer"} & {name for name in names(kept)}


def test_a_pattern_is_of_names_or_kinds_and_one_that_matches_nothing_is_refused(tmp_path):
    model = folded(small(), tmp_path)
    convolutions = [node.name for node in model.graph.node if node.op_type == "Conv"]
    assert names(rules.kept_in_float(model, ["Conv"], rules=False)) == convolutions
    assert names(rules.kept_in_float(model, [f"{convolutions[0][:2]}*[!z]"], rules=False))[0] == convolutions[0]
    with pytest.raises(Refusal, match="--float Gemm matches no operation .* it has Conv, Relu, Sigmoid"):
        rules.kept_in_float(model, ["Conv", "Gemm"])


def test_the_operation_that_does_most_damage_comes_first_and_stays_in_float_with_its_limit(tmp_path):
    made = small(())
    for weight in made.graph.initializer:
        if weight.name == "kernel0":  # one output channel is huge, so that the range of all the others is nothing beside it
            values = numpy.array(onnx.numpy_helper.to_array(weight))
            values[0] *= 3000
            weight.CopyFrom(onnx.numpy_helper.from_array(values, weight.name))
    model, gathered = calibrated(made, tmp_path)
    everything = {node.name for node in model.graph.node}
    table = sensitivity.measure(model, INT8, gathered, everything, pictures(2))
    assert len(table) == 2 and table[0].error > table[1].error > 0
    chosen = sensitivity.worst(model, everything, table, 1)
    assert chosen[table[0].at] == "among the 1 worst"
    if table[0].at == model.graph.node[0].name:
        assert chosen[model.graph.node[1].name] == "behind one of the 1 worst"


@pytest.mark.parametrize("read, together", [
    (("Relu",), ["Conv", "Relu"]), (("HardSwish",), ["Conv", "HardSwish"]), (("Sigmoid", "Mul"), ["Conv", "Sigmoid", "Mul"]),
    (("MaxPool",), ["Conv"]), (("Relu", "MaxPool"), ["Conv"]),
])
def test_an_operation_goes_with_the_activation_that_alone_reads_it(read, together):
    graph = quantizing.Small()
    quantizing.convolved(graph, "picture", "one")
    for index, kind in enumerate(read):
        inputs = ["one", "made0"] if kind == "Mul" else ["one"]
        graph.node(kind, inputs, f"made{index}", **({"kernel_shape": [1, 1]} if kind == "MaxPool" else {}))
    model = graph.model({"picture": [1, 3, 8, 8]}, {f"made{len(read) - 1}": [1, 4, 8, 8]})
    prepared.name_nodes(model.graph)
    (group,) = rules.groups(model, {node.name for node in model.graph.node})
    assert [node.op_type for node in group] == together
