# SPDX-License-Identifier: Apache-2.0
"""Files that loaders get wrong: each does what the table beside it says, all in one run, within bounds of memory."""
import csv
import json
import os
import subprocess

import pytest
from conftest import BUILD, MODELS, RUNG, clean_environment
from probe import decode, distance

MEAN_LEVELS, CORNER_LEVELS = 3, 6  # what the table allows
PEAK_MB = 1200


@pytest.fixture(scope="module")
def rows(data):
    table = data / "odd" / "EXPECT.tsv"
    if not table.exists():
        pytest.skip("the folder of test data holds no odd/EXPECT.tsv")
    with open(table, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="module")
def paths(rows, data):
    return [data / "odd" / row["path"] for row in rows]


def allowed(row):
    """What may come of a file: (status, sizes, codes in upper case)."""
    outcomes = [(row["status"], row["width"], row["height"], row["error_kind"])]
    also = row["also_allowed"].split()
    if also[:1] == ["ok"]:
        outcomes.append(("ok", *also[1:], "-"))
    elif also[:1] == ["error"]:
        outcomes.append(("error", "-", "-", also[1]))
    return outcomes


def is_allowed(row, status, width, height, code):
    for wanted in allowed(row):
        if status == wanted[0] == "ok" and (str(width), str(height)) == wanted[1:3]:
            return True
        if status == wanted[0] == "error" and code.lower() in wanted[3].split("|"):
            return True
    return False


def test_every_file_does_what_the_table_says_in_one_run(rows, paths, capsys):
    assert (MODELS / "centerface.rung").exists(), "run scripts/demo-models first"
    process = subprocess.Popen([RUNG, "detect", "-m", "centerface", "--json", *paths], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=clean_environment())
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 5 and err == b"", err
    lines = {line["source"]: line for line in map(json.loads, out.splitlines())}
    assert len(lines) == len(rows)
    for row, path in zip(rows, paths):
        line = lines[os.fspath(path)]
        if "error" in line:
            assert is_allowed(row, "error", None, None, line["error"]["code"]), (row["path"], line)
            assert 5 < len(line["error"]["message"]) < 300
        else:
            assert is_allowed(row, "ok", line["width"], line["height"], None), (row["path"], line)
    peak = usage.ru_maxrss / 1024
    with capsys.disabled():
        print(f"\n{len(rows)} odd files: {sum('error' in line for line in lines.values())} errors, "
              f"peak memory {peak:.0f} MB", end="")
    assert "asan" in BUILD.name or peak < PEAK_MB


def test_every_picture_has_the_colours_of_the_table(rows, paths):
    for row, line in zip(rows, decode(*paths)):
        if row["status"] != "ok" or line["status"] != "ok":
            continue
        for part, column, levels in (("mean", "mean_rgb", MEAN_LEVELS), ("topleft", "topleft_rgb", CORNER_LEVELS),
                                     ("topright", "topright_rgb", CORNER_LEVELS)):
            if row[column] != "-":
                wanted = [float(value) for value in row[column].split(",")]
                assert distance(line[part], wanted) <= levels, (row["path"], part, line[part], wanted)


def test_turned_pictures_equal_the_upright_one(rows, paths):
    """Their means and corners, where the table says that the pixels are the same."""
    decoded = dict(zip((row["path"] for row in rows), decode(*paths)))
    compared = 0
    for row in rows:
        before, equal, after = row["note"].partition("upright pixels equal ")
        if not equal:
            continue
        upright = decoded[after.split()[0]]
        for part in ("mean", "topleft", "topright"):
            assert distance(decoded[row["path"]][part], upright[part]) <= MEAN_LEVELS, row["path"]
        compared += 1
    assert compared > 10
