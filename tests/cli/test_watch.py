# SPDX-License-Identifier: Apache-2.0
"""rung watch: every kind of source, scenes as JSON Lines, a table on a terminal, and how it ends."""
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios

import pytest
import tiny
from conftest import BUILD, PHOTOS, ROOT, RUNG, clean_environment, json_lines, run, sentence
from PIL import Image
from processes import await_that

FRAMES = 12
FACE = PHOTOS / "astronaut.png"
ENDLESS = "synthetic:64x48"


@pytest.fixture(scope="module")
def model(tmp_path_factory, keys):
    """The tiny detector: "bright" in the middle with the picture's mean as its score, and "corner" with 0.9."""
    folder = tmp_path_factory.mktemp("model")
    tiny.graph(folder / "tiny.onnx")
    run("pack", tiny.spec(folder / "spec.json"), folder / "tiny.onnx", "-o", folder / "tiny.rung", "--key", keys / "key.pem")
    return ["-m", folder / "tiny.rung", "--trust", keys / "key.pub.pem"]


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    """Numbered pictures of 40 × 30, brighter and brighter: from number 5 on they are "bright"."""
    folder = tmp_path_factory.mktemp("frames")
    for i in range(FRAMES):
        Image.new("RGB", (40, 30), (25 * i % 256,) * 3).save(folder / f"f{i}.png")
    return folder


def watch(model, *arguments, status=0, **options):
    return run("watch", *model, *arguments, status=status, **options)


class Seen:
    """The lines of --json, by type."""

    def __init__(self, result):
        self.lines = json_lines(result)
        (self.start,) = [line for line in self.lines if line["type"] == "start"]
        (self.summary,) = [line for line in self.lines if line["type"] == "summary"]
        self.scenes = [line for line in self.lines if line["type"] == "scene"]
        assert self.lines[0] is self.start and self.lines[-1] is self.summary and len(self.lines) == len(self.scenes) + 2
        assert all(line["schema"] == 1 for line in self.lines)
        check_counters(self)

    def targets(self, source=1):
        return [[t for t in scene["targets"] if t["source"] == source] for scene in self.scenes]


def seen(model, *arguments, status=0, **options):
    return Seen(watch(model, "--json", *arguments, status=status, **options))


COUNTED = ("served", "replaced", "stale", "failed", "discarded")


def pending(source):
    return source["offered"] - sum(source[key] for key in COUNTED)


def check_counters(seen):
    """Every frame that was offered is in one counter or still pending, and the scenes add up."""
    summary = seen.summary
    assert summary["ticks"] == sum(summary[key] for key in ("published", "idle", "aborted", "dropped"))
    assert [scene["sequence"] for scene in seen.scenes] == list(range(1, summary["published"] + 1))
    assert summary["targets"] == sum(len(scene["targets"]) for scene in seen.scenes)
    for source in summary["sources"]:
        assert 0 <= pending(source) <= 1, source
        shown = [next(s for s in scene["sources"] if s["id"] == source["id"]) for scene in seen.scenes]
        assert source["served"] == sum(s.get("status") == "fresh" for s in shown)
        assert source["late"] == sum(s.get("status") == "late" for s in shown)
    for scene in seen.scenes:
        assert scene["due_ns"] <= scene["began_ns"] <= scene["committed_ns"]
        assert scene["incomplete"] == any(s.get("status", "fresh") != "fresh" for s in scene["sources"])
        for source in scene["sources"]:
            assert source["targets"] == sum(t["source"] == source["id"] for t in scene["targets"])
            if source.get("status") == "fresh":
                assert source["age_ns"] == scene["committed_ns"] - source["captured_ns"]
                assert scene["oldest_capture_ns"] <= source["captured_ns"]


def frames_of(seen, id=1):
    """The numbers of the frames of a source that were served."""
    return [s["frame"] for scene in seen.scenes for s in scene["sources"] if s["id"] == id and "frame" in s]


# ---- kinds of sources -------------------------------------------------------------------------


