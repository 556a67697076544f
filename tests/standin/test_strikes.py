# SPDX-License-Identifier: Apache-2.0
"""A rung that kills the process that serves with it: twice, and it is refused; what else ends a process is no strike."""

import json
import shutil
import signal
import subprocess
import sys
import time

import pytest
import tiny
from standing_in import ROOT, RUNG, copy, environment, run

sys.path.insert(0, str(ROOT / "tests" / "hardware"))
import trees  # noqa: E402

PROVIDERS = "providers=CUDAExecutionProvider,CPUExecutionProvider"
CRASH = f"{PROVIDERS};session=crash:CUDAExecutionProvider"


class Machine:
    """One with an NVIDIA GPU, whose ONNX Runtime offers CUDA; a model, and folders of its own."""

    def __init__(self, folder):
        self.folder, self.library = folder, copy(folder / "standin")
        trees.write(trees.TREES["nvidia"](), folder / "machine")
        self.model = folder / "t.rung"
        self.here("keygen", "key.pem", "key.pub.pem")
        self.here("pack", tiny.spec(folder / "t.json", name="t"), tiny.graph(folder / "t.onnx"), "-o", "t.rung", "--key", "key.pem")

    def here(self, *arguments):
        subprocess.run([RUNG, *arguments], cwd=self.folder, check=True, capture_output=True)

    def environment(self, steering):
        return environment(steering, RUNG_RUNTIME=str(self.library), RUNG_HARDWARE_ROOT=str(self.folder / "machine"),
                           XDG_STATE_HOME=str(self.folder / "state"), XDG_CACHE_HOME=str(self.folder / "cache"))

    def command(self, rung="cuda"):
        return ("explain", "--json", "-m", self.model, "--trust", self.folder / "key.pub.pem", "--rung", rung)

    def start(self, steering, status=0, rung="cuda"):
        return run(*self.command(rung), environment=self.environment(steering), status=status)

    def is_refused(self):
        return "died twice in a row" in self.start(CRASH, status=3).err

    def files(self, kind):
        return sorted((self.folder / "state" / "rung" / kind).glob("*.json"))


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.mark.parametrize("fault", ["session=crash", "session=abort", "append=crash", "run=crash"])
def test_a_rung_that_kills_the_process_twice_is_refused_at_the_third_start(machine, fault):
    steering = f"{PROVIDERS};{fault}:CUDAExecutionProvider"
    for _ in range(2):
        assert machine.start(steering, status=-signal.SIGABRT if "abort" in fault else -signal.SIGSEGV)
    refused = machine.start(steering, status=3).err
    assert "died twice in a row" in refused and str(machine.files("strikes")[0]) in refused
    # nor is it tried when it would work; the floor serves as ever
    machine.start(PROVIDERS, status=3)
    assert machine.start(steering, rung="ort-cpu")


def test_clearing_the_cache_does_not_forget_it_and_a_changed_library_does(machine):
    for _ in range(2):
        machine.start(CRASH, status=-signal.SIGSEGV)
    shutil.rmtree(machine.folder / "cache", ignore_errors=True)
    (machine.folder / "state" / "rung" / "verdict.json").unlink(missing_ok=True)
    assert machine.is_refused()
    with machine.library.open("ab") as library:
        library.write(b"another")
    machine.start(CRASH, status=-signal.SIGSEGV)
    assert machine.start(PROVIDERS)
    assert not machine.files("strikes")


def test_a_new_driver_forgets_it(machine):
    for _ in range(2):
        machine.start(CRASH, status=-signal.SIGSEGV)
    assert machine.is_refused()
    shutil.rmtree(machine.folder / "machine")
    trees.write(trees.TREES["nvidia"]() | trees.nvidia_driver("560.28.03"), machine.folder / "machine")
    assert machine.start(PROVIDERS)


def test_a_start_that_works_forgets_the_strike_before_it(machine):
    for _ in range(2):
        machine.start(CRASH, status=-signal.SIGSEGV)
        machine.start(PROVIDERS)
    assert not machine.files("strikes") and not machine.files("attempts")


def test_an_error_or_an_exit_in_the_middle_is_no_strike(machine):
    for _ in range(3):
        assert machine.start(f"{PROVIDERS};session=refuse:CUDAExecutionProvider", status=3)
        assert machine.start(f"{PROVIDERS};session=exit:CUDAExecutionProvider", status=7)
    assert not machine.files("strikes") and not machine.files("attempts")


@pytest.mark.parametrize("number, status", [(signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, -signal.SIGTERM)])
def test_an_interruption_of_one_that_hangs_is_no_strike(machine, number, status):
    for _ in range(3):
        process = subprocess.Popen([RUNG, *machine.command()], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=machine.environment(f"{PROVIDERS};session=hang:CUDAExecutionProvider"))
        while process.poll() is None and not machine.files("attempts"):
            time.sleep(0.005)
        process.send_signal(number)
        process.communicate(timeout=60)
        assert process.returncode == status
        assert not machine.files("attempts")
    assert machine.start(PROVIDERS) and not machine.files("strikes")


def test_a_job_that_hangs_ends_with_a_second_signal_and_is_no_strike(machine):
    process = subprocess.Popen([RUNG, "detect", *machine.command()[1:], machine.folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=machine.environment(f"{PROVIDERS};session=hang:CUDAExecutionProvider"))
    while process.poll() is None and not machine.files("attempts"):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)  # this one lets the pictures at hand finish
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert not machine.files("attempts") and not machine.files("strikes")


def test_processes_that_load_at_once_do_not_take_each_other_for_dead(machine):
    slow = machine.environment(f"{PROVIDERS};session=slow:CUDAExecutionProvider;slow-ms=300")
    started = [subprocess.Popen([RUNG, *machine.command()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=slow) for _ in range(6)]
    for process in started:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0 and not err and json.loads(out)["model"]["rung"] == "cuda"
    assert not machine.files("strikes") and not machine.files("attempts")
