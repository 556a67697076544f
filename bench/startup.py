#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From the start of a process to its first detection: bench/startup.py [--rounds N] [--wait SECONDS] [--json]

`rung detect --json` on one photograph against the shortest Python program that uses ONNX Runtime, OpenCV and the same
graph. The clock runs from just before the process is started to the arrival of its first line; files are in the cache of
the system. Both run in turn on the same two CPUs, and rounds in which others used these do not count. Exit status 1
when the goal was missed, 3 when the machine was never quiet enough.
"""
import argparse
import json
import pathlib
import statistics
import sys

import harness

ROUNDS = 15
THRESHOLD = 0.5  # of the model file
GOAL_RATIO = 0.6


def first_line(command):
    timed = harness.run_timed(command)
    return timed.arrivals[0] if timed.arrivals else harness.fail(f"{command[0]} found nothing in the photograph")


def summarise(pairs, noisy, quiet):
    ratios = [ours / theirs for ours, theirs in pairs]
    return {
        "schema": 1, "bench": "startup", "rounds": len(pairs), "noisy_rounds": noisy, "quiet": quiet,
        "rung_ms": harness.spread([pair[0] * 1e3 for pair in pairs]),
        "python_ms": harness.spread([pair[1] * 1e3 for pair in pairs]),
        "ratio": harness.spread(ratios),
        "within": statistics.median(ratios) <= GOAL_RATIO,
    }


def show(result):
    print(harness.rounds_text(result))
    print(f"rung    {harness.spread_text(result['rung_ms'], '.0f')} ms")
    print(f"python  {harness.spread_text(result['python_ms'], '.0f')} ms")
    print(f"ratio   {harness.spread_text(result['ratio'], '.3f')}, the goal is {GOAL_RATIO}: "
          f"{'met' if result['within'] else 'missed'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photo", type=pathlib.Path, default=harness.PHOTOS / "astronaut.png", help="with a face in it")
    harness.add_options(parser, ROUNDS)
    parser.add_argument("--rung-option", action="append", default=[], help="one more argument of rung detect")
    options = parser.parse_args()
    harness.require_demo()
    cpus = harness.keep_to_cpus()
    rung = [harness.RUNG, "detect", "-m", "centerface", "--json", *options.rung_option, options.photo]
    python = [harness.peers_python(), harness.HERE / "peer_startup.py", harness.GRAPH, options.photo, str(THRESHOLD)]
    for command in (rung, python):
        harness.run_timed(command)  # brings the files into the cache

    def progress(number, pair, others):
        print(f"round {number}: {pair[0] * 1e3:.0f} and {pair[1] * 1e3:.0f} ms, {harness.noise_text(others)}", file=sys.stderr)

    result = summarise(*harness.take_turns(cpus, options, lambda: first_line(rung), lambda: first_line(python), progress))
    return harness.finish(result, options.json, show)


if __name__ == "__main__":
    sys.exit(main())
