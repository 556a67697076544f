# SPDX-License-Identifier: Apache-2.0
"""Which machines, sets of runtimes and faults are walked together."""

import itertools

from dataclasses import dataclass

from design import IN_A_PROBE, IN_BUILDING, IN_LOADING, LIBRARIES, MACHINES, Fault, floors, passed_over, present


@dataclass(frozen=True)
class Combination:
    machine: str
    runtimes: str
    when: str  # where the fault comes (README.md)
    fault: Fault | None = None

    def __str__(self):
        return f"{self.machine:<16} {self.runtimes:<13} {self.when:<8} {str(self.fault or '-'):<18}"

    @property
    def here(self):
        """The rungs that a probe tries above the floor, best first."""
        return present(self.machine, self.runtimes, self.first)

    @property
    def first(self):
        """The first library of the set that loads."""
        return 1 if self.when == "loading" and passed_over(self.fault) else 0

    @property
    def name(self):
        return "-".join(str(self).split())


# Those of one library that offers something.
OFFERING = [runtimes for runtimes, libraries in LIBRARIES.items() if len(libraries) == 1]


def at_the_best_rung(faults, when, sets=OFFERING):
    """Each fault once with each set of runtimes, on its machines in turn."""
    for runtimes in sets:
        machines = itertools.cycle([machine for machine in MACHINES if present(machine, runtimes)])
        yield from (Combination(next(machines), runtimes, when, fault) for fault in faults)


def under_the_best_rung():
    """One that is slower than the floor is no rung to fall on."""
    yield from (Combination(machine, runtimes, "outpaced", fault) for (machine, runtimes), fault in itertools.product(
        (("nvidia", "cuda"), ("laptop", "all")), (Fault("session", "refuse"), Fault("append", "crash"))))


def at_its_engine():
    """Where the best rung compiles."""
    for runtimes in ("cuda", "migraphx", "openvino", "qnn", "all"):
        best = {machine: here[0] for machine in MACHINES if (here := present(machine, runtimes))}
        machines = itertools.cycle([machine for machine, rung in best.items() if rung.compiles])
        yield from (Combination(next(machines), runtimes, "building", fault) for fault in IN_BUILDING)


def without_its_device():
    """A library offers a provider for which this machine has no device: nobody may touch it."""
    for machine, runtimes in itertools.product(MACHINES, OFFERING):
        if not present(machine, runtimes):
            yield Combination(machine, runtimes, "never", Fault("append", "crash"))


def at_the_floor():
    """What a floor is refused is left to the one below it."""
    faults = itertools.cycle((Fault("session", "refuse"), Fault("session", "no-memory")))
    for runtimes in OFFERING:
        machines = [machine for machine in MACHINES if present(machine, runtimes) and len(floors(runtimes)) == 2]
        yield from (Combination(machine, runtimes, "floor", next(faults)) for machine in machines[:3])


def at_loading():
    """A library that does not load stands before one that does: before the real one, and before one that offers more."""
    for runtimes in ("all", "plain+all"):
        machines = itertools.cycle(MACHINES)
        yield from (Combination(next(machines), runtimes, "loading", fault) for fault in IN_LOADING)


def without_faults():
    yield from (Combination(machine, runtimes, "probe") for machine, runtimes in itertools.product(MACHINES, ("stock", "none")))
    yield from at_the_best_rung([None], "probe")


# Each rung is on the first library that offers it, and a process loads one.
SEVERAL = [runtimes for runtimes, libraries in LIBRARIES.items() if len(libraries) > 1]
OF_SEVERAL = [None, *(Fault(place, name) for place, name in (("append", "crash"), ("session", "refuse"), ("run", "wrong"),
                                                             ("run", "slow"), ("append", "slow"), ("session", "abort")))]

# What comes after the verdict, in the process that serves. It runs the model once when it loads it, and then for each picture.
IN_SERVING = [Fault(place, name) for place in ("append", "session") for name in ("refuse", "no-memory", "crash", "abort", "hang", "slow")]
IN_SERVING += [Fault("append", "cpu"), *(Fault("run", name, 1) for name in ("refuse", "crash", "abort", "hang"))]
IN_SERVING += [Fault("run", name, 3) for name in ("refuse", "no-memory", "slow")]

ALL = [*without_faults(), *at_the_best_rung(IN_A_PROBE, "probe"), *at_the_best_rung(IN_SERVING, "serving"), *at_the_floor(), *at_loading(),
       *at_the_best_rung(OF_SEVERAL, "probe", SEVERAL), *at_its_engine(), *under_the_best_rung(),
       *without_its_device()]
assert len(ALL) == len(set(ALL))

matrix = {}  # combination: what came of it, for the table at the end
