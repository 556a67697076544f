# SPDX-License-Identifier: Apache-2.0
"""Each rewrite knows its pattern, in the forms that exporters write, and leaves alone what only looks like it."""

import itertools

import numpy
import pytest
from onnx import TensorProto, helper

import rewriting
from conftest import ROOT  # noqa: F401  (its import sets the paths)
from rewriting import PICTURE, Small, applied, detector, kinds, model_of, packed, reason, resized, unfolded
from rung_model import rewrite

CUT = [1, 3, 4, 2, 6, 2]
FOCUS = [(0, 0), (1, 0), (0, 1), (1, 1)]


def must_be_rewritten(model, name, gone):
    """Exactly, with the same inputs and outputs, and nothing is left to rewrite in the answer."""
    after, report = applied(model, name)
    assert len(report["changed"]) == 1 and not report["left"]
    assert report["changed"][0]["allowed"] == 0
    assert gone not in kinds(after)
    rewriting.must_look_the_same(model, after)
    rewriting.must_answer_the_same(model, after)
    again, second = applied(after, name)
    assert again == after and second["changed"] == []
    return after


@pytest.mark.parametrize("channels", list(itertools.permutations([1, 3, 5])))
@pytest.mark.parametrize("last", [False, True])
def test_packing_of_planar_pictures_is_known_in_every_order_of_channels(channels, last):
    perm, final = ([0, 2, 4, *channels], [1, 4, 6, 12]) if last else ([0, *channels, 2, 4], [1, 12, 4, 6])
    after = must_be_rewritten(packed(PICTURE, CUT, perm, final), "packing", "Concat")
    assert kinds(after).count("SpaceToDepth") == 1
    assert ("Gather" in kinds(after)) == (channels != (3, 5, 1))


@pytest.mark.parametrize("perm", [[0, 1, 3, 2, 4, 5], [0, 1, 3, 5, 4, 2], [0, 5, 4, 2, 1, 3]])
def test_packing_of_interleaved_pictures_is_known(perm):
    final = [1, 4, 6, 12] if perm[1] == 1 else [1, 12, 4, 6]
    after = must_be_rewritten(packed([1, 8, 12, 3], [1, 4, 2, 6, 2, 3], perm, final), "packing", "Concat")
    assert kinds(after).count("SpaceToDepth") == 1


def test_packing_to_tokens_is_known():
    after = must_be_rewritten(packed(PICTURE, [1, 3, 2, 4, 3, 4], [0, 2, 4, 3, 5, 1], [1, 6, 48]), "packing", "Concat")
    assert kinds(after) == ["SpaceToDepth", "Transpose", "Reshape"]


def test_no_tensor_of_more_than_four_dimensions_is_left():
    after, _ = applied(packed(PICTURE, CUT, [0, 1, 3, 5, 2, 4], [1, 12, 4, 6]), "packing")
    view = rewrite.View(after)
    assert max(len(view.shape(name)) for node in after.graph.node for name in node.output) == 4


@pytest.mark.parametrize("shape, cut, perm, final, why", [
    (PICTURE, CUT, [0, 1, 2, 4, 3, 5], [1, 12, 4, 6], "does not make channels of the pixels of a block"),  # quarters
    (PICTURE, CUT, [0, 1, 3, 5, 4, 2], [1, 12, 6, 4], "does not make channels of the pixels of a block"),  # on its side
    (PICTURE, [1, 3, 4, 2, 4, 3], [0, 3, 5, 1, 2, 4], [1, 18, 4, 4], "2x3 pixels are not square"),
    (PICTURE, [1, 3, 8, 1, 12, 1], [0, 3, 5, 1, 2, 4], [1, 3, 8, 12], "height and width cut into blocks"),
    ([1, 12, 4, 6], [1, 2, 2, 3, 4, 6], [0, 3, 4, 1, 5, 2], [1, 3, 8, 12], "height and width cut into blocks"),  # unpacking
    ([2, 3, 8, 12], [2, 3, 4, 2, 6, 2], [1, 0, 3, 5, 2, 4], [3, 8, 4, 6], "does not make channels"),
    (PICTURE, [1, 3, 4, 2, 1, 6, 2], [0, 3, 6, 1, 4, 2, 5], [1, 12, 4, 6], "from 4 to 7 dimensions"),
    ([3, 8, 12], [1, 3, 4, 2, 6, 2], [0, 3, 5, 1, 2, 4], [1, 12, 4, 6], "from 3 to 6 dimensions"),
])
def test_what_only_looks_like_packing_is_left_alone(shape, cut, perm, final, why):
    assert why in reason(packed(shape, cut, perm, final), "packing")


