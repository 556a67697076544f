# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), *(str(HERE.parent / name) for name in ("standin", "cli", "hardware"))]

from combinations import Combination, matrix  # noqa: E402
from standing_in import LIBRARY, REAL  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def standin_is_there():
    if not LIBRARY.exists():
        pytest.skip("the stand-in is not built; it is for Linux")
    if not REAL:
        pytest.skip("there is no ONNX Runtime to forward to; scripts/fetch-runtimes brings one")


first_start = []  # (step, what was seen)


@pytest.fixture
def step():
    """Notes what was seen at a step of a sequence, for the table at the end."""
    return lambda name, seen: first_start.append((name, seen))


def pytest_terminal_summary(terminalreporter):
    """What came of each combination, and of each step of a first start."""
    if matrix:
        heads = Combination("MACHINE", "RUNTIMES", "WHEN", "FAULT")
        terminalreporter.write_line(f"{heads} {'FOUND':<24} {'CHOSEN':<13} LATER STARTS")
    for combination, row in matrix.items():
        terminalreporter.write_line(f"{combination} {row}")
    if matrix:
        places = len({(each.machine, each.runtimes) for each in matrix})
        terminalreporter.write_line(f"all {len(matrix)} combinations, {places} of a machine and a set of runtimes: right answers "
                                    "at every start, the rung and the reason that the design promises")
    for name, seen in first_start:
        terminalreporter.write_line(f"{name:<22} {seen}")
