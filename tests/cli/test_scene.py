# SPDX-License-Identifier: Apache-2.0
"""A scene of photographs is what each of them answers, brought to the desktop by the rules of docs/scene.md, which are
written here once more, with fractions."""
import json
import math
import struct
import subprocess
from fractions import Fraction

import pytest
from conftest import BUILD, MODELS, PHOTOS, clean_environment

PROBE = BUILD / "tests" / "cli" / "scene-probe"
MODEL = MODELS / "centerface.rung"
FACE, CAT, COFFEE = PHOTOS / "astronaut.png", PHOTOS / "chelsea.png", PHOTOS / "coffee.png"

ACTIONABLE, INCOMPLETE, ALL = 1, 1, (0, 0, 0, 0)
SIDE = 512 * 256

needs_model = pytest.mark.skipif(not MODEL.exists() or not FACE.exists(), reason="scripts/demo has not been run")


def probe(sources):
    arguments = [argument for photo, placement, visible in sources
                 for argument in (photo, ",".join(map(str, placement)), ",".join(map(str, visible)))]
    result = subprocess.run([PROBE, MODEL, *arguments], capture_output=True, text=True, timeout=300, check=False, env=clean_environment())
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def half_up(number):
    return math.floor(number + Fraction(1, 2))


class Desktop:
    def __init__(self, frame, placement, visible):
        self.frame, self.place = frame, placement
        shows = placement if visible == ALL else visible
        self.left, self.top = max(placement[0], shows[0]), max(placement[1], shows[1])
        self.right = min(placement[0] + placement[2], shows[0] + shows[2])
        self.bottom = min(placement[1] + placement[3], shows[1] + shows[3])

    def x(self, x):
        return self.place[0] + half_up(Fraction(x * self.place[2], self.frame["width"] * 256))

    def y(self, y):
        return self.place[1] + half_up(Fraction(y * self.place[3], self.frame["height"] * 256))


def identity(target):
    """FNV-1a-64 of the record."""
    number = 0xcbf29ce484222325
    fields = [target[name] for name in ("source", "x", "y", "w", "h", "class", "bits")]
    for byte in b"".join(struct.pack("<q", field) for field in fields):
        number = (number ^ byte) * 0x100000001b3 % 2**64
    return str(number or 1)


def bring(target, desktop):
    """The target on the desktop; None: nothing of it shows."""
    left, right = max(desktop.x(target["x"]), desktop.left), min(desktop.x(target["x"] + target["w"]), desktop.right)
    top, bottom = max(desktop.y(target["y"]), desktop.top), min(desktop.y(target["y"] + target["h"]), desktop.bottom)
    if left >= right or top >= bottom:
        return None
    safe = desktop.x(target["safe_x"]), desktop.y(target["safe_y"])
    if not (left <= safe[0] < right and top <= safe[1] < bottom):
        safe = left + (right - left) // 2, top + (bottom - top) // 2
    out = dict(target, x=left, y=top, w=right - left, h=bottom - top, safe_x=safe[0], safe_y=safe[1])
    out["points"] = [desktop.y(value) if i % 2 else desktop.x(value) for i, value in enumerate(target["points"])]
    if out["w"] <= 512 or out["h"] <= 512:
        out.update(flags=out["flags"] & ~ACTIONABLE, capabilities=0)
    out["id"] = identity(out)
    return out


def expect(answer, sources):
    all_of_them = []
    for frame, (_, placement, visible) in zip(answer["frames"], sources):
        desktop = Desktop(frame, placement, visible)
        all_of_them += [out for target in frame["targets"] if (out := bring(target, desktop))]
    all_of_them.sort(key=lambda target: (-target["confidence"], target["y"], target["x"], int(target["id"])))
    return [dict(target, order=order) for order, target in enumerate(all_of_them)]


CASES = {
    "side by side": [(FACE, (0, 0, SIDE, SIDE), ALL), (CAT, (SIDE, 0, 451 * 256, 300 * 256), ALL)],
    "left of the origin, scaled by fractions": [(FACE, (-777777, -1234, 654321, 333333), ALL), (COFFEE, (3, 5, 76543, 54321), ALL)],
    "a window that sticks out of its display": [(FACE, (-60000, -20000, SIDE, SIDE), (0, 0, 1920 * 256, 1080 * 256))],
    "as small as a stamp": [(FACE, (100, 100, 40 * 256, 40 * 256), ALL)],
    "the same picture many times": [(FACE, (i % 4 * SIDE, i // 4 * SIDE, SIDE, SIDE), ALL) for i in range(16)],
    "nothing shows": [(FACE, (0, 0, SIDE, SIDE), (SIDE, 0, SIDE, SIDE))],
}


@needs_model
@pytest.mark.parametrize("name", CASES)
def test_a_scene_is_its_frames_brought_to_the_desktop(name):
    sources = CASES[name]
    answer = probe(sources)
    scene = answer["scene"]
    assert scene["space"] == 3
    assert sum(len(frame["targets"]) for frame in answer["frames"]) > 0
    assert scene["targets"] == expect(answer, sources)
    cut_short = any(frame["flags"] & INCOMPLETE for frame in answer["frames"])
    assert scene["flags"] == (INCOMPLETE if cut_short else 0)


@needs_model
def test_what_shows_in_part_is_cut():
    """So that the case above is one: some targets are whole, some cut, some gone."""
    sources = CASES["a window that sticks out of its display"]
    answer = probe(sources)
    desktop = Desktop(answer["frames"][0], *sources[0][1:])
    everything = Desktop(answer["frames"][0], sources[0][1], ALL)
    placed = [(bring(target, desktop), bring(target, everything)) for target in answer["frames"][0]["targets"]]
    assert any(out is None for out, _ in placed)
    assert any(out == whole for out, whole in placed)
    assert any(out and out != whole for out, whole in placed)
