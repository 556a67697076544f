# SPDX-License-Identifier: Apache-2.0
"""The shared library exports exactly the symbols of abi/symbols.txt, and the version script lists the same."""
import re
import subprocess
import sys


def main(library, expected_path, map_path):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    exported = {line.split()[-1].split("@")[0] for line in lines if " A " not in line}
    with open(expected_path, encoding="utf-8") as file:
        expected = {line.strip() for line in file if line.strip() and not line.startswith("#")}
    with open(map_path, encoding="utf-8") as file:
        listed = set(re.findall(r"^\s+(rung_\w+);", file.read(), re.MULTILINE))
    # Sanitizer runtimes add their own.
    exported = {name for name in exported if not name.startswith(("__asan", "__ubsan", "__tsan", "__odr"))}
    failed = False
    for title, found in (("exported", exported), ("in the version script", listed)):
        for name in sorted(found - expected):
            print(f"{name} is {title} but not in {expected_path}")
            failed = True
        for name in sorted(expected - found):
            print(f"{name} of {expected_path} is not {title}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
