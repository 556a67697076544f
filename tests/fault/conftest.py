# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli"), str(HERE.parent / "hardware")]

from faults import tallies  # noqa: E402


def pytest_terminal_summary(terminalreporter):
    """How many places failed once, and what the command line made of it."""
    for name, tally in tallies.items():
        outcomes = ", ".join(f"{number} exit {status}" for status, number in sorted(tally.items()))
        terminalreporter.write_line(f"{name:<44} {sum(tally.values()):>5} places: {outcomes}")
    whole = sum(sum(tally.values()) for tally in tallies.values())
    terminalreporter.write_line(f"{'all':<44} {whole:>5} places")
