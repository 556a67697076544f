#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the default costs where one CPU may be used: bench/one_cpu.py [--photos FOLDER] [--rounds N] [--json]

`rung detect` on a folder, kept to one CPU by its affinity, without any option against the best of the settings that
somebody could choose by hand (`--hint`, `--threads`): pictures a second, in turn. Exit status 1 when the default has
less than 95 % of the best, 3 when the machine was never quiet enough.
"""
import argparse
import os
import pathlib
import statistics
import sys

import harness

ROUNDS = 5
EDGE = 3  # pictures at either end that are not timed
GOAL = 0.95
DEFAULT = "default"
SETTINGS = [("throughput", 1), ("throughput", 2), ("latency", 1), ("latency", 2), ("latency", 4)]


def rate(command):
    arrivals = harness.run_timed(command).arrivals
    last = len(arrivals) - 1 - EDGE
    return (last - EDGE) / (arrivals[last] - arrivals[EDGE])


def measure(options, cpus):
    detect = [harness.RUNG, "detect", "-m", options.model, "--json"]
    ways = {DEFAULT: detect, **{f"--hint {hint} --threads {threads}": [*detect, "--hint", hint, "--threads", str(threads)]
                                for hint, threads in SETTINGS}}
    sides = {name: lambda command=command: rate([*command, options.photos]) for name, command in ways.items()}

    def progress(number, values, others):
        print(f"round {number}: {values[DEFAULT]:.2f} images/s by default, {harness.noise_text(others)}", file=sys.stderr)

    rounds, noisy, quiet = harness.take_rounds(cpus, options, sides, progress)
    medians = {name: statistics.median(values[name] for values in rounds) for name in ways}
    best = max((name for name in ways if name != DEFAULT), key=medians.get)
    share = medians[DEFAULT] / medians[best]
    return {"schema": 1, "bench": "one_cpu", "rounds": len(rounds), "noisy_rounds": noisy, "quiet": quiet,
            "images_per_s": {name: round(value, 3) for name, value in medians.items()}, "best": best,
            "share": round(share, 4), "shares": harness.spread([values[DEFAULT] / values[best] for values in rounds]),
            "within": share >= GOAL}


def show(result):
    print(harness.rounds_text(result))
    for name, value in result["images_per_s"].items():
        print(f"{value:8.2f} images/s  {name}")
    print(f"the default has {result['share']:.1%} of the best by hand ({result['best']}), the goal is {GOAL:.0%}: "
          f"{'met' if result['within'] else 'missed'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=pathlib.Path, default=harness.PHOTOS, help="a folder (default: the demo's)")
    parser.add_argument("--model", default="centerface", help="a detector (centerface)")
    harness.add_options(parser, ROUNDS)
    options = parser.parse_args()
    harness.require_demo()
    cpus = sorted(os.sched_getaffinity(0))[:1]
    os.sched_setaffinity(0, cpus)
    return harness.finish(measure(options, cpus), options.json, show)


if __name__ == "__main__":
    sys.exit(main())
