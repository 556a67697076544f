# SPDX-License-Identifier: Apache-2.0
"""examples/camera: every frame is accounted for, the newest one is served, and what was seen before a turn is stale."""
import re

import pytest
import tiny
from command_line import MODELS, PHOTOS
from conftest import ppm, run, sentence
from PIL import Image


class Seen:
    """What the program prints: the frames that were detected in, those that are stale, and its counts."""

    def __init__(self, result):
        *lines, last = result.stdout.splitlines()
        rows = [re.fullmatch(r"frame (\d+): (\d+) targets, \d+\.\d ms old(, stale)?", line).groups() for line in lines]
        self.frames = [int(row[0]) for row in rows]
        self.targets = [int(row[1]) for row in rows]
        self.stale = [int(row[0]) for row in rows if row[2]]
        pattern = r"(\d+) taken, (\d+) detected in, (\d+) replaced by newer ones, (\d+) failed"
        self.taken, self.detected, self.replaced, self.failed = map(int, re.fullmatch(pattern, last).groups())
        assert self.detected == len(self.frames)
        assert self.taken == self.detected + self.replaced + self.failed  # no frame is lost, and none counted twice
        assert self.frames == sorted(set(self.frames))


@pytest.fixture
def pictures(tmp_path):
    return ppm(tmp_path / "before.ppm", 16, 8), ppm(tmp_path / "after.ppm", 8, 16, colour=(0, 0, 0))


@pytest.fixture(scope="session")
def slow(models):
    """Takes longer than the camera from frame to frame."""
    return models.pack("slow", graph={"before": lambda name: tiny.chain(name, steps=600)})


def test_a_fast_model_sees_every_frame(models, detector, pictures):
    seen = Seen(run("camera", detector, 12, *pictures, environment=models.trust))
    assert seen.taken == 12 and seen.frames[-1] == 12 and seen.failed == 0
    assert seen.detected >= 8  # all of them, but that the machine has other work, too
    assert {2, 1} == set(seen.targets)  # `bright` is seen before the turn alone


def test_what_was_seen_before_the_turn_is_stale(models, detector, pictures):
    """The frame that is under way when the camera is turned."""
    seen = Seen(run("camera", detector, 12, *pictures, environment=models.trust))
    assert len(seen.stale) == 1 and seen.stale[0] <= 6 and seen.stale[0] == max(f for f in seen.frames if f <= 6)


def test_a_slow_model_is_given_the_newest_frames(models, slow, pictures):
    seen = Seen(run("camera", slow, 30, *pictures, environment=models.trust))
    assert seen.replaced > 5 and seen.failed == 0
    assert seen.frames[0] == 1 and seen.frames[-1] == 30
    assert len(seen.stale) <= 1


def test_one_frame_is_enough(models, detector, pictures):
    seen = Seen(run("camera", detector, 1, *pictures, environment=models.trust))
    assert (seen.frames, seen.stale) == ([1], [])


def test_faces_are_seen_in_a_sequence(tmp_path):
    if not (MODELS / "centerface.rung").exists():
        pytest.skip("scripts/demo-models has not made centerface")
    Image.open(PHOTOS / "astronaut.png").convert("RGB").save(tmp_path / "face.ppm")
    seen = Seen(run("camera", MODELS / "centerface.rung", 15, tmp_path / "face.ppm", tmp_path / "face.ppm"))
    assert set(seen.targets) == {1} and seen.failed == 0


@pytest.mark.parametrize("frames", ["0", "-1", "1x", "", "100001", "4294967297"])
def test_a_wrong_number_of_frames_is_told(detector, pictures, frames):
    assert sentence(run("camera", detector, frames, *pictures, status=2)).startswith("usage: camera ")


def test_a_picture_or_a_model_that_is_none_is_told(models, detector, pictures, tmp_path):
    assert "none.ppm" in sentence(run("camera", detector, 5, pictures[0], tmp_path / "none.ppm", status=1))
    assert sentence(run("camera", detector, 5, *pictures, status=1)).startswith("PERMISSION: ")
