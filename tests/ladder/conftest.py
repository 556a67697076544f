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


def pytest_terminal_summary(terminalreporter):
    """What came of each combination."""
    if matrix:
        heads = Combination("MACHINE", "RUNTIMES", "WHEN", "FAULT")
        terminalreporter.write_line(f"{heads} {'FOUND':<24} {'CHOSEN':<13} LATER STARTS")
    for combination, row in matrix.items():
        terminalreporter.write_line(f"{combination} {row}")
    if matrix:
        places = len({(each.machine, each.runtimes) for each in matrix})
        terminalreporter.write_line(f"all {len(matrix)} combinations, {places} of a machine and a set of runtimes: right answers "
                                    "at every start, the rung and the reason that the design promises")
