# SPDX-License-Identifier: Apache-2.0
"""A driver that hangs or kills, on a device where nothing is proven: the first answer comes from the floor as ever, and what
is measured in the background harms nobody."""

import json
import os
import signal
import sys
import time

import pytest
from standing_in import PHOTOS, ROOT, copy, environment, json_lines, results, run

sys.path.insert(0, str(ROOT / "tests" / "hardware"))
import trees  # noqa: E402
from processes import await_that, helpers, read  # noqa: E402

FACE = PHOTOS / "astronaut.png"
MODEL = "yunet_n_320"
PROVIDERS = "providers=CUDAExecutionProvider,CPUExecutionProvider"


class Device:
    """With an NVIDIA GPU, whose ONNX Runtime offers CUDA."""

    def __init__(self, folder):
        self.state = folder / "state" / "rung"
        self.library = copy(folder / "standin")
        self.more = {"RUNG_RUNTIME": str(self.library), "XDG_STATE_HOME": str(folder / "state"), "RUNG_PROBE": "all",
                     "RUNG_HARDWARE_ROOT": str(trees.write(trees.TREES["nvidia"](), folder / "machine"))}
        self.trace = folder / "trace"

    def detect(self, *faults, **more):
        began = time.monotonic()
        steering = ";".join((PROVIDERS, f"trace={self.trace}", *faults))
        result = run("detect", "-m", MODEL, "--json", FACE, environment=environment(steering, **self.more | more))
        return json_lines(result), time.monotonic() - began

    def processes(self):
        return helpers(f"RUNG_RUNTIME={self.library}", ("background", "run"))

    def outcomes(self):
        path = self.state / "verdict.json"
        rungs = json.loads(path.read_text())["models"][0]["rungs"] if path.exists() else []
        return {rung["rung"]: rung["outcome"] for rung in rungs}


@pytest.fixture
def device(tmp_path):
    made = Device(tmp_path)
    yield made
    for pid in made.processes():
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("place", ["append", "session", "run"])
def test_a_provider_that_hangs_delays_no_answer(device, place):
    plain, _ = device.detect(RUNG_PROBE="off")
    first, seconds = device.detect(f"{place}=hang:CUDAExecutionProvider")
    assert results(first) == results(plain) and first[0]["rung"] == "ort-cpu" and seconds < 30  # not its limit of a minute or more
    await_that(lambda: f"{place} 1 hang CUDAExecutionProvider" in read(device.trace).decode(), "the hanging try")
    second, seconds = device.detect(f"{place}=hang:CUDAExecutionProvider")
    assert results(second) == results(plain) and second[0]["rung"] == "ort-cpu" and seconds < 30
    (pid,) = helpers(f"RUNG_RUNTIME={device.library}")
    os.kill(pid, signal.SIGTERM)
    await_that(lambda: not device.processes(), "the end of the probe, and of what hangs with it")
    assert not list((device.state / "attempts").glob("*.json")) and not list((device.state / "strikes").glob("*.json"))


@pytest.mark.parametrize("fault, outcome", [
    ("session=crash:CUDAExecutionProvider", "crashed"), ("run=wrong:CUDAExecutionProvider", "wrong"),
    ("append=refuse:CUDAExecutionProvider", "failed")])
def test_what_does_not_work_is_found_out_in_the_background(device, fault, outcome):
    first, _ = device.detect(fault)
    assert first[0]["rung"] == "ort-cpu"
    await_that(lambda: device.outcomes().get("ort-cpu"), "the verdict")
    assert device.outcomes()["cuda"] == outcome and device.outcomes()["ort-cpu"] == "chosen"
    second, _ = device.detect(fault)
    assert results(second) == results(first) and second[0]["rung"] == "ort-cpu"
