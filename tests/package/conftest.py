# SPDX-License-Identifier: Apache-2.0
"""What the tests of the installation share: the build as `meson install` leaves it, in a folder that is not its prefix, so that
nothing can depend on where it was meant to lie."""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli")]

import command_line  # noqa: E402

BUILD, ROOT = command_line.BUILD, command_line.ROOT


class Installation:
    """A prefix with the library, wherever it lies."""

    def __init__(self, prefix, options):
        self.prefix, self.options = prefix, options
        self.include = prefix / "include"
        self.lib = prefix / options["libdir"]
        self.helper = prefix / options["libexecdir"] / "rung-probe"
        self.program = prefix / options["bindir"] / "rung"
        self.library = self.lib / "librung.so.0"

    def moved(self, to):
        """A copy elsewhere."""
        shutil.copytree(self.prefix, to, symlinks=True)
        return Installation(to, self.options)

    def pkg_config(self, *arguments):
        environment = {**os.environ, "PKG_CONFIG_LIBDIR": str(self.lib / "pkgconfig")}  # and nowhere else
        result = subprocess.run(["pkg-config", *arguments, "rung"], check=True, capture_output=True, text=True, env=environment)
        return shlex.split(result.stdout)


def run_quietly(*command, **options):
    result = subprocess.run([*map(os.fspath, command)], capture_output=True, text=True, timeout=300, check=False, **options)
    assert result.returncode == 0, f"{shlex.join(map(str, command))}\n{result.stdout[-3000:]}\n{result.stderr[-3000:]}"
    return result.stdout


@pytest.fixture(scope="session")
def installation(tmp_path_factory):
    destination = tmp_path_factory.mktemp("destination")
    run_quietly("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", destination)
    options = {option["name"]: option["value"] for option in json.loads(run_quietly("meson", "introspect", "--buildoptions", BUILD))}
    prefix = destination / options["prefix"].lstrip("/")
    return Installation(prefix, options)
