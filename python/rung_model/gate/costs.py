# SPDX-License-Identifier: Apache-2.0
"""What a form takes where it was measured, as far as anybody tells: `rung report` of it and of the model in f32."""

import os
import pathlib
import re

from .. import Refusal, program

FRAMES = 10
CPU_INFO = pathlib.Path("/proc/cpuinfo")


def processor():
    """Its name as the system tells it; None where it does not."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", CPU_INFO.read_text(errors="replace"), re.MULTILINE)
    except OSError:
        return None
    return found.group(1).strip() if found else None


def report_of(model, rung, options):
    """None where the model is not served so: an embedder that has not passed, say."""
    try:
        return program.read("report", "--json", "-m", model, "--rung", rung, "--iterations", FRAMES, "--allow-unsigned", *options)
    except Refusal:
        return None


def memory_of(report):
    return {"activations": report["memory_bytes"]["workspace"], "weights": report["memory_bytes"]["packed"],
            "device": report["memory_bytes"]["device"], "process_peak": report["measured"]["peak_bytes"], "compile_peak": None}


def reuses_engine(model, rung, options, first):
    """Whether a second start finds the engine that the first has compiled; None where nothing is compiled."""
    if not first["compiled"] and not first["engine"]:
        return None
    second = report_of(model, rung, options)
    return bool(second and second["engine"])


def costs(form, right, gate, threads=None, trust=()):
    """The members that a gate's entry has of it; `form` and `right` are model files, `gate` what was measured of them."""
    options = (*(("--threads", threads) if threads else ()), *trust)
    reports = {"form": report_of(form, gate["rung"], options), "f32": report_of(right, gate["against"]["rung"], options)}
    known = reports["form"] or reports["f32"]
    runtime = (known or {}).get("runtime") or {}
    return {
        "memory": {side: report and memory_of(report) for side, report in reports.items()},
        "engine_reused": reports["form"] and reuses_engine(form, gate["rung"], options, reports["form"]),
        "measured_on": {"processor": processor(), "cores": os.cpu_count(),
                        "runtime": f"{runtime['name']} {runtime['version']}" if runtime else None,
                        "rung": program.run("--version").stdout.strip()},
    }
