# SPDX-License-Identifier: Apache-2.0
"""Runs an operation with one fault, and judges how it ended."""

import collections
import concurrent.futures
import errno
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

from operations import INTERPOSE, RUNG, is_whole
from processes import await_that, helpers

# How each call fails. EINTR is no failure: what is asked for has to be asked again.
ERRORS = {
    "memory": ["ENOMEM"], "memory_crypto": ["ENOMEM"],
    "close": ["EIO", "EINTR"], "dlopen": ["ENOMEM"], "fchmod": ["EPERM"], "fcntl64": ["EMFILE"],
    "fdopendir": ["ENOMEM"], "rmdir": ["EIO"],
    "fopen64": ["EMFILE"], "fread": ["EIO"], "fstat64": ["EIO"], "fstatat64": ["EACCES"],
    "fsync": ["EIO", "ENOSPC", "EINTR"], "ftruncate64": ["ENOSPC", "EINTR"],
    "fts64_open": ["ENOMEM"], "fts64_read": ["ENOMEM"], "getentropy": ["ENOSYS"], "glob64": ["ENOMEM"], "linkat": ["EIO"],
    "lstat64": ["EACCES"], "memfd_create": ["EMFILE", "ENOMEM"], "mkdir": ["ENOSPC"],
    "mkstemp64": ["ENOSPC", "EINTR"], "mmap64": ["ENOMEM"], "open64": ["EMFILE", "EINTR"],
    "open_memstream": ["ENOMEM"], "openat64": ["EMFILE", "ENOSPC", "EINTR"], "opendir": ["EMFILE"], "pread64": ["EIO", "EINTR"],
    "pwrite64": ["ENOSPC", "EINTR"], "read": ["EIO", "EINTR"], "readdir64": ["EIO"],
    "readlink": ["EACCES"], "realpath": ["ENOMEM"], "rename": ["EIO"], "renameat": ["EIO", "ENOSPC"],
    "renameat2": ["EIO", "ENOSYS"], "sched_getaffinity": ["EINVAL"], "setenv": ["ENOMEM"], "stat64": ["EACCES"],
    "unlink": ["EIO"], "unlinkat": ["EIO"], "utimensat": ["EPERM"], "write": ["EIO", "ENOSPC", "EINTR"],
}

# What no caller of jansson can prevent: it goes on reading a string that it had no memory for.
JANSSONS_OWN = re.compile(r"load\.c:\d+: lex_scan_string: Assertion")

# The last line of a job, when it comes to its end, and what a source says at its own.
SUMMARY = re.compile(r"\d+ pictures?, |rung watch: .*: ended after \d+ frames?$")

BY_PRODUCTS = (".lock", "CACHEDIR.TAG", "libraries.json")  # stay, for whoever comes next

DONE, VERDICT, BACKEND, INTEGRITY, IO = 0, 1, 3, 4, 5

Fault = collections.namedtuple("Fault", "call at error")
Ending = collections.namedtuple("Ending", "status out err report before after")

tallies = {}


def allowed_statuses(fault, operation):
    """Survived, or the kind of the fault: without memory no model runs, without its file neither."""
    if fault.error == "EINTR":
        return {operation.status}
    if fault.call in ("memory", "memory_crypto", "mmap64", "dlopen", "open_memstream", "fts64_open", "fts64_read", "glob64"):
        return {operation.status, BACKEND}
    if fault.call in ("fdopendir", "memfd_create", "ftruncate64"):
        return {BACKEND, IO}
    if fault.call == "fstat64":  # what cannot be looked at again counts as changed
        return {operation.status, IO, INTEGRITY}
    if fault.call in ("readlink", "stat64"):  # a library that is not found is not loaded
        return {operation.status, IO, BACKEND}
    return {operation.status, IO}


