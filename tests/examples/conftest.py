# SPDX-License-Identifier: Apache-2.0
"""What the tests of the example programs share: the programs of the build, small models, pictures as PPM."""
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli")]

import command_line  # noqa: E402
import tiny  # noqa: E402
from command_line import BUILD, clean_environment, keys  # noqa: E402, F401

EMBEDDER = {"role": "embedder", "head": "none", "selection": None, "labels": None, "embedding_length": 12}


def run(name, *arguments, status=0, **options):
    """Runs an example; it leaks nothing and ends as it should. `environment` adds to what it gets."""
    environment = clean_environment(**options.pop("environment", {}))
    result = subprocess.run([BUILD / "examples" / name, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                            env=environment, check=False, **options)
    assert result.returncode == status, f"exit {result.returncode}\n{result.stdout[-2000:]}\n{result.stderr[-2000:]}"
    assert "Sanitizer" not in result.stderr and "runtime error" not in result.stderr, result.stderr
    return result


def sentence(result):
    """The one line that an example that failed has to say."""
    lines = result.stderr.splitlines()
    assert len(lines) == 1 and len(lines[0]) > 20 and result.stdout == "", result.stdout + result.stderr
    return lines[0]


def ppm(path, width=8, height=8, colour=(255, 255, 255)):
    path.write_bytes(b"P6\n%d %d\n255\n" % (width, height) + bytes(colour) * (width * height))
    return path


class Models:
    """Packs small models, all signed by one key that the examples are told to trust."""

    def __init__(self, folder, keys):  # noqa: F811
        self.folder, self.keys = folder, keys
        self.trust = {"RUNG_TRUST_PATH": str(keys / "key.pub.pem")}

    def pack(self, name, graph=None, **spec):
        """`graph` and `spec` change what tests/cli/tiny.py writes."""
        path = tiny.graph(self.folder / f"{name}.onnx", **graph or {})
        model = self.folder / f"{name}.rung"
        command_line.run("pack", tiny.spec(self.folder / f"{name}.json", name=name, **spec), path, "-o", model, "--key",
                         self.keys / "key.pem")
        return model


@pytest.fixture(scope="session")
def models(tmp_path_factory, keys):  # noqa: F811
    return Models(tmp_path_factory.mktemp("models"), keys)


@pytest.fixture(scope="session")
def detector(models):
    """Finds `corner` in every picture, and `bright` in one whose mean is high."""
    return models.pack("tiny")
