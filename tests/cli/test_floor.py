# SPDX-License-Identifier: Apache-2.0
"""The floor: tract gives what ONNX Runtime gives, and serves where there is none."""
import json
import os
import shutil
import sys

import pytest
import tiny
from conftest import BUILD, MODELS, PHOTOS, ROOT, clean_environment, json_lines, run, sentence

sys.path.insert(0, str(ROOT / "bench"))
import floor  # noqa: E402

FACE = PHOTOS / "astronaut.png"
SUBSET = 20  # of each set: tract takes a quarter of a second a picture


def detect(rung, pictures, *more):
    return json_lines(run("detect", "-m", "centerface", "--json", "--rung", rung, *pictures, *more))


@pytest.fixture
def no_ort(tmp_path):
    """An environment where the ONNX Runtime that is named is missing."""
    return clean_environment(RUNG_RUNTIME=str(tmp_path / "libonnxruntime.so"))


@pytest.fixture
def lonely(tmp_path):
    """An environment where the library lies alone: no runtimes and no helper program beside it."""
    folder = tmp_path / "lonely"
    folder.mkdir()
    shutil.copy(BUILD / "src" / "librung.so.0", folder / "librung.so.0")
    return clean_environment(LD_LIBRARY_PATH=str(folder))


def explain(*arguments, environment=None, status=0):
    return json.loads(run("explain", "--json", *arguments, environment=environment, status=status).out)


def pack(tmp_path, keys, name="tiny", **changes):
    graph = tiny.graph(tmp_path / f"{name}.onnx", **changes)
    run("pack", tiny.spec(tmp_path / f"{name}.json", name=name), graph, "-o", tmp_path / f"{name}.rung", "--key",
        keys / "key.pem")
    return tmp_path / f"{name}.rung"


