# SPDX-License-Identifier: Apache-2.0
"""Every header of include/rung is installed, and the programs of this folder include every one: rung/rung.h brings all but
those of a subject of their own."""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
APART = {"artifact.h", "provider.h", "vectors.h"}  # for tools, for providers of one's own, for tests


def included(path):
    return set(re.findall(r"^#include <rung/(\w+\.h)>", path.read_text(encoding="utf-8"), re.MULTILINE))


def main(folder, *installed):
    headers = {path.name for path in pathlib.Path(folder).iterdir()}
    apart = headers & APART
    places = {
        "the list of include/meson.build": ({pathlib.Path(path).name for path in installed}, headers),
        "rung/rung.h": (included(pathlib.Path(folder) / "rung.h"), headers - apart - {"rung.h"}),
        "tests/abi/headers.c": (included(HERE / "headers.c"), apart | {"rung.h"}),
        "tests/abi/headers.cpp": (included(HERE / "headers.cpp"), apart | {"rung.h"}),
    }
    failed = False
    for place, (found, wanted) in places.items():
        for name in sorted(wanted - found):
            print(f"{name} is missing in {place}")
            failed = True
        for name in sorted(found - wanted):
            print(f"{name} should not be in {place}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
