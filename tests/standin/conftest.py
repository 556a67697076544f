# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli"), str(HERE.parent / "fault"), str(HERE.parent / "hardware")]

from standing_in import LIBRARY, REAL, matrix  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def standin_is_there():
    if not LIBRARY.exists():
        pytest.skip("the stand-in is not built; it is for Linux")
    if not REAL:
        pytest.skip("there is no ONNX Runtime to forward to; scripts/fetch-runtimes brings one")


def pytest_terminal_summary(terminalreporter):
    """What became of each fault at each place."""
    for (place, fault), outcome in matrix.items():
        terminalreporter.write_line(f"{place:<12} {fault:<24} {outcome}")
    if matrix:
        terminalreporter.write_line(f"{'all':<12} {len(matrix)} faults: each is met")
