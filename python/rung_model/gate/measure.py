# SPDX-License-Identifier: Apache-2.0
"""One gate, by the program rung: what it measures is what will run."""

import json
import os
import subprocess
import sys

from .. import Refusal, program

PASSED, MISSED, UNREADABLE = 0, 1, 5
NAMED = 3  # photographs in a message


def passing_progress_on(**options):
    """Progress goes to the terminal; elsewhere what is said is kept for a refusal. Nothing is probed on the side."""
    told = None if sys.stderr.isatty() else subprocess.PIPE
    return {"stderr": told, "env": os.environ | {"RUNG_PROBE": "off"}, **options}


def paths_of(photographs):
    """As standard input names them."""
    paths = [str(photograph.path.absolute()) for photograph in photographs]
    for path in paths:
        if "\n" in path:
            raise Refusal(f"{path!r} has a line end in its name; rename it")
    return paths


def listed(photographs):
    return "\n".join(paths_of(photographs)) + "\n"


def refuse_unreadable(said, photographs):
    lines = program.reasons(said)
    if not lines:
        raise Refusal("there is no verdict, as something cannot be read; it is said above")
    told = "; ".join(lines[:NAMED]) + (f" and {len(lines) - NAMED} more" if len(lines) > NAMED else "")
    if lines[0].startswith(tuple(f"{path}: " for path in paths_of(photographs))):
        told += "; take it away, or replace it"
    raise Refusal(f"there is no verdict: {told}")


def measure(form, right, photographs, rung=None, threads=None, labels=None, trust=()):
    """The report of `rung gate` (docs/gate.md) on the two model files. `trust`: the program's options of it."""
    options = [*trust]
    for name, value in (("--rung", rung), ("--threads", threads), ("--labels", labels)):
        options += [name, value] if value else []
    done = program.run("gate", form, "--against", right, "--data", "-", "--json", "--allow-unsigned", *options,
                       ok=(PASSED, MISSED, UNREADABLE), **passing_progress_on(input=listed(photographs)))
    if done.returncode == UNREADABLE or not done.stdout.strip():
        refuse_unreadable(done.stderr, photographs)
    report = json.loads(done.stdout)
    if report["role"] == "detector" and report["all"]["targets"] == 0:
        raise Refusal(f"the model in f32 finds nothing on the photographs ({report['pictures']}), so they prove nothing; "
                      "name photographs that have what the model detects")
    return report


def detections(model, photographs, rung, options=()):
    """For each photograph what the model finds there: `rung detect`'s line for it."""
    done = program.run("detect", "-m", model, "--json", "--allow-unsigned", "--rung", rung, *options, "-",
                       **passing_progress_on(input=listed(photographs)))
    return [json.loads(line) for line in done.stdout.splitlines()]
