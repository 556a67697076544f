# SPDX-License-Identifier: Apache-2.0
"""What the command line decodes, through the program photo-probe."""
import json
import os
import subprocess

import pytest
from conftest import BUILD, clean_environment

PROBE = BUILD / "tests" / "cli" / "photo-probe"
SOURCES_PROBE = BUILD / "tests" / "cli" / "sources-probe"


def decode(*paths, options=()):
    """→ what came out of each file."""
    if not PROBE.exists():
        pytest.skip("photo-probe is not built")
    process = subprocess.Popen([PROBE, *map(str, options), *map(os.fspath, paths)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=clean_environment())
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0 and err == b"", err.decode(errors="replace")
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) == len(paths)
    return lines


def listing(*operands, text=b"", status=0):
    """→ (path, place of its output) of each picture, or the sentence of an error."""
    result = subprocess.run([SOURCES_PROBE, *map(os.fspath, operands)], input=text, capture_output=True, timeout=60,
                            env=clean_environment())
    assert result.returncode == status, result.stderr
    if status:
        return result.stderr.decode()
    fields = result.stdout.split(b"\0")[:-1]
    return list(zip(fields[::2], fields[1::2]))


def distance(colour, wanted):
    return max(abs(a - b) for a, b in zip(colour, wanted))
