#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the floor with the rung above it: bench/floor.py [OPTIONS] PICTURES...

Runs a detector on every picture on `ort-cpu` and on `tract`, in turns so that both see the same load, each with one
thread. Prints how far the detections lie apart and the ratio of the medians of the run times; exit status 1 when they
do not agree (a box below IoU 0.98, a score further apart than 0.001, or a detection that only one of them has).
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
RUNGS = ("ort-cpu", "tract")
TURN = 10  # pictures of one rung before the other's turn
LEAST_IOU = 0.98
MOST_SCORE = 0.001


def iou(a, b):
    left, top = max(a[0], b[0]), max(a[1], b[1])
    right, bottom = min(a[0] + a[2], b[0] + b[2]), min(a[1] + a[3], b[1] + b[3])
    inside = max(0, right - left) * max(0, bottom - top)
    return inside / (a[2] * a[3] + b[2] * b[3] - inside) if inside else 0.0


def compare(ours, theirs):
    """Pairs each target with the nearest of its class: (pairs as (IoU, score difference), targets left alone)."""
    pairs, free = [], list(theirs)
    for target in ours:
        same = [other for other in free if other["class_id"] == target["class_id"]]
        best = max(same, key=lambda other: iou(target["box"], other["box"]), default=None)
        if best is None or iou(target["box"], best["box"]) < 0.5:
            pairs.append((0.0, 1.0))
            continue
        free.remove(best)
        pairs.append((iou(target["box"], best["box"]), abs(target["score"] - best["score"])))
    return pairs, free


class Agreement:
    """Sums up pictures: feed it the JSON lines of both rungs for the same picture."""

    def __init__(self):
        self.pictures = self.targets = 0
        self.least_iou, self.most_score = 1.0, 0.0
        self.apart = []
        self.run_ms = {rung: [] for rung in RUNGS}

    def add(self, first, second):
        pairs, alone = compare(first["targets"], second["targets"])
        self.pictures += 1
        self.targets += len(pairs)
        for overlap, score in pairs:
            self.least_iou = min(self.least_iou, overlap)
            self.most_score = max(self.most_score, score)
        if alone or any(overlap < LEAST_IOU or score > MOST_SCORE for overlap, score in pairs):
            self.apart.append(first["source"])
        for line in (first, second):
            self.run_ms[line["rung"]].append(line["ms"]["run"])

    def __str__(self):
        first, second = (statistics.median(self.run_ms[rung]) for rung in RUNGS)
        return (f"{self.pictures} pictures, {self.targets} targets: least IoU {self.least_iou:.4f}, "
                f"scores at most {self.most_score:.6f} apart, {len(self.apart)} pictures differ; "
                f"median run {RUNGS[0]} {first:.1f} ms, {RUNGS[1]} {second:.1f} ms, ratio {second / first:.2f}")


def run_turns(pictures, detect):
    """`detect(rung, pictures)` gives the JSON lines; a generator of pairs, in the pictures' order."""
    for start in range(0, len(pictures), TURN):
        part = pictures[start:start + TURN]
        order = RUNGS if start // TURN % 2 == 0 else RUNGS[::-1]
        lines = {rung: detect(rung, part) for rung in order}
        yield from zip(*(lines[rung] for rung in RUNGS), strict=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rung", default=ROOT / "build/cli/rung", help="the program")
    parser.add_argument("--model", default="centerface")
    parser.add_argument("pictures", nargs="+", type=pathlib.Path, help="files, or folders of them")
    options = parser.parse_args()

    def detect(rung, pictures):
        command = [options.rung, "detect", "-m", options.model, "--json", "--threads", "1", "--rung", rung, *pictures]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return [json.loads(line) for line in output.splitlines()]

    files = [f for p in options.pictures for f in (sorted(p.iterdir()) if p.is_dir() else [p])]
    agreement = Agreement()
    for first, second in run_turns(files, detect):
        agreement.add(first, second)
    print(agreement)
    for source in agreement.apart:
        print(f"differs: {source}")
    return 1 if agreement.apart else 0


if __name__ == "__main__":
    sys.exit(main())
