# SPDX-License-Identifier: Apache-2.0
"""`pip install ./python` brings the binding and the tools for models, into an environment that has NumPy and nothing else."""

import importlib.util
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
import typing

import numpy as np
import pytest
from binding import LIBRARY, environment, picture, settings  # noqa: F401, environment is for all
from conftest import ROOT

import rung
from rung_model.__main__ import COMMANDS, PACKAGES, package_of

# What builds the package: hatchling, and what it needs.
BUILDERS = ("hatchling", "packaging", "pathspec", "pluggy", "tomlkit", "trove_classifiers")

DETECT = """
import sys
import numpy, rung
with rung.Instance() as instance:
    result = instance.open("centerface").detect(numpy.load(sys.argv[1]))
print(rung.__file__, rung.library_path(), result.packet.hex())
"""


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A new environment with the package in it. NumPy, and what builds the package, are those of the tests' environment,
    so that nothing is fetched."""
    folder = tmp_path_factory.mktemp("fresh")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=120)
    links = folder / "links"
    links.mkdir()
    for name in ("numpy", *BUILDERS):
        found = pathlib.Path(importlib.util.find_spec(name).origin).parents[1]
        for path in found.glob(f"{name}*"):
            (links / path.name).symlink_to(path)
    site = next(folder.glob("lib/python3*/site-packages"))
    (site / "links.pth").write_text(f"{links}\n")
    python = folder / "bin" / "python"
    done = subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-build-isolation",
                           "--disable-pip-version-check", ROOT / "python"],
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return python, site


def sources_of(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


def test_only_the_two_packages_are_installed(fresh):
    _, site = fresh
    about = site / f"rung-{rung.__version__}.dist-info"
    assert {path.name for path in site.iterdir()} == {"links.pth", "rung", "rung_model", about.name}
    for package in ("rung", "rung_model"):
        assert sources_of(site / package) == sources_of(ROOT / "python" / package)
    assert "Root-Is-Purelib: true\nTag: py3-none-any" in (about / "WHEEL").read_text()
    needed = re.findall("^Requires-Dist: (.*)$", (about / "METADATA").read_text(), re.MULTILINE)
    assert [one for one in needed if "extra" not in one] == ["numpy>=1.24"]
    assert (about / "licenses" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_building_leaves_nothing_in_the_tree(fresh):
    assert {path.name for path in (ROOT / "python").iterdir()} - {"__pycache__"} == {
        "LICENSE", "pyproject.toml", "rung", "rung_model"}


def tool(fresh, *arguments, **variables):
    """The command as it was installed, away from any clone."""
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PYTHONWARNINGS": "error", **variables}
    return subprocess.run([fresh[0].with_name("rung-model"), *map(str, arguments)], env=env, cwd=fresh[1],
                          capture_output=True, text=True, timeout=120, check=False)


def test_the_command_says_what_it_is(fresh):
    assert tool(fresh, "--version").stdout == f"rung-model {rung.__version__}\n"
    told = tool(fresh, "--help").stdout
    assert told.startswith("usage: rung-model ") and all(f"\n    {name} " in told for name in COMMANDS)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_without_the_packages_a_command_works_or_says_what_it_lacks(fresh, command):
    done = tool(fresh, command, "--help")
    if done.returncode == 0:
        assert done.stdout.startswith(f"usage: rung-model {command} ") and done.stderr == ""
    else:
        assert re.fullmatch(rf"rung-model: {command} needs the package ({'|'.join(PACKAGES.values())}), which is not installed; "
                            r"install .* pip install '\./python\[model\]' in a clone of Rung\n", done.stderr)
        assert done.returncode == 1 and done.stdout == ""


@pytest.mark.parametrize("command", ["import", "pack", "card"])
def test_what_needs_no_packages_is_explained_without_them(fresh, command):
    assert tool(fresh, command, "--help").returncode == 0


def test_what_needs_no_packages_works_without_them(fresh, tmp_path):
    (tmp_path / "page.onnx").write_text("<html>")
    done = tool(fresh, "import", tmp_path / "page.onnx")
    assert done.returncode == 1 and "a page of text in place of a model" in done.stderr and done.stderr.count("\n") == 1


def test_what_else_is_imported_in_vain_is_no_missing_package():
    missing = ModuleNotFoundError("No module named 'onnx.helper'", name="onnx.helper")
    assert package_of(missing) == "onnx"
    assert package_of(ModuleNotFoundError("No module named 'colour'", name="colour")) is None
    assert package_of(ImportError("cannot import name 'x' from 'onnx'", name="onnx")) is None


def test_an_unknown_option_is_wrong_usage(fresh):
    done = tool(fresh, "import", "x.onnx", "--colour")
    assert done.returncode == 2 and "unrecognized arguments: --colour" in done.stderr


WHICH = "from rung_model import program; print(program.path())"


def test_installed_tools_take_the_program_that_path_finds(fresh, tmp_path):
    program = tmp_path / "bin" / "rung"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for folder, last in ((program.parent, f"{program}\n"), (tmp_path, "")):
        done = subprocess.run([fresh[0], "-c", WHICH], env={"PATH": str(folder)}, cwd=tmp_path, capture_output=True, text=True,
                              timeout=120, check=False)
        assert done.stdout == last
    assert "the program rung is missing; install it" in done.stderr


def run(fresh, tmp_path, text, **variables):
    np.save(tmp_path / "pixels.npy", picture())
    env = {name: value for name, value in settings(**variables).items() if name != "PYTHONPATH" and value}
    return subprocess.run([fresh[0], "-X", "dev", "-c", text, tmp_path / "pixels.npy"], env=env, cwd=tmp_path,
                          capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def expected():
    with rung.Instance() as instance:
        return instance.open("centerface").detect(picture()).packet.hex()


def test_it_answers_with_numpy_and_the_library_alone(fresh, tmp_path, expected):
    done = run(fresh, tmp_path, DETECT)
    assert done.stderr == "" and done.stdout.split() == [str(fresh[1] / "rung" / "__init__.py"), str(LIBRARY), expected]


def test_the_library_is_found_beside_the_package(fresh, tmp_path, expected):
    beside = fresh[1] / "rung" / "librung.so.0"
    shutil.copy(LIBRARY, beside)
    try:
        done = run(fresh, tmp_path, DETECT, RUNG_LIBRARY="", RUNG_MODEL_PATH=os.environ["RUNG_MODEL_PATH"])
    finally:
        beside.unlink()
    assert done.stderr == "" and done.stdout.split()[1:] == [str(beside), expected]


def test_the_library_is_found_by_the_systems_loader(fresh, tmp_path, expected):
    done = run(fresh, tmp_path, DETECT, RUNG_LIBRARY="", LD_LIBRARY_PATH=str(LIBRARY.parent))
    assert done.stderr == "" and done.stdout.split()[1:] == ["librung.so.0", expected]


def test_without_the_library_the_sentence_says_what_to_do(fresh, tmp_path):
    done = run(fresh, tmp_path, "import rung\nrung.explain()", RUNG_LIBRARY="")
    assert done.returncode == 1 and "LibraryError: the library librung.so.0 cannot be loaded" in done.stderr
    assert "RUNG_LIBRARY" in done.stderr


def test_the_backend_is_the_one_that_the_tests_pin():
    project = tomllib.loads((ROOT / "python" / "pyproject.toml").read_text())
    (backend,) = project["build-system"]["requires"]
    assert backend.replace("_", "-") in (ROOT / "scripts" / "requirements-test.in").read_text().splitlines()


def test_the_tools_packages_are_those_that_the_tests_pin():
    project = tomllib.loads((ROOT / "python" / "pyproject.toml").read_text())["project"]
    pinned = [line for line in (ROOT / "scripts" / "requirements.in").read_text().splitlines() if not line.startswith("#")]
    wanted = project["optional-dependencies"]["model"]
    assert sorted(wanted) == sorted(pinned)
    assert {line.partition("==")[0] for line in wanted} == {"numpy", *PACKAGES.values()}


def test_the_package_has_the_version_of_the_tree():
    version = re.search(r"^  version: '(.*)',$", (ROOT / "meson.build").read_text(), re.MULTILINE)[1]
    assert rung.__version__ == version == rung.library_version()


@pytest.mark.parametrize("name", rung.__all__)
def test_what_is_public_is_told_and_typed(name):
    thing = getattr(rung, name)
    parts = [value for key, value in vars(thing).items() if not key.startswith("_")] if inspect.isclass(thing) else [thing]
    functions = [getattr(part, "fget", None) or getattr(part, "func", None) or part for part in parts]
    assert thing.__doc__
    for function in filter(inspect.isfunction, functions):
        hints = typing.get_type_hints(function)
        assert "return" in hints and {*inspect.signature(function).parameters} - {"self", "cls"} <= hints.keys(), function


def test_every_program_of_the_page_runs(tmp_path):
    """One after the other, as they are read."""
    page = (ROOT / "docs" / "python.md").read_text()
    programs = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    np.save(tmp_path / "photo.npy", picture())
    done = subprocess.run([sys.executable, "-X", "dev", "-c", "\n".join(programs)], env=settings(), cwd=tmp_path,
                          capture_output=True, text=True, timeout=120, check=False)
    assert programs and done.returncode == 0 and done.stderr == "", done.stderr
