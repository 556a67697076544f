# SPDX-License-Identifier: Apache-2.0
"""examples/scene: sixteen displays in one scene, each target in its place on the wall."""
import re

import pytest
from conftest import EMBEDDER, ppm, run, sentence

WIDTH, HEIGHT = 64, 32


def read(result):
    """The scenes, the targets of the last one, and the counts."""
    lines = result.stdout.splitlines()
    scenes = [re.fullmatch(r"scene (\d+): (\d+) targets of 16 sources, the oldest picture (\d+\.\d) ms old(, incomplete)?", line)
              for line in lines if line.startswith("scene")]
    places = [re.fullmatch(r"display (\d+): (\d\.\d+) at (\S+) (\S+), (\S+) by (\S+)", line) for line in lines if line.startswith("display")]
    assert all(scenes) and all(places) and len(lines) == len(scenes) + len(places) + 1
    counts = re.fullmatch(r"(\d+) published, (\d+) periods missed, oldest picture at most (\d+\.\d) ms old", lines[-1]).groups()
    return ([(int(s[1]), int(s[2]), bool(s[4])) for s in scenes], [tuple(map(float, p.groups())) for p in places],
            (int(counts[0]), int(counts[1]), float(counts[2])))


def test_every_target_has_its_place_on_the_wall(models, detector, tmp_path):
    picture = ppm(tmp_path / "white.ppm", WIDTH, HEIGHT)
    scenes, places, (published, _, _) = read(run("scene", detector, 1, picture, environment=models.trust))
    assert len(scenes) > 5 and scenes[0][1] == 32 and not scenes[0][2]
    assert [s[0] for s in scenes] == sorted({s[0] for s in scenes}) and scenes[-1][0] <= published
    corners = {(i + 1, i % 4 * WIDTH, i // 4 * HEIGHT) for i in range(16)}
    assert {(p[0], p[2], p[3]) for p in places if p[1] == 0.9} == corners  # `corner` is at the origin of each
    assert {(p[4], p[5]) for p in places if p[1] == 0.9} == {(WIDTH / 4, HEIGHT / 4)}


def test_what_cannot_be_a_scene_is_told(models, detector, tmp_path):
    picture = ppm(tmp_path / "a.ppm")
    embedder = models.pack("no-scene", **EMBEDDER)
    assert "detector" in sentence(run("scene", embedder, 1, picture, status=1, environment=models.trust))
    assert "b.ppm" in sentence(run("scene", detector, 1, tmp_path / "b.ppm", status=1))


@pytest.mark.parametrize("seconds", ["0", "3601", "x"])
def test_wrong_arguments_are_told(detector, seconds):
    assert sentence(run("scene", detector, seconds, "a.ppm", status=2)) == "usage: scene MODEL SECONDS PICTURE.ppm"
