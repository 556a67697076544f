# SPDX-License-Identifier: Apache-2.0
"""Adds up test cases: total.py FAILED_STEPS RESULT...

A RESULT is Meson's testlog (.json, one test program a line) or a JUnit file of pytest (.xml). Of a
program that speaks as cmocka does each case counts, any other is one case; a test that skips says
why in a line "skipped: ...". FAILED_STEPS are those
that failed without a case to show for it. Prints why cases were skipped, which failed, and as its
last line the total; exit status 1 when anything failed."""

import collections
import json
import re
import sys
import xml.etree.ElementTree

CMOCKA_CASE = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (\S+)$", re.MULTILINE)
CMOCKA_GROUP = re.compile(r"^\[==========\] ", re.MULTILINE)
CMOCKA_WORDS = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}
MESON_WORDS = {"OK": "passed", "EXPECTEDFAIL": "passed", "SKIP": "skipped"}
Case = collections.namedtuple("Case", "name outcome reason")


def cmocka_cases(program, text):
    """A group's closing summary names its failures a second time."""
    found = {}
    for word, name in CMOCKA_CASE.findall(text):
        start = text.find(f"[ RUN      ] {name}\n")
        found[name] = Case(f"{program}: {name}", CMOCKA_WORDS[word], skip_reason(text[max(start, 0):]))
    return list(found.values())


def skip_reason(text):
    match = re.search(r"^skipped: (.+)$", text, re.MULTILINE)
    return match.group(1) if match else "the test gave no reason"


def meson_cases(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            test = json.loads(line)
            name, outcome = test["name"], MESON_WORDS.get(test["result"], "failed")
            text = "\n".join(test.get(stream) or "" for stream in ("stdout", "stderr"))
            cases = cmocka_cases(name, text) if CMOCKA_GROUP.search(text) else []
            yield from cases
            told = any(case.outcome == "failed" for case in cases)
            if not cases or (outcome == "failed" and not told):
                yield Case(name, outcome, skip_reason(text))


def pytest_cases(path):
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        name = f"{case.get('classname')}: {case.get('name')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            yield Case(name, "failed", None)
        elif skipped is not None:
            yield Case(name, "skipped", skipped.get("message"))
        else:
            yield Case(name, "passed", None)


def read(path):
    return list(pytest_cases(path) if path.endswith(".xml") else meson_cases(path))


def main(failed_steps, paths):
    cases = [case for path in paths for case in read(path)]
    counts = collections.Counter(case.outcome for case in cases)
    counts["failed"] += failed_steps
    reasons = collections.Counter(case.reason for case in cases if case.outcome == "skipped")
    for reason, number in sorted(reasons.items()):
        print(f"skipped {number}: {reason}")
    for case in cases:
        if case.outcome == "failed":
            print(f"failed: {case.name}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
