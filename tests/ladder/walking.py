# SPDX-License-Identifier: Apache-2.0
"""Walks a combination: starts Rung as a user would, one start after the other, and keeps what was seen."""

import itertools
import json
import subprocess
import time

from dataclasses import dataclass

import tiny
import trees
from design import FLOOR, LIBRARIES, MACHINES, form
from PIL import Image
from standing_in import RUNG, copy, environment, json_lines, run

# Of a run, in ms: the best rung is not slowed down, the second one is slower, all others take as long as the floor. Apart
# enough for a busy machine, whose idle processes wait their turn.
SECOND_MS, FLOOR_MS = 50, 250
TIME_LIMIT_S = 8  # of a rung that hangs; a healthy one has to do with it on a busy machine
BRIGHTNESS = (250, 200, 150)


class Bench:
    """The machines, the sets of runtimes, a model with three pictures, and what is right."""

    def __init__(self, folder):
        self.folder = folder
        for machine in MACHINES:
            trees.write(machine, folder / "machines" / machine)
        for library in itertools.chain.from_iterable(map(self.libraries, LIBRARIES)):
            with copy(library).open("ab") as file:  # no two libraries are the same
                file.write(library.name.encode())
        self.pictures = [folder / f"{level}.png" for level in BRIGHTNESS]
        for level, path in zip(BRIGHTNESS, self.pictures):
            Image.new("RGB", (16, 16), (level, level, level)).save(path)
        tiny.graph(folder / "tiny.onnx")
        self.make("keygen", "key.pem", "key.pub.pem")
        for form, record in (("f32", None), ("int8", {"text": '{"all": "int8"}'})):
            tiny.spec(folder / f"{form}.json", form=form, precision=record)
            self.make("pack", f"{form}.json", "tiny.onnx", "-o", f"{form}.rung", "--key", "key.pem")
        self.right = answers(json_lines(run("detect", "-m", *self.command("f32"), *self.pictures)))
        assert [len(line["targets"]) for line in self.right] == [2, 2, 2]

    def libraries(self, runtimes):
        """The folders of a set, in the order in which they are looked at."""
        return [self.folder / "runtimes" / f"{runtimes}-{number}" for number in range(len(LIBRARIES[runtimes]))]

    def make(self, *command):
        subprocess.run([RUNG, *command], cwd=self.folder, check=True, capture_output=True)

    def command(self, form):
        return (self.folder / f"{form}.rung", "--trust", self.folder / "key.pub.pem", "--json")


def answers(lines):
    """What is said of each picture, whatever ran it, in what numbers and how long."""
    return [{key: value for key, value in line.items() if key not in ("ms", "rung", "identity", "precision", "artifact")}
            for line in lines]


@dataclass
class Start:
    """What a start of Rung showed."""

    status: int
    err: str
    lines: list
    met: list  # as read_trace gives it

    @property
    def answered_by(self):
        """Which rung, under which identity, in which precision."""
        return {(line["rung"], line["identity"], line["precision"]) for line in self.lines if "rung" in line}

    @property
    def answers(self):
        return answers(self.lines)

    def touched(self, rung):
        return [call for call in self.met if call[2] == rung.steered]

    def ran_on(self):
        """The providers, as they are steered, that were asked for anything."""
        return {provider for place, _, provider in self.met if place in ("append", "session", "engine", "run")}

    def met_fault(self, fault):
        return any(call[:2] == (fault.place, fault.name) for call in self.met)


def speeds(combination):
    """In ms, by rung; what is faster than the last floor would be chosen in its place."""
    times = dict.fromkeys([*combination.here, FLOOR], FLOOR_MS)
    if combination.when != "floor":
        times |= {rung: place * SECOND_MS for place, rung in enumerate(combination.here[:2])}
    if combination.when == "outpaced":
        times[combination.here[1]] = FLOOR_MS + SECOND_MS
    return times


