#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much memory a folder job takes: bench/memory.py [--photos FOLDER] [--large N] [--small N] [--json]

Two jobs of `rung detect` on two CPUs. Photographs enlarged to 12 megapixels: the peak of the process. Many small ones:
the memory at work over the job, of which the last quarter may not need more than the first. Other load does not matter
here. Exit status 1 when a goal was missed.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

import harness

LARGE = 40
SMALL = 2000
GOAL_PEAK_MB = 600
# What the last quarter may take above the first: the ups and downs of the allocators.
GOAL_GROWTH = 1.03
ENLARGE = """
import pathlib, sys
from PIL import Image
for number, photo in enumerate(sys.argv[2:]):
    picture = Image.open(photo).convert("RGB").resize((4000, 3000), Image.BICUBIC)
    picture.save(pathlib.Path(sys.argv[1]) / f"{number:03}.jpg", quality=90)
"""


def empty_folder(name):
    folder = harness.WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def link_many(originals, folder, count):
    for number in range(count):
        original = originals[number % len(originals)]
        os.link(original, folder / f"{number:05}{original.suffix}")
    return folder


def large_folder(photos, count):
    originals = empty_folder("large-originals")
    subprocess.run([harness.peers_python(), "-c", ENLARGE, originals, *photos[:8]], check=True)
    return link_many(sorted(originals.iterdir()), empty_folder("large"), count)


def small_folder(photos, count):
    originals = empty_folder("small-originals")
    copies = [pathlib.Path(shutil.copy(photo, originals)) for photo in photos[:50]]
    return link_many(copies, empty_folder("small"), count)


def resident_bytes(process):
    pages = pathlib.Path(f"/proc/{process}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def run_job(folder, options):
    """The job, and its memory at the arrival of its lines."""
    resident = []
    command = [harness.RUNG, "detect", "-m", "centerface", "--json", *options.rung_option, folder]
    timed = harness.run_timed(command, lambda process: resident.append(resident_bytes(process)))
    for line in timed.lines:
        if "error" in json.loads(line):
            harness.fail(f"a picture failed: {line}")
    return timed, resident


def measure(options):
    photos = harness.pictures_of(options.photos)
    large, _ = run_job(large_folder(photos, options.large), options)
    small, resident = run_job(small_folder(photos, options.small), options)
    quarter = max(1, len(resident) // 4)
    first, last = max(resident[:quarter]), max(resident[-quarter:])
    return {
        "schema": 1, "bench": "memory",
        "large": {"pictures": len(large.lines), "megapixels": 12, "peak_mb": round(large.peak_bytes / 1e6, 1)},
        "small": {"pictures": len(small.lines), "peak_mb": round(small.peak_bytes / 1e6, 1),
                  "first_quarter_mb": round(first / 1e6, 1), "last_quarter_mb": round(last / 1e6, 1),
                  "growth": round(last / first, 4)},
        "within": large.peak_bytes <= GOAL_PEAK_MB * 1e6 and last <= GOAL_GROWTH * first,
    }


def show(result):
    large, small = result["large"], result["small"]
    print(f"{large['pictures']} pictures of {large['megapixels']} megapixels: peak {large['peak_mb']} MB, "
          f"the goal is {GOAL_PEAK_MB}")
    print(f"{small['pictures']} small pictures: at most {small['first_quarter_mb']} MB in the first quarter and "
          f"{small['last_quarter_mb']} MB in the last, ratio {small['growth']}, the goal is {GOAL_GROWTH}")
    print(f"the goals are {'met' if result['within'] else 'missed'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=pathlib.Path, default=harness.PHOTOS, help="a folder (default: the demo's)")
    parser.add_argument("--large", type=int, default=LARGE, help=f"pictures of 12 megapixels ({LARGE})")
    parser.add_argument("--small", type=int, default=SMALL, help=f"pictures as they are ({SMALL})")
    parser.add_argument("--rung-option", action="append", default=[], help="one more argument of rung detect")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()
    harness.require_demo()
    harness.keep_to_cpus()
    return harness.finish({"quiet": True, **measure(options)}, options.json, show)


if __name__ == "__main__":
    sys.exit(main())
