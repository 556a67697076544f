# SPDX-License-Identifier: Apache-2.0
"""Searches of all states of a model by spin, and how many states each search that found nothing wrong went through."""

import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
DEPTH = 5000  # of a search, at most; the longest run has some hundred steps

states = {}


def search(folder, model, options):
    """What spin's search has to say of a model with these options."""
    defines = [f"-D{option}" for option in options.split()]
    subprocess.run(["spin", "-a", *defines, HERE / f"{model}.pml"], cwd=folder, check=True)
    # Without optimising: most of them take longer to compile than to run.
    subprocess.run(["gcc", "-w", "-DSAFETY", "-o", "pan", "pan.c"], cwd=folder, check=True)
    return subprocess.run(["./pan", f"-m{DEPTH}", "-w24", "-n"], cwd=folder, check=True, capture_output=True, text=True).stdout


def require_nothing_wrong(name, said):
    assert "errors: 0" in said and "max search depth too small" not in said, said
    states[name] = int(said.split(" states, stored")[0].split()[-1])
