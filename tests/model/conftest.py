# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from states import states  # noqa: E402


def pytest_terminal_summary(terminalreporter):
    for name, number in states.items():
        terminalreporter.write_line(f"{name:<44} {number:>9} states")
    terminalreporter.write_line(f"{'all':<44} {sum(states.values()):>9} states in {len(states)} models")
