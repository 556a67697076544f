#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A folder of photographs on each floor and on the chosen rung: bench/folder_job.py [--photos FOLDER] [--json]

`rung detect --json FOLDER` as a user calls it, on tract, on ort-cpu and on what `rung probe` chose in an emptied state
folder, in turn: the wall-clock time of the process, and the shares of its stages. There is no goal. Exit status 3 when
the machine was never quiet enough.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import harness

ROUNDS = 3
STAGES = ("decode", "preprocess", "run", "postprocess")
CHOSEN = "chosen"


class Job:
    def __init__(self, options, rung, folders):
        self.command = [harness.RUNG, "detect", "-m", options.model, "--json", *(["--rung", rung] if rung else []), options.photos]
        self.folders, self.rung, self.ms = folders, rung, []

    def run(self):
        timed = harness.run_timed(self.command, **self.folders)
        lines = [json.loads(line) for line in timed.lines]
        self.ms = [line["ms"] for line in lines if "ms" in line]
        self.rung = lines[0]["rung"]
        return timed.arrivals[-1]

    def shares(self):
        totals = {stage: sum(ms[stage] for ms in self.ms) for stage in STAGES}
        return {stage: round(total / sum(totals.values()), 4) for stage, total in totals.items()}


def prepare(model, folders):
    """As a device is after its first starts: probed, and the engine built if the chosen rung compiles."""
    for command in (["probe", "-m", model], ["engines", "build", model]):
        done = subprocess.run([harness.RUNG, *command, "--json"], env=harness.environment(**folders), capture_output=True, text=True)
        if done.returncode != 0:
            harness.fail(f"rung {command[0]} ended with status {done.returncode}: {done.stderr.strip()}")


def measure(options, cpus):
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "state")
        harness.await_quiet(cpus, options.wait)
        folders = {"XDG_STATE_HOME": state, "XDG_CACHE_HOME": os.path.join(folder, "cache")}
        prepare(options.model, folders)
        jobs = {"tract": Job(options, "tract", folders), "ort-cpu": Job(options, "ort-cpu", folders), CHOSEN: Job(options, None, folders)}

        def progress(number, values, others):
            print(f"round {number}: {', '.join(f'{name} {value:.2f} s' for name, value in values.items())}, "
                  f"{harness.noise_text(others)}", file=sys.stderr)

        rounds, noisy, quiet = harness.take_rounds(cpus, options, {name: job.run for name, job in jobs.items()}, progress)
    rows = {}
    for name, job in jobs.items():
        shares = job.shares()
        rows[name] = {"rung": job.rung, "wall_s": harness.spread([values[name] for values in rounds]), "shares": shares,
                      "ms": {stage: round(statistics.median(ms[stage] for ms in job.ms), 3) for stage in STAGES},
                      "bottleneck": max(shares, key=shares.get)}
    return {"schema": 1, "bench": "folder_job", "model": options.model, "pictures": len(jobs[CHOSEN].ms), "rounds": len(rounds),
            "noisy_rounds": noisy, "quiet": quiet, "rungs": rows, "within": True}


def show(result):
    print(f"{result['model']} on {result['pictures']} photographs, {harness.rounds_text(result)}")
    print(f"{'':10} {'rung':14} {'wall-clock, s':>22} {'decode':>8} {'pre':>8} {'run':>8} {'post':>8}  bottleneck")
    for name, row in result["rungs"].items():
        cells = " ".join(f"{row['shares'][stage]:8.1%}" for stage in STAGES)
        print(f"{name:10} {row['rung']:14} {harness.spread_text(row['wall_s'], '.2f'):>22} {cells}  {row['bottleneck']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=pathlib.Path, default=harness.PHOTOS, help="a folder (default: the demo's)")
    parser.add_argument("--model", default="centerface", help="a detector (centerface)")
    harness.add_options(parser, ROUNDS)
    options = parser.parse_args()
    harness.require_demo()
    return harness.finish(measure(options, harness.keep_to_cpus()), options.json, show)


if __name__ == "__main__":
    sys.exit(main())
