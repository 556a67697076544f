# SPDX-License-Identifier: Apache-2.0
"""Probing unasked: after the first answer on a device where nothing is proven a process of its own measures the rungs."""
import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys

import pytest
from conftest import BUILD, MODELS, PHOTOS, ROOT, RUNG, TRUST, clean_environment, run
from processes import await_that, helpers, read, stopped

sys.path.insert(0, str(ROOT / "tests" / "hardware"))
import trees  # noqa: E402

FACE = PHOTOS / "astronaut.png"
MODEL = "yunet_n_320"
HELPER = BUILD / "probe" / "rung-probe"


class Device:
    """One user of one device."""

    def __init__(self, folder, **more):
        self.state = folder / "state" / "rung"
        self.environment = clean_environment(XDG_STATE_HOME=str(folder / "state"), **more)
        self.environment.pop("RUNG_PROBE")
        self.environment.update(more)

    def detect(self, *arguments, model=MODEL, **options):
        return run("detect", "-m", model, "--json", *arguments, FACE, environment=self.environment, **options)

    def processes(self):
        """The ids of the probes in the background."""
        return helpers(f"XDG_STATE_HOME={self.environment['XDG_STATE_HOME']}")

    def await_process(self):
        return await_that(self.processes, "the probe")[0]

    def await_end(self):
        await_that(lambda: not self.processes(), "the probe's end")

    def files(self):
        """The names of what is kept, locks apart."""
        return sorted(path.name for path in self.state.rglob("*") if path.is_file() and path.suffix != ".lock")

    def verdict(self):
        path = self.state / "verdict.json"
        return json.loads(path.read_text())["models"][0] if path.exists() else None

    def outcomes(self):
        return {rung["rung"]: rung for rung in self.verdict()["rungs"]}

    def note(self):
        path = self.state / "unasked.json"
        return json.loads(path.read_text()) if path.exists() else None

    def is_left_alone(self):
        return self.note() is None and not (self.state / "probe.lock").exists() and not self.processes()

    def change_note(self, **changes):
        (self.state / "unasked.json").write_text(json.dumps(self.note() | changes))


@pytest.fixture
def device(tmp_path):
    made = Device(tmp_path)
    yield made
    for pid in made.processes():
        os.kill(pid, signal.SIGKILL)


def test_after_the_first_answer_the_rungs_are_measured_and_the_next_start_follows(device):
    assert json.loads(device.detect().out)["rung"] == "ort-cpu"
    await_that(device.verdict, "the verdict")
    device.await_end()
    assert device.outcomes()["ort-cpu"]["outcome"] == "chosen" and device.note() is None
    explained = json.loads(run("explain", "-m", MODEL, "--json", environment=device.environment).out)
    assert explained["model"]["why"].startswith("chosen by a probe on this device: ") and not explained["changed"]
    before = (device.state / "verdict.json").stat().st_mtime_ns
    device.detect()
    assert not device.processes() and (device.state / "verdict.json").stat().st_mtime_ns == before


def test_it_leaves_the_one_who_asked_and_comes_last(device):
    device.detect()
    pid = device.await_process()
    with stopped(pid):
        assert os.getsid(pid) == pid and os.getpgid(pid) == pid  # no terminal, no group to be ended with
        status = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        assert int(status[16]) == 19 or os.sched_getscheduler(pid) == os.SCHED_IDLE
        streams = {os.readlink(f"/proc/{pid}/fd/{stream}") for stream in range(3)}
        assert streams == {"/dev/null"}
    await_that(device.verdict, "the verdict")
    device.await_end()


@pytest.mark.parametrize("arguments, variables", [
    (["--probe", "off"], {}), ([], {"RUNG_PROBE": "off"}), (["--probe", "off"], {"RUNG_PROBE": "all"}),
    (["--rung", "ort-cpu"], {}), ([], {"RUNG_RUNG": "ort-cpu"})])
def test_nothing_is_measured_where_nobody_wants_it(device, arguments, variables):
    device.environment.update(variables)
    device.detect(*arguments)
    assert device.is_left_alone()


def test_without_a_state_folder_nothing_is_measured(tmp_path):
    own = f"{TRUST}:{tmp_path}"  # tells its processes from those of others
    environment = clean_environment(RUNG_TRUST_PATH=own)
    for name in ("RUNG_PROBE", "XDG_STATE_HOME", "HOME"):
        environment.pop(name)
    result = run("detect", "-v", "-m", MODEL, FACE, environment=environment)
    assert "measured" not in result.err and not helpers(f"RUNG_TRUST_PATH={own}")


def test_a_state_folder_that_is_of_no_use_stops_nothing(device):
    device.state.parent.mkdir()
    device.state.write_text("a file where a folder is needed")
    assert device.detect().err == ""
    assert "nothing is done in the background" in run("detect", "-v", "-m", MODEL, FACE, environment=device.environment).err


def test_only_an_answer_makes_it_begin(device):
    for arguments in (["explain"], ["models"], ["explain", "-m", MODEL], ["verify", MODELS / f"{MODEL}.rung"]):
        run(*arguments, environment=device.environment)
    assert device.is_left_alone()


