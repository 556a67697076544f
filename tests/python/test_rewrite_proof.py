# SPDX-License-Identifier: Apache-2.0
"""Nothing is rewritten unproven: a wrong rewrite is found by the proof, and the command then writes nothing."""

import json
import subprocess
import sys

import numpy
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import rewriting
from conftest import ROOT
from rewriting import PICTURE, Small, applied, detector, kinds, model_of, packed, resized, unfolded
from rung_model import Refusal, fix, rewrite
from rung_model.rewrite import graph as graphs
from rung_model.rewrite import proof

FOCUS = [(0, 0), (1, 0), (0, 1), (1, 1)]


def packing():
    return packed(PICTURE, [1, 3, 4, 2, 6, 2], [0, 1, 3, 5, 2, 4], [1, 12, 4, 6])


def run_rewrite(*arguments):
    return subprocess.run([sys.executable, "-m", "rung_model", "rewrite", *map(str, arguments)],
                          cwd=ROOT / "python", capture_output=True, text=True, check=False)


def must_be_unproven(model, name, why):
    after, report = applied(model, name)
    assert after == model and report["changed"] == []
    assert all("not proven" in left["why"] and why in left["why"] for left in report["left"]) and report["left"]


def test_a_wrong_order_of_channels_is_found(monkeypatch):
    monkeypatch.setattr(rewrite.packing, "channel_order", lambda *_: list(range(12)))
    must_be_unproven(packing(), "packing", "does not answer the same bits")


def test_two_channels_that_are_swapped_are_found(monkeypatch):
    right = rewrite.unfold.space_to_depth

    def wrong(site, source, block, order, *rest):
        order[10], order[11] = order[11], order[10]
        right(site, source, block, order, *rest)

    monkeypatch.setattr(rewrite.unfold, "space_to_depth", wrong)
    must_be_unproven(unfolded(PICTURE, FOCUS), "unfold", "does not answer the same bits")


@pytest.mark.parametrize("wrong", [
    lambda shares: numpy.roll(shares, 1, axis=0),
    lambda shares: shares * numpy.float32(1.0001),
    lambda shares: numpy.eye(*shares.shape, dtype=numpy.float32),
])
def test_wrong_weights_of_a_resize_are_found(monkeypatch, wrong):
    right = rewrite.resize.weights_of
    monkeypatch.setattr(rewrite.resize, "weights_of", lambda *sizes: wrong(right(*sizes)))
    must_be_unproven(resized(PICTURE, [1, 3, 16, 24]), "resize", "of the largest number, allowed")


def test_a_resize_from_the_corner_does_not_pass_for_one_by_centres(monkeypatch):
    def corner(size, answer, scale):
        at = numpy.minimum(numpy.arange(answer) / float(scale), size - 1)
        return numpy.maximum(0, 1 - abs(at[:, None] - numpy.arange(size))).astype(numpy.float32)

    monkeypatch.setattr(rewrite.resize, "weights_of", corner)
    must_be_unproven(resized(PICTURE, [1, 3, 16, 24]), "resize", "of the largest number, allowed")


def test_runs_of_rows_in_another_order_are_found(monkeypatch):
    right = rewrite.rows.rebuilt
    monkeypatch.setattr(rewrite.rows, "rebuilt", lambda view, site, tree, run: right(view, site, tree, 1 - run)
                        if isinstance(tree, rewrite.rows.Move) and tree.node.op_type == "Transpose"
                        else right(view, site, tree, run))
    must_be_unproven(detector(((False, 4), (True, 4))), "rows", "does not answer the same bits")


def test_a_replacement_that_no_runtime_takes_is_found(monkeypatch):
    monkeypatch.setattr(rewrite.packing, "channel_order", lambda *_: [99] * 12)
    must_be_unproven(packing(), "packing", "ONNX Runtime")


def test_the_whole_graph_is_compared_too(monkeypatch):
    monkeypatch.setattr(rewrite.packing, "channel_order", lambda *_: list(range(12)))
    monkeypatch.setattr(proof, "of_site", lambda *_: 0.0)
    with pytest.raises(proof.Unequal, match="does not answer the same bits"):
        applied(packing(), "packing")


def test_the_whole_graph_is_held_to_a_bound_where_numbers_are_computed(monkeypatch):
    right = rewrite.resize.weights_of
    monkeypatch.setattr(rewrite.resize, "weights_of", lambda *sizes: right(*sizes) * numpy.float32(1.01))
    monkeypatch.setattr(proof, "of_site", lambda *_: 0.0)
    with pytest.raises(proof.Unequal, match="the whole graph's answers differ by 0.02"):
        applied(resized(PICTURE, [1, 3, 16, 24]), "resize")


def test_numbered_elements_have_bits_of_their_own():
    for kind, size in (("f4", 5000), ("f2", 5000), ("u1", 256), ("i8", 5000)):
        array = proof.numbered([size], kind, 1)
        assert array.dtype == kind and len(set(array.view(f"u{array.itemsize}").tolist())) == size


