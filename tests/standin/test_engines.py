# SPDX-License-Identifier: Apache-2.0
"""Engines from the command line: built once, used as they were built or not at all, whatever dies in the middle.

RUNG_TEST_FLIPS and RUNG_TEST_KILLS are how many bits are flipped and how often a build is killed (30 and 20)."""

import json
import os
import pty
import random
import signal
import subprocess
import time

import pytest
from engines_here import RUNG_ID, Place, flip_a_bit, number_of
from standing_in import MANY_AT_ONCE, RUNG, run

CAUSES = [("session=refuse:OpenVINOExecutionProvider", "the session was refused"),
          ("engine=refuse", "the engine was refused"),
          ("session=crash:OpenVINOExecutionProvider", "crashed: "),
          ("run=abort:OpenVINOExecutionProvider", "crashed: "),
          ("session=hang:OpenVINOExecutionProvider", "timeout: "),
          ("session=exit:OpenVINOExecutionProvider", "failed: "),
          ("engine=unwritten", "the provider left no engine")]


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_an_engine_is_built_once_listed_verified_and_cleared(place):
    assert place.engines("list") == []
    assert place.states() == ["built"] and place.states() == ["ready"] and place.compiled() == 1
    (engine,) = place.engines("list")
    assert engine["model"] == "m0" and engine["rung"] == RUNG_ID and engine["precision"] == "f32" and engine["files"] == 1
    assert engine["state"] == "current" and engine["bytes"] == 4096 and engine["used"] >= engine["built"] > 0
    assert [each["state"] for each in place.engines("verify")] == ["current"]
    place.engines("clear")
    assert place.engines("list") == [] and place.states() == ["built"]
    assert not place.leftovers()


def test_what_is_served_is_the_engine_and_stays_as_it_was(place):
    place.build()
    (file,) = place.files()
    content, compiled = file.read_bytes(), place.compiled()
    line, told = place.detect()
    assert line["rung"] == RUNG_ID and not told
    assert place.compiled() == compiled and file.read_bytes() == content and not place.leftovers()


def test_the_smallest_model_comes_first(tmp_path):
    place = Place(tmp_path, models=2)
    built = place.build(place.pack("big", content={"licence": {"text": "long " * 2000}}), *place.models)
    assert [os.path.basename(engine["path"]) for engine in built][-1] == "big.rung"


def test_a_rung_that_compiles_nothing_has_nothing_to_build(place):
    (told,) = json.loads(run("engines", "build", "--json", "--rung", "ort-cpu", "--trust", place.folder / "key.pub.pem",
                             place.models[0], environment=place.environment()).out)["engines"]
    assert told["state"] == "none" and "compiles nothing" in told["reason"]


def test_what_is_no_model_is_told_and_the_others_are_built(place):
    states = place.states(place.folder / "missing.rung", place.models[0], status=5)
    assert sorted(states) == ["built", "failed"]


@pytest.mark.parametrize("steering, words", CAUSES)
def test_what_cannot_be_built_is_left_alone_until_it_is_asked_for_again(place, steering, words):
    limit = ("--time-limit", "1")
    (failed,) = place.build(steering=steering, status=3, options=limit)
    assert failed["state"] == "failed" and words in failed["reason"]
    place.trace.unlink()
    (failed,) = place.build(status=3)
    assert failed["state"] == "failed" and "as before: " in failed["reason"] and place.sessions() == 0
    (unbuilt,) = place.engines("list")
    assert unbuilt["state"] == "unbuilt" and unbuilt["model"] == "m0" and words in unbuilt["reason"]
    assert place.states(options=("--again",)) == ["built"]
    assert [engine["state"] for engine in place.engines("list")] == ["current"]
    assert not place.leftovers()


def test_a_changed_library_gives_it_another_try(place, tmp_path):
    place.build(steering="session=refuse:OpenVINOExecutionProvider", status=3)
    (tmp_path / "libtract.so").write_text("another one")
    assert place.states(RUNG_RUNTIME_PATH=str(tmp_path / "libtract.so")) == ["built"]


def test_a_build_that_dies_twice_is_refused(place):
    crash = "session=crash:OpenVINOExecutionProvider"
    place.build(steering=crash, status=3)
    place.build(steering=crash, status=3, options=("--again",))
    place.engines("clear")  # nor does that help
    (refused,) = place.build(status=3, options=("--again",))
    assert refused["state"] == "refused" and "died twice" in refused["reason"]


def test_clearing_forgets_what_could_not_be_built(place):
    place.build(steering="engine=refuse", status=3)
    place.engines("clear")
    assert place.states() == ["built"]


def test_those_least_recently_used_go(tmp_path):
    place = Place(tmp_path, models=3)
    limit = {"RUNG_ENGINE_CACHE_BYTES": "9000"}  # two of 4096 bytes
    assert place.states(**limit) == ["built"] * 3 and len(place.engines("list")) == 2
    place.engines("clear")
    (large,) = place.build(place.models[0], status=3, RUNG_ENGINE_CACHE_BYTES="4095")
    assert large["state"] == "failed" and "RUNG_ENGINE_CACHE_BYTES" in large["reason"]


def test_a_limit_that_is_no_number_is_told_and_not_heeded(place):
    result = run("engines", "list", environment=place.environment(RUNG_ENGINE_CACHE_BYTES="4 GiB"))
    assert "RUNG_ENGINE_CACHE_BYTES" in result.err and "no number of bytes" in result.err


