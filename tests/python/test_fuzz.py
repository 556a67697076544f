# SPDX-License-Identifier: Apache-2.0
"""A fuzz target with a finding fails the run and keeps what it says; the others are still reported."""

import subprocess
import sys

from conftest import ROOT

QUIET = "#!/bin/sh\necho 'stat::number_of_executed_units: 1234567'\necho 'stat::average_exec_per_sec:     4321'\n"
BROKEN = "#!/bin/sh\necho 'SUMMARY: heap-buffer-overflow'\nexit 77\n"


def fuzz(folder, **targets):
    (folder / "tests/fuzz").mkdir(parents=True)
    for name, text in targets.items():
        path = folder / "tests/fuzz" / f"fuzz-{name}"
        path.write_text(text)
        path.chmod(0o755)
    result = subprocess.run([sys.executable, ROOT / "scripts/lib/fuzz.py", folder, "1"],
                            capture_output=True, text=True, check=False)
    return result.returncode, result.stdout.splitlines(), result.stderr


def test_a_line_tells_executions_and_rate(tmp_path):
    status, lines, _ = fuzz(tmp_path, one=QUIET)
    assert status == 0
    assert lines[0].split() == ["one", "1,234,567", "executions", "4,321/s", "no", "finding"]


def test_a_finding_fails_the_run_and_says_what_it_is(tmp_path):
    status, lines, errors = fuzz(tmp_path, bad=BROKEN, good=QUIET)
    assert status == 1 and len(lines) == 2
    assert "A finding" in lines[0] and "heap-buffer-overflow" in errors
    assert (tmp_path / "fuzz.xml").read_text().count("<failure") == 1


def test_no_target_at_all_is_no_success(tmp_path):
    assert fuzz(tmp_path)[0] == 1
