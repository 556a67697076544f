# SPDX-License-Identifier: Apache-2.0
"""rung report: the members of its JSON, each of its type, and figures that fit each other and what was asked for."""
import json
import sys
import time

import pytest
import tiny
from conftest import ROOT, clean_environment, run, sentence

sys.path.insert(0, str(ROOT / "tests" / "hardware"))
import trees  # noqa: E402

PARTS = ["preprocess", "run", "postprocess", "whole"]
UNKNOWN = (int, type(None))

# What docs/report.md lists: the type of each member, of a list that of its items.
TENSOR = {"name": str, "dtype": str, "shape": [int], "alignment": int, "bytes": int}
TIMES = {"count": int, "p50": int, "p95": int, "p99": int, "max": int, "total": int}
SCHEMA = {
    "schema": int, "identity": str, "rung": str, "reason": str, "precision": str, "executed_by": str, "artifact": str,
    "run_threads": int, "input": TENSOR | {"layout": str}, "outputs": [TENSOR | {"widened_bytes": int}],
    "surfaces": {"shared": (str, type(None)), "dmabuf": (str, type(None))},
    "stages": [{"stage": str, "requested": str, "effective": str, "reason": str, "fell_back": bool}],
    "start_ns": {"open": int, "runtime": int, "load": int, "context": int}, "compiled": bool, "engine": bool,
    "first_ns": {part: int for part in PARTS}, "steady_ns": {part: TIMES for part in PARTS},
    "end_ns": {"cancel": UNKNOWN, "teardown": int},
    "frames": {"done": int, "failed": int, "imported": int, "copied": int, "copied_bytes": int, "widened_bytes": int,
               "hand_overs": int, "allocations": int},
    "events": {"device_losses": int, "rebuilds": int, "cancels": int},
    "memory_bytes": {"host_input": int, "host_output": int, "host_scratch": int, "host_packets": int, "device": UNKNOWN,
                     "workspace": UNKNOWN, "packed": UNKNOWN, "opaque": UNKNOWN},
    "threads": {"owned": int, "created": int},
    "runtime": {"name": str, "version": str, "path": str,
                "package": {"folder": str, "bytes": int, "files": int, "licences": [str]}},
    "energy": {"uj": UNKNOWN, "uj_per_frame": (float, int, type(None)), "reason": str},
    "measured": {"warmup": int, "iterations": int, "pictures": int, "interrupted": bool, "peak_bytes": int},
    "signed": bool,
}


def check(value, wanted, where="report"):
    if isinstance(wanted, dict):
        assert isinstance(value, dict) and set(value) == set(wanted), where
        for key, each in wanted.items():
            check(value[key], each, f"{where}.{key}")
    elif isinstance(wanted, list):
        assert isinstance(value, list), where
        for each in value:
            check(each, wanted[0], where)
    else:
        assert isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool)), where
        assert not isinstance(value, (int, float)) or value >= 0, where


def names(wanted):
    """All members, of members too."""
    for key, each in wanted.items():
        yield key
        each = each[0] if isinstance(each, list) else each
        if isinstance(each, dict):
            yield from names(each)


def test_the_page_lists_every_member():
    page = (ROOT / "docs" / "report.md").read_text()
    assert not [name for name in names(SCHEMA) if f"`{name}`" not in page]


@pytest.fixture(scope="module")
def model(tmp_path_factory, keys):
    """A real model that takes no time, for ONNX Runtime and tract."""
    folder = tmp_path_factory.mktemp("report")
    run("pack", tiny.spec(folder / "tiny.json"), tiny.graph(folder / "tiny.onnx"), "-o", folder / "tiny.rung",
        "--key", keys / "key.pem")
    return folder / "tiny.rung"


@pytest.fixture
def report(model, keys):
    def measure(*arguments, **options):
        return run("report", model, "--trust", keys / "key.pub.pem", *arguments, **options)
    return measure


def read(result):
    return json.loads(result.out)


@pytest.mark.parametrize("rung", ["ort-cpu", "tract"])
def test_every_member_is_there_with_its_type(report, rung):
    answer = read(report("--json", "--iterations", "3", "--rung", rung))
    check(answer, SCHEMA)
    assert (answer["end_ns"]["cancel"] is None) == (answer["events"]["cancels"] == 0)
    assert answer["schema"] == 1 and answer["rung"] == rung and answer["identity"] == "tiny" and answer["signed"]
    assert len(answer["artifact"]) == 64 and len(answer["outputs"]) == 1 and len(answer["stages"]) == 5
    licences = answer["runtime"]["package"]["licences"]  # the wheel of tract has none
    assert ("LICENSE" in licences) == (rung == "ort-cpu")


def test_a_rung_without_a_runtime_has_none(report):
    answer = read(report("--json", "--iterations", "3", "--rung", "dummy"))
    assert answer["runtime"] is None
    check(answer | {"runtime": None}, SCHEMA | {"runtime": type(None)})


def test_tensors_are_those_of_the_file(report, model, keys):
    answer = read(report("--json", "--iterations", "1"))
    declared = json.loads(run("inspect", model, "--json").out)
    told = [answer["input"], *answer["outputs"]]
    for tensor, wanted in zip(told, [declared["input"], *declared["outputs"]], strict=True):
        assert {key: tensor[key] for key in ("name", "dtype", "shape")} == {key: wanted[key] for key in ("name", "dtype", "shape")}
        size = 4
        for side in tensor["shape"]:
            size *= side
        assert tensor["bytes"] == size and tensor["alignment"] == 64
    assert answer["memory_bytes"]["host_input"] == answer["input"]["bytes"]
    assert answer["memory_bytes"]["host_output"] == sum(each["bytes"] for each in answer["outputs"])


