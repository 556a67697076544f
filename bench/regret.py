#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the chosen rung costs against the best one: bench/regret.py [--model NAME]... [--rounds N] [--json]

`rung probe` is asked once, in an emptied state folder, with the probe model, and `rung engines build` makes what the chosen
rung compiles: it is how a device is after its first starts. Then every demo model is run on every rung
that can run here, with every library that offers it, and with one thread up to all: each a process of its own, in turn.
The regret of a model is the run time on what is chosen for it, by the verdict of the probe model, over that of the best.
Exit status 1 when the probe model's is above the goal, 3 when the machine was never quiet enough.
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

ROUNDS = 5
PROBE_MODEL = "yunet_n_320"
GOAL_REGRET = 1.05
PICTURES = 12
COMMANDS = {"detector": "detect", "embedder": "embed", "segmenter": "segment"}
CHOSEN = "chosen"


def rung_lines(*arguments, **more):
    done = subprocess.run([harness.RUNG, *arguments, "--json"], env=harness.environment(**more), capture_output=True, text=True)
    if done.returncode != 0:
        harness.fail(f"rung {arguments[0]} ended with status {done.returncode}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def rung_json(*arguments, **more):
    (line,) = rung_lines(*arguments, **more)
    return line


def models(names):
    found = [model for model in rung_lines("models") if model.get("name") and not model.get("shadowed_by")]
    return {model["name"]: COMMANDS[model["role"]] for model in found if not names or model["name"] in names}


def libraries():
    """The ONNX Runtimes that are found, by their folder's name."""
    found = [runtime["path"] for runtime in rung_json("explain")["runtimes"] if runtime["runtime"] == "onnxruntime"]
    return {pathlib.Path(path).parent.name: path for path in found if os.path.isfile(path)}


def can_run(library):
    """The rungs that can run with a library, except those for tests; a floor without it only once."""
    rungs = rung_json("explain", RUNG_RUNTIME=library)["rungs"]
    return [rung["rung"] for rung in rungs if rung["outcome"] not in ("absent", "by name only")]


class Config:
    """One way to run a model."""

    def __init__(self, name, rung=None, threads=None, **more):
        self.name, self.more = name, more
        self.options = [*(["--rung", rung] if rung else []), *(["--threads", str(threads)] if threads else [])]

    def run(self, command, model, photos):
        """Milliseconds of one run: the median over the pictures, of which the first is not one."""
        timed = harness.run_timed([harness.RUNG, command, "-m", model, "--json", "--hint", "latency", *self.options, *photos],
                                  **self.more)
        lines = [json.loads(line) for line in timed.lines]
        self.rung = lines[0]["rung"]
        return statistics.median(line["ms"]["run"] for line in lines[1:])


def configs(folders, threads):
    ways = [Config(CHOSEN, **folders)]
    for number, (name, library) in enumerate(libraries().items()):
        for rung in can_run(library):
            if rung == "tract" and number:
                continue
            for count in [1] if rung == "tract" else range(1, threads + 1):
                ways.append(Config(f"{rung} {count} {'' if rung == 'tract' else name}".strip(), rung, count,
                                   RUNG_RUNTIME=library, XDG_STATE_HOME=folders["XDG_STATE_HOME"] + "-none"))
    return ways


def summarise(rounds):
    """The regret, from medians over the rounds; the spread is of the rounds' own ratios."""
    medians = {name: statistics.median(values[name] for values in rounds) for name in rounds[0]}
    others = {name: ms for name, ms in medians.items() if name != CHOSEN}
    best = min(others, key=others.get)
    return {"chosen_ms": round(medians[CHOSEN], 3), "best": best, "best_ms": round(others[best], 3),
            "regret": round(medians[CHOSEN] / others[best], 3),
            "ratios": harness.spread([values[CHOSEN] / values[best] for values in rounds]),
            "all_ms": {name: round(ms, 3) for name, ms in sorted(others.items(), key=lambda item: item[1])}}


def measure(options, cpus):
    wanted = models(options.model)
    photos = harness.pictures_of(harness.PHOTOS)
    photos = (photos * PICTURES)[:PICTURES]
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "state")
        harness.await_quiet(cpus, options.wait)
        folders = {"XDG_STATE_HOME": state, "XDG_CACHE_HOME": os.path.join(folder, "cache")}
        probed = rung_json("probe", "-m", options.probe_model, **folders)
        rung_lines("engines", "build", *wanted, **folders)
        ways = configs(folders, len(cpus))
        result = {"probe_model": options.probe_model, "probed": probed["rungs"], "models": {}}
        quiet, noisy = True, 0
        for model, command in wanted.items():
            sides = {way.name: lambda way=way: way.run(command, model, photos) for way in ways}

            def progress(number, values, others):
                print(f"{model}, round {number}: {values[CHOSEN]:.2f} ms, {harness.noise_text(others)}", file=sys.stderr)

            rounds, bad, enough = harness.take_rounds(cpus, options, sides, progress)
            result["models"][model] = {"rounds": len(rounds), "quiet": enough, "rung": ways[0].rung, **summarise(rounds)}
            quiet, noisy = quiet and enough, noisy + bad
    own = result["models"].get(options.probe_model)
    return {"schema": 1, "bench": "regret", **result, "quiet": quiet, "noisy_rounds": noisy,
            "within": own is None or own["regret"] <= GOAL_REGRET}


def show(result):
    print(f"the probe with {result['probe_model']}:")
    for rung in result["probed"]:
        if "median_ms" in rung:
            print(f"  {rung['rung']:12} {rung['outcome']:8} {rung['median_ms']:8.2f} ms, {rung['threads']} threads")
    print(f"{'MODEL':28} {'CHOSEN':14} {'ms':>8} {'BEST':38} {'ms':>8} {'REGRET':>7}")
    for model, own in result["models"].items():
        print(f"{model:28} {own['rung']:14} {own['chosen_ms']:8.2f} {own['best']:38} {own['best_ms']:8.2f} {own['regret']:7.3f}"
              f" ({own['ratios']['min']:.2f}..{own['ratios']['max']:.2f}){'' if own['quiet'] else ' not quiet'}")
    print(f"the goal for the probe model is {GOAL_REGRET}: {'met' if result['within'] else 'missed'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", action="append", help="only this one (default: all that rung models lists)")
    parser.add_argument("--probe-model", default=PROBE_MODEL, help=f"the one that is probed with ({PROBE_MODEL})")
    harness.add_options(parser, ROUNDS)
    options = parser.parse_args()
    harness.require_demo()
    cpus = harness.keep_to_cpus()
    return harness.finish(measure(options, cpus), options.json, show)


if __name__ == "__main__":
    sys.exit(main())
