# SPDX-License-Identifier: Apache-2.0
"""The command lines as a person runs them: rung of the build and rung_model of the tree, with nothing in the
environment that would steer them."""

import os
import pathlib
import subprocess
import sys
import tempfile

from conftest import ROOT

BUILD = pathlib.Path(os.environ.get("RUNG_BUILD", ROOT / "build")).resolve()
RUNG = BUILD / "cli" / "rung"
_state = tempfile.TemporaryDirectory(prefix="rung-commands-")  # what rung remembers of this device


def environment():
    """Nothing is measured unasked."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RUNG_", "XDG_", "PYTHON"))}
    return {**kept, "HOME": "/nonexistent", "XDG_STATE_HOME": _state.name, "RUNG_PROBE": "off",
            "RUNG_RUNTIME_PATH": str(ROOT / "runtimes"),
            "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}


def tried(command, folder):
    """What it did, run in the folder; a crash or a traceback is never an answer."""
    done = subprocess.run(list(map(str, command)), cwd=folder, env=environment(), capture_output=True, text=True,
                          timeout=300, check=False)
    assert done.returncode >= 0 and "Traceback" not in done.stderr, done.stderr
    return done


def done(command, folder):
    """What it prints; it must succeed."""
    result = tried(command, folder)
    assert result.returncode == 0, f"{command}\n{result.stdout[-2000:]}\n{result.stderr[-2000:]}"
    return result.stdout


def rung(*arguments):
    return [RUNG, *arguments]


def rung_model(*arguments):
    return [sys.executable, "-m", "rung_model", *arguments]
