# SPDX-License-Identifier: Apache-2.0
"""Jobs over many pictures: order, threads, resuming, outputs, filters, progress, interruption."""
import base64
import collections
import csv
import io
import json
import os
import pty
import select
import signal
import subprocess
import time

import pytest
import tiny
from conftest import RUNG, clean_environment, json_lines, run, sentence
from PIL import Image

PICTURES = 240


@pytest.fixture(scope="module")
def model(tmp_path_factory, keys):
    """The tiny detector: "bright" with the picture's mean as its score, and "corner" with 0.9."""
    folder = tmp_path_factory.mktemp("model")
    tiny.graph(folder / "tiny.onnx")
    run("pack", tiny.spec(folder / "spec.json"), folder / "tiny.onnx", "-o", folder / "tiny.rung", "--key", keys / "key.pem")
    return ["-m", folder / "tiny.rung", "--trust", keys / "key.pub.pem"]


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    """Pictures of every brightness, and one that is none."""
    folder = tmp_path_factory.mktemp("photos")
    for i in range(PICTURES):
        Image.new("RGB", (40 + i % 7, 30 + i % 5), (i, i, i)).save(folder / f"{i:06}.png")
    (folder / "000100x.png").write_text("no picture")
    return folder


def detect(model, *arguments, status=0, **options):
    return run("detect", *model, *arguments, status=status, **options)


def without_times(lines):
    return [{key: value for key, value in line.items() if key != "ms"} for line in lines]


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def sources_of(lines):
    return collections.Counter(line["source"] for line in lines)


@pytest.fixture(scope="module")
def whole(model, photos):
    return json_lines(detect(model, "--json", photos, status=5))


@pytest.mark.parametrize("options", [["--hint", "latency"], ["--hint", "throughput"], ["--threads", "1"],
                                     ["--hint", "throughput", "--threads", "7"], ["--hint", "latency", "--threads", "3"]],
                         ids=" ".join)
def test_threads_change_neither_the_results_nor_their_order(model, photos, whole, options):
    lines = json_lines(detect(model, "--json", *options, photos, status=5))
    assert without_times(lines) == without_times(whole) and len(lines) == PICTURES + 1


def test_the_summary_tells_what_ran(model, photos):
    error = detect(model, photos, "--threads", "2", status=5).err
    assert f"{PICTURES} pictures, " in error and "1 error in" in error and "(tiny on ort-cpu, 2 × 1 thread)" in error
    error = detect(model, photos / "000001.png", "--threads", "2").err
    assert "1 picture, 1 target, 0 errors" in error and "1 × 2 threads" in error


# ---- resuming ---------------------------------------------------------------------------------


def test_results_go_to_the_file_that_is_resumed(model, photos, whole, tmp_path):
    result = detect(model, "--resume", tmp_path / "r.jsonl", photos, status=5)
    assert result.out == "" and without_times(read_lines(tmp_path / "r.jsonl")) == without_times(whole)
    assert "000100x.png" in result.err
    again = detect(model, "--resume", tmp_path / "r.jsonl", photos)
    assert f"{PICTURES + 1} were done before" in again.err
    assert without_times(read_lines(tmp_path / "r.jsonl")) == without_times(whole)


