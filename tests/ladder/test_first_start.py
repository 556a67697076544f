# SPDX-License-Identifier: Apache-2.0
"""The first start on a machine where a better rung has to be proven and its engine to be built, as one sequence: what an
application sees that runs all the while, and what jobs see that begin and end in between. The table stands at the end of a run."""

import contextlib
import json
import os
import pty
import random
import signal
import subprocess
import time

import pytest
import tiny
import trees
from engines_here import OPENVINO, Place, flip_a_bit, need_openvino
from PIL import Image
from processes import await_that, helpers, is_stopped, stopped
from standing_in import BUILD, LIBRARY, REAL, RUNG, command_line, environment, json_lines, run

APPLICATION = BUILD / "tests" / "ladder" / "application"

# TensorRT is not slowed down, CUDA is slower, the CPU slower still. An engine takes its time, so that there is a moment
# between the verdict and the engine.
PROVIDERS = ["TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider"]
TENSORRT, CUDA, CPU = PROVIDERS
SPEEDS = f"run=slow:{CUDA},slow:{CPU};engine=slow:{TENSORRT};slow-ms=40:{CUDA},150:{CPU},1500:{TENSORRT}"
# Of the job that is stopped in its middle.
SLOW_JOB = f"run=slow:{CUDA};slow-ms=400:{CUDA}"

EMBEDDER = {"role": "embedder", "head": "none", "selection": None, "labels": None, "embedding_length": 12}
QUANTISED = {"form": "int8", "precision": {"text": '{"all": "int8"}'}}


