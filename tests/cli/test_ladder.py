# SPDX-License-Identifier: Apache-2.0
"""The ladder: every rung is listed with its outcome and its reason, and none is claimed that did not run."""
import json
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest
import tiny
from conftest import PHOTOS, ROOT, RUNG, clean_environment, run, sentence

sys.path.insert(0, str(ROOT / "tests" / "hardware"))
import trees  # noqa: E402

FACE = PHOTOS / "astronaut.png"


def explain(*arguments, **options):
    return json.loads(run("explain", "--json", *arguments, **options).out)


def rungs_of(explained):
    return {rung["rung"]: rung for rung in explained["rungs"]}


def test_every_rung_of_the_table_is_listed_with_a_reason():
    rungs = rungs_of(explain())
    assert list(rungs)[:2] == ["tensorrt", "cuda"] and list(rungs)[-3:] == ["ort-cpu", "tract", "dummy"]
    for rung in rungs.values():
        assert rung["outcome"] in ("absent", "unmeasured", "available", "by name only"), rung
        assert len(rung["reason"]) > 10 and rung["text"]


def test_a_rung_that_cannot_run_is_not_claimed():
    explained = explain()
    (offered,) = [runtime["providers"] for runtime in explained["loaded"] if runtime["name"] == "onnxruntime"]
    for rung in explained["rungs"]:
        if rung["compiling"] or rung["device"]:
            assert rung["outcome"] in ("absent", "unmeasured")
        if rung["executed_by"] and rung["executed_by"] not in offered:
            assert rung["outcome"] == "absent"
    assert explained["chosen"]["rung"] == "ort-cpu"


def test_the_options_of_a_rung_are_told():
    openvino = rungs_of(explain())["openvino-cpu"]
    assert "f32" in openvino["options"]["load_config"] and openvino["compiling"]
    assert openvino["fallback"] == "ort-cpu" and openvino["device"] == "an x86 CPU"


@pytest.mark.parametrize("rung", ["tensorrt", "coreml"])
def test_a_rung_that_cannot_run_here_is_refused_by_name(rung):
    refused = sentence(run("explain", "-m", "centerface", "--rung", rung, status=3))
    assert "ONNX Runtime" in refused and f"does not offer {rung}ExecutionProvider".lower() in refused.lower()


def test_without_an_onnx_runtime_its_rungs_say_so(tmp_path):
    rungs = rungs_of(explain(environment=clean_environment(RUNG_RUNTIME=str(tmp_path / "libonnxruntime.so"))))
    assert rungs["openvino-cpu"]["outcome"] == "absent" and "no ONNX Runtime" in rungs["openvino-cpu"]["reason"]
    assert rungs["tract"]["outcome"] == "available"


@pytest.mark.parametrize("machine, found", [
    ("none", set()), ("nvidia", {"tensorrt", "cuda", "webgpu"}), ("nvidia-not-given", set()), ("amd", {"migraphx", "webgpu"}),
    ("amd-no-kfd", {"webgpu"}), ("intel-npu", {"openvino-gpu", "openvino-npu", "webgpu"}), ("qualcomm-v66", {"webgpu"}),
    ("virtio", set())])
def test_a_rung_is_absent_without_its_device(machine, found, tmp_path):
    trees.write(trees.TREES[machine](), tmp_path)
    (stock,) = ROOT.glob("runtimes/onnxruntime-[0-9]*/libonnxruntime.so.*")
    rungs = explain(environment=clean_environment(RUNG_HARDWARE_ROOT=str(tmp_path), RUNG_RUNTIME=str(stock)))["rungs"]
    needing = [rung for rung in rungs if rung["device"] not in (None, "an x86 CPU") and "platforms" not in rung["reason"]]
    assert {rung["rung"] for rung in needing if "none was found" not in rung["reason"]} == found
    assert all("does not offer" in rung["reason"] for rung in needing if rung["rung"] in found)


def test_the_page_lists_the_rungs_of_the_table():
    page = (ROOT / "docs" / "ladder.md").read_text().split("**What has run")[0]
    listed = re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)
    assert listed == [rung["rung"] for rung in explain()["rungs"]]


@pytest.fixture
def state(tmp_path):
    """An environment with a state folder of its own."""
    return clean_environment(XDG_STATE_HOME=str(tmp_path / "state"))