def test_a_job_that_was_killed_goes_on_and_every_picture_is_there_once(model, photos, whole, tmp_path):
    """kill -9 again and again, at whatever place, until the job comes to its end."""
    journal = tmp_path / "r.jsonl"
    journal.touch()
    kills = 0
    while kills < 200:
        lines_before = journal.read_bytes().count(b"\n")
        process = subprocess.Popen([RUNG, "detect", *model, "--resume", journal, photos], env=clean_environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while process.poll() is None and journal.read_bytes().count(b"\n") < lines_before + 5:
            time.sleep(0.0005)
        process.kill()
        process.communicate()
        if process.returncode != -signal.SIGKILL:
            break
        kills += 1
    assert process.returncode in (0, 5) and kills >= 2
    lines = read_lines(journal)
    assert sources_of(lines) == sources_of(whole)
    assert without_times(sorted(lines, key=lambda line: line["source"])) == without_times(
        sorted(whole, key=lambda line: line["source"]))


@pytest.mark.parametrize("cut", [1, 20, 300])
def test_a_line_that_was_cut_off_is_done_again(model, photos, whole, tmp_path, cut):
    journal = tmp_path / "r.jsonl"
    detect(model, "--resume", journal, photos, status=5)
    os.truncate(journal, journal.stat().st_size - cut)
    detect(model, "--resume", journal, photos)
    assert without_times(read_lines(journal)) == without_times(whole)


def test_a_picture_that_is_named_twice_has_two_lines(model, photos, tmp_path):
    picture, journal = photos / "000007.png", tmp_path / "r.jsonl"
    detect(model, "--resume", journal, picture, picture, picture)
    lines = journal.read_text().splitlines(keepends=True)
    assert len(lines) == 3
    journal.write_text("".join(lines[:2]))
    assert "1 picture, " in detect(model, "--resume", journal, picture, picture, picture).err
    assert len(read_lines(journal)) == 3


def test_a_name_of_any_bytes_is_found_again(model, photos, tmp_path):
    odd = os.fsencode(tmp_path) + b"/\xff\xfe caf\xe9.png"
    Image.new("RGB", (9, 9)).save(tmp_path / "a.png")
    os.rename(tmp_path / "a.png", odd)
    detect(model, "--resume", tmp_path / "r.jsonl", odd)
    assert "1 were done before" in detect(model, "--resume", tmp_path / "r.jsonl", odd, photos / "000001.png").err
    first, second = read_lines(tmp_path / "r.jsonl")
    assert base64.b64decode(first["source_base64"]) == odd and "source_base64" not in second


@pytest.mark.parametrize("content, words", [
    ("these are notes\n", "line 1 is no result of rung"), ('{"schema":1}\n', "line 1 is no result"),
    ('{"schema":1,"source":"x","error":{"code":"IO","message":"m"}}\n[]\n', "line 2 is no result"),
    ('{"schema":1,"source":"x","identity":"tiny","artifact":"00"}\n', "line 1 is of another model"),
])
def test_a_file_of_something_else_is_refused_and_left_alone(model, photos, tmp_path, content, words):
    (tmp_path / "r.jsonl").write_text(content)
    assert words in sentence(detect(model, "--resume", tmp_path / "r.jsonl", photos / "000001.png", status=2))
    assert (tmp_path / "r.jsonl").read_text() == content


def test_a_job_goes_on_under_its_own_identity_alone(model, photos, tmp_path):
    detect(model, "--resume", tmp_path / "r.jsonl", photos / "000200.png")
    content = (tmp_path / "r.jsonl").read_text().replace('"identity":"tiny"', '"identity":"tiny+f16"')
    (tmp_path / "r.jsonl").write_text(content)
    result = detect(model, "--resume", tmp_path / "r.jsonl", photos / "000200.png", photos / "000201.png", status=4)
    assert "line 1 is by tiny+f16 on ort-cpu, and this job is by tiny on ort-cpu" in sentence(result)
    assert (tmp_path / "r.jsonl").read_text() == content


def test_results_with_other_options_are_not_mixed(model, photos, tmp_path):
    detect(model, "--resume", tmp_path / "r.jsonl", "--conf", "0.7", photos / "000200.png")
    result = detect(model, "--resume", tmp_path / "r.jsonl", photos / "000200.png", photos / "000201.png", status=2)
    assert "made with other options" in sentence(result)
    assert len(read_lines(tmp_path / "r.jsonl")) == 1


def test_two_jobs_do_not_write_one_file(model, photos, tmp_path):
    import fcntl
    with open(tmp_path / "r.jsonl", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "another job" in sentence(detect(model, "--resume", tmp_path / "r.jsonl", photos, status=5))


@pytest.mark.parametrize("kind", ["folder", "fifo"])
def test_what_is_no_regular_file_is_not_resumed(model, photos, tmp_path, kind):
    (os.mkdir if kind == "folder" else os.mkfifo)(tmp_path / "r")
    sentence(detect(model, "--resume", tmp_path / "r", photos, status=5))


# ---- outputs ----------------------------------------------------------------------------------


def test_csv_reads_back(model, photos, whole, tmp_path):
    odd = tmp_path / 'a "quoted", name.png'
    Image.new("RGB", (16, 16), "white").save(odd)
    rows = list(csv.DictReader(io.StringIO(detect(model, "--csv", photos, odd, status=5).out)))
    targets = [(line, target) for line in whole for target in line.get("targets", [])]
    assert len(rows) == len(targets) + 2 and rows[-1]["source"] == str(odd)
    for row, (line, target) in zip(rows, targets):
        assert row["source"] == line["source"] and row["class"] == target["class"]
        assert abs(float(row["score"]) - target["score"]) < 1e-5 and int(row["class_id"]) == target["class_id"]
        assert [float(row[key]) for key in "xywh"] == pytest.approx(target["box"], abs=0.005)
    assert "give one" in sentence(detect(model, "--csv", "--json", photos, status=2))


def coco_lines(lines):
    return [(target["box"], target["score"], line["source"]) for line in lines for target in line.get("targets", [])]


def test_coco_numbers_pictures_by_their_names(model, photos, whole, tmp_path):
    named = sorted(path for path in photos.iterdir() if path.stem.isdigit())
    detect(model, "--coco", tmp_path / "new/c.json", *named)
    results = json.loads((tmp_path / "new/c.json").read_text())
    assert [(r["bbox"], r["score"], r["file_name"]) for r in results] == coco_lines(whole)
    assert all(r["image_id"] == int(os.path.basename(r["file_name"])[:6]) for r in results)
    assert {r["category_id"] for r in results} == {1, 2}


def test_coco_numbers_pictures_by_their_place_when_one_has_no_number(model, photos, whole, tmp_path):
    detect(model, "--coco", tmp_path / "c.json", photos, status=5)
    results = json.loads((tmp_path / "c.json").read_text())
    places = {line["source"]: place for place, line in enumerate(whole, 1)}
    assert all(r["image_id"] == places[r["file_name"]] for r in results) and len(results) == len(coco_lines(whole))


def test_coco_has_what_an_earlier_call_found_too(model, photos, whole, tmp_path):
    journal = tmp_path / "r.jsonl"
    detect(model, "--resume", journal, *sorted(photos.iterdir())[:50])
    detect(model, "--resume", journal, "--coco", tmp_path / "c.json", photos, status=5)
    results = json.loads((tmp_path / "c.json").read_text())
    assert [(r["bbox"], r["score"], r["file_name"]) for r in results] == coco_lines(whole)


def test_coco_of_nothing_is_an_empty_list(model, photos, tmp_path):
    detect(model, "--coco", tmp_path / "c.json", "--conf", "1", photos / "000001.png")
    assert json.loads((tmp_path / "c.json").read_text()) == []


# The 80 classes as everybody lists them, and the numbers that COCO gives them: some are left out.
COCO = ("person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,stop sign,parking meter,bench,"
        "bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,backpack,umbrella,handbag,tie,suitcase,frisbee,skis,snowboard,"
        "sports ball,kite,baseball bat,baseball glove,skateboard,surfboard,tennis racket,bottle,wine glass,cup,fork,knife,spoon,"
        "bowl,banana,apple,sandwich,orange,broccoli,carrot,hot dog,pizza,donut,cake,chair,couch,potted plant,bed,dining table,"
        "toilet,tv,laptop,mouse,remote,keyboard,cell phone,microwave,oven,toaster,sink,refrigerator,book,clock,vase,scissors,"
        "teddy bear,hair drier,toothbrush").split(",")
NOT_IN_COCO = {12, 26, 29, 30, 45, 66, 68, 69, 71, 83}


@pytest.mark.parametrize("id", [0, 10, 11, 39, 40, 59, 60, 61, 72, 79])
def test_coco_classes_get_cocos_own_numbers(keys, photos, tmp_path, id):
    tiny.graph(tmp_path / "tiny.onnx", corner_class=id)
    spec = tiny.spec(tmp_path / "spec.json", labels=COCO)
    run("pack", spec, tmp_path / "tiny.onnx", "-o", tmp_path / "tiny.rung", "--key", keys / "key.pem")
    run("detect", "-m", tmp_path / "tiny.rung", "--trust", keys / "key.pub.pem", "--coco", tmp_path / "c.json", photos / "000000.png")
    (result,) = json.loads((tmp_path / "c.json").read_text())
    assert result["category_id"] == [number for number in range(1, 91) if number not in NOT_IN_COCO][id]


# ---- filters ----------------------------------------------------------------------------------


def filtered(whole, keep):
    return [[target for target in line["targets"] if keep(target)] for line in whole if "targets" in line]


def targets_of(result):
    return [line["targets"] for line in json_lines(result) if "targets" in line]


def test_a_raised_threshold_is_a_filter_after_the_models_own(model, photos, whole):
    result = detect(model, "--json", "--conf", "0.8", photos, status=5)
    assert targets_of(result) == filtered(whole, lambda target: target["score"] >= 0.8)
    assert all(line["filter"] == {"conf": 0.8} for line in json_lines(result) if "targets" in line)


@pytest.mark.parametrize("wish, label", [("corner", "corner"), ("CORNER", "corner"), ("1", "corner"), ("0", "bright")])
def test_classes_are_named_by_label_or_number(model, photos, whole, wish, label):
    result = detect(model, "--json", "--classes", wish, photos, status=5)
    assert targets_of(result) == filtered(whole, lambda target: target["class"] == label)
    assert targets_of(detect(model, "--json", "--classes", "bright, corner", photos, status=5)) == filtered(whole, bool)


@pytest.mark.parametrize("wish", ["face", "2", "", "bright,,corner", "-1", "1e0"])
def test_a_class_that_is_not_there_is_a_sentence_with_those_that_are(model, photos, wish):
    assert "bright, corner" in sentence(detect(model, "--classes", wish, photos / "000001.png", status=2))


def test_fewer_targets_are_the_best_ones(model, photos, whole):
    best = [line["targets"][:1] for line in whole if "targets" in line]
    assert targets_of(detect(model, "--json", "--max-det", "1", photos, status=5)) == best


def test_stricter_suppression_keeps_the_best_of_what_overlaps(keys, photos, tmp_path):
    """Two boxes of one class with IoU 1/3."""
    tiny.graph(tmp_path / "tiny.onnx", corner_class=0, corner=(0.5, 0.25, 0.5, 0.5))
    run("pack", tiny.spec(tmp_path / "spec.json"), tmp_path / "tiny.onnx", "-o", tmp_path / "tiny.rung", "--key", keys / "key.pem")
    model = ["-m", tmp_path / "tiny.rung", "--trust", keys / "key.pub.pem"]
    bright = photos / "000239.png"
    (both,) = targets_of(detect(model, "--json", bright))
    assert [target["box"][0] > 0 for target in both] == [True, True] and len(both) == 2
    assert targets_of(detect(model, "--json", "--iou", "0.34", bright)) == [both]
    assert targets_of(detect(model, "--json", "--iou", "0.32", bright)) == [both[:1]]


@pytest.mark.parametrize("wish", [["--conf", "0.3"], ["--conf", "0"], ["--iou", "0.9"], ["--max-det", "3"]], ids=" ".join)
def test_a_looser_threshold_has_to_be_asked_for_and_every_result_says_so(model, photos, wish):
    refused = sentence(detect(model, "--json", *wish, photos, status=2))
    assert wish[0] in refused and "the model's own" in refused and "--override-calibration" in refused
    name = wish[0][2:].replace("-", "_")
    for line in json_lines(detect(model, "--json", *wish, "--override-calibration", photos, status=5)):
        assert "error" in line or line["override"] == {name: float(wish[1])} and "filter" not in line


def test_a_lowered_threshold_finds_more(model, photos, whole):
    lines = json_lines(detect(model, "--json", "--conf", "0.3", "--override-calibration", photos, status=5))
    scores = [target["score"] for line in lines for target in line.get("targets", []) if target["class"] == "bright"]
    assert sum(0.3 <= score < 0.5 for score in scores) > 30 and min(scores) >= 0.3


@pytest.mark.parametrize("option, value", [("--conf", "1.5"), ("--conf", "-0"), ("--conf", "nan"), ("--iou", "x"), ("--iou", "0,5"),
                                           ("--max-det", "0"), ("--max-det", "10001"), ("--hint", "speed"), ("--threads", "0"),
                                           ("--max-pixels", "0")])
def test_a_value_out_of_range_is_a_sentence(model, photos, option, value):
    assert option[2:] in sentence(detect(model, option, value, photos, status=2))


# ---- terminals and signals --------------------------------------------------------------------


def on_a_terminal(*arguments, interrupt_after=None):
    """→ what the command wrote to a terminal of its own, its status."""
    master, slave = pty.openpty()
    process = subprocess.Popen([RUNG, *arguments], stdin=slave, stdout=slave, stderr=slave,
                               env=clean_environment(TERM="xterm"))
    os.close(slave)
    written = b""
    while True:
        select.select([master], [], [], 60)
        try:
            chunk = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        written += chunk
        if interrupt_after and interrupt_after in written:
            process.send_signal(signal.SIGINT)
            interrupt_after = None
    os.close(master)
    return written.decode(), process.wait(timeout=60)


def test_a_terminal_shows_progress_with_rate_and_time_left(model, photos):
    text, _ = on_a_terminal("detect", *model, photos, photos, photos, photos)
    assert f"/{4 * (PICTURES + 1)}" in text and "/s  " in text and " left" in text
    *_, after = text.rsplit("\r\x1b[K", 1)
    assert "left" not in after and "pictures, " in after  # the bar is gone at the end


def test_no_progress_goes_anywhere_else(model, photos):
    result = detect(model, photos, status=5)
    assert "\r" not in result.err + result.out and "\x1b" not in result.err + result.out and " left" not in result.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_an_interrupted_job_leaves_whole_files_and_can_be_resumed(model, photos, whole, tmp_path, number):
    journal, found = tmp_path / "r.jsonl", tmp_path / "c.json"
    pictures = [photos / f"{i:06}.png" for i in range(PICTURES)] * 10
    process = subprocess.Popen([RUNG, "detect", *model, "--resume", journal, "--coco", found, *pictures], env=clean_environment(),
                               stderr=subprocess.PIPE, text=True)
    while not journal.exists() or journal.read_bytes().count(b"\n") < 20:
        time.sleep(0.001)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted after" in errors
    lines = read_lines(journal)
    assert 20 <= len(lines) < len(pictures)
    assert len(json.loads(found.read_text())) == sum(len(line["targets"]) for line in lines)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".rung")] == []
    run("detect", *model, "--resume", journal, *pictures)
    assert sources_of(read_lines(journal)) == collections.Counter(map(str, pictures))


def test_a_full_disk_ends_the_job(model, photos):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    with open("/dev/full", "w") as full:
        process = subprocess.run([RUNG, "detect", *model, "--json", photos], stdout=full, stderr=subprocess.PIPE, text=True,
                                 env=clean_environment(), check=False)
    assert process.returncode == 5 and "cannot be written to standard output" in process.stderr


def test_a_list_of_names_comes_from_standard_input(model, photos, whole):
    names = "".join(f"{path}\n" for path in sorted(photos.iterdir()))
    lines = json_lines(detect(model, "--json", "-", input=names.encode(), status=5))
    assert without_times(lines) == without_times(whole)
    names = names.replace("\n", "\0")
    assert without_times(json_lines(detect(model, "--json", "-0", "-", input=names.encode(), status=5))) == without_times(whole)