def test_packing_whose_inside_is_read_elsewhere_is_left_alone():
    for name in ("cut", "moved"):
        model = packed(PICTURE, CUT, [0, 3, 5, 1, 2, 4], [1, 12, 4, 6])
        shape = rewrite.View(model).shape(name)
        model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        assert "elsewhere" in reason(model, "packing") or "alone" in reason(model, "packing")


def test_five_dimensions_are_no_matter():
    _, report = applied(packed([1, 6, 4, 4], [1, 2, 3, 4, 4], [0, 2, 1, 3, 4], [1, 6, 4, 4]), "packing")
    assert report["changed"] == report["left"] == []


@pytest.mark.parametrize("chained", [True, False])
@pytest.mark.parametrize("phases", list(itertools.permutations(FOCUS)))
def test_an_unfold_is_known_in_every_order_of_its_slices(phases, chained):
    after = must_be_rewritten(unfolded(PICTURE, phases, chained=chained), "unfold", "Slice")
    straight = list(phases) == sorted(phases)
    assert kinds(after) == ["SpaceToDepth"] if straight else ["SpaceToDepth", "Gather"]


def test_an_unfold_by_larger_blocks_is_known():
    phases = list(itertools.product(range(4), range(4)))
    after = must_be_rewritten(unfolded(PICTURE, phases, block=4), "unfold", "Slice")
    assert kinds(after) == ["SpaceToDepth"]


def test_an_unfold_of_an_interleaved_picture_is_known():
    after = must_be_rewritten(unfolded([1, 8, 12, 3], FOCUS, axis=3), "unfold", "Slice")
    assert kinds(after).count("SpaceToDepth") == 1


@pytest.mark.parametrize("shape, phases, options, why", [
    (PICTURE, [(0, 0), (1, 0), (1, 0), (1, 1)], {}, "some pixels twice and others never"),
    (PICTURE, FOCUS[:3], {}, "joins 3 parts, and blocks of 2 have 4"),
    (PICTURE, [*FOCUS, (0, 0)], {}, "joins 5 parts"),
    (PICTURE, FOCUS, {"block": 4}, "joins 4 parts, and blocks of 4 have 16"),
    ([1, 3, 8, 9], [(0, 0), (1, 0), (0, 0), (1, 0)], {}, "picture of 8x9 has no whole blocks of 2"),
])
def test_what_only_looks_like_an_unfold_is_left_alone(shape, phases, options, why):
    assert why in reason(unfolded(shape, phases, **options), "unfold")


def unfold_with(part, axis=1, shape=(1, 12, 4, 6)):
    """An unfold whose last part is made by `part(graph)`."""
    graph, end = Small(), 2**31 - 1
    for index, (row, column) in enumerate(FOCUS[:3]):
        graph.slice("picture", f"part{index}", [row, column], [end, end], [2, 3], [2, 2])
    graph.node("Concat", ["part0", "part1", "part2", part(graph)], "unfolded", axis=axis)
    return graph.model({"picture": PICTURE}, {"unfolded": list(shape)})


@pytest.mark.parametrize("part, why", [
    (lambda graph: graph.slice(graph.node("Relu", ["picture"], "bright"), "part3", [1, 1], [99, 99], [2, 3], [2, 2]),
     "not all slices of one tensor"),
    (lambda graph: graph.slice("picture", "part3", [-1, 1], [-99, 99], [2, 3], [-2, 2]), "part 3 is not one pixel of each block of 2"),
    (lambda graph: graph.slice("picture", "part3", [1, 0], [99, 6], [2, 3], [2, 1]), "part 3 is not one pixel of each block of 2"),
    (lambda graph: graph.slice("picture", "part3", [2, 1, 1], [-4, 99, 99], [1, 2, 3], [-1, 2, 2]), "part 3 is not one pixel of each block of 2"),
])
def test_an_unfold_with_one_part_of_another_kind_is_left_alone(part, why):
    assert why in reason(unfold_with(part), "unfold")


def test_slices_that_are_joined_as_rows_are_left_alone():
    model = unfold_with(lambda graph: graph.slice("picture", "part3", [1, 1], [99, 99], [2, 3], [2, 2]), 2, (1, 3, 16, 6))
    assert "joins along axis 2" in reason(model, "unfold")