class Application:
    """One that runs on, and does what it is told."""

    def __init__(self, variables):
        self.process = subprocess.Popen([APPLICATION], env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the application ended at {words}"
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(60) == 0


class User(Place):
    """One user of one machine, who has models and pictures, and nothing remembered."""

    def __init__(self, folder, steering=None, **more):
        super().__init__(folder, library=None if steering else OPENVINO)
        self.steering, self.more, self.running = steering, more, []
        (self.small,) = self.models
        self.detector = self.pack("detector", {"licence": {"text": "long " * 2000}}, corner=(0.0, 0.0, 0.5, 0.5))
        self.embedder, self.quantised = self.pack("embedder", EMBEDDER), self.pack("quantised", QUANTISED, before=tiny.eight_bits)
        self.pictures = []
        for i in range(6):
            self.pictures.append(folder / f"{i}.png")
            Image.new("RGB", (16, 16), (250, 250, 240 - i)).save(self.pictures[-1])

    def environment(self, steering="", **more):
        folders = {"XDG_STATE_HOME": str(self.folder / "state"), "XDG_CACHE_HOME": str(self.folder / "cache"),
                   "RUNG_TRUST_PATH": str(self.folder / "key.pub.pem"), **self.more}
        if not self.steering:
            return command_line.clean_environment(**folders | {"RUNG_RUNTIME": str(self.library), **more})
        orders = f"providers={','.join(PROVIDERS)};trace={self.trace};{steering or self.steering}"
        return environment(orders, **folders | {"RUNG_RUNTIME": str(LIBRARY), **more})

    def application(self, **more):
        """It runs the way an application does that says nothing of probes, but for the machine's load."""
        started = Application(self.environment(**{"RUNG_PROBE": "all", **more}))
        self.running.append(started.process)
        return started

    def detect(self, *arguments, **more):
        result = run("detect", "-m", self.detector, "--json", *arguments, *self.pictures, environment=self.environment(**more))
        return json_lines(result), result.err

    def embed_targets(self, detector):
        """The targets of a picture."""
        return json_lines(run("embed", "-m", self.embedder, "--per-target", detector, "--json", self.pictures[0],
                              environment=self.environment()))

    def begin_job(self):
        """A job that has answered for its first picture and is stopped there."""
        job = subprocess.Popen([RUNG, "detect", "-m", self.detector, "--json", "--threads", "1", *self.pictures],
                               env=self.environment(SLOW_JOB), stdout=subprocess.PIPE, text=True)
        self.running.append(job)
        first = job.stdout.readline()
        os.kill(job.pid, signal.SIGSTOP)
        await_that(lambda: is_stopped(job.pid), "the stop")
        return job, first

    def finish_job(self, job, first):
        os.kill(job.pid, signal.SIGCONT)
        rest, _ = job.communicate(timeout=120)
        assert job.returncode == 0
        return [json.loads(line) for line in (first + rest).splitlines()]

    def background(self):
        return helpers(f"XDG_STATE_HOME={self.folder / 'state'}")

    def stored(self):
        """The files of engines, as they were written."""
        return [(path, path.stat().st_ino, path.read_bytes()) for path in self.files()]

    def verdict(self):
        path = self.folder / "state" / "rung" / "verdict.json"
        return json.loads(path.read_text())["models"][0] if path.exists() else None

    def outcomes(self):
        return {rung["rung"]: rung["outcome"] for rung in self.verdict()["rungs"]}

    def explain(self, model):
        return json.loads(run("explain", "-m", model, "--json", environment=self.environment()).out)


@pytest.fixture
def users():
    """Makes users; what they left running is ended."""
    made = []

    def make(*arguments, **more):
        made.append(User(*arguments, **more))
        return made[-1]
    yield make
    for user in made:
        for process in user.running:
            if process.poll() is None:
                process.kill()
                process.wait()
        for pid in helpers(f"XDG_STATE_HOME={user.folder / 'state'}", ("background", "run", "build")):
            os.kill(pid, signal.SIGKILL)


SERVED_BY_FLOOR = ("ort-cpu", "detector", "f32")
SERVED_BELOW = ("cuda", "detector", "f32")
SERVED_BY_ENGINE = ("tensorrt", "detector+f16", "f16")
EMBEDDED = ("cuda", "embedder", "f32")


def served(answer):
    return answer["rung"], answer["identity"], answer["precision"]


def targets(lines):
    return [(line["source"], line["targets"]) for line in lines]


class Right:
    """What the real library answers, and how long it takes until the first one."""

    def __init__(self, user):
        plain = command_line.clean_environment(RUNG_RUNTIME=str(REAL), RUNG_TRUST_PATH=str(user.folder / "key.pub.pem"))
        began, application, self.packets = time.monotonic(), Application(plain), {}
        for model in ("detector", "embedder", "quantised"):
            assert application.ask("model", model, getattr(user, model))["rung"] == "ort-cpu"
            application.ask("context", f"of-{model}", model)
            self.packets[model] = application.ask("run", f"of-{model}")["packet"]
            if model == "detector":
                self.seconds = time.monotonic() - began
        application.end()
        lines = json_lines(run("detect", "-m", user.detector, "--json", *user.pictures, environment=plain))
        assert all(len(line["targets"]) == 2 for line in lines)
        self.targets = targets(lines)


class Building:
    """rung engines build on a terminal."""

    def __init__(self, user, *models):
        self.screen, its = pty.openpty()
        self.process = subprocess.Popen([RUNG, "engines", "build", "--json", *models], env=user.environment(TERM="xterm"),
                                        stdout=subprocess.PIPE, stderr=its, text=True)
        user.running.append(self.process)
        os.close(its)

    def finish(self):
        """The state of each file's engine, and what the terminal showed."""
        shown = b""
        with contextlib.suppress(OSError):  # Linux says so at the end
            while part := os.read(self.screen, 4096):
                shown += part
        os.close(self.screen)
        out, _ = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, shown
        return {os.path.basename(each["path"]): each["state"] for each in json.loads(out)["engines"]}, shown.decode()


class Sequence:
    """The steps, in their order; each asserts what it promises and notes what was seen."""

    def __init__(self, user, step, title):
        self.user, self.step, self.right = user, step, Right(user)
        step("FIRST START", title)
        self.contexts = {}  # name: (model, what it was made on)

    def make(self, context, model, expected):
        """A new context, and what the model says why it is on that rung."""
        answer = self.application.ask("context", context, model)
        assert served(answer) == expected, answer
        self.contexts[context] = model, expected
        return answer["reason"]

    def open(self, model, expected):
        answer = self.application.ask("model", model, getattr(self.user, model))
        assert served(answer) == expected, answer
        return answer["reason"]

    def end(self, context):
        self.application.ask("end", context)
        del self.contexts[context]

    def all_run(self):
        """Every context stays on what it was made on, and is right."""
        for context, (model, expected) in self.contexts.items():
            answer = self.application.ask("run", context)
            assert served(answer) == expected and answer["packet"] == self.right.packets[model], (context, answer)

    def is_right(self, lines, expected):
        assert {served(line) for line in lines} == {expected} and targets(lines) == self.right.targets, lines

    def a_floor_answers(self):
        began = time.monotonic()
        self.application = self.user.application()
        assert "nothing was probed on this device" in self.open("detector", SERVED_BY_FLOOR)
        self.make("first", "detector", SERVED_BY_FLOOR)
        self.all_run()
        seconds = time.monotonic() - began
        assert seconds < self.right.seconds + 10  # what is measured takes as long as it takes, and nobody waits for it
        self.step("1 an empty state", f"ort-cpu answers after {seconds:.2f} s ({self.right.seconds:.2f} s where nothing is measured)")

    def the_verdict_is_stored(self):
        outcomes = self.user.outcomes()
        assert (outcomes["tensorrt"], outcomes["cuda"], outcomes["ort-cpu"]) == ("chosen", "slower", "slower")
        assert not self.user.files()
        self.step("2 the verdict", "tensorrt chosen, cuda and ort-cpu slower; the engine of tensorrt is being built")

    def new_contexts_take_the_fallback_rung(self):
        reason = self.make("second", "detector", SERVED_BELOW)
        assert reason.startswith("serves until the engine of tensorrt is built")
        assert self.user.explain(self.user.detector)["model"]["why"] == reason  # of another process
        self.all_run()
        self.step("  a new context", f"cuda: {reason}")
        self.step("  the running one", "ort-cpu")

    def an_embedder_takes_it_too(self):
        reason = self.open("embedder", EMBEDDED)
        assert "tensorrt: it would compute in f16 there" in reason
        self.make("vectors", "embedder", EMBEDDED)
        self.all_run()
        self.step("  an embedder", f"cuda: {reason}")

    def a_job_begins(self):
        self.job, self.begun = self.user.begin_job()
        assert served(json.loads(self.begun)) == SERVED_BELOW
        self.step("  a job", "cuda; it is stopped after its first picture")

    def who_builds_waits(self):
        self.building = Building(self.user, self.user.detector, self.user.small)
        assert not self.user.files() and self.building.process.poll() is None

    def the_engine_lands(self):
        states, shown = self.building.finish()
        assert states == {"m0.rung": "built", "detector.rung": "ready"} and self.user.compiled() == 2
        assert "Preparing engines · 1 of 2" in shown
        self.step("3 the engine lands", "it was built once, in the background; rung engines build has waited, and shows "
                                        "“Preparing engines · 1 of 2” for the other model's")

    def new_contexts_move_up(self):
        reason = self.make("third", "detector", SERVED_BY_ENGINE)
        assert reason.startswith("chosen by a probe on this device: ")
        self.all_run()
        self.step("4 a new context", f"tensorrt, f16: {reason}")
        self.step("  those that ran", "ort-cpu and cuda, as they began")
        self.end("first")
        self.all_run()

    def jobs_end_as_they_began(self):
        lines = self.user.finish_job(self.job, self.begun)
        self.is_right(lines, SERVED_BELOW)
        self.step("  the job", f"cuda for all of its {len(lines)} pictures, {len(lines) - 1} of them after the engine landed")
        lines, told = self.user.detect()
        self.is_right(lines, SERVED_BY_ENGINE)
        assert not told
        self.step("  another job", f"tensorrt for all of its {len(lines)} pictures")

    def an_embedder_stays_in_f32(self):
        self.make("more-vectors", "embedder", EMBEDDED)
        self.open("quantised", ("ort-cpu", "quantised+i8", "i8"))
        self.make("targets", "quantised", ("ort-cpu", "quantised+i8", "i8"))
        self.all_run()
        for detector, identity in (("detector", "detector+f16/embedder"), ("quantised", "quantised+i8/embedder")):
            (line,) = self.user.embed_targets(getattr(self.user, detector))
            assert served(line) == ("cuda", identity, "f32")
            self.step("5 an embedder", f"cuda, f32: {identity} beside {detector} in {line['detector_precision']} "
                                       f"on {line['detector_rung']}")
        self.application.end()

    def the_next_start_begins_there(self, expected=SERVED_BY_ENGINE):
        stored, began = self.user.stored(), time.monotonic()
        self.application, self.contexts = self.user.application(), {}
        assert self.open("detector", expected).startswith("chosen by a probe on this device: ")
        self.make("only", "detector", expected)
        self.all_run()
        seconds = time.monotonic() - began
        self.application.end()
        assert {engine["state"] for engine in self.user.engines("verify")} == {"current"} and self.user.stored() == stored
        self.step("6 the next start", f"{expected[0]} answers after {seconds:.2f} s: nothing is measured or built")

    def the_engine_is_verified(self):
        for file in self.user.files():
            flip_a_bit(file, random)
        lines, told = self.user.detect()
        self.is_right(lines, SERVED_BELOW)
        assert "is not as it was built; it is removed" in told
        self.step("  with a bit flipped", "cuda: the engine is not used but removed, which a warning says")


def test_the_first_start_step_by_step(users, tmp_path, step):
    user = users(tmp_path, SPEEDS, RUNG_HARDWARE_ROOT=str(trees.write(trees.TREES["nvidia"](), tmp_path / "machine")))
    sequence = Sequence(user, step, "a machine with an NVIDIA GPU; TensorRT and CUDA are stood in for")
    sequence.a_floor_answers()
    await_that(user.verdict, "the verdict")
    await_that(user.compiled, "the build of the engine")
    (background,) = user.background()
    with stopped(background):
        sequence.the_verdict_is_stored()
        sequence.new_contexts_take_the_fallback_rung()
        sequence.an_embedder_takes_it_too()
        sequence.a_job_begins()
        sequence.who_builds_waits()
    sequence.the_engine_lands()
    sequence.new_contexts_move_up()
    sequence.jobs_end_as_they_began()
    sequence.an_embedder_stays_in_f32()
    sequence.the_next_start_begins_there()
    sequence.the_engine_is_verified()


# ---- with a real runtime that compiles ----------------------------------------------------------


def test_the_first_start_with_openvino(users, tmp_path, step):
    """With a model that OpenVINO's compiler is made for, and a rung below it that is the floor."""
    need_openvino()
    user = users(tmp_path)
    user.detector = user.pack("detector", before=tiny.chain)
    sequence, expected = Sequence(user, step, "this machine; the real OpenVINO"), ("openvino-cpu", "detector", "f32")
    sequence.a_floor_answers()
    await_that(user.verdict, "the verdict")
    await_that(lambda: not user.background(), "the end of what is done in the background")
    assert user.outcomes()["openvino-cpu"] == "chosen" and len(user.files()) == 1
    sequence.step("2 the verdict", "openvino-cpu chosen; its engine is built")
    reason = sequence.make("second", "detector", expected)
    sequence.all_run()
    sequence.step("4 a new context", f"openvino-cpu: {reason}")
    sequence.step("  the one that ran", "ort-cpu, as it began")
    sequence.application.end()
    sequence.the_next_start_begins_there(expected)