def test_a_cache_that_is_of_no_use_is_one_sentence_and_what_runs_runs_without(place):
    (place.folder / "cache").write_text("no folder")
    assert "cannot make the folder" in run(*place.command("build", *place.models)[1:], environment=place.environment(), status=5).err
    line, told = place.detect()
    assert line["rung"] == RUNG_ID and not told
    (place.folder / "cache").unlink()
    place.build()
    place.engines_folder.chmod(0o777)
    assert "not this user's alone" in run("engines", "list", environment=place.environment(), status=4).err
    line, told = place.detect()
    assert line["rung"] == RUNG_ID and told.count("no engine is kept") == 1


def test_a_terminal_shows_how_far_it_is(tmp_path):
    place = Place(tmp_path, models=2)
    ours, its = pty.openpty()
    process = subprocess.Popen(place.command("build", *place.models), env=place.environment(TERM="xterm"),
                               stdout=subprocess.DEVNULL, stderr=its)
    os.close(its)
    text = b""
    try:
        while part := os.read(ours, 4096):
            text += part
    except OSError:  # Linux says so at the end
        pass
    os.close(ours)
    assert process.wait() == 0
    shown = text.decode()
    assert "Preparing engines · 1 of 2" in shown and "Preparing engines · 2 of 2" in shown and shown.endswith("\r\033[K")


# ---- damage -------------------------------------------------------------------------------------


def test_no_flipped_bit_is_served_and_each_is_built_again(place, capsys):
    """The stand-in believes what is in its folder, and its numbers are wrong where that was changed."""
    seed = number_of("RUNG_TEST_SEED", int(time.time()))
    chance, flips, served, rebuilt = random.Random(seed), number_of("RUNG_TEST_FLIPS", 30), 0, 0
    place.build()
    right = place.detect()[0]["targets"]
    for _ in range(flips):
        flip_a_bit(place.files()[0], chance)
        line, told = place.detect()
        served += line["targets"] != right or "is not as it was built; it is removed" not in told
        rebuilt += place.states() == ["built"]
    with capsys.disabled():
        print(f"\nseed {seed}: {flips} bits of engines flipped: {served} served, {rebuilt} built again")
    assert (served, rebuilt) == (0, flips)


# ---- deaths -------------------------------------------------------------------------------------


def test_after_a_kill_at_any_moment_the_next_start_is_right(tmp_path, capsys):
    place = Place(tmp_path, models=2)
    seed = number_of("RUNG_TEST_SEED", int(time.time()))
    chance, kills = random.Random(seed), number_of("RUNG_TEST_KILLS", 20)
    begun = time.monotonic()
    assert place.states() == ["built"] * 2
    whole = time.monotonic() - begun
    right = place.detect()[0]["targets"]
    ends = {"killed": 0, "finished": 0}
    for _ in range(kills):
        place.engines("clear")
        process = place.start(*place.command("build", *place.models), steering="engine=slow;slow-ms=30")
        time.sleep(chance.uniform(0, whole + 0.06))
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        ends["killed" if process.returncode < 0 else "finished"] += 1
        assert all(engine["state"] == "current" for engine in place.engines("verify"))  # whole or not there
        assert place.detect()[0]["targets"] == right
        assert set(place.states()) <= {"built", "ready"} and not place.leftovers()
        assert [engine["state"] for engine in place.engines("verify")] == ["current"] * 2
    with capsys.disabled():
        print(f"\nseed {seed}: {kills} builds killed at random moments of {whole:.2f} s ({ends}): each next start was right")


def test_a_kill_in_the_middle_of_a_use_leaves_nothing_for_long(place):
    place.build()
    process = place.start(RUNG, "detect", "-m", place.models[0], "--rung", RUNG_ID, "--trust", place.folder / "key.pub.pem",
                          place.folder / "white.png", steering="session=hang:OpenVINOExecutionProvider")
    deadline = time.monotonic() + 30
    while not any(name.startswith(".use-") and not name.endswith(".lock") for name in place.leftovers()):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.005)
    process.kill()
    process.communicate()
    assert place.leftovers()
    assert not place.detect()[1] and not place.leftovers()


def test_an_interrupted_build_leaves_nothing_and_is_no_failure(place):
    process = place.start(*place.command("build", *place.models), steering="session=hang:OpenVINOExecutionProvider")
    deadline = time.monotonic() + 30
    while not any(name.startswith(".part-") for name in place.leftovers()):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert place.states() == ["built"] and not place.leftovers()


# ---- many ---------------------------------------------------------------------------------------


def test_eight_processes_at_once_make_one_build(place, capsys):
    processes = [place.start(*place.command("build", *place.models), steering="engine=slow;slow-ms=100",
                             variables=MANY_AT_ONCE) for _ in range(8)]
    states = []
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0 and not err
        states += [engine["state"] for engine in json.loads(out)["engines"]]
    with capsys.disabled():
        print(f"\n8 processes at once: {states.count('built')} built it, {states.count('ready')} found it, "
              f"the provider compiled {place.compiled()} time")
    assert sorted(states) == ["built"] + ["ready"] * 7 and place.compiled() == 1 and not place.leftovers()
