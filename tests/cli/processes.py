# SPDX-License-Identifier: Apache-2.0
"""Waiting for conditions, and the helper processes that rung leaves behind on purpose."""
import contextlib
import os
import pathlib
import signal
import time


def await_that(condition, what, seconds=120):
    """What the condition gives when it holds."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, f"{what} did not come in {seconds} s"
        time.sleep(0.002)
    return found


def read(path):
    try:
        return pathlib.Path(path).read_bytes()
    except OSError:  # it has ended
        return b""


def helpers(variable, commands=("background",)):
    """The ids of the processes of rung-probe that do these commands with that NAME=value in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        program, command = (read(f"/proc/{pid}/cmdline").decode(errors="replace").split("\0") + ["", ""])[:2]
        if program.endswith("rung-probe") and command in commands:
            if variable.encode() in read(f"/proc/{pid}/environ").split(b"\0"):
                found.append(int(pid))
    return found


def is_stopped(pid):
    return read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[:1] == [b"T"]


@contextlib.contextmanager
def stopped(pid):
    """A process that is in the middle, for as long as is needed."""
    os.kill(pid, signal.SIGSTOP)
    await_that(lambda: is_stopped(pid), "the stop")
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