def test_slices_whose_bounds_are_computed_are_left_alone():
    graph = Small()
    first = graph.node("Cast", [graph.node("ReduceMax", ["picture"], "most", keepdims=0)], "start", to=TensorProto.INT64)
    start = graph.node("Unsqueeze", [first, graph.numbers(0)], "starts")
    graph.node("Slice", ["picture", start, graph.numbers(99), graph.numbers(3), graph.numbers(2)], "computed")
    graph.slice("picture", "part", [1], [99], [3], [2])
    graph.node("Concat", ["computed", "part"], "unfolded", axis=3)
    model = model_of(graph, TensorProto.FLOAT, 17, {"picture": PICTURE}, {"unfolded": None})
    assert "bounds of its slices are not constant" in reason(model, "unfold")


@pytest.mark.parametrize("shape, answer, scales, options", [
    ([1, 3, 8, 12], [1, 3, 16, 24], None, {}),
    ([2, 3, 5, 7], [2, 3, 13, 3], None, {}),
    ([1, 1, 9, 9], [1, 1, 4, 31], None, {"coordinate_transformation_mode": "pytorch_half_pixel"}),
    ([1, 1, 1, 1], [1, 1, 6, 5], None, {}),
    ([1, 2, 8, 12], [1, 2, 1, 1], None, {}),
    ([1, 2, 8, 12], [1, 2, 20, 30], [1, 1, 2.5, 2.5], {}),
    ([1, 2, 8, 12], [1, 2, 18, 15], [1, 1, 2.3, 1.3], {}),
    ([1, 2, 8, 12], [1, 2, 6, 10], [1, 1, 0.8, 0.9], {}),
])
def test_a_bilinear_resize_becomes_two_products_within_the_bound(shape, answer, scales, options):
    model = resized(shape, answer, scales, **options)
    after, report = applied(model, "resize")
    (changed,) = report["changed"]
    assert 0 < changed["allowed"] < 1e-4 and changed["difference"] <= changed["allowed"]
    assert kinds(after) == ["MatMul", "MatMul"]
    rewriting.must_look_the_same(model, after)
    feed = rewriting.random_feed(model)
    numpy.testing.assert_allclose(*[rewriting.answers(one, feed)[0] for one in (model, after)], rtol=0, atol=1e-3)


@pytest.mark.parametrize("answer", [[1, 3, 8, 30], [1, 3, 21, 12]])
def test_an_axis_that_keeps_its_size_costs_no_product(answer):
    after, _ = applied(resized(PICTURE, answer), "resize")
    assert kinds(after) == ["MatMul"]


def test_opset_18_may_name_the_axes():
    graph = Small()
    graph.node("Resize", ["picture", "", "", graph.numbers(16, 24)], "resized", mode="linear", axes=[2, 3])
    model = model_of(graph, TensorProto.FLOAT, 18, {"picture": PICTURE}, {"resized": [1, 3, 16, 24]})
    assert kinds(applied(model, "resize")[0]) == ["MatMul", "MatMul"]


@pytest.mark.parametrize("shape, answer, scales, options, why", [
    (PICTURE, [1, 3, 16, 24], None, {"mode": "nearest"}, "its mode is nearest"),
    (PICTURE, [1, 3, 16, 24], None, {"mode": "cubic"}, "its mode is cubic"),
    (PICTURE, [1, 3, 16, 24], None, {"coordinate_transformation_mode": "align_corners"}, "maps pixels by align_corners"),
    (PICTURE, [1, 3, 16, 24], None, {"coordinate_transformation_mode": "asymmetric"}, "maps pixels by asymmetric"),
    (PICTURE, [1, 3, 1, 24], None, {"coordinate_transformation_mode": "pytorch_half_pixel"}, "to one pixel"),
    (PICTURE, [1, 3, 8, 12], None, {}, "does not change the size"),
    (PICTURE, [1, 5, 16, 24], None, {}, "does not scale the last two of four axes alone"),
    ([1, 8, 12, 3], [1, 16, 24, 3], None, {}, "does not scale the last two of four axes alone"),
    ([3, 8, 12], [3, 16, 24], None, {}, "does not scale the last two of four axes alone"),
    (PICTURE, [1, 3, 16, 24], [1, 1.2, 2, 2], {}, "not of the last two axes alone"),
])
def test_another_resize_is_left_alone(shape, answer, scales, options, why):
    assert why in reason(resized(shape, answer, scales, **options), "resize")


def test_weights_of_a_resize_are_exact_where_they_can_be():
    shares = rewrite.resize.weights_of(3, 6, 2)
    assert shares.tolist() == [[1, 0, 0], [.75, .25, 0], [.25, .75, 0], [0, .75, .25], [0, .25, .75], [0, 0, 1]]