@pytest.mark.parametrize("answer", [[1.0, numpy.nan], [1.0, numpy.inf], [1.0, 2.0, 3.0]])
def test_an_answer_that_is_none_is_infinitely_far(answer):
    one, other = numpy.array([1.0, 2.0], numpy.float32), numpy.array(answer, numpy.float32)
    assert proof.share_of_largest(one, other, 1) == proof.distance(one, other) == numpy.inf


def test_a_proof_is_about_extremes(monkeypatch):
    """What is right on pictures and wrong where numbers are no ordinary ones."""
    right = graphs.Site.chain

    def wrong(site, source, steps):
        limits = [site.weight("limit", numpy.array(value, numpy.float32)) for value in (-1e30, 1e30)]
        right(site, source, [("Clip", limits, {}), *steps])

    monkeypatch.setattr(graphs.Site, "chain", wrong)
    must_be_unproven(packing(), "packing", "on odd numbers")


def test_other_types_than_float_are_moved_too():
    graph = Small()
    graph.reshape("picture", [1, 3, 4, 2, 6, 2], "cut")
    graph.node("Transpose", ["cut"], "moved", perm=[0, 3, 5, 1, 2, 4])
    graph.reshape("moved", [1, 12, 4, 6], "packed")
    model = model_of(graph, TensorProto.DOUBLE, 17, {"picture": PICTURE}, {"packed": [1, 12, 4, 6]})
    assert kinds(applied(model, "packing")[0]) == ["SpaceToDepth"]


def all_four():
    """Each pattern once, behind each other."""
    graph = Small()
    end = 2**31 - 1
    for index, (row, column) in enumerate(FOCUS):
        graph.slice("picture", f"part{index}", [row, column], [end, end], [2, 3], [2, 2])
    graph.node("Concat", [f"part{index}" for index in range(4)], "unfolded", axis=1)
    graph.node("Resize", ["unfolded", "", "", graph.numbers(1, 12, 8, 8)], "resized", mode="linear")
    graph.reshape("resized", [1, 12, 4, 2, 4, 2], "cut")
    graph.node("Transpose", ["cut"], "moved", perm=[0, 1, 3, 5, 2, 4])
    graph.reshape("moved", [1, 48, 4, 4], "packed")
    random = numpy.random.default_rng(5)
    for name in ("boxes", "sure"):
        kernel = graph.weight(f"{name}.kernel", random.standard_normal((4, 48, 1, 1)).astype(numpy.float32) / 48)
        graph.node("Conv", ["packed", kernel], name)
    graph.node("Sigmoid", ["sure"], "scores")
    graph.node("Concat", ["boxes", "scores"], "joined", axis=1)
    graph.reshape("joined", [1, 8, 16], "flat")
    graph.node("Transpose", ["flat"], "rows", perm=[0, 2, 1])
    return graph.model({"picture": PICTURE}, {"rows": [1, 16, 8]})


def test_all_rewrites_follow_each_other():
    model = all_four()
    after, reports = rewrite.rewrite_all(model)
    assert {one["name"]: len(one["changed"]) for one in reports} == {"packing": 1, "unfold": 1, "resize": 1, "rows": 1}
    assert not {"Slice", "Resize"}.intersection(kinds(after))
    rewriting.must_look_the_same(model, after)
    feed = rewriting.random_feed(model)
    numpy.testing.assert_allclose(*[rewriting.answers(one, feed)[0] for one in (model, after)], rtol=1e-4, atol=1e-4)


