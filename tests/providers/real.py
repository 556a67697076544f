# SPDX-License-Identifier: Apache-2.0
"""What the tests with real execution providers share. The providers lie in runtimes-tests, where rung does not look:
scripts/fetch-runtimes --tests and scripts/fetch-vulkan bring them. What they run on here is software: what it computes
counts, how fast does not."""
import json
import pathlib

import command_line
import pytest
import trees

HERE = pathlib.Path(__file__).resolve().parent
BUILD, MODELS, PHOTOS, ROOT = (getattr(command_line, name) for name in ("BUILD", "MODELS", "PHOTOS", "ROOT"))
json_lines, run, sentence = command_line.json_lines, command_line.run, command_line.sentence

TESTED = ROOT / "runtimes-tests"
CACHE = BUILD / "tests" / "providers"  # what drivers compile once, and read again in later runs


def found(pattern, script):
    """The file of a runtime for tests; without it the test is skipped."""
    files = sorted(TESTED.glob(pattern))
    if not files:
        pytest.skip(f"there is no runtimes-tests/{pattern}; {script} brings it")
    return files[-1]


def machine(folder, name):
    """Another machine, for RUNG_HARDWARE_ROOT."""
    return str(trees.write(name, folder / name))


def explain(environment, *arguments):
    return json.loads(run("explain", "--json", *arguments, environment=environment).out)


def rung_of(explained, name):
    (rung,) = [rung for rung in explained["rungs"] if rung["rung"] == name]
    return rung


def probe(environment, *arguments):
    """What became of each rung."""
    (told,) = json_lines(run("probe", "--json", *arguments, environment=environment))
    return {rung["rung"]: rung for rung in told["rungs"]}
