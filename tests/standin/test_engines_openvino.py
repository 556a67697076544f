# SPDX-License-Identifier: Apache-2.0
"""Real engines: OpenVINO's cache on the CPU, where the OpenVINO build of ONNX Runtime is at hand.

RUNG_TEST_FLIPS is how many bits are flipped (8)."""

import random
import time

import pytest
from engines_here import OPENVINO, RUNG_ID, Place, flip_a_bit, need_openvino, number_of


@pytest.fixture
def place(tmp_path):
    need_openvino()
    return Place(tmp_path, library=OPENVINO)


def test_its_cache_is_built_verified_and_used(place):
    assert place.states() == ["built"]
    (file,) = place.files()
    content = file.read_bytes()
    line, told = place.detect()
    assert line["rung"] == RUNG_ID and not told
    assert line["targets"] == place.detect(rung="ort-cpu")[0]["targets"]
    # It deletes and rewrites its file at every load: of its copy, not of the stored one.
    assert place.files() == [file] and file.read_bytes() == content and not place.leftovers()
    assert [engine["state"] for engine in place.engines("verify")] == ["current"]


def test_no_flipped_bit_is_served_and_each_is_built_again(place, capsys):
    seed = number_of("RUNG_TEST_SEED", int(time.time()))
    chance, flips, served, rebuilt = random.Random(seed), number_of("RUNG_TEST_FLIPS", 8), 0, 0
    assert place.states() == ["built"]
    right = place.detect()[0]["targets"]
    for _ in range(flips):
        flip_a_bit(place.files()[0], chance)
        line, told = place.detect()
        served += line["targets"] != right or "is not as it was built; it is removed" not in told
        rebuilt += place.states() == ["built"]
    with capsys.disabled():
        print(f"\nOpenVINO, seed {seed}: {flips} bits of engines flipped: {served} served, {rebuilt} built again")
    assert (served, rebuilt) == (0, flips)