@pytest.mark.parametrize("name", ["coco80", "person1"])
def test_both_rungs_give_the_same_detections(data, name, capsys):
    pictures = sorted((data / "gate" / name).iterdir())
    if not os.environ.get("RUNG_TEST_FULL"):
        pictures = pictures[::len(pictures) // SUBSET][:SUBSET]
        with capsys.disabled():
            print(f" ({name}: {len(pictures)} pictures; RUNG_TEST_FULL=1 takes them all) ", end="")
    agreement = floor.Agreement()
    for first, second in floor.run_turns(pictures, lambda rung, part: detect(rung, part, "--threads", "1")):
        agreement.add(first, second)
    print(agreement)
    assert agreement.pictures == len(pictures) and agreement.targets > 0
    assert not agreement.apart


def test_the_comparison_sees_what_differs():
    box = {"class_id": 0, "score": 0.9, "box": [10, 10, 100, 100]}
    lines = [{"source": "x", "rung": rung, "ms": {"run": 1}, "targets": [box]} for rung in floor.RUNGS]
    for targets in ([], [box, box], [{**box, "score": 0.8985}], [{**box, "box": [11, 11, 100, 100]}],
                    [{**box, "class_id": 1}]):
        agreement = floor.Agreement()
        agreement.add(lines[0], {**lines[1], "targets": targets})
        assert agreement.apart == ["x"], targets
    same = floor.Agreement()
    same.add(*lines)
    assert not same.apart


def test_the_floor_is_reproducible():
    first, second = detect("tract", [FACE, FACE])
    assert first["targets"] == second["targets"] and first["rung"] == "tract"


def test_a_forced_rung_serves_or_fails(no_ort):
    assert detect("ort-cpu", [FACE])[0]["rung"] == "ort-cpu"
    assert detect("tract", [FACE])[0]["rung"] == "tract"
    forced = run("detect", "-m", "centerface", "--rung", "ort-cpu", FACE, environment=no_ort, status=3)
    assert "ONNX Runtime" in sentence(forced) and "RUNG_RUNTIME" in forced.err
    environment = clean_environment(RUNG_RUNG="tract")
    explained = explain("-m", "centerface", environment=environment)
    assert explained["model"]["rung"] == "tract" and explained["model"]["why"] == "named by RUNG_RUNG"
    assert explained["model"]["threads"] == 1


def test_without_an_onnx_runtime_tract_serves_and_explain_says_why(no_ort):
    result = run("detect", "-m", "centerface", "--json", FACE, environment=no_ort)
    (line,) = json_lines(result)
    assert line["rung"] == "tract" and len(line["targets"]) == 1
    assert "tract" in sentence(result) and "ONNX Runtime" in result.err

    explained = explain("-m", "centerface", environment=no_ort)
    assert explained["chosen"]["rung"] == "tract" and "RUNG_RUNTIME" in explained["chosen"]["reason"]
    assert "ort-cpu" in explained["model"]["why"] and "RUNG_RUNTIME" in explained["model"]["why"]
    rungs = {rung["rung"]: rung for rung in explained["rungs"]}
    assert rungs["ort-cpu"]["outcome"] == "absent" and "RUNG_RUNTIME" in rungs["ort-cpu"]["reason"]
    assert rungs["tract"]["outcome"] == "available"
    assert [runtime["name"] for runtime in explained["loaded"]] == ["tract"]
    text = run("explain", environment=no_ort).out
    assert "absent" in text and "missing    onnxruntime" in text and "runtime    tract 0.23." in text


def test_an_onnx_runtime_that_does_not_load_is_told(tmp_path, no_ort):
    (tmp_path / "libonnxruntime.so").write_text("no library")
    explained = explain("-m", "centerface", environment=no_ort)
    assert explained["model"]["rung"] == "tract" and "libonnxruntime.so" in explained["model"]["why"]
    assert explained["runtimes"][0]["state"] == "refused"


def test_both_runtimes_are_listed():
    explained = explain()
    assert {runtime["name"] for runtime in explained["loaded"]} == {"onnxruntime", "tract"}
    assert {candidate["runtime"] for candidate in explained["runtimes"]} == {"onnxruntime", "tract"}
    assert explained["chosen"]["rung"] == "ort-cpu"


def test_a_model_that_onnx_runtime_refuses_goes_one_down(tmp_path, keys):
    """An IR version of the future: ONNX Runtime refuses it, tract does not mind."""
    model = pack(tmp_path, keys, ir_version=99)
    explained = explain("-m", model, "--trust", keys / "key.pub.pem")
    assert explained["model"]["rung"] == "tract" and "IR version" in explained["model"]["why"]
    assert explained["chosen"]["rung"] == "ort-cpu"


def test_a_model_that_kills_tract_is_a_sentence(tmp_path, keys):
    model = pack(tmp_path, keys, axes=(1, 2, 15))
    trust = ("--trust", keys / "key.pub.pem")
    killed = sentence(run("detect", "-m", model, *trust, "--rung", "tract", FACE, status=3))
    assert "trial process killed by signal 6" in killed and "panicked" in killed
    both = sentence(run("detect", "-m", model, *trust, FACE, status=3))
    assert "ort-cpu: " in both and "tract: the trial process" in both


def test_a_model_packed_for_onnx_runtime_alone_stays_off_tract(tmp_path, keys, no_ort):
    graph = tiny.graph(tmp_path / "t.onnx")
    run("pack", tiny.spec(tmp_path / "t.json", providers=["ort"]), graph, "-o", tmp_path / "t.rung", "--key",
        keys / "key.pem")
    refused = run("detect", "-m", tmp_path / "t.rung", "--trust", keys / "key.pub.pem", FACE, environment=no_ort, status=3)
    assert "does not list the provider tract" in sentence(refused)


def test_without_the_helper_tract_loads_nothing(lonely):
    lonely["RUNG_RUNTIME_PATH"] = str(ROOT / "runtimes")
    assert "rung-probe" in sentence(run("detect", "-m", "centerface", "--rung", "tract", FACE, environment=lonely, status=3))
    rungs = {rung["rung"]: rung for rung in explain(environment=lonely)["rungs"]}
    assert rungs["tract"]["outcome"] == "absent" and "rung-probe" in rungs["tract"]["reason"]
    assert rungs["ort-cpu"]["outcome"] == "available"


def test_without_any_runtime_the_sentence_says_what_to_do(lonely):
    told = sentence(run("detect", "-m", "centerface", FACE, environment=lonely, status=3))
    assert "fetch-runtimes" in told and "ort-cpu: " in told and "tract: " in told
    explained = explain(environment=lonely)
    assert explained["chosen"]["rung"] is None and explained["loaded"] == []
