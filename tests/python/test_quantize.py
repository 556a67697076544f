# SPDX-License-Identifier: Apache-2.0
"""What is quantised, what stays in float, and what is refused before anything is calibrated."""

import argparse

import numpy
import onnx
import pytest
from onnx import TensorProto, helper

import quantizing
from quantizing import calibrated, folded, pictures, small
from rung_model import Refusal, files, fix
from rung_model.quantize import canonical, command, forms, output, prepared, quantiser, ranges
from rung_model.quantize.precision import Map

INT8 = forms.FORMS["int8"]


@pytest.mark.parametrize("form", forms.FORMS.values(), ids=list(forms.FORMS))
def test_operations_and_weights_are_quantised_per_channel_and_the_map_says_so(form, tmp_path):
    model, gathered = calibrated(small(()), tmp_path)
    made = quantiser.quantised(model, form, gathered, {node.name for node in model.graph.node})
    onnx.checker.check_model(made)
    told = Map(made, form)
    assert set(told.operations.values()) == {form.precision}
    kind = TensorProto.DataType.Value(form.weights)
    assert [weight.data_type for weight in told.quantised_weights] == [kind] * 2
    assert told.weight_bytes() == (4 * 3 + 4 * 4) * numpy.dtype(form.weights.lower()).itemsize
    scales = [weight for weight in made.graph.initializer if weight.name.startswith("kernel") and weight.name.endswith("_scale")
              and "quantized" not in weight.name]
    assert [list(scale.dims) for scale in scales] == [[4], [4]]
    assert {entry.domain for entry in made.opset_import} == ({"", "com.microsoft"} if form.is_wide else {""})


def test_an_operation_in_float_keeps_its_weights_and_the_map_says_so(tmp_path):
    model, gathered = calibrated(small(()), tmp_path)
    first, *rest = [node.name for node in model.graph.node]
    told = Map(quantiser.quantised(model, INT8, gathered, set(rest)), INT8)
    assert told.operations[first] == "f32" and len(told.quantised_weights) == 1
    assert told.counts() == {"f32": 2, "i8": 1}  # the Relu is computed with what is before it


def test_a_form_in_which_nothing_is_quantised_is_refused(tmp_path):
    model, gathered = calibrated(small(), tmp_path)
    with pytest.raises(Refusal, match="nothing was quantised"):
        Map(quantiser.quantised(model, INT8, gathered, {"no such"}), INT8).must_be_quantised()


def test_names_that_do_not_fit_the_precision_map_are_refused(tmp_path):
    model, gathered = calibrated(small(()), tmp_path)
    told = Map(model, INT8)
    told.operations = {"x" * 1000 + str(index): "i8" for index in range(300)}
    with pytest.raises(Refusal, match="more than the 262144"):
        told.section()


def test_nodes_without_a_name_get_one_of_their_own():
    model = small()
    for node in model.graph.node:
        node.name = ""
    model.graph.node[1].name = model.graph.node[2].name = "twice"
    prepared.name_nodes(model.graph)
    given = [node.name for node in model.graph.node]
    assert given == ["one", "twice", "twice_", "answer"]


def halved():
    model = small()
    model.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(
        onnx.numpy_helper.to_array(model.graph.initializer[0]).astype(numpy.float16), model.graph.initializer[0].name))
    return model


def with_node(kind):
    model = small()
    model.graph.node.append(helper.make_node(kind, ["one", "scale", "zero"], ["extra"], name="extra"))
    return model


def with_opset(version):
    model = small()
    model.opset_import[0].version = version
    return model


def dynamic():
    model = small()
    model.graph.input[0].type.tensor_type.shape.dim[2].dim_param = "height"
    return model


def with_inputs():
    model = small()
    model.graph.input.append(helper.make_tensor_value_info("other", TensorProto.FLOAT, [1]))
    return model


@pytest.mark.parametrize("make, why", [
    (with_inputs, "has 2 inputs; a model has one"),
    (halved, "is of 16 bits; .* export that one"),
    (lambda: with_node("QuantizeLinear"), "quantised already, as extra .QuantizeLinear. shows"),
    (lambda: with_node("QLinearConv"), "quantised already"),
    (lambda: with_opset(13), "opset 13, less than 17; fix it first"),
    (dynamic, "free dimension; fix the graph first"),
])
def test_a_graph_that_is_no_fixed_one_in_f32_is_refused(make, why, tmp_path):
    with pytest.raises(Refusal, match=why):
        prepared.prepare(make(), tmp_path)


def test_normalisations_and_constants_are_folded_and_the_answers_stay(tmp_path):
    graph = quantizing.Small()
    quantizing.convolved(graph, "picture", "one")
    values = [graph.weight(name, numpy.float32([1, 2, 3, 4])) for name in ("scale", "shift", "mean", "variance")]
    graph.node("BatchNormalization", ["one", *values], "answer")
    model = graph.model({"picture": [1, 3, 8, 8]}, {"answer": [1, 4, 8, 8]})
    after = prepared.prepare(model, tmp_path)
    assert [node.op_type for node in after.graph.node] == ["Conv"]
    prepared.check(model, after, pictures(2))
    other = fix.copy_of(after)
    weight = other.graph.initializer[0]
    weight.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(weight) * 1.01, weight.name))
    with pytest.raises(Refusal, match="folds the graph to other answers"):
        prepared.check(model, other, pictures(2))