@pytest.mark.parametrize("load, tried", [("0.00", True), ("64.00", False)])
def test_a_busy_machine_is_left_alone_after_the_first_that_will_do(device, tmp_path, load, tried):
    tree = trees.cpus(2) | {"proc/loadavg": f"{load} {load} {load} 1/99 999\n"}
    device.environment["RUNG_HARDWARE_ROOT"] = str(trees.write(tree, tmp_path / "machine"))
    device.detect()
    await_that(device.verdict, "the verdict")
    tract = device.outcomes()["tract"]
    assert tract["outcome"] == ("slower" if tried else "unmeasured")
    assert tried or "it was not tried: ort-cpu was the first that answered" in tract["reason"]


def test_what_is_named_is_what_is_tried(device):
    device.environment["RUNG_PROBE"] = "first"
    device.detect("--probe", "all")
    await_that(device.verdict, "the verdict")
    assert device.outcomes()["tract"]["outcome"] == "slower"


def test_a_probe_by_hand_tries_all_unless_told_otherwise(device):
    def tried(*arguments):
        result = run("probe", "-m", MODEL, "--json", *arguments, environment=device.environment)
        return {rung["rung"]: rung["outcome"] for rung in json.loads(result.out)["rungs"]}["tract"]

    device.environment["RUNG_PROBE"] = "first"  # of what is not asked for
    assert tried() == tried("--policy", "all") == "slower"
    assert tried("--policy", "first") == "unmeasured"


def test_what_the_command_line_trusts_and_finds_is_passed_on(device, tmp_path, keys):
    """Keys, runtimes and the place of the library are those of the one who asked; so is the verdict's device."""
    copy = tmp_path / "own.rung"
    shutil.copy(MODELS / f"{MODEL}.rung", copy)
    run("sign", copy, "--key", keys / "key.pem")
    device.environment.pop("RUNG_TRUST_PATH")
    runtimes = next((ROOT / "runtimes").glob("onnxruntime-[0-9]*"))
    arguments = ["--trust", keys / "key.pub.pem", "--runtime", runtimes]
    device.detect(*arguments, model=copy)
    await_that(device.verdict, "the verdict")
    explained = json.loads(run("explain", "-m", copy, "--json", *arguments, environment=device.environment).out)
    assert explained["verdict"] and not explained["changed"]


def test_a_model_that_is_not_trusted_is_not_run(device, tmp_path, keys):
    """The helper believes nobody: it verifies the file that it is told of."""
    copy = tmp_path / "own.rung"
    shutil.copy(MODELS / f"{MODEL}.rung", copy)
    run("sign", copy, "--key", keys / "other.pem")
    variables = {name: device.environment[name] for name in ("XDG_STATE_HOME", "RUNG_TRUST_PATH")}
    task = {"schema": 1, "model": str(copy), "allow_unsigned": False, "helper": str(HELPER),
            "library": str(BUILD / "src" / "librung.so"), "environment": variables}
    subprocess.run([HELPER, "background"], input=json.dumps(task).encode(), env=device.environment, check=True, timeout=60)
    device.await_end()
    assert device.verdict() is None
    task["model"] = str(MODELS / f"{MODEL}.rung")
    subprocess.run([HELPER, "background"], input=json.dumps(task).encode(), env=device.environment, check=True, timeout=60)
    await_that(device.verdict, "the verdict of a model that is trusted")


@pytest.mark.parametrize("task", [b"", b"{", b"[]", b"{}", b'{"schema":2}', b'{"schema":1,"model":"m","more":1}'])
def test_a_task_that_cannot_be_read_is_refused(task):
    result = subprocess.run([HELPER, "background"], input=task, capture_output=True, timeout=60, check=True)
    answer = json.loads(result.stdout)
    assert answer["result"] != 0 and "task" in answer["detail"]


def test_what_comes_to_no_end_is_not_begun_at_every_start(device):
    device.detect(model="yolox_nano_416")
    os.kill(device.await_process(), signal.SIGKILL)
    device.await_end()
    assert device.verdict() is None and device.note()["tries"] == 1
    for _ in range(3):
        device.detect()
        assert not device.processes() and device.note()["tries"] == 1
    assert "came to no end" in run("detect", "-v", "-m", MODEL, FACE, environment=device.environment).err
    device.change_note(time=device.note()["time"] - 3700)  # an hour later
    device.detect()
    await_that(device.verdict, "the verdict")
    device.await_end()
    assert device.note() is None


def test_a_probe_that_is_told_to_end_leaves_nothing(device):
    device.detect(model="yolox_nano_416")
    pid = device.await_process()
    await_that(lambda: list((device.state / "attempts").glob("*.json")) or device.verdict(), "a try")
    os.kill(pid, signal.SIGTERM)
    device.await_end()
    assert device.files() == ["libraries.json"] or device.verdict()
    device.detect()
    await_that(device.verdict, "the verdict")


def test_one_probe_at_a_time(device):
    device.detect()
    pid = device.await_process()
    with stopped(pid):
        for _ in range(3):
            device.detect()
            assert device.processes() == [pid]
    await_that(device.verdict, "the verdict")


def test_a_probe_by_hand_waits_and_says_so(device):
    device.detect(model="yolox_nano_416")
    pid = device.await_process()
    await_that(lambda: list((device.state / "attempts").glob("*.json")), "a try")
    with stopped(pid):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([RUNG, "probe", "-m", MODEL, "--json"], env=device.environment, stdout=subprocess.PIPE,
                                   stderr=theirs)
        os.close(theirs)
        assert b"another probe is on its way" in os.read(ours, 1000)
        assert process.poll() is None
    out, _ = process.communicate(timeout=120)
    os.close(ours)
    assert process.returncode == 0 and json.loads(out)["rungs"]
