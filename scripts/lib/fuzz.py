# SPDX-License-Identifier: Apache-2.0
"""Runs fuzz targets: fuzz.py BUILD_FOLDER SECONDS

Each of BUILD_FOLDER/tests/fuzz/fuzz-* runs for SECONDS, two side by side, from the inputs in corpus/TARGET and those
that earlier runs found worth keeping (learned/TARGET). Prints a line a target, keeps findings in findings/, writes
fuzz.xml (JUnit) for the total of a test run. Exit status 1 with a finding."""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

SIDE_BY_SIDE = 2
# An input of a few thousand bytes must cost neither this much memory at once nor this long.
LIMITS = ["-malloc_limit_mb=64", "-rss_limit_mb=2048", "-timeout=10"]
STATISTIC = re.compile(r"^stat::(\w+):\s+(\d+)$", re.MULTILINE)


def run(folder, program, seconds):
    """One target; gives its name, its statistics, and why it ended early (None: it did not)."""
    target = program.name.removeprefix("fuzz-")
    learned, findings = folder / "learned" / target, folder / "findings"
    for needed in (learned, findings):
        needed.mkdir(parents=True, exist_ok=True)
    log = folder / f"fuzz-{target}.log"
    with open(log, "wb") as output:
        status = subprocess.run(
            [program, f"-max_total_time={seconds}", *LIMITS, "-print_final_stats=1",
             f"-artifact_prefix={findings}/{target}-", learned, folder / "corpus" / target],
            stdout=output, stderr=output, check=False).returncode
    text = log.read_text("utf-8", "replace")
    statistics = {name: int(number) for name, number in STATISTIC.findall(text)}
    return target, statistics, None if status == 0 else text[-6000:]


def say(target, statistics, failure):
    executions, rate = (statistics.get(name, 0) for name in ("number_of_executed_units", "average_exec_per_sec"))
    print(f"{target:<10} {executions:>12,} executions  {rate:>9,}/s  {'no' if failure is None else 'A'} finding",
          flush=True)
    if failure is not None:
        print(failure, file=sys.stderr)


def write_junit(path, results):
    suite = xml.etree.ElementTree.Element("testsuite", name="fuzz")
    for target, _, failure in results:
        case = xml.etree.ElementTree.SubElement(suite, "testcase", classname="fuzz", name=target)
        if failure is not None:
            xml.etree.ElementTree.SubElement(case, "failure", message="a finding")
    xml.etree.ElementTree.ElementTree(suite).write(path, encoding="utf-8")


def main(folder, seconds):
    programs = sorted(path for path in (folder / "tests/fuzz").glob("fuzz-*") if path.is_file())
    results = []
    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        for future in [pool.submit(run, folder, program, seconds) for program in programs]:
            results.append(future.result())
            say(*results[-1])
    write_junit(folder / "fuzz.xml", results)
    return 0 if results and all(failure is None for _, _, failure in results) else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), int(sys.argv[2])))