def probe(environment, *arguments, **options):
    result = run("probe", "-m", "centerface", "--json", *arguments, environment=environment, **options)
    return {rung["rung"]: rung for rung in json.loads(result.out)["rungs"]}


def verdict_file(environment):
    return pathlib.Path(environment["XDG_STATE_HOME"]) / "rung" / "verdict.json"


def store(environment, change):
    """Changes what an earlier probe stored."""
    stored = json.loads(verdict_file(environment).read_text())
    change(stored)
    verdict_file(environment).write_text(json.dumps(stored))


def choose_tract(stored):
    for rung in stored["models"][0]["rungs"]:
        if rung["rung"] in ("ort-cpu", "tract"):
            rung["outcome"] = "chosen" if rung["rung"] == "tract" else "slower"


def test_a_probe_chooses_by_measurement_and_the_verdict_is_followed(state):
    rungs = probe(state)
    assert list(rungs) == [rung["rung"] for rung in explain()["rungs"]]
    chosen = [rung for rung in rungs.values() if rung["outcome"] == "chosen"]
    assert [rung["rung"] for rung in chosen] == ["ort-cpu"] and rungs["tract"]["outcome"] == "slower"
    assert rungs["ort-cpu"]["median_ms"] < rungs["tract"]["median_ms"]
    for rung in (rungs["ort-cpu"], rungs["tract"]):
        assert 3 <= rung["runs"] <= 5 and rung["build_ms"] > 0 and rung["peak_bytes"] > 1e7 and rung["executed_by"]
    assert "runs" not in rungs["cuda"] and rungs["dummy"]["outcome"] == "unmeasured"

    explained = explain("-m", "centerface", environment=state)
    assert explained["model"]["rung"] == explained["chosen"]["rung"] == "ort-cpu"
    assert explained["model"]["why"].startswith("chosen by a probe on this device: ")
    assert explained["verdict"]["name"] == "centerface" and not explained["changed"]
    assert rungs_of(explained)["tract"]["outcome"] == "slower" and rungs_of(explained)["tract"]["median_ms"] > rungs_of(explained)["tract"]["floor_ms"] > 0


def test_what_was_chosen_is_what_runs(state):
    probe(state)
    store(state, choose_tract)
    explained = explain("-m", "centerface", environment=state)
    assert explained["model"]["rung"] == explained["chosen"]["rung"] == "tract"
    other = explain("-m", "yunet_n_320", environment=state)["model"]
    assert other["rung"] == "tract" and "chosen by a probe of centerface" in other["why"]
    named = explain("-m", "centerface", "--rung", "ort-cpu", environment=state)["model"]
    assert named["rung"] == "ort-cpu" and "named by" in named["why"]


def test_what_a_probe_found_to_crash_is_not_loaded(state):
    def crash(stored):
        choose_tract(stored)
        for rung in stored["models"][0]["rungs"]:
            if rung["rung"] == "tract":
                rung.update(outcome="crashed", reason="killed by signal 11")
            if rung["rung"] == "ort-cpu":
                rung.update(outcome="wrong", reason="off")

    probe(state)
    store(state, crash)
    refused = sentence(run("explain", "-m", "centerface", status=3, environment=state))
    assert "ort-cpu: a probe found it to be wrong" in refused and "crashed: killed by signal 11" in refused


def test_a_verdict_of_other_libraries_is_not_followed(state, tmp_path):
    probe(state)
    store(state, choose_tract)
    state["RUNG_RUNTIME_PATH"] = str(tmp_path / "libonnxruntime.so")
    (tmp_path / "libonnxruntime.so").write_text("no library")
    explained = explain("-m", "centerface", environment=state)
    assert explained["model"]["rung"] == "ort-cpu" and explained["verdict"] is None and explained["changed"]
    assert "rung probe measures again" in explained["model"]["why"]


def test_a_verdict_of_another_device_is_not_followed(state, tmp_path):
    probe(state)
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "cpuinfo").write_text("processor\t: 0\nvendor_id\t: Other\nmodel name\t: Another\n\n")
    state["RUNG_HARDWARE_ROOT"] = str(tmp_path)
    explained = explain("-m", "centerface", environment=state)
    assert explained["verdict"] is None and explained["changed"]


