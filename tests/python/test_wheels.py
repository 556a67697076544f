# SPDX-License-Identifier: Apache-2.0
"""Only the pinned wheel is accepted, it arrives whole or not at all, and once is enough."""

import hashlib
import os
import subprocess
import sys
import zipfile

import pytest
from conftest import ROOT

import wheels

WHEEL = "tinylib-1.0-py3-none-any.whl"
FILES = {
    "tinylib/libtiny.so.1": b"library",
    "tinylib/binding.cpython-311-x86_64-linux-gnu.so": b"python",
    "tinylib/LICENSE": b"licence",
    "tinylib-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tinylib\nVersion: 1.0\n",
    "tinylib-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "tinylib-1.0.dist-info/RECORD": b"",
}


@pytest.fixture
def registry(tmp_path):
    """A folder that pip takes for the registry."""
    folder = tmp_path / "registry"
    folder.mkdir()
    with zipfile.ZipFile(folder / WHEEL, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    return folder


def write_table(path, registry, **changes):
    row = {"name": "tinylib", "version": "1.0", "default": "yes", "wheel": WHEEL,
           "sha256": hashlib.sha256((registry / WHEEL).read_bytes()).hexdigest(), "pip": "",
           "members": "tinylib/lib*.so* tinylib/LICENSE", "licence": "MIT", **changes}
    path.write_text("\t".join(wheels.COLUMNS) + "\n" + "\t".join(row[key] for key in wheels.COLUMNS) + "\n")
    return path


def fetch(table, folder, registry, *names):
    environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(registry)}
    return subprocess.run([sys.executable, ROOT / "scripts/lib/wheels.py", table, folder, *names],
                          env=environment, capture_output=True, text=True, check=False)


def test_only_the_named_members_arrive(tmp_path, registry):
    table = write_table(tmp_path / "table.tsv", registry)
    assert fetch(table, tmp_path / "out", registry).returncode == 0
    arrived = tmp_path / "out" / "tinylib-1.0"
    assert sorted(os.listdir(tmp_path / "out")) == ["tinylib-1.0"]
    assert sorted(os.listdir(arrived)) == ["LICENSE", "libtiny.so.1", "wheel.sha256"]
    assert (arrived / "libtiny.so.1").read_bytes() == b"library"


def test_a_second_run_fetches_nothing_and_says_nothing(tmp_path, registry):
    table = write_table(tmp_path / "table.tsv", registry)
    fetch(table, tmp_path / "out", registry)
    (registry / WHEEL).unlink()
    again = fetch(table, tmp_path / "out", registry)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


def test_a_wrong_digest_shows_both_and_leaves_nothing(tmp_path, registry):
    right = hashlib.sha256((registry / WHEEL).read_bytes()).hexdigest()
    table = write_table(tmp_path / "table.tsv", registry, sha256="0" * 64)
    result = fetch(table, tmp_path / "out", registry)
    assert result.returncode == 4
    assert right in result.stderr and "0" * 64 in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_wrong_digest_leaves_what_was_there(tmp_path, registry):
    fetch(write_table(tmp_path / "table.tsv", registry), tmp_path / "out", registry)
    changed = write_table(tmp_path / "changed.tsv", registry, sha256="0" * 64)
    assert fetch(changed, tmp_path / "out", registry).returncode == 4
    assert (tmp_path / "out" / "tinylib-1.0" / "libtiny.so.1").read_bytes() == b"library"


def test_a_new_pin_replaces_the_old_files(tmp_path, registry):
    fetch(write_table(tmp_path / "table.tsv", registry), tmp_path / "out", registry)
    with zipfile.ZipFile(registry / WHEEL, "a") as archive:
        archive.writestr("tinylib/libmore.so", b"more")
    table = write_table(tmp_path / "table.tsv", registry)
    assert fetch(table, tmp_path / "out", registry).returncode == 0
    assert (tmp_path / "out" / "tinylib-1.0" / "libmore.so").exists()


@pytest.mark.parametrize("changes, names, status, reason", [
    ({"members": "tinylib/lib*.dylib"}, [], 5, "holds no tinylib/lib*.dylib"),
    ({"version": "2.0"}, [], 5, "could not download tinylib 2.0"),
    ({"wheel": "other.whl"}, [], 4, "the table says other.whl"),
    ({}, ["other"], 2, "has no other; it has tinylib"),
])
def test_what_cannot_be_done_is_said_and_leaves_nothing(tmp_path, registry, changes, names, status, reason):
    table = write_table(tmp_path / "table.tsv", registry, **changes)
    result = fetch(table, tmp_path / "out", registry, *names)
    assert result.returncode == status and reason in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_row_that_is_no_default_is_taken_by_name_only(tmp_path, registry):
    table = write_table(tmp_path / "table.tsv", registry, default="no")
    assert fetch(table, tmp_path / "out", registry).returncode == 0
    assert not (tmp_path / "out").exists()
    assert fetch(table, tmp_path / "out", registry, "tinylib").returncode == 0
    assert (tmp_path / "out" / "tinylib-1.0").exists()


@pytest.mark.parametrize("name", ["runtimes.tsv", "demo.tsv"])
def test_the_tables_of_the_tree_can_be_read(name):
    rows = wheels.read_table(ROOT / "scripts" / name)
    assert rows and all(len(row["sha256"]) == 64 and row["members"] for row in rows)


def test_what_may_not_be_passed_on_is_for_tests_alone():
    """It goes to another folder than the one where a build of the tree looks."""
    rows = wheels.read_table(ROOT / "scripts" / "runtimes.tsv")
    assert {row["default"] for row in rows if "proprietary" in row["licence"]} == {"tests"}
    script = (ROOT / "scripts" / "fetch-runtimes").read_text()
    assert 'fetch_wheels "$table" "$root/runtimes-tests" "${tests[@]}"' in script
    assert "/runtimes-tests/" in (ROOT / ".gitignore").read_text().splitlines()


def test_the_page_lists_the_runtimes_of_the_table():
    page = (ROOT / "docs" / "runtimes.md").read_text()
    for row in wheels.read_table(ROOT / "scripts" / "runtimes.tsv"):
        assert f"`{row['name']}-{row['version']}`" in page
