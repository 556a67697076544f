# SPDX-License-Identifier: Apache-2.0
"""rung detect on real photographs with the demo's detector."""
import json
import os
import shutil
import signal
import subprocess

import pytest
from conftest import MODELS, PHOTOS, ROOT, RUNG, clean_environment, json_lines, run, sentence
from PIL import Image

FACE = PHOTOS / "astronaut.png"


@pytest.fixture(autouse=True, scope="module")
def demo_is_there():
    assert (MODELS / "centerface.rung").exists() and FACE.exists(), "run scripts/demo-models first"


def detect(*sources, status=0, **options):
    return run("detect", "-m", "centerface", *sources, status=status, **options)


def test_a_face_is_found_where_it_is():
    (line,) = json_lines(detect(FACE, "--json"))
    assert line["schema"] == 1 and line["source"] == str(FACE)
    assert (line["width"], line["height"]) == Image.open(FACE).size
    assert line["identity"] == "centerface" and line["rung"] == "ort-cpu" and line["precision"] == "f32" and len(line["artifact"]) == 64
    (face,) = line["targets"]
    assert face["class"] == "face" and face["class_id"] == 0 and face["score"] > 0.9
    x, y, w, h = face["box"]
    assert abs(x - 181) < 8 and abs(y - 58) < 8 and abs(w - 88) < 10 and abs(h - 120) < 10
    assert len(face["keypoints"]) == 5
    assert all(x < px < x + w and y < py < y + h for px, py in face["keypoints"])
    ms = line["ms"]
    assert all(ms[key] >= 0 for key in ("decode", "preprocess", "run", "postprocess"))
    assert ms["total"] >= ms["run"] > 0


def test_the_table_reads_well():
    result = detect(FACE)
    head, row = result.out.splitlines()
    assert head.split() == ["CLASS", "SCORE", "X", "Y", "WIDTH", "HEIGHT", "SOURCE"]
    assert row.split()[0] == "face" and row.endswith(str(FACE))
    assert "1 picture, 1 target, 0 errors" in result.err


def test_the_same_picture_gives_the_same_targets_every_time():
    lines = json_lines(detect(FACE, FACE, "--json", "--threads", "1")) + json_lines(detect(FACE, "--json"))
    assert all(line["targets"] == lines[0]["targets"] for line in lines[:2])


def test_a_folder_is_walked_in_order_and_other_files_are_left(tmp_path):
    (tmp_path / "in/deeper").mkdir(parents=True)
    for name in ("b.png", "a.PNG", "deeper/c.png"):
        shutil.copy(FACE, tmp_path / "in" / name)
    (tmp_path / "in/notes.txt").write_text("no picture")
    (tmp_path / "in/loop").symlink_to(tmp_path / "in")
    sources = [os.path.relpath(line["source"], tmp_path / "in") for line in json_lines(detect(tmp_path / "in", "--json"))]
    assert sources == ["a.PNG", "b.png", "deeper/c.png"]


def test_a_bad_file_is_one_line_and_the_others_stay(tmp_path):
    (tmp_path / "text.jpg").write_text("this is no picture")
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "cut.png").write_bytes(FACE.read_bytes()[:200000])
    os.mkfifo(tmp_path / "fifo.jpg")
    bad = [tmp_path / n for n in ("text.jpg", "empty.png", "cut.png", "fifo.jpg", "missing.jpg")]
    lines = json_lines(detect(bad[0], FACE, *bad[1:], FACE, "--json", status=5))
    assert [("error" in line) for line in lines] == [True, False, True, True, True, True, False]
    for line in lines:
        if "error" in line:
            assert line["error"]["code"] and len(line["error"]["message"]) > 5
    table = detect(*bad, FACE, status=5)
    for path in bad:
        assert sum(str(path) in row for row in table.err.splitlines()) == 1
    assert "5 errors" in table.err and "face" in table.out


def test_pictures_are_upright_by_exif(tmp_path):
    picture = Image.open(FACE).convert("RGB").crop((100, 0, 400, 400))
    expected = None
    for orientation, undo in enumerate((None, Image.FLIP_LEFT_RIGHT, Image.ROTATE_180, Image.FLIP_TOP_BOTTOM,
                                        Image.TRANSPOSE, Image.ROTATE_90, Image.TRANSVERSE, Image.ROTATE_270), 1):
        stored = picture if undo is None else picture.transpose(undo)
        exif = Image.Exif()
        exif[274] = orientation
        stored.save(tmp_path / f"{orientation}.png", exif=exif)
        (line,) = json_lines(detect(tmp_path / f"{orientation}.png", "--json"))
        assert (line["width"], line["height"]) == (300, 400)
        expected = expected or line["targets"]
        assert line["targets"] == expected, orientation
    assert len(expected) == 1


