# SPDX-License-Identifier: Apache-2.0
"""On a rung that computes in f16 a detector has another identity, and an embedder is not served there without its gate."""

import json
import sys

import pytest
import tiny
from PIL import Image
from standing_in import ROOT, copy, environment, json_lines, run

sys.path.insert(0, str(ROOT / "tests" / "hardware"))
import trees  # noqa: E402

TENSORRT = "providers=TensorrtExecutionProvider,CPUExecutionProvider"
EMBEDDER = {"name": "embedder", "role": "embedder", "head": "none", "selection": None, "labels": None, "embedding_length": 12}


class Machine:
    """One with an NVIDIA GPU, whose ONNX Runtime offers TensorRT; a detector and an embedder of one graph."""

    def __init__(self, folder):
        self.folder, self.library = folder, copy(folder / "standin")
        trees.write(trees.TREES["nvidia"](), folder / "machine")
        Image.new("RGB", (200, 200), "white").save(folder / "white.png")
        (folder / "photos").mkdir()
        for i in range(30):
            Image.new("RGB", (20, 20), (9 * i, 0, 0)).save(folder / "photos" / f"{i}.png")
        tiny.graph(folder / "t.onnx")
        self.rung("keygen", "key.pem", "key.pub.pem")
        self.pack("detector", name="detector")
        self.pack("embedder", **EMBEDDER)

    def rung(self, *arguments, status=0):
        settings = {"RUNG_RUNTIME": str(self.library), "RUNG_HARDWARE_ROOT": str(self.folder / "machine"),
                    "RUNG_TRUST_PATH": str(self.folder / "key.pub.pem"), "XDG_STATE_HOME": str(self.folder / "state"),
                    "XDG_CACHE_HOME": str(self.folder / "cache")}
        return run(*arguments, cwd=self.folder, environment=environment(TENSORRT, **settings), status=status)

    def pack(self, file, **changes):
        tiny.spec(self.folder / f"{file}.json", **changes)
        self.rung("pack", f"{file}.json", "t.onnx", "-o", f"{file}.rung", "--key", "key.pem")

    def line(self, *arguments):
        (line,) = json_lines(self.rung(*arguments, "--json", "white.png"))
        return line


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


DETECT = ("detect", "-m", "./detector.rung")
EMBED = ("embed", "-m", "./embedder.rung")
ON_TENSORRT = ("--rung", "tensorrt")


def test_an_engine_in_f16_makes_another_identity(machine):
    line = machine.line(*DETECT, *ON_TENSORRT)
    assert (line["identity"], line["rung"], line["precision"]) == ("detector+f16", "tensorrt", "f16")
    line = machine.line(*DETECT)
    assert (line["identity"], line["rung"], line["precision"]) == ("detector", "ort-cpu", "f32")


def test_an_embedder_is_refused_there_and_its_probe_says_why(machine):
    refused = machine.rung(*EMBED, *ON_TENSORRT, "white.png", status=3).err
    assert "tensorrt cannot serve embedder: it would compute in f16 there" in refused and "gate record" in refused
    rungs = json.loads(machine.rung("probe", "-m", "./embedder.rung", "--json").out)["rungs"]
    (tensorrt,) = [rung for rung in rungs if rung["rung"] == "tensorrt"]
    assert tensorrt["outcome"] == "absent" and "it would compute in f16 there" in tensorrt["reason"]
    assert machine.line(*EMBED)["rung"] == "ort-cpu"


def test_a_job_that_began_in_f32_does_not_go_on_in_f16(machine):
    machine.rung(*DETECT, "--resume", "r.jsonl", "white.png")
    refused = machine.rung(*DETECT, *ON_TENSORRT, "--resume", "r.jsonl", "white.png", status=4).err
    assert "line 1 is by detector on ort-cpu, and this job is by detector+f16 on tensorrt" in refused


def test_a_gate_measures_an_embedder_there_and_opens_the_rung_to_it(machine):
    """The stand-in's numbers are the CPU's, so it passes."""
    machine.rung("gate", "./embedder.rung", "--data", "photos", *ON_TENSORRT, "-o", "gate.json")
    (gate,) = json.loads((machine.folder / "gate.json").read_text())["gates"]
    assert (gate["identity"], gate["rung"], gate["precision"], gate["passed"]) == ("embedder+f16", "tensorrt", "f16", True)
    assert gate["against"]["identity"] == "embedder" and gate["against"]["artifact"] == gate["artifact"]
    machine.pack("passed", **EMBEDDER, gate={"file": "gate.json"})
    line = machine.line("embed", "-m", "./passed.rung", *ON_TENSORRT)
    assert (line["identity"], line["rung"], line["precision"]) == ("embedder+f16", "tensorrt", "f16")
    # what it makes there is not compared with what f32 made
    machine.rung("embed", "-m", "./passed.rung", "-o", "stored.npy", "white.png")
    refused = machine.rung("embed", "-m", "./passed.rung", *ON_TENSORRT, "--near", "1", "--against", "stored.npy", "white.png",
                           status=4).err
    assert "by embedder, which does not cover embedder+f16:" in refused


def test_a_record_counts_on_its_own_rung_alone(machine):
    machine.rung("gate", "./embedder.rung", "--data", "photos", *ON_TENSORRT, "-o", "gate.json")
    record = json.loads((machine.folder / "gate.json").read_text())
    record["gates"][0]["rung"] = "migraphx"
    machine.pack("elsewhere", **EMBEDDER, gate={"text": json.dumps(record)})
    machine.rung("embed", "-m", "./elsewhere.rung", *ON_TENSORRT, "white.png", status=3)


def test_targets_of_a_detector_in_f16_are_embedded_in_f32_beside_it(machine):
    """Where a probe chose the engine; stored targets of f32 answer for it, and not the other way round."""
    store = json.loads(machine.rung("probe", "-m", "./detector.rung", "--json").out)["rungs"]
    assert [rung["outcome"] for rung in store if rung["rung"] == "tensorrt"] != ["absent"]
    pair = ("embed", "-m", "./embedder.rung", "--per-target", "./detector.rung")
    machine.rung(*pair, "--rung", "ort-cpu", "-o", "f32.npy", "white.png")
    choose(machine.folder / "state" / "rung" / "verdict.json")
    machine.rung("engines", "build", "--rung", "tensorrt", "./detector.rung")
    result = machine.rung(*pair, "--near", "1", "--against", "f32.npy", "-o", "f16.npy", "--json", "white.png")
    assert not result.err  # that it is served in f32 is as it should be
    (line,) = json_lines(result)
    assert line["identity"] == "detector+f16/embedder"
    assert (line["detector_rung"], line["detector_precision"]) == ("tensorrt", "f16")
    assert (line["rung"], line["precision"]) == ("ort-cpu", "f32")
    why = json.loads(machine.rung("explain", "-m", "./embedder.rung", "--json").out)["model"]["why"]
    assert "tensorrt: it would compute in f16 there" in why
    refused = machine.rung(*pair, "--rung", "ort-cpu", "--near", "1", "--against", "f16.npy", "white.png", status=4).err
    assert "by detector+f16/embedder, which does not cover detector/embedder:" in refused


def choose(path):
    """Makes a verdict for TensorRT of what was measured: the stand-in is no faster than the CPU that it forwards to."""
    verdict = json.loads(path.read_text())
    for rung in verdict["models"][0]["rungs"]:
        if rung["outcome"] == "chosen":
            rung["outcome"] = "slower"
        if rung["rung"] == "tensorrt":
            rung["outcome"] = "chosen"
    path.write_text(json.dumps(verdict))