def test_ranges_are_the_smallest_and_largest_numbers_of_all_pictures(tmp_path):
    feeds = pictures(2 * ranges.CHUNK + 1)
    model = folded(small(), tmp_path)
    gathered = ranges.gather(model, iter(feeds), None, tmp_path)
    low, high = gathered["picture"].range_value
    assert low == min(feed["picture"].min() for feed in feeds) and high == max(feed["picture"].max() for feed in feeds)
    inside = ranges.gather(model, iter(feeds), 90.0, tmp_path)["picture"].range_value
    assert low < inside[0] < inside[1] < high


def test_numbers_that_are_not_finite_are_refused(tmp_path):
    feeds = pictures(2)
    feeds[1]["picture"][0, 0, 0, 0] = numpy.inf
    with pytest.raises(Refusal, match="not finite on these photographs"):
        ranges.gather(folded(small(), tmp_path), feeds, None, tmp_path)


def test_weights_of_four_bits_and_unknown_forms_are_refused():
    for name in ("int4", "a16w4"):
        with pytest.raises(Refusal, match="weights of 4 bits wreck detectors"):
            forms.form_of(name)
    with pytest.raises(Refusal, match="there are int8, a16w8, a16w16"):
        forms.form_of("f16")
    for bits, why in ((4, "wreck detectors"), (6, "takes 7 and 8")):
        with pytest.raises(Refusal, match=why):
            forms.check_weight_bits(bits, INT8)
    with pytest.raises(Refusal, match="a16w16 has others"):
        forms.check_weight_bits(7, forms.FORMS["a16w16"])


def test_seven_bits_are_kept_to(tmp_path):
    model, gathered = calibrated(small(()), tmp_path)
    made = quantiser.quantised(model, INT8, gathered, {node.name for node in model.graph.node}, 7)
    largest = max(numpy.abs(onnx.numpy_helper.to_array(weight).astype(int)).max() for weight in Map(made, INT8).quantised_weights)
    assert largest == 64


def test_a_threshold_is_for_detectors():
    spec = {"selection": {"min_confidence": 0.5, "iou": 0.3}}
    assert output.with_threshold(spec, 0.4) == {"selection": {"min_confidence": 0.4, "iou": 0.3}}
    assert output.with_threshold(spec, None) == spec
    with pytest.raises(Refusal, match="is for detectors"):
        output.with_threshold({"role": "embedder"}, 0.4)
    for text in ("0", "1.01", "nan", "much"):
        with pytest.raises(argparse.ArgumentTypeError):
            command.parse_confidence(text)


def test_ranges_are_said_by_name():
    for text in ("minmax", "percentile=99.99"):
        assert ranges.text_of(command.parse_range(text)) == text
    for text in ("percentile", "percentile=100", "percentile=x", "percentile=nan", "entropy"):
        with pytest.raises(argparse.ArgumentTypeError):
            command.parse_range(text)


def test_photographs_that_hold_nothing_are_refused():
    with pytest.raises(Refusal, match=r"finds nothing in any of the 64 photographs; name some .* \(face\)"):
        canonical.judge_targets([0] * 64, ("face",))
    with pytest.raises(Refusal, match=r"one class alone .* \(background, person\)"):
        canonical.judge_classes([frozenset([0])] * 64, ("background", "person"))
    canonical.judge_classes([frozenset([0])] * 63 + [frozenset([1])], ())
    with pytest.raises(Refusal, match="all alike"):
        canonical.judge_vectors([numpy.float64([1, 0])] * 64, ())
    with pytest.raises(Refusal, match="vectors of all 64 photographs are 0"):
        canonical.judge_vectors([numpy.zeros(2)] * 64, ())
    canonical.judge_vectors(list(numpy.eye(64)), ())


@pytest.mark.parametrize("text, why", [
    ("{", "is no JSON"), ("[]", "is no JSON object"), ('{"form": "int8"}', "is of form int8; .* name its spec"),
    ('{"kind": "coreml"}', "is of kind coreml"),
])
def test_a_spec_of_another_form_is_refused(text, why, tmp_path):
    path = tmp_path / "spec.json"
    path.write_text(text)
    with pytest.raises(Refusal, match=why):
        output.read_spec(path)


def test_the_outputs_never_take_the_place_of_the_inputs(tmp_path):
    (tmp_path / "model.onnx").write_text("graph")
    (tmp_path / "model.spec.json").write_text("spec")
    places = output.Files(tmp_path / "model.onnx")
    for name in ("model.onnx", "model.spec.json"):
        with pytest.raises(Refusal, match="would be written over"):
            places.must_spare([tmp_path / name])
    places.must_spare([])
    for name, why in (("model", "does not end in .onnx"), ("none/model.onnx", "there is no folder")):
        with pytest.raises(Refusal, match=why):
            output.Files(tmp_path / name)
    with pytest.raises(Refusal, match="make room"):
        output.must_have_room(tmp_path, 10 ** 18)


def test_the_four_files_are_written_together_or_none_is(tmp_path, monkeypatch):
    places = output.Files(tmp_path / "model.onnx")
    places.graph.write_text("before")
    contents = {path: b"new" for path in places.all()}
    whole = files.write_whole

    def full_disk(data, path):
        if "spec" in str(path):
            raise OSError(28, "No space left on device")
        whole(data, path)

    monkeypatch.setattr(files, "write_whole", full_disk)
    with pytest.raises(OSError, match="No space"):
        output.write(contents)
    assert [path.name for path in tmp_path.iterdir()] == ["model.onnx"] and places.graph.read_text() == "before"
    monkeypatch.setattr(files, "write_whole", whole)
    output.write(contents)
    assert sorted(path.read_text() for path in tmp_path.iterdir()) == ["new"] * 4
    places.gate.unlink()
    places.gate.mkdir()
    with pytest.raises(Refusal, match="is a folder"):
        places.must_spare([])
