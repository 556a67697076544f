# SPDX-License-Identifier: Apache-2.0
"""What the comparison with peers rests on: turns, answers that must be the same, goals, and Rung's own side."""
import sys

import numpy
import pytest
from PIL import Image

from conftest import ROOT

sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench/peers")]
import heads  # noqa: E402
import measure  # noqa: E402
import ours  # noqa: E402
import preprocess  # noqa: E402
import selection  # noqa: E402
import triangle  # noqa: E402

if not ours.LIBRARY.exists():
    pytest.skip("the benchmarks are not built", allow_module_level=True)
LEVELS = ours.levels()


def side(value):
    return measure.Side(lambda: value)


def case(**peers):
    there = measure.Peers()
    there.update({name: side(0) for name in peers})
    return measure.Case("case", {"low": side(0), "high": side(0)}, there, None, (measure.Goal(("fast", "slow"), 2.0),), "bound",
                        {"low": side(0), "high": side(0)}, {"low": 2.0})


def rounds(**peers):
    """Two rounds in which Rung took 4 and 2 ms at its levels, and the bound 1 ms."""
    values = {("rung", "low"): 4.0, ("rung", "high"): 2.0, ("bound", "low"): 1.0, ("bound", "high"): 1.0}
    return [values | {("peer", name): ms[number] for name, ms in peers.items()} for number in range(2)]


def test_every_side_runs_once_a_turn_and_none_always_follows_the_same():
    calls = []
    sides = {name: measure.Side(lambda name=name: calls.append(name), reads=[]) for name in "abc"}
    measure.take_round(sides, 30, measure.CLOCKS["wall"])
    turns = ["".join(calls[i:i + 3]) for i in range(0, len(calls), 3)]
    assert all(sorted(turn) == ["a", "b", "c"] for turn in turns) and len(set(turns)) > 3


def test_a_goal_is_against_the_fastest_of_its_peers_at_the_highest_level():
    peers = {"fast": [3.0, 9.0], "slow": [5.0, 5.0], "other": [1.0, 1.0]}
    (goal,) = measure.summarise(case(**peers), rounds(**peers), 0, True, 1)["goals"]
    assert goal["level"] == "high" and goal["ratio"] == {"median": 2.0, "min": 1.5, "max": 2.5} and goal["met"]


def test_a_goal_without_its_peers_is_missed():
    summary = measure.summarise(case(other=0), rounds(other=[9.0, 9.0]), 0, True, 1)
    assert not summary["goals"][0]["met"] and summary["goals"][0]["against"] == []


def test_a_bound_is_exceeded_where_its_level_has_a_limit():
    bounds = measure.summarise(case(), rounds(), 0, True, 1)["bounds"]
    assert [(bound["level"], bound["times"]["median"], bound["met"]) for bound in bounds] == [("low", 4.0, False), ("high", 2.0, True)]


def test_peers_that_cannot_be_had_or_do_other_work_are_left_out_with_a_reason():
    peers = measure.Peers()
    peers.add("missing", lambda: __import__("no_such_package"))
    peers.add("other", lambda: side(2))
    peers.add("same", lambda: side(1))
    peers.compare(1, lambda _name, answer, wanted: "" if answer == wanted else f"gives {answer}")
    assert list(peers) == ["same"] and peers.left_out["other"] == "gives 2" and "no_such_package" in peers.left_out["missing"]


@pytest.mark.parametrize("level", LEVELS)
def test_a_triangle_case_makes_the_bytes_of_pillow(level):
    picture = numpy.random.default_rng(1).integers(0, 256, (90, 160, 3), numpy.uint8)
    form = ours.Form(160, 90, 64, 48, ours.TRIANGLE, *triangle.PICTURE)
    wanted = numpy.asarray(Image.fromarray(picture).resize((64, 48), Image.Resampling.BILINEAR))
    assert numpy.array_equal(ours.Preprocess(LEVELS[level], form, picture)(), wanted)


