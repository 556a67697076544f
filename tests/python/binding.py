# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python binding share: the build that they are for, its models, and pictures.

RUNG_BUILD names the build folder (default: build). The models and photographs are those that scripts/demo makes.
"""

import functools
import gc
import os
import pathlib
import sys
import tempfile

import numpy as np
import pytest
from PIL import Image

from conftest import ROOT

from rung import _handle

BUILD = pathlib.Path(os.environ.get("RUNG_BUILD", ROOT / "build")).resolve()
LIBRARY = BUILD / "src" / "librung.so.0"
COMMAND = BUILD / "cli" / "rung"
MODELS = ROOT / "build" / "models"
PHOTOS = ROOT / "build" / "demo" / "photos"
FACES = PHOTOS / "astronaut.png"
_folder = tempfile.TemporaryDirectory(prefix="rung-binding-")


def variables():
    """Those of rung, for the library in this process too. Nothing is measured unasked."""
    return {"RUNG_LIBRARY": str(LIBRARY), "RUNG_MODEL_PATH": str(MODELS), "RUNG_TRUST_PATH": str(ROOT / "build" / "trust"),
            "RUNG_RUNTIME_PATH": str(ROOT / "runtimes"), "RUNG_PROBE": "off", "XDG_STATE_HOME": _folder.name,
            "XDG_CACHE_HOME": _folder.name, "XDG_CONFIG_HOME": _folder.name, "XDG_DATA_HOME": _folder.name}


def steering(name):
    return name.startswith(("RUNG_", "XDG_")) and name not in ("RUNG_BUILD", "RUNG_TEST_DATA")


def settings(**more):
    """The environment of a program of its own: it has the package by its path, and no warning of Python's is passed over."""
    kept = {name: value for name, value in os.environ.items() if not steering(name) and not name.startswith("PYTHON")}
    return {**kept, **variables(), "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONWARNINGS": "error", **more}


@pytest.fixture(scope="module", autouse=True)
def environment():
    """What the library in this process reads whenever an instance is made."""
    with pytest.MonkeyPatch.context() as patch:
        for name in filter(steering, list(os.environ)):
            patch.delenv(name)
        for name, value in variables().items():
            patch.setenv(name, value)
        yield
    gc.collect()
    assert not handles()  # what no test refers to any more is gone


def handles():
    """All objects of the library that are alive, with those that were made from them."""
    found = list(_handle._roots)
    for one in found:
        found.extend(one._children)
    return [one for one in found if one._finalizer.alive]


@functools.cache
def picture(path=FACES):
    """The pixels of a photograph, RGB; nobody may write into them."""
    array = np.array(Image.open(path).convert("RGB"))
    array.flags.writeable = False
    return array


def script(text, *arguments, python=sys.executable, **options):
    """The arguments of subprocess.run for a program of its own."""
    return {"args": [python, "-X", "dev", "-c", text, *map(str, arguments)], "env": settings(), "capture_output": True,
            "text": True, "timeout": 120, **options}