def test_counts_are_exact_and_times_fit_each_other(report):
    began = time.monotonic_ns()
    answer = read(report("--json", "--iterations", "57", "--warmup", "3"))
    took = time.monotonic_ns() - began
    assert answer["measured"] | {"peak_bytes": 0} == {"warmup": 3, "iterations": 57, "pictures": 0, "interrupted": False, "peak_bytes": 0}
    assert answer["frames"] == {"done": 57, "failed": 0, "imported": 57, "copied": 0, "copied_bytes": 0, "widened_bytes": 0,
                                "hand_overs": 0, "allocations": 0}
    for part, times in answer["steady_ns"].items():
        assert times["count"] == 57, part
        assert 0 < times["p50"] <= times["p95"] <= times["p99"] <= times["max"] <= times["total"] <= 57 * times["max"]
        assert times["total"] >= times["p50"] * 57 // 2 * 31 // 32, part  # half of them are at least as long, to 1/32
    steady, first = answer["steady_ns"], answer["first_ns"]
    assert steady["whole"]["total"] >= sum(steady[part]["total"] for part in PARTS[:-1])
    assert first["whole"] >= sum(first[part] for part in PARTS[:-1]) and first["run"] > 0
    start = answer["start_ns"]
    assert start["open"] >= start["load"] + start["runtime"]
    assert start["open"] + start["context"] + first["whole"] + steady["whole"]["total"] + answer["end_ns"]["teardown"] < took


def test_times_are_those_that_the_benchmark_measures(report, model, keys):
    """Two ways to measure the same thing on a machine that others use: no more alike than a factor."""
    bench, = json.loads(run("bench", "-m", model, "--trust", keys / "key.pub.pem", "--json", "--iterations", "300", "--size",
                            "8x8").out)["results"]
    answer = read(report("--json", "--iterations", "300"))
    assert answer["input"]["shape"] == [1, 3, 8, 8]
    assert 1 / 5 < answer["steady_ns"]["run"]["p50"] / (bench["ms"]["run"]["p50"] * 1e6) < 5


def test_a_plan_that_copies_is_told(report):
    answer = read(report("--json", "--iterations", "9", "--plan", '{"buffer": "base"}'))
    assert (answer["frames"]["copied"], answer["frames"]["imported"]) == (9, 0)
    assert answer["frames"]["copied_bytes"] == 9 * answer["input"]["bytes"]
    assert [each["effective"] for each in answer["stages"] if each["stage"] == "buffer"] == ["base"]


def test_threads_of_ours_are_told(report):
    answer = read(report("--json", "--iterations", "9", "--warmup", "0", "--threads", "2", "--plan",
                         '{"preprocessor": "threaded-exact-v1"}'))
    assert answer["threads"] == {"owned": 1, "created": 1} and answer["run_threads"] == 2
    assert answer["frames"]["hand_overs"] == 2 * 9 and answer["frames"]["allocations"] == 0


def test_energy_is_told_where_the_machine_tells_it(report, tmp_path):
    def of(tree):
        machine = trees.write(trees.pc() | tree, tmp_path / "machine")
        return read(report("--json", "--iterations", "4", environment=clean_environment(RUNG_HARDWARE_ROOT=str(machine))))["energy"]
    assert of(trees.energy(5000)) == {"uj": 0, "uj_per_frame": 0.0, "reason": ""}  # the counter of a file stands still
    for tree, reason in ({}, "no energy counter"), (trees.energy(None), "only root"):
        energy = of(tree)
        assert energy["uj"] is None and energy["uj_per_frame"] is None and reason in energy["reason"]


def test_people_are_told_the_same(report, model, keys):
    text = report("--iterations", "4").out
    for words in ("model      tiny (signed", "runs on    ort-cpu", "runtime    ONNX Runtime", "1×3×8×8", "simd-exact-v1", "the first frame",
                  "4 frames, 0 failed", "energy unknown" if "energy unknown" in text else "mJ", "input tensors"):
        assert words in text, words
    assert run("report", "-m", model, "--trust", keys / "key.pub.pem", "--iterations", "4").out.count("\n") == text.count("\n")


def test_pictures_are_looked_at(report, tmp_path):
    width, height = 32, 16
    rows = bytes([90, 120, 150]) * width * height
    picture = tmp_path / "grey.bmp"
    picture.write_bytes(b"BM" + (54 + len(rows)).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little")
                        + (40).to_bytes(4, "little") + width.to_bytes(4, "little") + height.to_bytes(4, "little")
                        + b"\1\0\x18\0" + bytes(24) + rows)
    answer = read(report("--json", "--iterations", "5", picture, picture))
    assert answer["measured"]["pictures"] == 2 and answer["frames"]["done"] == 5
    report(tmp_path / "none.jpg", status=5)


def test_what_is_wrong_has_its_status(report, model):
    run("report", status=2)
    report("--iterations", "0", status=2)
    report("--plan", '{"buffer": "none"}', status=2)
    assert "cuda, which is required" in sentence(report("--require", "cuda", status=1))
    run("report", model, status=4)  # nobody's key
    assert "nowhere-to-be-found" in sentence(run("report", "nowhere-to-be-found", status=5))