def test_a_damaged_verdict_is_a_missing_one_said_once(state):
    probe(state)
    for content in (b"", b"{", b"[]", b"\0" * 100, b'{"schema":9}', b"x" * 5_000_000):
        verdict_file(state).write_bytes(content)
        result = run("explain", "-m", "centerface", "--json", environment=state)
        assert json.loads(result.out)["model"]["rung"] == "ort-cpu"
        assert "an earlier probe's verdict is not used" in sentence(result)
    assert probe(state)["ort-cpu"]["outcome"] == "chosen"
    assert run("explain", "-m", "centerface", environment=state).err == ""


def test_a_verdict_that_cannot_be_kept_is_said_once(tmp_path):
    (tmp_path / "state").write_text("a file where a folder is needed")
    environment = clean_environment(XDG_STATE_HOME=str(tmp_path / "state"))
    result = run("probe", "-m", "centerface", environment=environment)
    assert "chosen" in result.out and "is not remembered" in sentence(result)
    assert run("detect", "-m", "centerface", FACE, environment=environment).err.count("warning") == 0


def probe_killer(environment, model, keys, *arguments):
    """The lines of a probe that ends with no rung, by rung."""
    result = run("probe", "-m", model, "--trust", keys / "key.pub.pem", *arguments, environment=environment, status=3)
    assert "no rung can run" in result.err.splitlines()[-1]
    return {line.split()[0]: line for line in result.out.splitlines()}


@pytest.fixture
def killer(tmp_path, keys):
    """ONNX Runtime refuses this model, and tract panics."""
    graph = tiny.graph(tmp_path / "t.onnx", axes=(1, 2, 15))
    run("pack", tiny.spec(tmp_path / "t.json", name="t"), graph, "-o", tmp_path / "t.rung", "--key", keys / "key.pem")
    return tmp_path / "t.rung"


def test_a_rung_that_dies_is_told_by_its_signal(state, killer, keys):
    lines = probe_killer(state, killer, keys)
    assert " failed " in lines["ort-cpu"] and " crashed " in lines["tract"] and "signal 6" in lines["tract"]


def test_a_rung_that_died_twice_is_refused_until_a_library_changes(state, killer, keys, tmp_path):
    for _ in range(2):
        assert " crashed " in probe_killer(state, killer, keys)["tract"]
    verdict_file(state).unlink()  # nor does it help to forget the verdict
    lines = probe_killer(state, killer, keys)
    assert " refused " in lines["tract"] and "died twice" in lines["tract"] and " failed " in lines["ort-cpu"]
    (strike,) = (verdict_file(state).parent / "strikes").iterdir()
    assert str(strike) in lines["tract"] and not list((verdict_file(state).parent / "attempts").iterdir())
    assert probe(state)["tract"]["outcome"] == "slower"  # with another model it is as before
    (tmp_path / "libtract.so").write_text("another one")
    assert " crashed " in probe_killer(state, killer, keys, "--runtime", tmp_path)["tract"]


def is_trying(attempts, process):
    """True while a rung is tried on behalf of the process."""
    for path in attempts.glob("*.json"):
        try:
            if json.loads(path.read_text()).get("pid") == process.pid:
                return True
        except (OSError, ValueError):  # gone, or half-written
            pass
    return False


def test_a_probe_that_is_interrupted_is_no_strike(state):
    attempts = verdict_file(state).parent / "attempts"
    interrupted = 0
    for _ in range(50):  # a probe may come to its end before it is interrupted
        process = subprocess.Popen([RUNG, "probe", "-m", "yolox_nano_416"], env=state, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        while process.poll() is None and not is_trying(attempts, process):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        interrupted += process.returncode == -signal.SIGINT
        assert not list(attempts.glob("*.json"))
        if interrupted == 3:
            break
    assert interrupted == 3
    rungs = json.loads(run("probe", "-m", "yolox_nano_416", "--json", environment=state).out)["rungs"]
    assert {rung["rung"]: rung["outcome"] for rung in rungs}["ort-cpu"] == "chosen"
    assert not list(attempts.iterdir()) and not (attempts.parent / "strikes").exists()


def test_a_bundle_is_not_probed_and_a_model_must_be_named(state):
    assert "-m MODEL is missing" in sentence(run("probe", status=2, environment=state))
    assert "missing" in run("probe", "-m", "missing", status=5, environment=state).err


def test_probes_of_two_processes_come_one_after_the_other(state):
    command = [RUNG, "probe", "-m", "yunet_n_320", "--json"]
    both = [subprocess.Popen(command, env=state, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    for process in both:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0 and not err and json.loads(out)["rungs"]
    assert len(json.loads(verdict_file(state).read_text())["models"]) == 1
