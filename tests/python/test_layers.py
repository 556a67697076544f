# SPDX-License-Identifier: Apache-2.0
"""The layering check sees what it is there for."""

import subprocess

import pytest
from conftest import ROOT


def check(folder, path, line):
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(line + "\n")
    return subprocess.run([ROOT / "scripts/check-layers", folder], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("path, line", [
    ("session/a.c", '#include "base/error.h"'),
    ("session/a.c", '#include "session/frame.h"'),
    ("base/posix/a.c", '#include "error_text.h"'),
    ("base/a.c", "#include <rung/result.h>"),
])
def test_a_layer_may_use_itself_and_those_before_it(tmp_path, path, line):
    assert check(tmp_path, path, line).returncode == 0


@pytest.mark.parametrize("path, line, reason", [
    ("base/posix/a.c", '#include "session/frame.h"', "src/base/posix/a.c:1: includes \"session/frame.h\""),
    ("artifact/a.h", '  #  include "runtime/search.h"', "above artifact"),
    ("session/a.c", '#include "../base/error.h"', "name it from src"),
    ("fresh/a.c", "int x;", "layer fresh is not listed"),
])
def test_what_reaches_up_or_around_is_refused(tmp_path, path, line, reason):
    result = check(tmp_path, path, line)
    assert result.returncode == 1 and reason in result.stdout