def snapshot(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def read_report(path):
    report = {"calls": {}, "failed": None}
    for line in path.read_text().splitlines() if path.exists() else []:
        kind, *rest = line.split()
        if kind == "call":
            report["calls"][rest[0]] = int(rest[1])
        else:
            report[kind] = rest[0] if kind == "failed" else int(rest[0])
    return report


def environment(operation, fault, report, home, machine):
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    kept.update(HOME=str(home), RUNG_PROBE="off", LD_PRELOAD=str(INTERPOSE), RUNG_FAULT_REPORT=str(report), RUNG_HARDWARE_ROOT=str(machine))
    if operation.standing:
        call, error = operation.standing.split(":")
        kept["RUNG_FAULT_STANDING"] = f"{call}:{getattr(errno, error)}"
    if fault:
        kept.update(RUNG_FAULT_CALL=fault.call, RUNG_FAULT_AT=str(fault.at),
                    RUNG_FAULT_ERRNO=str(getattr(errno, fault.error)))
    kept.update(operation.variables)
    return kept


def end_helpers(home):
    """Ends what measures in the background, and waits for its end."""
    for pid in helpers(f"HOME={home}"):
        os.kill(pid, signal.SIGTERM)
    await_that(lambda: not helpers(f"HOME={home}"), "the end of a probe")


def run(operation, origin, fault=None):
    """In a folder of its own, which goes with it."""
    with tempfile.TemporaryDirectory(prefix="rung-fault-") as place:
        folder, report = pathlib.Path(place) / "files", pathlib.Path(place) / "report"
        operation.enter(origin, folder)
        before = snapshot(folder)
        result = subprocess.run([RUNG, *operation.arguments], cwd=folder, capture_output=True, text=True, timeout=60,
                                check=False, input=operation.text, env=environment(operation, fault, report, folder, origin.parent / "machine"))
        if "--probe" in operation.arguments:
            end_helpers(folder)
        return Ending(result.returncode, result.stdout, result.stderr, read_report(report), before, snapshot(folder))


def written_by(ending):
    return [name for name, content in ending.after.items()
            if ending.before.get(name) != content and not name.endswith(BY_PRODUCTS)]


def is_success(operation, status):
    """Done; a negative verdict is as good where it is what the operation ends with."""
    return status == DONE or status == VERDICT == operation.status


def wrong_files(operation, fault, ending, whole):
    """What is half-written, left over or lost."""
    outputs = written_by(whole) if operation.outputs is None else operation.outputs
    for name, content in ending.after.items():
        if ending.before.get(name) == content or name.endswith(BY_PRODUCTS):
            continue
        if name not in outputs:
            if not fault.call.startswith("unlink") and not name.startswith(operation.may_leave):  # what cannot be removed stays
                yield f"{name} was left behind"
        elif not is_whole(pathlib.Path(name), content, whole.after[name]):
            yield f"{name} is neither as it was nor whole"
    if operation.unsound and not fault.call.startswith("unlink"):
        yield from operation.unsound(ending.after)
    for name in ending.before:
        if name not in ending.after and not name.startswith(operation.may_remove):
            yield f"{name} is lost"
    there = [name in ending.after for name in outputs]
    if any(there) and not all(there):
        yield "some of the outputs are there and some are not"
    if is_success(operation, ending.status) and not (operation.may_warn and "rung: warning: " in ending.err):
        yield from (f"{name} was not written, and nothing said so" for name in outputs
                    if ending.after.get(name) == ending.before.get(name))


def without_times(operation, text):
    return re.findall(operation.told, text) if operation.told else re.sub(r'"ms":{[^}]*}', "", text)


def failed_results(text):
    """One line for each reason: what fails once in the start of libcrypto fails for every file that is verified."""
    reasons = {}
    for line in text.splitlines():
        if '"error"' in line:
            result = json.loads(line)
            reasons.setdefault(result["error"]["message"].replace(result["source"], ""), line)
    return list(reasons.values())


def wrong_words(operation, ending, whole):
    """A failure is one sentence; success is none. Warnings may stand beside both."""
    lines = [line for line in ending.err.splitlines() if not line.startswith("rung: warning: ") and not SUMMARY.match(line)]
    succeeded = is_success(operation, ending.status)
    if succeeded and lines:
        yield f"it succeeded and says {lines}"
    lines_left_out = operation.may_leave_out and set(ending.out.splitlines()) < set(whole.out.splitlines())
    if succeeded and without_times(operation, ending.out) != without_times(operation, whole.out) and not lines_left_out:
        yield f"it succeeded and its results are others: {ending.out[:300]}"
    if ending.status > DONE and not succeeded:
        said = lines or (failed_results(ending.out) if operation.result_line else [])
        if len(said) != 1 or len(said[0]) < 20 or not (said[0].startswith("rung") or said[0].startswith("{")):
            yield f"it fails with {said}"


def wrong(operation, fault, ending, whole):
    """Everything that is wrong about an ending."""
    if "failed" not in ending.report or not ending.report["failed"]:
        if ending.status >= DONE:
            yield "the fault did not come"
        elif not JANSSONS_OWN.search(ending.err):
            yield "it crashed"
        return
    if ending.status not in allowed_statuses(fault, operation) | operation.more_statuses:
        yield f"the exit status is {ending.status}"
    yield from wrong_words(operation, ending, whole)
    yield from wrong_files(operation, fault, ending, whole)
    for kept in ("descriptors", "memory_kept"):
        if ending.report[kept] > whole.report[kept]:
            yield f"{kept}: {ending.report[kept]}, and {whole.report[kept]} without the fault"


def faults_of(calls, names, at_most=None):
    """Each call of these names, with each of its errors; of more than `at_most` an even sample."""
    for name in sorted(set(calls) & set(names)):
        step = max(1, calls[name] / at_most) if at_most else 1
        places = sorted({round(1 + i * step) for i in range(int(calls[name] / step))} | {calls[name]})
        yield from (Fault(name, at, error) for at in places if at <= calls[name] for error in ERRORS[name])


def run_all(title, operation, origin, whole, faults):
    """Tries each fault; gives a line for each thing that is wrong, and counts the endings."""
    def one(fault):
        ending = run(operation, origin, fault)
        problems = [f"{operation.name}, {fault.call} {fault.at} {fault.error} at {ending.report['failed']}: {problem}"
                    f" (exit {ending.status}: {(ending.err or ending.out).strip()[:300]})"
                    for problem in wrong(operation, fault, ending, whole)]
        return ending.status, problems

    tally, problems = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for status, found in pool.map(one, faults):
            tally[status] += 1
            problems += found
    tallies[title] = tally
    return problems
