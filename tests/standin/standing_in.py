# SPDX-License-Identifier: Apache-2.0
"""What the tests with the stand-in share: copies of it, how they are steered, and rung with them."""

import json
import os
import pathlib
import re
import shutil

import command_line

HERE = pathlib.Path(__file__).resolve().parent

BUILD, MODELS, PHOTOS, ROOT, RUNG = (getattr(command_line, name) for name in ("BUILD", "MODELS", "PHOTOS", "ROOT", "RUNG"))
json_lines = command_line.json_lines

# A process that dies does so by its signal, also when it is sanitized.
os.environ["ASAN_OPTIONS"] = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "handle_segv=0")))
# The leak sanitizer crashes now and then where several processes end at once; leaks are looked for everywhere else.
MANY_AT_ONCE = {"ASAN_OPTIONS": os.environ["ASAN_OPTIONS"] + ":detect_leaks=0"}

BUILT = BUILD / "tests" / "standin"
NAME = "libonnxruntime.so.1.99.0-standin"
LIBRARY = BUILT / NAME
REAL = next(iter(sorted((ROOT / "runtimes").glob("onnxruntime-[0-9]*/libonnxruntime.so.*"), reverse=True)), None)

MISUSED = "ended with status 99: stand-in: "  # how it begins what it says when it is steered wrongly

matrix = {}  # (place, fault): outcome


def copy(folder, built=LIBRARY):
    """A copy in a folder of its own, under a name that the search takes."""
    folder.mkdir(parents=True)
    shutil.copy(built, folder / NAME)
    return folder / NAME


def environment(steering, **more):
    """Nothing is remembered of a library from one run to the next: the same file is another one when it is steered otherwise."""
    return command_line.clean_environment(**{"RUNG_STANDIN": steering, "RUNG_STANDIN_REAL": str(REAL),
                                             "XDG_STATE_HOME": "/dev/null/none", **more})


def run(*arguments, **options):
    """Runs rung. A library that is steered wrongly would be passed over like any that does not load: no test passes by that."""
    result = command_line.run(*arguments, **options)
    assert MISUSED not in result.out + result.err, result.out + result.err
    return result


def misused(steering, **more):
    """What the stand-in says of wrong steering."""
    changed = {name: value for name, value in environment(steering, **more).items() if value is not None}
    told = command_line.run("explain", environment=changed)
    return told.out.split(MISUSED, 1)[1].split("\n")[0]


def explain(steering, *arguments, **more):
    return json.loads(run("explain", "--json", *arguments, environment=environment(steering, **more)).out)


def without_times(text):
    return re.sub(r'"ms":{[^}]*}', '"ms":{}', text)


def results(lines):
    """What a picture's line says of the picture, whatever ran it and how long."""
    return [{key: value for key, value in line.items() if key not in ("ms", "rung")} for line in lines]


def calls(trace, place):
    """The faults that the calls of a place met, "-" for none."""
    lines = [line.split() for line in trace.read_text().splitlines()] if trace.exists() else []
    return [fault for name, _, fault, _ in lines if name == place]