def test_scores_and_boxes_go_their_way_apart_until_the_last_node():
    model = detector()
    after, report = applied(model, "rows")
    rewriting.must_look_the_same(model, after)
    rewriting.must_answer_the_same(model, after)
    last = after.graph.node[-1]
    assert last.op_type == "Concat" and list(last.output) == ["rows"]
    view = rewrite.View(after)
    assert [view.shape(name) for name in last.input] == [[1, 20, 4], [1, 20, 4]]
    known = {}
    assert [rewrite.rows.are_scores(view, name, known) for name in last.input] == [False, True]
    assert not any(rewrite.rows.join_of(view, node, known) for node in after.graph.node[:-1] if node.op_type == "Concat")
    assert last.name in report["changed"][0]["what"]
    again, second = applied(after, "rows")
    assert again == after and "the last node already" in second["left"][0]["why"]


def test_key_points_behind_the_scores_keep_their_place():
    after, report = applied(model := detector(((False, 4), (True, 2), (False, 10))), "rows")
    rewriting.must_answer_the_same(model, after)
    assert "4 others, 2 scores, 10 others go apart from 2 join" in report["changed"][0]["what"]
    assert len(after.graph.node[-1].input) == 3


def boxes_and_scores(then):
    """`then(graph)` goes on from the two and says what the outputs are."""
    graph = Small()
    kernel = graph.weight("kernel", numpy.ones((4, 3, 1, 1), numpy.float32))
    graph.node("Conv", ["picture", kernel], "boxes")
    graph.node("Sigmoid", ["boxes"], "scores")
    return graph.model({"picture": [1, 3, 4, 4]}, then(graph))


def joined(graph, output="joined"):
    return graph.node("Concat", ["boxes", "scores"], output, axis=1)


def nothing_behind(graph):
    joined(graph, "out")
    return {"out": [1, 8, 4, 4]}


def arithmetic_behind(graph):
    graph.node("Relu", [joined(graph)], "out")
    return {"out": [1, 8, 4, 4]}


def rows_taken_apart(graph):
    graph.reshape(joined(graph), [1, 2, 64], "out")
    return {"out": [1, 2, 64]}


def two_readers(graph):
    graph.reshape(joined(graph), [1, 8, 16], "out")
    graph.node("Relu", ["joined"], "other")
    return {"out": [1, 8, 16], "other": [1, 8, 4, 4]}


def an_output_that_is_read(graph):
    graph.reshape(joined(graph), [1, 8, 16], "out")
    graph.node("Relu", ["out"], "other")
    return {"out": [1, 8, 16], "other": [1, 8, 16]}


@pytest.mark.parametrize("then, why", [
    (nothing_behind, "the last node already"),
    (arithmetic_behind, "(Relu) works on its rows"),
    (rows_taken_apart, "takes its rows apart"),
    (two_readers, "read by several nodes"),
    (an_output_that_is_read, "the output out is read by other nodes"),
])
def test_rows_that_cannot_be_joined_later_are_left_alone(then, why):
    assert why in reason(boxes_and_scores(then), "rows")


def test_joins_of_joins_and_constants_among_the_parts_are_known():
    def then(graph):
        none = graph.weight("none", numpy.zeros((1, 1, 4, 4), numpy.float32))
        graph.node("Concat", [joined(graph), none, "scores"], "more", axis=1)
        graph.reshape("more", [1, 13, 16], "out")
        return {"out": [1, 13, 16]}

    after, report = applied(model := boxes_and_scores(then), "rows")
    assert "4 others, 4 scores, 1 others, 4 scores go apart from 1 join" in report["changed"][0]["what"]
    rewriting.must_answer_the_same(model, after)


def test_levels_that_are_mixed_otherwise_are_left_alone():
    _, report = applied(detector(other=((True, 4), (False, 4))), "rows")
    assert report["changed"] == []
    assert {left["why"] for left in report["left"]} == {"the rows that come together are not mixed alike"}


@pytest.mark.parametrize("parts", [((False, 4), (False, 4)), ((True, 4), (True, 4))])
def test_rows_of_one_kind_are_no_matter(parts):
    _, report = applied(detector(parts), "rows")
    assert report["changed"] == report["left"] == []


def test_a_score_times_a_score_is_one_and_times_a_stride_is_none():
    graph = Small()
    graph.node("Sigmoid", ["picture"], "sure")
    graph.node("Mul", ["sure", "sure"], "surer")
    graph.node("Mul", ["sure", graph.weight("stride", numpy.array(32, numpy.float32))], "pixels")
    view = rewrite.View(graph.model({"picture": PICTURE}, {"surer": PICTURE, "pixels": PICTURE}))
    assert rewrite.rows.are_scores(view, "surer", {}) and not rewrite.rows.are_scores(view, "pixels", {})
