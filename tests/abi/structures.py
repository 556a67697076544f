# SPDX-License-Identifier: Apache-2.0
"""Public structures have the sizes and offsets of abi/structures.txt (64-bit platforms)."""
import difflib
import os
import shlex
import subprocess
import sys


def main(program, expected_path):
    wrapper = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))  # another architecture's
    found = subprocess.run([*wrapper, program], check=True, capture_output=True, text=True).stdout.splitlines()
    with open(expected_path, encoding="utf-8") as file:
        expected = [line.rstrip("\n") for line in file if not line.startswith("#")]
    difference = list(difflib.unified_diff(expected, found, expected_path, "the library", lineterm="", n=0))
    print("\n".join(difference))
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