@pytest.mark.parametrize("level", LEVELS)
def test_a_letterbox_is_grey_above_and_below_the_picture(level):
    picture = ours.aligned((90, 160, 3), numpy.uint8)
    picture[:] = (255, 0, 51)
    form = ours.Form(160, 90, 64, 64, ours.BILINEAR, ours.LETTERBOX, ours.F32, ours.PLANAR)
    tensor = ours.Preprocess(LEVELS[level], form, picture)()
    assert tensor.shape == (3, 64, 64) and numpy.allclose(tensor[:, :14] * 255, preprocess.GREY)
    assert numpy.allclose(tensor[:, 14:50], numpy.array([1, 0, 0.2])[:, None, None]) and numpy.allclose(tensor[:, 50:] * 255, 114)


@pytest.mark.parametrize("level", LEVELS)
def test_the_loop_that_memory_bounds_stores_the_whole_tensor(level):
    picture = ours.aligned((90, 160, 3), numpy.uint8)
    picture[:] = 255
    form = ours.Form(160, 90, 64, 64, ours.BILINEAR, ours.LETTERBOX, ours.F32, ours.PLANAR)
    touch = ours.Preprocess(LEVELS[level], form, picture, "touch")
    touch.tensor[:] = 7
    assert not (touch() == 7).any()


@pytest.mark.parametrize("form", ["clustered", "spread"])
def test_confidences_differ_and_boxes_lie_in_the_picture(form):
    records = selection.candidates(form, 2000)
    corners = selection.corners(records)
    assert numpy.unique(records["confidence"]).size == 2000 and (records["w"] > 0).all() and (records["h"] > 0).all()
    assert corners.min() >= 0 and corners[:, 2].max() <= selection.WIDTH + 1 and corners[:, 3].max() <= selection.HEIGHT + 1


def test_selections_that_keep_other_boxes_differ():
    kept = numpy.arange(5000)
    assert selection.differs("", kept[::-1], kept) == "" and selection.differs("", kept[4:], kept) == ""
    assert "keeps 4900" in selection.differs("", kept[:4900], kept)


def test_boxes_of_another_class_or_place_differ():
    boxes = numpy.array([[10, 20, 30, 40, 0.9, 3], [50, 60, 90, 99, 0.8, 4]])
    moved, other = boxes + [[1, 0, 0, 0, 0, 0]], boxes + [[0, 0, 0, 0, 0, 1]]
    assert heads.differs("", boxes[::-1], boxes) == ""
    assert "0 of them the same" in heads.differs("", moved, boxes) and heads.differs("", other, boxes)


def test_yolo_keeps_a_box_for_about_every_object():
    output = heads.yolo_output(100)
    kept = heads.kept(next(iter(heads.yolo_case({"level": 0}, 100).rung.values())).run)
    assert ((output[4:] > heads.THRESHOLD).any(0)).sum() == 100 and 8 <= len(kept) <= 30
    assert (numpy.diff(kept[:, 4]) <= 0).all()


@pytest.mark.parametrize("live, threshold, count", [(600, 0, heads.FIRST), (50, 0.25, 50 * (3 + 1.0986) // 4)])
def test_detr_gives_the_greatest_scores_in_order(live, threshold, count):
    logits, _boxes = heads.detr_output(live)
    kept = heads.kept(next(iter(heads.detr_case({"level": 0}, live, threshold).rung.values())).run)
    wanted = 1 / (1 + numpy.exp(-numpy.sort(logits.reshape(-1).astype(float))[::-1][:len(kept)]))
    assert abs(len(kept) - count) <= 1 and numpy.abs(kept[:, 4] - wanted).max() < 2e-5


def test_short_work_is_repeated_within_a_turn_and_cold_work_is_not():
    calls = []
    warm, cold = measure.Side(lambda: calls.append("w")), measure.Side(lambda: calls.append("c"), reads=[])
    warm.repeat = 3
    assert warm.time(iter([0, 6_000_000]).__next__) == 2.0 and cold.time(iter([0, 6_000_000]).__next__) == 6.0
    assert "".join(calls) == "w" + "www" + "c"
