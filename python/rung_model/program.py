# SPDX-License-Identifier: Apache-2.0
"""The command line `rung`, which packs, measures and inspects, and its shared library. What is known of model files is
known there alone."""

import json
import os
import pathlib
import re
import shutil
import subprocess

from . import Refusal

TREE = pathlib.Path(__file__).resolve().parents[2]
BUILT = TREE / "build/cli/rung"
PREFIX = re.compile(r"rung( \w+)?: ")  # the second word: which of its commands says it
WARNING = re.compile(PREFIX.pattern + "warning: ")
BUILT_LIBRARY = TREE / "build/src/librung.so.0"


def path():
    """That of the clone which this package lies in, where it is built, else the installed one."""
    found = BUILT if BUILT.exists() else shutil.which("rung")
    if not found:
        raise Refusal("the program rung is missing; install it (ninja -C build install), or build the clone that this "
                      "package lies in")
    return str(found)


def library():
    """The package rung, which loads the library that belongs to `path()`."""
    if "RUNG_LIBRARY" not in os.environ and BUILT_LIBRARY.exists():
        os.environ["RUNG_LIBRARY"] = str(BUILT_LIBRARY)
    import rung
    return rung


def reasons(said):
    """What it refuses and why, of what it said on standard error."""
    return [PREFIX.sub("", line, count=1) for line in (said or "").splitlines() if PREFIX.match(line) and not WARNING.match(line)]


def run(*arguments, ok=(0,), **options):
    """Runs it, and returns what it did. What it says on standard error is the reason where it fails; progress, when that
    is left alone, goes to the terminal."""
    done = subprocess.run([path(), *map(str, arguments)], text=True, check=False,
                          **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})
    if done.returncode not in ok:
        lines = [line for line in (done.stderr or "").splitlines() if line.strip() and not WARNING.match(line)]
        lines = lines or [f"it ended with {done.returncode}"]
        raise Refusal(f"rung {arguments[0]}: " + "\n".join(PREFIX.sub("", line, count=1) for line in lines))
    return done


def read(*arguments, ok=(0,), **options):
    """What it prints as JSON."""
    return json.loads(run(*arguments, ok=ok, **options).stdout)