def faults_of(combination, fault, number):
    """Where they come in the library of that number of the set, and for how long a slow one takes there."""
    offered, times = LIBRARIES[combination.runtimes][number], speeds(combination)
    if not fault:
        return {}, {}
    if combination.when == "never":
        return {"append": [f"{fault.name}:{provider}" for provider in offered]}, {}
    if combination.when == "loading":
        return ({fault.place: [fault.name]} if number == 0 else {}), {}
    target = FLOOR if combination.when == "floor" else next(iter(times))
    if target.provider not in [*offered, FLOOR.provider]:
        return {}, {}
    return {fault.place: [fault.steering(target)]}, {target: times[target] or FLOOR_MS + SECOND_MS}


def steering_of(combination, fault, in_probe, number):
    """What it offers; the fault; and in a probe the speed of each rung, so that the best is known."""
    offered = [*LIBRARIES[combination.runtimes][number], FLOOR.provider]
    times = {rung: ms for rung, ms in speeds(combination).items() if ms and rung.provider in offered}
    orders, of_fault = faults_of(combination, fault, number)
    if in_probe:
        orders["run"] = orders.get("run", []) + [f"slow:{rung.steered}" for rung in times]
    entries = [f"providers={','.join(offered)}"]
    entries += [f"{place}={','.join(faults)}" for place, faults in orders.items() if faults]
    return entries + ["slow-ms=" + ",".join(f"{ms}:{rung.steered}" for rung, ms in (times | of_fault).items())]


def read_trace(paths):
    """(place, fault, provider) of each call that the stand-ins were asked for."""
    calls = [line.split() for path in paths if path.exists() for line in path.read_text().splitlines()]
    return [(place, fault, provider) for place, _, fault, provider in calls]


class Walk:
    """The starts of one combination, with a state and a cache of their own."""

    def __init__(self, bench, combination, folder):
        self.bench, self.combination, self.folder = bench, combination, folder
        self.traces = [folder / f"trace-{number}" for number in range(len(LIBRARIES[combination.runtimes]))]
        folder.mkdir()

    def environment(self, fault, in_probe):
        libraries = self.bench.libraries(self.combination.runtimes)
        more = {"RUNG_HARDWARE_ROOT": self.bench.folder / "machines" / self.combination.machine,
                "XDG_STATE_HOME": self.folder / "state", "XDG_CACHE_HOME": self.folder / "cache"}
        if libraries:
            more["RUNG_RUNTIME_PATH"] = ":".join(map(str, libraries))
        elif self.combination.runtimes == "none":
            more["RUNG_RUNTIME"] = self.folder / "libonnxruntime.so"
        sections = []
        for number, library in enumerate(libraries):
            entries = steering_of(self.combination, fault, in_probe, number)
            sections += [f"for={library.name}", *entries, f"trace={self.traces[number]}"]
        return environment(";".join(sections), **{name: str(value) for name, value in more.items()})

    def command(self, name, *arguments):
        model, *more = self.bench.command(form(self.combination.runtimes))
        return (name, *arguments, *(() if name == "engines" else ("-m",)), model, *more)

    def start(self, fault, name, *arguments, kill=False):
        """With `kill` it is ended when it hangs."""
        for trace in self.traces:
            trace.unlink(missing_ok=True)
        process = subprocess.Popen([RUNG, *map(str, self.command(name, *arguments))], stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.PIPE, env=self.environment(fault, name == "probe"))
        while kill and process.poll() is None and not any(met[1] == "hang" for met in read_trace(self.traces)):
            time.sleep(0.02)
        if kill:
            process.kill()
        out, err = process.communicate(timeout=300)
        return Start(process.returncode, err, [json.loads(line) for line in out.splitlines()], read_trace(self.traces))

    def detect(self, fault=None, kill=False):
        return self.start(fault, "detect", "--threads", "1", *self.bench.pictures, kill=kill)

    def probe(self, fault=None):
        limit = ("--time-limit", str(TIME_LIMIT_S)) if fault and fault.name == "hang" else ()
        return self.start(fault, "probe", "--rungs-only", "--threads", "1", *limit)

    def build(self, fault=None):
        """The engine on the rung that the probe chose."""
        limit = ("--time-limit", str(TIME_LIMIT_S)) if fault and fault.name == "hang" else ()
        return self.start(fault, "engines", "build", "--threads", "1", *limit)

    def explain(self, fault=None):
        return self.start(fault, "explain")
