#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rung's stages against what people use instead: bench/peers/compare.py [--only PART]... [--level NAME]... [--json]

Every case is one piece of work that Rung and some pinned Python packages do on the same input, in turns, in one process,
on one thread. The table has the milliseconds of each and how many times as fast Rung is. Exit status 0 when all goals are
met, 1 when one was missed, 3 when the machine was not quiet enough to tell.
"""
import argparse
import importlib
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import harness  # noqa: E402

VENV = harness.WORK / "peers-venv"
PARTS = ("preprocess", "triangle", "selection", "heads")
PART_SECONDS = 30  # about so many a part takes when no round is quiet
ROUNDS = 3
ROUND_SECONDS = (0.2, 1.0)
PACKAGES = ("ultralytics", "opencv-python-headless", "edgefirst-hal", "pillow", "torch", "torchvision", "onnxruntime", "numpy")


def in_venv():
    return pathlib.Path(sys.prefix) == VENV


def enter_venv():
    """Goes on in the Python that has the peers; one thread is all that their own pools get there."""
    import venv_of_peers
    python = venv_of_peers.make(VENV)
    settings = VENV / "settings"
    settings.mkdir(exist_ok=True)
    environment = harness.environment(OMP_NUM_THREADS="1", RAYON_NUM_THREADS="1", EDGEFIRST_DISABLE_GL="1", RUST_LOG="error",
                                      YOLO_CONFIG_DIR=str(settings), YOLO_OFFLINE="true", YOLO_AUTOINSTALL="false")
    os.execve(python, [python, "-B", __file__, *sys.argv[1:]], environment)


def one_thread():
    """What of the peers does not read it from the environment, and what torch needs to load here (venv_of_peers.py)."""
    sys.setdlopenflags(os.RTLD_LAZY)
    import cv2
    cv2.setNumThreads(1)
    try:
        import torch
        torch.set_num_threads(1)
    except (ImportError, OSError) as reason:
        print(f"torch cannot be loaded: {reason}", file=sys.stderr)


def chosen_levels(names):
    import ours
    found = ours.levels()
    if unknown := [name for name in names if name not in found]:
        harness.fail(f"this processor has no level {unknown[0]}; it has {', '.join(found)}", 2)
    if names:
        return {name: number for name, number in found.items() if name in names}
    return {name: number for name, number in found.items() if number > 0} or found


def compare(options, cpus):
    from measure import run_case  # not before the venv
    levels = chosen_levels(options.level)
    results = []
    for part in options.only or PARTS:
        cases = importlib.import_module(part).cases(levels, options.photos)
        seconds = PART_SECONDS / len(cases) / (options.rounds * harness.TRIES_PER_ROUND)
        seconds = min(max(seconds, ROUND_SECONDS[0]), ROUND_SECONDS[1])
        results += [run_case(case, cpus, options, seconds) for case in cases]
    return {"schema": 1, "bench": "peers", "clock": options.clock, "levels": list(levels), "packages": versions(), "cases": results,
            "quiet": all(case["quiet"] for case in results),
            "within": all(goal["met"] for case in results for goal in case["goals"] + case["bounds"])}


def versions():
    from importlib import metadata
    return {name: metadata.version(name) for name in PACKAGES}


# ---- the table -----------------------------------------------------------------------------------

NAME, NUMBER, RATIO = 44, 10, 26


def row(name, ms, ratios, levels, goal=""):
    cells = [harness.spread_text(ratios[level], ".2f") if level in ratios else "" for level in levels]
    print(f"  {name:{NAME}}{ms:>{NUMBER}}" + "".join(f"{cell:>{RATIO}}" for cell in cells) + (f"  {goal}" if goal else ""))


def met(goal):
    return "met" if goal["met"] else "missed"


def show_case(case, levels):
    quiet = "" if case["quiet"] else ", not all of them quiet"
    print(f"{case['case']} ({case['rounds']} rounds of {case['turns']} turns{quiet})")
    for level, ms in case["rung_ms"].items():
        row(f"Rung {level}", f"{ms['median']:.3f}", {}, levels)
    for peer in case["peers"]:
        row(peer["peer"], f"{peer['ms']['median']:.3f}", peer["ratio"], levels)
    for goal in case["goals"]:
        if goal["ratio"]:
            name = "goal: " + goal["against"][0] if len(goal["against"]) == 1 else "goal: the fastest of the first ones"
            row(name, "", {goal["level"]: goal["ratio"]}, levels, f"at least {goal['at_least']:g}: {met(goal)}")
        else:
            row("goal: its peers are not there", "", {}, levels, "missed")
    for bound in case["bounds"]:
        goal = f", at most {bound['at_most']:g}: {met(bound)}" if bound["at_most"] else ""
        row(f"{bound['bound']}, {bound['level']}", f"{bound['ms']['median']:.3f}", {}, [],
            f"Rung takes {harness.spread_text(bound['times'], '.2f')} times that{goal}")
    for name, reason in case["left_out"].items():
        print(f"  {name} is left out: {reason}")


def show(result):
    levels = result["levels"]
    print(", ".join(f"{name} {version}" for name, version in result["packages"].items()))
    print(f"  {'':{NAME}}{'ms':>{NUMBER}}" + "".join(f"{'× ' + level:>{RATIO}}" for level in levels))
    for case in result["cases"]:
        show_case(case, levels)
    print(f"the goals are {'met' if result['within'] else 'missed'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=PARTS, help="this part (default: all)")
    parser.add_argument("--level", action="append", default=[], help="of Rung's instructions (default: all above scalar)")
    parser.add_argument("--photos", type=pathlib.Path, default=harness.PHOTOS, help="a folder (default: the demo's)")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall",
                        help="wall time, or the time that CPUs worked for it, for a machine that is never quiet (wall)")
    harness.add_options(parser, ROUNDS)
    options = parser.parse_args()
    if not in_venv():
        enter_venv()
    one_thread()
    result = compare(options, harness.keep_to_cpus())
    return harness.finish(result, options.json, show)


if __name__ == "__main__":
    sys.exit(main())