def test_the_command_writes_the_graph_and_says_what_changed(tmp_path):
    onnx.save(all_four(), tmp_path / "in.onnx")
    result = run_rewrite(tmp_path / "in.onnx", "-o", tmp_path / "out.onnx")
    assert result.returncode == 0 and result.stderr == ""
    assert result.stdout.count("the same bits") == 6 and "4 changed" in result.stdout
    assert "Resize" not in kinds(onnx.load(tmp_path / "out.onnx"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.onnx", "out.onnx"]


def test_a_graph_is_not_rewritten_over_itself(tmp_path):
    onnx.save(all_four(), tmp_path / "in.onnx")
    before = (tmp_path / "in.onnx").read_bytes()
    result = run_rewrite(tmp_path / "in.onnx", "-o", tmp_path / "in.onnx")
    assert result.returncode == 1 and "would be written over" in result.stderr
    assert (tmp_path / "in.onnx").read_bytes() == before


def test_one_rewrite_alone_and_its_report_as_json(tmp_path):
    onnx.save(all_four(), tmp_path / "in.onnx")
    result = run_rewrite(tmp_path / "in.onnx", "-o", tmp_path / "out.onnx", "--only", "resize", "--json")
    report = json.loads(result.stdout)
    (one,) = report["rewrites"]
    assert report["schema"] == 1 and one["name"] == "resize" and len(one["changed"]) == 1
    assert one["changed"][0]["difference"] <= one["changed"][0]["allowed"]
    assert one["graph"]["difference"] <= one["graph"]["allowed"] and one["graph"]["inputs"] >= 6
    assert report["before"]["nodes"] + 1 == report["after"]["nodes"]


def test_the_same_graph_gives_the_same_bytes(tmp_path):
    onnx.save(all_four(), tmp_path / "in.onnx")
    for name in ("one.onnx", "two.onnx"):
        assert run_rewrite(tmp_path / "in.onnx", "-o", tmp_path / name).returncode == 0
    assert (tmp_path / "one.onnx").read_bytes() == (tmp_path / "two.onnx").read_bytes()


def test_real_inputs_are_compared_as_the_runtime_serves_them(tmp_path):
    onnx.save(all_four(), tmp_path / "in.onnx")
    numpy.save(tmp_path / "good.npy", rewriting.random_feed(all_four())["picture"])
    numpy.save(tmp_path / "small.npy", numpy.zeros([1, 3, 4, 4], numpy.float32))
    assert run_rewrite(tmp_path / "in.onnx", "-o", tmp_path / "out.onnx", "--inputs", tmp_path / "good.npy").returncode == 0
    real = json.loads(run_rewrite(tmp_path / "in.onnx", "-o", tmp_path / "out.onnx", "--json",
                                  "--inputs", tmp_path / "good.npy").stdout)["real"]
    assert real["inputs"] == 1 and real["difference"] <= real["allowed"]
    result = run_rewrite(tmp_path / "in.onnx", "-o", tmp_path / "none.onnx", "--inputs", tmp_path / "small.npy")
    assert result.returncode == 1 and "small.npy is (1, 3, 4, 4)" in result.stderr
    assert not (tmp_path / "none.onnx").exists()


def test_another_answer_on_a_real_input_is_found(tmp_path):
    numpy.save(tmp_path / "real.npy", rewriting.random_feed(all_four())["picture"])
    other = all_four()
    (kernel,) = [weight for weight in other.graph.initializer if weight.name == "boxes.kernel"]
    kernel.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(kernel) * numpy.float32(1.001), kernel.name))
    with pytest.raises(proof.Unequal, match="on the given inputs the answers differ by 0.00"):
        proof.of_files(all_four(), other, [tmp_path / "real.npy"])


def free(model):
    return fix.free_shapes(model)


def old(model):
    model.opset_import[0].version = 13
    return model


def weights_as_inputs(model):
    model.graph.input.extend(helper.make_tensor_value_info(weight.name, weight.data_type, weight.dims)
                             for weight in model.graph.initializer)
    return model


def without_shape(model):
    model.graph.input[0].type.tensor_type.ClearField("shape")
    return model


@pytest.mark.parametrize("spoil, why", [
    (free, "input picture has a free dimension"), (old, "opset 13, less than 17"),
    (weights_as_inputs, "lists weights as inputs"), (without_shape, "input picture has a free dimension"),
])
def test_a_graph_that_is_not_fixed_is_refused_in_a_sentence_and_the_old_file_stays(tmp_path, spoil, why):
    onnx.save(spoil(packing()), tmp_path / "in.onnx")
    (tmp_path / "out.onnx").write_bytes(b"before")
    result = run_rewrite(tmp_path / "in.onnx", "-o", tmp_path / "out.onnx")
    assert result.returncode == 1 and why in result.stderr and "fix" in result.stderr
    assert len(result.stderr.splitlines()) == 1 and result.stdout == ""
    assert (tmp_path / "out.onnx").read_bytes() == b"before"


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path):
    onnx.save(packing(), tmp_path / "in.onnx")
    (tmp_path / "out.onnx").mkdir()
    result = run_rewrite(tmp_path / "in.onnx", "-o", tmp_path / "out.onnx")
    assert result.returncode == 1 and len(result.stderr.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.onnx", "out.onnx"]


def test_an_unknown_rewrite_is_wrong_usage(tmp_path):
    result = run_rewrite("in.onnx", "-o", "out.onnx", "--only", "everything")
    assert result.returncode == 2 and "packing" in result.stderr


def test_help_lists_what_the_table_has():
    result = run_rewrite("--help")
    assert result.returncode == 0
    assert all(f"{one.NAME}:" in result.stdout for one in rewrite.REWRITES)


def test_a_graph_without_any_pattern_is_written_as_it_is(tmp_path):
    graph = Small()
    graph.node("Relu", ["picture"], "bright")
    onnx.save(model := graph.model({"picture": PICTURE}, {"bright": PICTURE}), tmp_path / "in.onnx")
    result = run_rewrite(tmp_path / "in.onnx", "-o", tmp_path / "out.onnx")
    assert result.returncode == 0 and "0 changed" in result.stdout
    assert onnx.load(tmp_path / "out.onnx") == model


def test_a_refusal_is_an_exception_for_callers():
    with pytest.raises(Refusal):
        rewrite.rewrite_all(free(packing()))