def test_annotated_pictures_show_the_boxes(tmp_path):
    detect(PHOTOS, "-o", tmp_path / "out")
    before, after = Image.open(FACE).convert("RGB"), Image.open(tmp_path / "out" / FACE.name).convert("RGB")
    (line,) = json_lines(detect(FACE, "--json"))
    x, y, w, h = line["targets"][0]["box"]
    edge = (int(x), int(y + h / 2))
    assert before.size == after.size
    assert before.getpixel(edge) != after.getpixel(edge)
    assert before.getpixel((5, 500)) == after.getpixel((5, 500))
    assert not [p for p in (tmp_path / "out").rglob("*") if p.name.startswith(".rung")]


def test_an_annotated_picture_never_replaces_its_source(tmp_path):
    shutil.copy(FACE, tmp_path / "a.png")
    result = detect(tmp_path / "a.png", "-o", tmp_path, status=5)
    assert "a.png" in result.err and "another folder" in result.err
    assert (tmp_path / "a.png").read_bytes() == FACE.read_bytes()


def test_sources_of_one_name_get_outputs_of_their_own(tmp_path):
    for folder in "ab":
        (tmp_path / folder).mkdir()
        shutil.copy(FACE, tmp_path / folder / "x.png")
    detect(tmp_path / "a/x.png", tmp_path / "b/x.png", "-o", tmp_path / "out")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["x-2.png", "x.png"]


def test_names_may_hold_any_bytes(tmp_path):
    odd = os.fsencode(tmp_path) + b"/a [page=7] \xff\n.png"
    shutil.copy(FACE, odd)
    (line,) = json_lines(detect(odd, "--json"))
    assert len(line["targets"]) == 1 and "source_base64" in line


def test_a_picture_with_too_many_pixels_is_refused_before_decoding(tmp_path):
    import struct
    import zlib

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
    (tmp_path / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                                        chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b""))
    (line,) = json_lines(detect(tmp_path / "bomb.png", "--json", status=5))
    assert line["error"]["code"] == "TOO_LARGE"


def test_no_detection_is_an_ordinary_result(tmp_path):
    Image.new("RGB", (64, 48), (90, 120, 90)).save(tmp_path / "grey.png")
    (line,) = json_lines(detect(tmp_path / "grey.png", "--json"))
    assert line["targets"] == []


def test_a_model_that_is_not_there_is_a_sentence_with_the_places():
    assert str(MODELS) in sentence(run("detect", "-m", "nothing", FACE, status=5))


def test_the_runtime_leaves_nothing_in_the_home_folder(tmp_path):
    """Its telemetry writes a device id there before it can be turned off by a call."""
    environment = clean_environment(HOME=str(tmp_path))
    detect(FACE, environment=environment)
    run("explain", "-m", "centerface", environment=environment)
    assert list(tmp_path.rglob("*")) == []


def test_explain_says_which_rung_ran_and_why():
    text = run("explain", "-m", "centerface").out
    assert "ort-cpu" in text and "ONNX Runtime 1." in text and "nothing was probed" in text
    explained = json.loads(run("explain", "-m", "centerface", "--json", "--rung", "dummy").out)
    assert explained["model"]["rung"] == "dummy" and "named by" in explained["model"]["why"]
    assert "there is no rung" in run("explain", "-m", "centerface", "--rung", "warp", status=5).err


def test_an_interrupt_leaves_what_was_done_intact(tmp_path):
    for i in range(200):
        os.link(FACE, tmp_path / f"{i:03}.png") if (tmp_path.stat().st_dev == FACE.stat().st_dev) else shutil.copy(
            FACE, tmp_path / f"{i:03}.png")
    process = subprocess.Popen([RUNG, "detect", "-m", "centerface", "--json", tmp_path], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=clean_environment(), text=True)
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted after" in errors
    lines = [json.loads(line) for line in (first + rest).splitlines()]
    assert 0 < len(lines) < 200 and all(line["targets"] for line in lines)
