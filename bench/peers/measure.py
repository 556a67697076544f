# SPDX-License-Identifier: Apache-2.0
"""Cases and how they are timed: every side once a turn, with the same clock, in one process and on one thread."""
import dataclasses
import gc
import random
import statistics
import sys
import time

import numpy

import harness
import ours

TURNS_MAX = 200  # of a round
BLOCK_MS = 0.3  # what is shorter is called several times within a turn, so that the clock does not weigh
# The second leaves out the waits for CPUs that others use; these still have a part of the caches and of the memory's speed.
CLOCKS = {"wall": time.perf_counter_ns, "cpu": time.process_time_ns}


class Side:
    """
    One way to do the work of a case. `answer` does it too and gives what is compared with Rung's answer (default: what
    `run` gives). With `reads`, the arrays that it reads, these and what the last run gave are out of the caches before
    each run; without, a run follows another of its own, and short ones are repeated.
    """

    def __init__(self, run, answer=None, reads=None):
        self.run = run
        self.answer = answer or run
        self.reads = reads
        self.repeat = 1
        self.result = None

    def prepare(self):
        if self.reads is None:
            self.run()
            return
        for array in self.reads:
            ours.evict(array)
        if self.result is not None:
            ours.evict(numpy.asarray(self.result))

    def time(self, clock):
        """Milliseconds of a run."""
        self.prepare()
        self.result = None  # its memory is free for the next one
        start = clock()
        for _ in range(self.repeat):
            self.result = self.run()
        return (clock() - start) / 1e6 / self.repeat


class Peers(dict):
    """{name: Side}, and why others are not there."""

    def __init__(self):
        super().__init__()
        self.left_out = {}

    def add(self, name, make):
        try:
            self[name] = make()
        except Exception as reason:  # whatever a package does: the others are compared all the same
            self.left_out[name] = f"{type(reason).__name__}: {reason}"

    def compare(self, wanted, differs):
        """Leaves out those that do other work: differs(name, answer, wanted) says in which way."""
        for name, side in list(self.items()):
            try:
                reason = differs(name, side.answer(), wanted)
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
            if reason:
                self.left_out[name] = reason
                del self[name]


@dataclasses.dataclass
class Goal:
    """At least this many times as fast as the fastest of these peers, at Rung's highest level."""
    peers: tuple
    at_least: float


@dataclasses.dataclass
class Case:
    name: str
    rung: dict  # {level: Side}
    peers: Peers
    differs: callable
    goals: tuple = ()
    bound: str = ""  # the name of what follows
    bounds: dict = dataclasses.field(default_factory=dict)  # {level: Side} that nothing at that level can be faster than
    at_most: dict = dataclasses.field(default_factory=dict)  # {level: times that}


def take_round(sides, turns, clock):
    """Medians over the turns. A side's place changes in each, so that none always follows the same other."""
    taken = {key: [] for key in sides}
    keys = list(sides)
    shuffler = random.Random(turns)
    gc.disable()
    for _ in range(turns):
        shuffler.shuffle(keys)
        for key in keys:
            taken[key].append(sides[key].time(clock))
    gc.enable()
    return {key: statistics.median(values) for key, values in taken.items()}


def run_case(case, cpus, options, seconds):
    """Everything about a case; a round takes about so many seconds."""
    top = list(case.rung)[-1]
    case.peers.compare(case.rung[top].answer(), case.differs)
    sides = {("rung", level): side for level, side in case.rung.items()}
    sides |= {("bound", level): side for level, side in case.bounds.items()}
    sides |= {("peer", name): side for name, side in case.peers.items()}
    clock = CLOCKS[options.clock]
    for key, ms in take_round(sides, 3, clock).items():
        if sides[key].reads is None:
            sides[key].repeat = max(1, round(BLOCK_MS / ms))
    start = time.monotonic()
    take_round(sides, 1, clock)
    turns = max(1, min(TURNS_MAX, round(seconds / (time.monotonic() - start))))

    def progress(number, values, others):
        print(f"{case.name}, round {number}: rung {values['all']['rung', top]:.3f} ms, {harness.noise_text(others)}",
              file=sys.stderr)

    rounds, noisy, quiet = harness.take_rounds(cpus, options, {"all": lambda: take_round(sides, turns, clock)}, progress)
    return summarise(case, [values["all"] for values in rounds], noisy, quiet, turns)


def summarise(case, rounds, noisy, quiet, turns):
    def ms(key):
        return harness.spread([values[key] for values in rounds], 4)

    def ratios(level, *others):
        """Of the fastest of the others to Rung, a round each."""
        return harness.spread([min(values[other] for other in others) / values["rung", level] for values in rounds])

    top = list(case.rung)[-1]
    rows = [{"peer": name, "ms": ms(("peer", name)), "ratio": {level: ratios(level, ("peer", name)) for level in case.rung}}
            for name in case.peers]
    goals = []
    for goal in case.goals:
        there = [("peer", name) for name in goal.peers if name in case.peers]
        ratio = ratios(top, *there) if there else None
        goals.append({"level": top, "against": [name for _, name in there], "ratio": ratio, "at_least": goal.at_least,
                      "met": bool(there) and ratio["median"] >= goal.at_least})
    bounds = []
    for level in case.bounds:
        times = harness.spread([values["rung", level] / values["bound", level] for values in rounds])
        limit = case.at_most.get(level)
        bounds.append({"level": level, "bound": case.bound, "ms": ms(("bound", level)), "times": times, "at_most": limit,
                       "met": limit is None or times["median"] <= limit})
    return {"case": case.name, "rounds": len(rounds), "turns": turns, "quiet": quiet, "noisy_rounds": noisy,
            "rung_ms": {level: ms(("rung", level)) for level in case.rung}, "peers": rows, "goals": goals, "bounds": bounds,
            "left_out": case.peers.left_out}