def test_all_frames_of_a_slow_folder_are_served_in_order(model, frames):
    result = seen(model, "--fps", "50", "--rate", "1000", frames)
    (source,) = result.summary["sources"]
    assert source["offered"] == FRAMES and source["state"] == "ended" and source["message"] == f"ended after {FRAMES} frames"
    served = frames_of(result)
    assert served == sorted(set(served)) and len(served) == source["served"] and pending(source) == 0
    (declared,) = result.start["sources"]
    assert declared == {"id": 1, "source": str(frames), "kind": "folder", "width": 40, "height": 30, "place": [0, 0, 40, 30]}


def test_numbers_count_as_numbers_whatever_their_digits(model, frames):
    """f10 is behind f9: the brightest pictures are the last, and number 11 is dark again."""
    for source in (frames, frames / "f%d.png", frames / "f*.png"):
        result = seen(model, "--fps", "50", "--rate", "1000", source)
        bright = {}
        for scene, targets in zip(result.scenes, result.targets()):
            bright[scene["sources"][0]["frame"]] = [t["score"] for t in targets if t["class"] == "bright"]
        for number, scores in bright.items():
            value = 25 * number % 256 / 255
            assert scores == ([pytest.approx(value, abs=1e-3)] if value >= 0.5 else []), number


@pytest.mark.parametrize("name, pattern", [
    ("00007.png", "%05d.png"), ("cam1 00007 x.png", "cam1 %05d x.png"), ("100000.png", "%05d.png"), ("7", "%d"), ("0.png", "%d.png"),
])
def test_a_pattern_takes_what_printing_a_number_gives(model, tmp_path, name, pattern):
    Image.new("RGB", (40, 30)).save(tmp_path / name, "PNG")
    for other in ("007.png", "x7.png", "7.jpg", "00007.png~", "012345678.png", "no", "-7.png"):
        (tmp_path / other).write_text("no picture")
    result = seen(model, tmp_path / pattern)
    assert result.start["sources"][0]["kind"] == "numbered" and result.summary["sources"][0]["offered"] == 1


def test_a_file_is_what_it_is_called_also_with_signs_of_a_pattern(model, tmp_path):
    for name in ("%05d.png", "a*.png", "a1.png"):
        Image.new("RGB", (40, 30)).save(tmp_path / name)
    for name in ("%05d.png", "a*.png"):
        result = seen(model, tmp_path / name)
        assert result.start["sources"][0]["kind"] == "file" and result.summary["sources"][0]["offered"] == 1


def test_a_round_begins_again_with_loop(model, frames):
    result = seen(model, "--loop", "--fps", "1000", "--rate", "1000", "--count", str(2 * FRAMES + 1), frames)
    assert len(result.scenes) == 2 * FRAMES + 1 and frames_of(result)[-1] >= 2 * FRAMES
    assert result.summary["sources"][0]["state"] == "playing"


def raw_frame(value, size=4 * 3 * 3):
    return bytes([value]) * size


@pytest.mark.parametrize("format, bytes_a_pixel", [("rgb8", 3), ("bgr8", 3), ("rgba8", 4), ("bgra8", 4), ("rgbx8", 4), ("bgrx8", 4),
                                                   ("gray8", 1)])
def test_raw_frames_come_on_standard_input(model, format, bytes_a_pixel):
    data = b"".join(raw_frame(value, 4 * 3 * bytes_a_pixel) for value in (0, 255, 255))
    result = seen(model, "--raw", f"{format}:4x3", "-", input=data)
    (source,) = result.summary["sources"]
    assert source["offered"] == 3 and source["state"] == "ended" and source["served"] >= 1
    *_, last = result.targets()
    assert sorted(t["class"] for t in last) == ["bright", "corner"] and last[0]["box"] == [1, 0.75, 2, 1.5]
    assert result.start["sources"][0]["kind"] == "raw" and result.start["sources"][0]["source"] == "-"


def test_colours_of_raw_frames_are_told_apart(tmp_path):
    """A real photograph as bytes: the same face as in the file."""
    picture = Image.open(FACE).convert("RGB")
    found = {}
    for format, data in (("rgb8", picture.tobytes()), ("bgra8", picture.convert("RGBA").tobytes("raw", "BGRA"))):
        result = seen(["-m", "centerface"], "--raw", f"{format}:{picture.width}x{picture.height}", "-", input=data)
        (found[format],) = result.scenes[-1]["targets"]
    (line,) = json_lines(run("detect", "-m", "centerface", "--json", FACE))
    (expected,) = line["targets"]
    for target in found.values():
        assert {key: target[key] for key in expected} == expected


