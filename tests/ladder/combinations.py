# SPDX-License-Identifier: Apache-2.0
"""Which machines, sets of runtimes and faults are walked together."""

import itertools

from dataclasses import dataclass

from design import IN_A_PROBE, MACHINES, SETS, Fault, floors, present


@dataclass(frozen=True)
class Combination:
    machine: str
    runtimes: str
    when: str  # "probe", "floor" or "serving": where the fault comes; "never": at a rung whose device is not there
    fault: Fault | None = None

    def __str__(self):
        return f"{self.machine:<16} {self.runtimes:<9} {self.when:<8} {str(self.fault or '-'):<18}"

    @property
    def name(self):
        return "-".join(str(self).split())


def at_the_best_rung(faults, when):
    """Each fault once with each set of runtimes, on its machines in turn."""
    for runtimes in SETS:
        machines = itertools.cycle([machine for machine in MACHINES if present(machine, runtimes)])
        if SETS[runtimes]:
            yield from (Combination(next(machines), runtimes, when, fault) for fault in faults)


def without_its_device():
    """A library offers a provider for which this machine has no device: nobody may touch it."""
    for machine, runtimes in itertools.product(MACHINES, SETS):
        if SETS[runtimes] and not present(machine, runtimes):
            yield Combination(machine, runtimes, "never", Fault("append", "crash"))


def at_the_floor():
    """What a floor is refused is left to the one below it."""
    faults = itertools.cycle((Fault("session", "refuse"), Fault("session", "no-memory")))
    for runtimes in SETS:
        machines = [machine for machine in MACHINES if present(machine, runtimes)]
        yield from (Combination(machine, runtimes, "floor", next(faults)) for machine in machines[:3] if len(floors(runtimes)) == 2)


def without_faults():
    yield from (Combination(machine, runtimes, "probe") for machine, runtimes in itertools.product(MACHINES, ("stock", "none")))
    yield from at_the_best_rung([None], "probe")


# What comes after the verdict, in the process that serves. It runs the model once when it loads it, and then for each picture.
IN_SERVING = [Fault(place, name) for place in ("append", "session") for name in ("refuse", "no-memory", "crash", "abort", "hang", "slow")]
IN_SERVING += [Fault("append", "cpu"), *(Fault("run", name, 1) for name in ("refuse", "crash", "abort", "hang"))]
IN_SERVING += [Fault("run", name, 3) for name in ("refuse", "no-memory", "slow")]

ALL = [*without_faults(), *at_the_best_rung(IN_A_PROBE, "probe"), *at_the_best_rung(IN_SERVING, "serving"), *at_the_floor(),
       *without_its_device()]
assert len(ALL) == len(set(ALL))

matrix = {}  # combination: what came of it, for the table at the end
