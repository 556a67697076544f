# SPDX-License-Identifier: Apache-2.0
"""What the command-line tests share.

RUNG_BUILD names the build folder (default: build). RUNG_TEST_DATA names a folder of further test data; tests that need
it skip with that reason. Tests that need a model or photographs use those that scripts/demo makes.
"""
import json
import os
import pathlib
import signal
import subprocess
import tempfile

import pytest

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # of the tests' own runs; rung sees to its own
# What runs in a shell's background or under nohup ignores these, and so would what it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("RUNG_BUILD", ROOT / "build")).resolve()
RUNG = BUILD / "cli" / "rung"
MODELS = ROOT / "build" / "models"
TRUST = ROOT / "build" / "trust"
PHOTOS = ROOT / "build" / "demo" / "photos"
STATE = tempfile.TemporaryDirectory(prefix="rung-state-")  # where runs remember what libraries are


def clean_environment(**more):
    """The caller's environment without what would steer rung, and with the models of the build. Nothing is measured in the
    background: that is what test_background.py is for."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("RUNG_", "XDG_", "ORT_"))}
    environment.update(HOME="/nonexistent", XDG_STATE_HOME=STATE.name, RUNG_MODEL_PATH=str(MODELS), RUNG_TRUST_PATH=str(TRUST),
                       RUNG_PROBE="off",
                       LSAN_OPTIONS=f"suppressions={ROOT}/tests/lsan.supp:print_suppressions=0")
    environment.update(more)
    return environment


def run(*arguments, status=0, environment=None, **options):
    """Runs rung and checks its exit status; a crash shows as a negative one."""
    result = subprocess.run([RUNG, *map(os.fspath, arguments)], capture_output=True, timeout=300,
                            env=environment or clean_environment(), **options)
    result.out = result.stdout.decode("utf-8", "surrogateescape")
    result.err = result.stderr.decode("utf-8", "surrogateescape")
    assert result.returncode == status, f"exit {result.returncode}\n{result.out[-2000:]}\n{result.err[-2000:]}"
    assert "Sanitizer" not in result.err and "runtime error" not in result.err, result.err
    return result


def json_lines(result):
    return [json.loads(line) for line in result.out.splitlines()]


def sentence(result):
    """The error message: one line that begins with the program's name and says something."""
    lines = result.err.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("rung"), result.err
    assert len(lines[0]) > 20
    return lines[0]


@pytest.fixture(scope="session")
def data():
    folder = os.environ.get("RUNG_TEST_DATA")
    if not folder:
        pytest.skip("RUNG_TEST_DATA is not set: it names the folder of further test data")
    return pathlib.Path(folder)


@pytest.fixture(scope="session")
def keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    run("keygen", folder / "key.pem", folder / "key.pub.pem")
    run("keygen", folder / "other.pem", folder / "other.pub.pem")
    return folder
