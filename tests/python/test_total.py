# SPDX-License-Identifier: Apache-2.0
"""The total of a test run counts cases, hides no failure and says why something was skipped."""

import json
import subprocess
import sys

from conftest import ROOT

MIXED = """[==========] Running 3 test(s).
[ RUN      ] runs
[       OK ] runs
[ RUN      ] waits
skipped: RUNG_TEST_DATA is not set
[  SKIPPED ] waits
[ RUN      ] breaks
[  FAILED  ] breaks
[==========] 3 test(s) run.
"""
SUMMARY = "[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] breaks\n\n 1 FAILED TEST(S)\n"
CUT_OFF = "[==========] Running 2 test(s).\n[ RUN      ] runs\n[       OK ] runs\n[ RUN      ] hangs\n"
JUNIT = """<testsuites><testsuite>
<testcase classname="test_detect" name="finds"/>
<testcase classname="test_detect" name="draws"><failure message="no">text</failure></testcase>
<testcase classname="test_detect" name="reads"><error message="no">text</error></testcase>
<testcase classname="test_detect" name="waits"><skipped message="no photographs"/></testcase>
</testsuite></testsuites>"""


def meson_log(path, *tests):
    lines = [json.dumps({"name": name, "result": result, "stdout": stdout, "stderr": stderr})
             for name, result, stdout, stderr in tests]
    path.write_text("\n".join(lines) + "\n")
    return path


def total(*arguments):
    result = subprocess.run([sys.executable, ROOT / "scripts/lib/total.py", *map(str, arguments)],
                            capture_output=True, text=True, check=False)
    return result.returncode, result.stdout.splitlines()


def test_each_case_of_a_program_counts_once(tmp_path):
    log = meson_log(tmp_path / "unit.json", ("unit-x", "FAIL", MIXED, SUMMARY))
    assert total(0, log) == (1, ["skipped 1: RUNG_TEST_DATA is not set", "failed: unit-x: breaks",
                                 "1 passed, 1 failed, 1 skipped"])


def test_a_program_that_dies_is_a_failure_though_its_cases_passed(tmp_path):
    log = meson_log(tmp_path / "unit.json", ("unit-x", "TIMEOUT", CUT_OFF, ""))
    assert total(0, log) == (1, ["failed: unit-x", "1 passed, 1 failed, 0 skipped"])


def test_a_program_without_cases_is_one_case(tmp_path):
    log = meson_log(tmp_path / "abi.json", ("symbols", "OK", "", ""), ("layout", "ERROR", "", ""),
                    ("c++", "SKIP", "skipped: no C++ compiler\n", None))
    assert total(0, log) == (1, ["skipped 1: no C++ compiler", "failed: layout",
                                 "1 passed, 1 failed, 1 skipped"])


def test_failures_and_errors_of_pytest_count(tmp_path):
    path = tmp_path / "cli.xml"
    path.write_text(JUNIT)
    assert total(0, path) == (1, ["skipped 1: no photographs", "failed: test_detect: draws",
                                  "failed: test_detect: reads", "1 passed, 2 failed, 1 skipped"])


def test_a_failed_step_without_cases_fails_the_run(tmp_path):
    log = meson_log(tmp_path / "abi.json", ("symbols", "OK", "", ""))
    assert total(0, log) == (0, ["1 passed, 0 failed, 0 skipped"])
    assert total(2, log) == (1, ["1 passed, 2 failed, 0 skipped"])
