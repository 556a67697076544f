# SPDX-License-Identifier: Apache-2.0
"""How rung-model ends when it is stopped, when nobody reads what it says, and when that cannot be written: never with a
traceback, and with the exit status of the work."""

import os
import signal
import subprocess
import sys

import packing
import pytest
from commands import environment, rung_model
from packing import LOWER, entry

# A command that never ends by itself and works in a temporary folder.
ENDLESS = """
import sys, tempfile, time
from rung_model import __main__ as command

def endless(_):
    with tempfile.TemporaryDirectory():
        print("begun", file=sys.stderr, flush=True)
        time.sleep(600)

command.run = endless
command.main()
"""


def pack(folder, passed, output):
    """`output`: what standard output is."""
    spec = packing.write(folder, {"gates": [entry(passed)]}, **LOWER)
    return subprocess.run(rung_model("pack", spec, "-o", folder / "a.rung"), stdout=output, stderr=subprocess.PIPE, text=True,
                          env=environment(), timeout=120, check=False)


@pytest.fixture
def unread():
    """The end of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_a_sentence_and_takes_its_folders_away(tmp_path, number):
    with subprocess.Popen([sys.executable, "-c", ENDLESS, "card", "a.rung", "-o", "a.md"], stderr=subprocess.PIPE, text=True,
                          env={**environment(), "TMPDIR": str(tmp_path)}) as one:
        assert one.stderr.readline() == "begun\n" and list(tmp_path.iterdir())
        one.send_signal(number)
        error = one.communicate(timeout=60)[1]
    assert one.returncode == 128 + number and error == "rung-model: stopped; what was not finished was not written\n"
    assert not list(tmp_path.iterdir())


def test_nothing_slow_is_imported_before_an_interrupt_is_met():
    script = "import sys, rung_model.__main__; print(sorted({'numpy', 'onnx', 'rung'} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", script], env=environment(), text=True) == "[]\n"


@pytest.mark.parametrize("passed, status", [(True, 0), (False, 1)])
def test_that_nobody_reads_changes_neither_the_work_nor_its_status(tmp_path, unread, passed, status):
    done = pack(tmp_path, passed, unread)
    assert done.returncode == status and (tmp_path / "a.rung").exists() == passed
    assert done.stderr == "" if passed else done.stderr.startswith("rung-model: ") and done.stderr.count("\n") == 1


def test_a_missed_gate_that_nobody_reads_is_missed(unread):
    script = "import sys\nfrom rung_model import __main__ as command\n" \
             "def missed(_):\n    print('all of it' * 10000)\n    sys.exit(1)\ncommand.run = missed\ncommand.main()"
    done = subprocess.run([sys.executable, "-c", script, "card", "a.rung", "-o", "a.md"], stdout=unread, stderr=subprocess.PIPE,
                          env=environment(), timeout=60, check=False)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_full_standard_output_is_a_sentence(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    with open("/dev/full", "wb") as full:
        done = pack(tmp_path, True, full)
    assert done.returncode == 1 and done.stderr == "rung-model: standard output cannot be written: No space left on device\n"


def test_a_closed_standard_output_is_no_mistake(tmp_path):
    spec = packing.write(tmp_path)
    done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *map(str, rung_model("pack", spec, "-o", tmp_path / "a.rung"))],
                          stderr=subprocess.PIPE, env=environment(), timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"") and (tmp_path / "a.rung").exists()
