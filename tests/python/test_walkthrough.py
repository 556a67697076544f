# SPDX-License-Identifier: Apache-2.0
"""The walk through docs/models.md: its commands work as they stand, one after the other, and print what the page shows."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from commands import RUNG, environment
from conftest import ROOT

HEADING = "## From an exported ONNX to a shipped artifact in ten minutes"
OPEN = 3  # of import, when something remains to be said


def steps():
    """(command, the lines that the page shows of its answer), in their order."""
    section = (ROOT / "docs/models.md").read_text().partition(HEADING + "\n")[2].partition("\n## ")[0]
    found = []
    for line in re.findall(r"^    (.*)$", section, re.MULTILINE):
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and line.strip() != "…":
            found[-1][1].append(line)
    return found


def shape(line):
    """Without what differs from machine to machine: figures, and how columns stand below each other."""
    return re.sub(r"[\d.,]*\d(e-\d+)?", "#", " ".join(line.split()))


def is_in(shown, answer):
    """A line of the page; where it ends with … it is the beginning of one."""
    lines = [shape(line) for line in answer.splitlines()]
    if shown.endswith("…"):
        return any(line.startswith(shape(shown[:-1])) for line in lines)
    return shape(shown) in lines


def make_programs(folder):
    """`rung` and `rung-model` as PATH finds them."""
    folder.mkdir()
    for name, command in (("rung", f'exec "{RUNG}"'), ("rung-model", f'exec "{sys.executable}" -m rung_model')):
        (folder / name).write_text(f'#!/bin/sh\n{command} "$@"\n')
        (folder / name).chmod(0o755)


@pytest.fixture
def desk(data, tmp_path):
    """A folder with what the page says that a person has."""
    folder = tmp_path / "desk"
    (folder / "photographs").mkdir(parents=True)
    shutil.copy(data / "models/yunet_n_320.onnx", folder / "yunet_n_320_320.onnx")
    shutil.copy(data / "LICENSES/Apache-2.0.txt", folder / "LICENSE")
    for name in ("astronaut.png", "grace_hopper.jpg"):
        shutil.copy(data / "demo" / name, folder / "photographs")
    (folder / "calibration").symlink_to(data / "calib")
    (folder / "held-back").symlink_to(data / "gate/coco80")
    make_programs(tmp_path / "programs")
    return folder


def test_the_commands_of_the_page_work_and_print_what_it_shows(desk):
    path = {"PATH": f"{desk.parent / 'programs'}{os.pathsep}{os.environ['PATH']}"}
    assert len(steps()) >= 8
    for command, shown in steps():
        done = subprocess.run(["sh", "-c", command], cwd=desk, env={**environment(), **path}, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        open_still = command.startswith("rung-model import") and "--accept" not in command
        assert done.returncode == (OPEN if open_still else 0), f"{command}\n{done.stdout}"
        for line in shown:
            assert is_in(line, done.stdout), f"{command} does not print\n{line}\nbut\n{done.stdout}"
    for name in re.findall(r"(?:-o|--report) (\S+)", " ".join(command for command, _ in steps())):
        assert (desk / name).exists(), f"{name} was not written"