def test_a_named_pipe_is_waited_for_and_ends_with_its_writer(model, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    process = subprocess.Popen([RUNG, "watch", *model, "--json", "--raw", "rgb8:4x3", tmp_path / "pipe", ENDLESS],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean_environment())
    lines = [process.stdout.readline(), process.stdout.readline()]  # a scene is there, of the other source
    assert '"type":"scene"' in lines[1] and '"status":"late"' in lines[1]
    with open(tmp_path / "pipe", "wb") as pipe:
        pipe.write(raw_frame(255))
    for line in process.stdout:
        if '"id":1,"state":"ended"' in line:
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and "pipe: ended after 1 frame\n" in errors


def test_a_stream_that_ends_in_the_middle_of_a_frame_is_told(model):
    result = watch(model, "--json", "--raw", "rgb8:4x3", "-", input=raw_frame(255) + b"xy", status=5)
    assert "standard input ends 2 bytes into frame 1, which --raw says has 36" in sentence(result)
    (source,) = Seen(result).summary["sources"]
    assert source["offered"] == 1 and source["state"] == "failed"


def test_what_is_synthetic_is_the_same_each_time(model):
    first = seen(model, "--fps", "200", "--rate", "100", "--count", "9", "synthetic:64x48:5")
    again = seen(model, "--fps", "200", "--rate", "100", "--count", "9", "synthetic:64x48:5")
    targets = [{frame: targets for frame, targets in zip(frames_of(run), run.targets())} for run in (first, again)]
    assert all(targets[0][frame] == targets[1][frame] for frame in set(targets[0]) & set(targets[1]))


@pytest.mark.parametrize("operand, size", [("synthetic", (1280, 720)), ("synthetic:64x48", (64, 48)), ("synthetic:9", (1280, 720)),
                                           ("synthetic:1x1:9", (1, 1)), ("synthetic:7x3:0", (7, 3))])
def test_synthetic_sources_have_the_size_they_are_told(model, operand, size):
    (source,) = seen(model, "--count", "1", operand).start["sources"]
    assert (source["width"], source["height"]) == size and source["kind"] == "synthetic"


def test_a_face_is_followed_on_its_way(tmp_path):
    """A photograph that moves by 3 pixels to the right and 2 down with each frame."""
    Image.open(FACE).convert("RGB").crop((160, 20, 290, 200)).save(tmp_path / "face.png")
    result = seen(["-m", "centerface"], "--rate", "5", "--fps", "10", "--count", "3", f"synthetic:400x400:{tmp_path}/face.png")
    positions = {}
    for scene in result.scenes:
        (target,) = scene["targets"]
        positions[scene["sources"][0]["frame"]] = target["box"]
    (first, a), *_, (last, b) = sorted(positions.items())
    assert last > first
    assert b[0] - a[0] == pytest.approx(3 * (last - first), abs=4) and b[1] - a[1] == pytest.approx(2 * (last - first), abs=4)


def test_a_face_is_found_in_photographs_of_every_kind_of_source(tmp_path):
    """Where rung detect finds it, moved by the place of the source on the desktop."""
    shutil.copy(FACE, tmp_path / "007.png")
    face = Image.open(FACE).convert("RGB")
    sources = [tmp_path, tmp_path / "%03d.png", tmp_path / "0*.png", FACE, f"synthetic:512x512:{FACE}", "-"]
    result = seen(["-m", "centerface"], "--rate", "4", "--policy", "abort", "--count", "1", "--raw", "rgb8:512x512", *sources, input=face.tobytes())
    assert [s["kind"] for s in result.start["sources"]] == ["folder", "numbered", "glob", "file", "synthetic", "raw"]
    (line,) = json_lines(run("detect", "-m", "centerface", "--json", FACE))
    (expected,) = line["targets"]
    boxes = {t["source"]: t["box"] for scene in result.scenes for t in scene["targets"]}
    assert sorted(boxes) == [1, 2, 3, 4, 5, 6]
    for source, (x, *others) in boxes.items():
        assert [x - 512 * (source - 1), *others] == expected["box"]


# ---- several sources --------------------------------------------------------------------------


def test_sources_lie_side_by_side_and_targets_say_which_is_theirs(model, frames):
    result = seen(model, "--rate", "20", "--loop", "--count", "3", ENDLESS, frames, "synthetic:20x10")
    assert [s["place"] for s in result.start["sources"]] == [[0, 0, 64, 48], [64, 0, 40, 30], [104, 0, 20, 10]]
    scene = next(scene for scene in result.scenes if not scene["incomplete"])
    corners = {t["source"]: t["box"] for t in scene["targets"] if t["class"] == "corner"}
    assert corners == {1: [0, 0, 16, 12], 2: [64, 0, 10, 7.5], 3: [104, 0, 5, 2.5]}


@pytest.mark.parametrize("place, places", [
    ("row", [[0, 0, 64, 48], [64, 0, 20, 10], [84, 0, 64, 48]]),
    ("column", [[0, 0, 64, 48], [0, 48, 20, 10], [0, 58, 64, 48]]),
    ("grid", [[0, 0, 64, 48], [64, 0, 20, 10], [0, 48, 64, 48]]),
    ("+0+0,40x20-40-20,+7+0", [[0, 0, 64, 48], [-40, -20, 40, 20], [7, 0, 64, 48]]),
])
def test_sources_lie_where_they_are_placed(model, place, places):
    result = seen(model, "--count", "2", "--place", place, ENDLESS, "synthetic:20x10", ENDLESS)
    assert [s["place"] for s in result.start["sources"]] == places
    scene = result.scenes[-1]
    for target in scene["targets"]:
        x, y, w, h = places[target["source"] - 1]
        assert target["class"] != "corner" or target["box"] == [x, y, w / 4, h / 4]


def test_sixteen_sources_make_one_scene(model, frames):
    result = seen(model, "--rate", "10", "--loop", "--count", "5", *[frames] * 8, *[ENDLESS] * 8)
    assert len(result.start["sources"]) == 16
    assert any(len({t["source"] for t in scene["targets"]}) == 16 for scene in result.scenes)


def test_seventeen_sources_are_a_sentence_with_the_way_out(model):
    assert "at most 16 sources, not 17" in sentence(watch(model, *[ENDLESS] * 17, status=2))


def test_a_source_that_ended_makes_no_scene_incomplete(model, frames):
    result = seen(model, "--rate", "100", "--fps", "100", "--count", "60", frames, ENDLESS)
    last = result.scenes[-1]
    assert last["sources"][0]["state"] == "ended" and "status" not in last["sources"][0]
    assert [t["source"] for t in last["targets"]] and {t["source"] for t in last["targets"]} <= {2}


def test_scenes_without_a_source_are_published_or_not_as_the_policy_says(model, tmp_path):
    os.mkfifo(tmp_path / "silent")
    arguments = ["--raw", "rgb8:4x3", tmp_path / "silent", ENDLESS]
    partial = seen(model, "--count", "3", *arguments)
    assert all(scene["incomplete"] for scene in partial.scenes) and partial.start["policy"] == "partial"
    assert partial.summary["sources"][0]["late"] == 3 and partial.summary["sources"][0]["offered"] == 0
    abort = seen(model, "--policy", "abort", "--duration", "1", *arguments)
    assert not abort.scenes and abort.summary["aborted"] > 0 and abort.summary["published"] == 0


def test_a_fast_source_is_replaced_by_its_newest(model):
    result = seen(model, "--rate", "5", "--fps", "200", "--count", "3", ENDLESS)
    (source,) = result.summary["sources"]
    assert source["replaced"] > 0 and source["served"] == 3


STANDIN = {
    "RUNG_RUNTIME": str(BUILD / "tests" / "standin" / "libonnxruntime.so.1.99.0-standin"),
    "RUNG_STANDIN_REAL": str(next(iter(sorted((ROOT / "runtimes").glob("onnxruntime-[0-9]*/libonnxruntime.so.*"))), "")),
}


def test_a_slow_model_is_given_the_newest_frames_and_periods_are_missed(model):
    result = seen(model, "--rate", "100", "--fps", "100", "--count", "5", ENDLESS,
                  environment=clean_environment(**STANDIN, RUNG_STANDIN="slow-ms=100;run=slow"))
    (source,) = result.summary["sources"]
    assert result.summary["missed"] >= 4 * 5 and source["replaced"] >= 4 * 5 and source["served"] == 5
    first, *others = [scene["committed_ns"] - scene["due_ns"] for scene in result.scenes]
    assert min(first, *others) >= 1e8
    numbers = frames_of(result)
    assert all(later - earlier >= 5 for earlier, later in zip(numbers, numbers[1:]))


def peak_kib(*arguments):
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen([RUNG, "watch", *arguments], stdout=nowhere, env=clean_environment())
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss


def test_memory_does_not_grow_with_time(model):
    """A frame has 900 KiB, and a source room for four."""
    if BUILD.name.endswith("san"):
        pytest.skip("a sanitizer keeps what was freed")
    arguments = [*model, "--json", "--rate", "400", "--fps", "1000", "synthetic:640x480", "--count"]
    few, many = peak_kib(*arguments, "10"), peak_kib(*arguments, "400")
    assert many < few + 4 * 900 + 2000, (few, many)


# ---- what goes wrong --------------------------------------------------------------------------


def test_broken_frames_are_told_once_and_counted(model, frames, tmp_path):
    shutil.copytree(frames, tmp_path / "f")
    for number in (3, 4, 7):
        (tmp_path / f"f/f{number}.png").write_text("no picture")
    result = watch(model, "--json", "--fps", "20", "--rate", "1000", tmp_path / "f", ENDLESS, "--count", "60", "--duration", "60",
                   status=5)
    first, *others = result.err.splitlines()
    assert f"{tmp_path}/f: {tmp_path}/f/f3.png: " in first and len(others) == 1
    assert f"ended after {FRAMES - 3} frames; 3 could not be read" in others[0]
    source, other = Seen(result).summary["sources"]
    assert source["broken"] == 3 and source["offered"] == FRAMES - 3 and other["broken"] == 0
    assert not {3, 4, 7} & set(frames_of(Seen(result)))


def test_frames_that_vanish_are_broken_ones(model, frames, tmp_path):
    shutil.copytree(frames, tmp_path / "f")
    process = subprocess.Popen([RUNG, "watch", *model, "--json", "--loop", "--fps", "100", tmp_path / "f"], env=clean_environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert '"start"' in process.stdout.readline() and '"scene"' in process.stdout.readline()
    shutil.rmtree(tmp_path / "f")
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 5 and "no frame could be read: " in errors and '"state":"failed"' in output


@pytest.mark.parametrize("name", ["nothing", "empty", "text", "f%05d.png", "f*.png", "nothing/%d.png", "text.png"])
def test_what_has_no_pictures_is_a_sentence(model, tmp_path, name):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").mkdir()
    for path in ("text/a.png", "text.png", "text/notes.txt"):
        (tmp_path / path).write_text("no picture")
    assert str(tmp_path / name) in sentence(watch(model, tmp_path / name, status=5))


def test_an_empty_stream_is_a_sentence(model):
    assert "no frame could be read" in watch(model, "--raw", "rgb8:4x3", "-", input=b"", status=5).err


@pytest.mark.parametrize("arguments, words", [
    (["-"], "--raw FORMAT:WIDTHxHEIGHT"), (["--raw", "rgb8:4x3", "-", "-"], "one source only"),
    (["--raw", "rgb9:4x3", "-"], "rgb8, bgr8"), (["--raw", "rgb8:4", "-"], "not \"rgb8:4\""), (["--raw", "rgb8:0x3", "-"], "--raw"),
    (["--raw", "rgb8:4x70000", "-"], "--raw"), (["--raw", "rgb8:4x3x", "-"], "--raw"), (["--raw", "gray8:60000x60000", "-"], "--max-pixels"),
    (["synthetic:"], "synthetic[:"), (["synthetic:4x0"], "4x0"), (["synthetic:1001"], "at most 1000"),
    (["synthetic:65535x65535"], "synthetic"),
    (["--place", "circle", ENDLESS], "row, column, grid"), (["--place", "+0+0", ENDLESS, ENDLESS], "each of the 2"),
    (["--place", "+0", ENDLESS], "--place"), (["--place", "+8388600+0", ENDLESS], "beyond"),
    (["--rate", "0", ENDLESS], "--rate"), (["--rate", "1001", ENDLESS], "--rate"), (["--policy", "maybe", ENDLESS], "partial or abort"),
    (["--count", "0", ENDLESS], "--count"), (["--fps", "x", ENDLESS], "--fps"), (["--conf", "0.1", ENDLESS], "--override-calibration"),
    (["--classes", "face", ENDLESS], "bright, corner"), ([], "SOURCE"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_a_mistake_is_a_sentence(model, arguments, words):
    assert words in sentence(watch(model, *arguments, status=2, stdin=subprocess.DEVNULL))


def test_the_model_is_asked_for():
    assert "-m MODEL is missing" in sentence(run("watch", ENDLESS, status=2))


def test_a_frame_that_the_model_fails_on_is_told_and_the_others_are_served(model):
    result = watch(model, "--json", "--rate", "50", "--count", "6", ENDLESS, status=3,
                   environment=clean_environment(**STANDIN, RUNG_STANDIN="run=refuse@3"))
    (told,) = [line for line in result.err.splitlines() if not line.startswith("rung: warning: ")]
    assert told.startswith("rung watch: synthetic:64x48: the model failed on frame ")
    scenes = Seen(result)
    (source,) = scenes.summary["sources"]
    assert source["failed"] == 1 and source["served"] == 5
    (failed,) = [scene for scene in scenes.scenes if scene["sources"][0]["status"] == "failed"]
    assert failed["sequence"] == 3 and failed["incomplete"] and failed["sources"][0]["error"] == "BACKEND" and not failed["targets"]


def test_a_lost_device_is_no_end(model):
    """The next rung down serves from then on."""
    result = watch(model, "--json", "--rate", "50", "--count", "60", ENDLESS, status=3,
                   environment=clean_environment(**STANDIN, RUNG_STANDIN="run=lost@3"))
    assert "goes on on tract" in result.err
    statuses = [scene["sources"][0]["status"] for scene in Seen(result).scenes]
    lost = statuses.index("failed")
    assert lost == 2 and statuses[-1] == "fresh" and "failed" not in statuses[statuses.index("fresh", lost):]


def test_a_source_that_stalls_is_told_and_so_is_its_return(model, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    process = subprocess.Popen([RUNG, "watch", *model, "--json", "--raw", "rgb8:4x3", tmp_path / "pipe", ENDLESS],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean_environment())

    def await_line(words):
        for line in process.stdout:
            if words in line:
                return
        pytest.fail(process.stderr.read())
    with open(tmp_path / "pipe", "wb", buffering=0) as pipe:
        pipe.write(raw_frame(255))
        await_line('"id":1,"state":"stalled"')
        pipe.write(raw_frame(255))
        await_line('"id":1,"state":"playing","status":"fresh","frame":1')
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "pipe: no frame has come for a while\n" in errors and "pipe: frames come again\n" in errors


def test_frames_of_another_size_are_stretched_to_the_place(model, tmp_path):
    Image.new("RGB", (40, 30)).save(tmp_path / "1.png")
    Image.new("RGB", (80, 20)).save(tmp_path / "2.png")
    result = seen(model, "--fps", "50", "--rate", "200", tmp_path)
    assert frames_of(result)[-1] == 1 and all(t["box"] == [0, 0, 10, 7.5] for targets in result.targets() for t in targets)


def test_large_frames_are_refused(model, tmp_path):
    Image.new("RGB", (100, 100)).save(tmp_path / "large.png")
    assert "100 × 100" in watch(model, "--max-pixels", "9999", tmp_path / "large.png", status=5).err.replace("x", "×")


def test_a_detector_is_needed():
    assert "no detector" in sentence(run("watch", "-m", "selfie_seg", ENDLESS, status=2))


def test_a_required_rung_that_cannot_serve_is_a_verdict(model):
    assert "cuda" in watch(model, "--require", "cuda", ENDLESS, status=1).err


# ---- filters ----------------------------------------------------------------------------------


def test_filters_leave_what_is_asked_for(model, frames):
    result = seen(model, "--classes", "corner", "--loop", "--count", "12", frames)
    assert {t["class"] for scene in result.scenes for t in scene["targets"]} == {"corner"} and result.start["filter"] == {"classes": "corner"}
    result = seen(model, "--conf", "0.95", "--loop", "--count", "24", "--fps", "1000", "--rate", "200", frames)
    assert all(t["score"] >= 0.95 for scene in result.scenes for t in scene["targets"])


def test_the_start_says_what_runs(model):
    start = seen(model, "--count", "1", "--rate", "7", ENDLESS).start
    assert start["model"]["identity"] == "tiny" and start["model"]["rung"] == "ort-cpu" and len(start["model"]["artifact"]) == 64
    assert start["rate"] == 7 and start["now_ns"] > 0 and start["unix_ns"] > 1.6e18


# ---- ends, terminals --------------------------------------------------------------------------


def test_it_ends_after_so_many_scenes_or_so_long(model):
    assert len(seen(model, "--count", "4", ENDLESS).scenes) == 4
    summary = seen(model, "--duration", "1", ENDLESS).summary
    assert summary["duration_ns"] >= 1e9 and summary["published"] > 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_an_interruption_leaves_whole_lines_and_a_summary(model, number):
    process = subprocess.Popen([RUNG, "watch", *model, "--json", ENDLESS], env=clean_environment(), stdout=subprocess.PIPE, text=True)
    head = [process.stdout.readline() for _ in range(3)]
    process.send_signal(number)
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 130

    class Result:
        out = "".join(head) + rest
    assert len(Seen(Result).scenes) >= 2


def test_a_silent_pipe_can_be_interrupted_before_its_first_frame(model, tmp_path):
    reader, writer = os.pipe()
    process = subprocess.Popen([RUNG, "watch", *model, "--json", "--raw", "rgb8:4x3", "-"], stdin=reader, env=clean_environment(),
                               stdout=subprocess.PIPE)
    assert b"start" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    os.close(writer)
    os.close(reader)
    assert process.returncode == 130


def test_plain_lines_where_there_is_no_terminal(model, frames):
    text = watch(model, "--duration", "2", "--loop", frames, ENDLESS).out
    assert re.search(r"^1 s: scene \d+, 2 of 2 sources playing, \d+ targets?, \d+ missed, ", text, re.MULTILINE)
    assert "\x1b" not in text and "\r" not in text
    assert re.search(rf"^{frames} +playing ", text, re.MULTILINE) and re.search(r"^batch +[\d.]+ ", text, re.MULTILINE)


def test_a_full_disk_ends_it(model):
    with open("/dev/full", "w") as full:
        process = subprocess.run([RUNG, "watch", *model, "--json", ENDLESS], stdout=full, stderr=subprocess.PIPE, text=True,
                                 env=clean_environment(), check=False, timeout=60)
    assert process.returncode == 5 and "cannot be written to standard output" in process.stderr


ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, *arguments, columns=100, rows=30, term="xterm", **more):
        self.master, slave = pty.openpty()
        self.resize(columns, rows)
        self.process = subprocess.Popen([RUNG, *arguments], stdin=slave, stdout=slave, stderr=slave,
                                        env=clean_environment(TERM=term, **more), start_new_session=True)
        os.close(slave)
        self.text = ""

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        """False at the end."""
        select.select([self.master], [], [], 60)
        try:
            chunk = os.read(self.master, 65536)
        except OSError:  # the other end is closed
            return False
        self.text += chunk.decode(errors="replace")
        return bool(chunk)

    def read_until(self, condition):
        while not condition(self.text):
            assert self.read(), self.text

    def finish(self):
        while self.read():
            pass
        os.close(self.master)
        return self.process.wait(timeout=60)


def drawings(text):
    """What was drawn, one drawing after the other, without the controls."""
    return [re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", part).split("\r\n") for part in text.split("\x1b[H")[1:]]


def test_a_terminal_has_a_table_that_is_drawn_in_place(model, frames):
    terminal = Terminal("watch", *model, "--loop", "--count", "30", frames, ENDLESS)
    assert terminal.finish() == 0
    text = terminal.text
    assert text.count(ENTER) == 1 and text.count(LEAVE) == 1 and text.index(ENTER) < text.index(LEAVE)
    last = drawings(text.split(LEAVE)[0])[-1]
    assert last[0].startswith("tiny on ort-cpu, 30 Hz, partial, scene ")
    assert last[2].split()[:4] == ["SOURCE", "STATE", "AGE", "ms"]
    assert last[3].split()[1] == "playing" and last[4].startswith(ENDLESS) and last[4].split()[1] == "playing"
    assert any(line.startswith("batch ") for line in last) and any("missed" in line for line in last)
    after = text.split(LEAVE)[1]
    assert "\x1b[H" not in after and f"{ENDLESS} " in after and " scenes, " in after
    assert "\x1b[32mplaying" in text


def test_colours_are_left_out_where_they_are_not_wanted(model):
    terminal = Terminal("watch", *model, "--count", "3", ENDLESS, NO_COLOR="1")
    assert terminal.finish() == 0 and "\x1b[32m" not in terminal.text and ENTER in terminal.text


def test_a_dumb_terminal_has_plain_lines(model):
    terminal = Terminal("watch", *model, "--count", "3", ENDLESS, term="dumb")
    assert terminal.finish() == 0 and "\x1b" not in terminal.text and ENDLESS in terminal.text


def test_the_table_keeps_to_the_terminal_whatever_its_size(model):
    terminal = Terminal("watch", *model, *[ENDLESS] * 9, columns=60, rows=14)
    terminal.read_until(lambda text: len(drawings(text)) > 3)
    small = drawings(terminal.text)[-2]
    assert len(small) <= 14 and max(map(len, small[2:8])) <= 60
    terminal.resize(140, 40)
    seen_before = len(drawings(terminal.text))
    terminal.read_until(lambda text: len(drawings(text)) > seen_before + 2)
    large = drawings(terminal.text)[-2]
    assert "OLDEST ms" in large[2] and "OLDEST ms" not in small[2] and sum(ENDLESS in line for line in large) == 9
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.finish() == 130 and terminal.text.count(LEAVE) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_the_screen_comes_back_however_it_ends(model, number):
    terminal = Terminal("watch", *model, ENDLESS)
    terminal.read_until(lambda text: len(drawings(text)) > 2)
    terminal.process.send_signal(number)
    status = terminal.finish()
    assert status == (-number if number == signal.SIGHUP else 130)
    assert terminal.text.count(LEAVE) == 1 and "\x1b[?25h" in terminal.text.split(ENTER)[1]


def test_the_screen_is_given_back_while_it_is_stopped(model):
    terminal = Terminal("watch", *model, ENDLESS)
    terminal.read_until(lambda text: len(drawings(text)) > 2)
    terminal.process.send_signal(signal.SIGTSTP)
    terminal.read_until(lambda text: LEAVE in text)
    await_that(lambda: open(f"/proc/{terminal.process.pid}/stat").read().rpartition(")")[2].split()[0] == "T", "the stop")
    terminal.process.send_signal(signal.SIGCONT)
    terminal.read_until(lambda text: text.count(ENTER) == 2 and len(drawings(text.rsplit(ENTER)[-1])) > 1)
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.finish() == 130


def test_warnings_do_not_go_where_the_table_is(model):
    terminal = Terminal("watch", *model, "--count", "20", "--loop", ENDLESS, **STANDIN, RUNG_STANDIN="run=refuse@3")
    assert terminal.finish() == 3
    drawn, after = terminal.text.split(LEAVE)
    assert "warning" not in drawn.split(ENTER)[1] and "rung: warning: scene: frame " in after and f"{ENDLESS}: the model failed on frame " in after
    assert any(f"{ENDLESS}: the model failed on frame " in line for line in drawings(drawn)[-1])


def test_names_cannot_steer_the_terminal(model, tmp_path):
    folder = tmp_path / "a\x1b[31mb\x07"
    folder.mkdir()
    Image.new("RGB", (40, 30)).save(folder / "1.png")
    terminal = Terminal("watch", *model, "--count", "3", "--loop", folder, columns=300)
    assert terminal.finish() == 0 and "\x07" not in terminal.text and "\x1b[31mb" not in terminal.text and "a?[31mb?" in terminal.text
