#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What probing costs the first answer: bench/first_detection.py [--hanging] [--emptied] [--rounds N] [--wait SECONDS] [--json]

`rung detect --json` on one photograph on a device where nothing is proven, which has the rungs measured in the
background after its answer, against the same where an earlier probe's verdict is followed. The clock runs from just before
the process is started to the arrival of its first line. Both run in turn on the same two CPUs; the probe is told to end
when the process has ended. With --hanging the machine has an NVIDIA GPU whose driver never comes back (the stand-in of
tests/standin). With --emptied nothing is known at all: what the runtimes are has to be found out before the first answer, as at
the very first start. Exit status 1 when the goal was missed, 3 when the machine was never quiet enough.
"""
import argparse
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

import harness

sys.path[:0] = [str(harness.ROOT / "tests" / name) for name in ("cli", "hardware")]
import trees  # noqa: E402
from processes import await_that, helpers  # noqa: E402

ROUNDS = 15
GOAL_RATIO = 1.05
STANDIN = harness.ROOT / "build/tests/standin/libonnxruntime.so.1.99.0-standin"
PROVIDERS = "providers=CUDAExecutionProvider,CPUExecutionProvider"


def hanging_machine(folder):
    """The variables of one whose GPU cannot be waited for."""
    real = sorted((harness.ROOT / "runtimes").glob("onnxruntime-[0-9]*/libonnxruntime.so.*"))
    if not STANDIN.exists() or not real:
        harness.fail("the stand-in is not built, or there is no ONNX Runtime; run scripts/demo and build the tests")
    return {"RUNG_RUNTIME": str(STANDIN), "RUNG_STANDIN_REAL": str(real[-1]),
            "RUNG_STANDIN": f"{PROVIDERS};session=hang:CUDAExecutionProvider",
            "RUNG_HARDWARE_ROOT": str(trees.write(trees.TREES["nvidia"](), folder / "machine"))}


def end_probes(state):
    """How many there were; returns when they have ended."""
    found = helpers(f"XDG_STATE_HOME={state}")
    for pid in found:
        os.kill(pid, signal.SIGTERM)
    await_that(lambda: not helpers(f"XDG_STATE_HOME={state}"), "the end of the probe")
    return len(found)


class Start:
    """First detections with state folders of one kind."""

    def __init__(self, options, folder, variables):
        # As many in both: a verdict may choose another number, which is not what is compared here.
        self.threads = ["--threads", str(harness.CPUS)]
        self.command = [harness.RUNG, "detect", "-m", "centerface", "--json", *self.threads, options.photo]
        self.folder, self.variables, self.emptied = folder, variables, options.emptied

    def first_line(self, state, policy):
        timed = harness.run_timed(self.command, XDG_STATE_HOME=str(state), RUNG_PROBE=policy, **self.variables)
        return timed.arrivals[0] if timed.arrivals else harness.fail("nothing was found in the photograph")

    def prove(self):
        """Stores the verdict that is followed; what hangs is given ten seconds."""
        environment = {**harness.environment(), **self.variables, "XDG_STATE_HOME": str(self.folder / "proven")}
        subprocess.run([harness.RUNG, "probe", "-m", "centerface", "--time-limit", "10", "--policy", "first", *self.threads],
                       env=environment, check=True, stdout=subprocess.DEVNULL)

    def proven(self):
        return self.first_line(self.folder / "proven", "all")

    def unproven(self):
        state = self.folder / "unproven"
        shutil.rmtree(state, ignore_errors=True)
        if not self.emptied:  # what the runtimes are is known, as it is when a verdict is outdated
            (state / "rung").mkdir(parents=True, mode=0o700)
            shutil.copy(self.folder / "proven" / "rung" / "libraries.json", state / "rung")
        seconds = self.first_line(state, "all")
        if end_probes(state) != 1:
            harness.fail("no probe was begun in the background, or it has ended before it could be seen")
        return seconds


def summarise(name, pairs, noisy, quiet):
    ratios = [unproven / proven for unproven, proven in pairs]
    return {
        "schema": 1, "bench": name, "rounds": len(pairs), "noisy_rounds": noisy, "quiet": quiet,
        "unproven_ms": harness.spread([pair[0] * 1e3 for pair in pairs]),
        "proven_ms": harness.spread([pair[1] * 1e3 for pair in pairs]),
        "ratio": harness.spread(ratios),
        "within": statistics.median(ratios) <= GOAL_RATIO,
    }


def show(result):
    print(harness.rounds_text(result))
    print(f"unproven  {harness.spread_text(result['unproven_ms'], '.0f')} ms")
    print(f"proven    {harness.spread_text(result['proven_ms'], '.0f')} ms")
    print(f"ratio     {harness.spread_text(result['ratio'], '.3f')}, the goal is {GOAL_RATIO}: "
          f"{'met' if result['within'] else 'missed'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photo", type=pathlib.Path, default=harness.PHOTOS / "astronaut.png", help="with a face in it")
    parser.add_argument("--hanging", action="store_true", help="on a machine whose GPU's driver hangs")
    parser.add_argument("--emptied", action="store_true", help="with an empty state folder each time")
    harness.add_options(parser, ROUNDS)
    options = parser.parse_args()
    harness.require_demo()
    cpus = harness.keep_to_cpus()

    def progress(number, pair, others):
        print(f"round {number}: {pair[0] * 1e3:.0f} and {pair[1] * 1e3:.0f} ms, {harness.noise_text(others)}", file=sys.stderr)

    with tempfile.TemporaryDirectory(prefix="rung-bench-") as folder:
        folder = pathlib.Path(folder)
        start = Start(options, folder, hanging_machine(folder) if options.hanging else {})
        start.prove()
        for once in (start.proven, start.unproven):
            once()  # brings the files into the cache
        name = "first_detection" + ("_hanging" if options.hanging else "") + ("_emptied" if options.emptied else "")
        result = summarise(name, *harness.take_turns(cpus, options, start.unproven, start.proven, progress))
    return harness.finish(result, options.json, show)


if __name__ == "__main__":
    sys.exit(main())
