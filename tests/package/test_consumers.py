# SPDX-License-Identifier: Apache-2.0
"""Programs of others, in C and C++, built by CMake and by pkg-config against an installation, find a face."""
import json
import os
import subprocess

import command_line
import pytest
from conftest import HERE, ROOT, run_quietly
from PIL import Image

MODEL = command_line.MODELS / "centerface.rung"
FACE = command_line.PHOTOS / "astronaut.png"
SOURCES = HERE / "consumer"
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.c") if path.stem != "common")
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
COMPILERS = {"c": ("cc", "-std=c11", *STRICT, SOURCES / "consumer.c"), "cpp": ("c++", "-std=c++17", *STRICT, SOURCES / "consumer.cpp")}


@pytest.fixture(scope="session")
def by_cmake(installation, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cmake")
    flags = " ".join(STRICT)
    run_quietly("cmake", "-S", SOURCES, "-B", folder, f"-DCMAKE_PREFIX_PATH={installation.prefix}", f"-DCMAKE_C_FLAGS={flags}",
                f"-DCMAKE_CXX_FLAGS={flags}")
    run_quietly("cmake", "--build", folder)
    return folder


@pytest.fixture(scope="session")
def by_pkg_config(installation, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pkg-config")
    for name, compiler in COMPILERS.items():
        run_quietly(*compiler, "-o", folder / f"consumer-{name}", *installation.pkg_config("--cflags", "--libs"))
    return folder


def environment(**more):
    return command_line.clean_environment(RUNG_RUNTIME_PATH=str(ROOT / "runtimes"), **more)


def detect(program, status=0, **more):
    """What a consumer says of the photograph: the rung, and the lines of the targets."""
    with Image.open(FACE) as picture:
        pixels = picture.convert("RGB")
    result = subprocess.run([program, MODEL, str(pixels.width), str(pixels.height)], input=pixels.tobytes(), capture_output=True,
                            env=environment(**more), timeout=120, check=False)
    assert result.returncode == status, result.stderr.decode()
    return result.stdout.decode().splitlines(), result.stderr.decode()


@pytest.fixture(scope="session")
def model():
    if not MODEL.exists():
        pytest.skip(f"{MODEL} is missing; scripts/demo-models centerface makes it")
    return MODEL


@pytest.fixture(scope="session")
def expected(model):
    """What the command line says of it."""
    (line,) = command_line.json_lines(command_line.run("detect", "-m", "centerface", "--json", FACE))
    return line["targets"]


def is_expected(lines, expected):
    assert lines[0] == "ort-cpu" and len(lines) == 1 + len(expected)
    for line, target in zip(lines[1:], expected):
        label, _, *box = line.split()
        assert label == target["class"] and [int(v) / 256 for v in box] == pytest.approx(target["box"], abs=0.01)


@pytest.mark.parametrize("language", COMPILERS)
def test_a_program_built_by_cmake_detects(by_cmake, expected, language):
    lines, _ = detect(by_cmake / f"consumer-{language}")
    is_expected(lines, expected)


@pytest.mark.parametrize("language", COMPILERS)
def test_a_program_built_by_pkg_config_detects(by_pkg_config, installation, expected, language):
    lines, _ = detect(by_pkg_config / f"consumer-{language}", LD_LIBRARY_PATH=str(installation.lib))
    is_expected(lines, expected)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_built_as_anybody_would(installation, tmp_path, example):
    """With nothing of the tree but its own files."""
    folder = ROOT / "examples"
    run_quietly("cc", *STRICT, "-o", tmp_path / example, folder / f"{example}.c",
                folder / "common.c", *installation.pkg_config("--cflags", "--libs"))


def test_a_program_asks_for_the_soname(by_cmake, by_pkg_config):
    for folder in (by_cmake, by_pkg_config):
        needed = run_quietly("readelf", "--dynamic", "--wide", folder / "consumer-c")
        assert "[librung.so.0]" in needed


def test_a_moved_prefix_still_finds_its_helper(by_pkg_config, installation, model, tmp_path):
    """tract loads nothing that the helper program has not tried: without it, the rung is refused."""
    moved = installation.moved(tmp_path / "moved")
    program = by_pkg_config / "consumer-c"
    lines, _ = detect(program, LD_LIBRARY_PATH=str(moved.lib), RUNG_RUNG="tract")
    assert lines[0] == "tract" and len(lines) > 1
    moved.helper.unlink()
    _, told = detect(program, status=1, LD_LIBRARY_PATH=str(moved.lib), RUNG_RUNG="tract")
    assert "rung-probe" in told


def test_the_program_of_a_moved_prefix_runs(installation, expected, tmp_path):
    """It finds library, pictures module and helper from where it lies itself."""
    program = installation.moved(tmp_path / "moved").program
    if not program.exists():
        pytest.skip("the command line is not built")
    if installation.options["prefix"] == "/usr":
        pytest.skip("it is built for a prefix whose library the loader knows")
    told = run_quietly(program, "detect", "-m", "centerface", "--json", "--rung", "tract", FACE, env=environment())
    assert [target["class"] for target in json.loads(told)["targets"]] == [target["class"] for target in expected]


@pytest.mark.parametrize("way", ["cmake", "pkg-config"])
def test_a_moved_prefix_is_built_against_where_it_lies(installation, tmp_path, way):
    moved = installation.moved(tmp_path / "moved")
    if way == "cmake":
        run_quietly("cmake", "-S", SOURCES, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={moved.prefix}")
        told = (tmp_path / "build" / "CMakeCache.txt").read_text()
        assert f"rung_DIR:PATH={moved.lib / 'cmake' / 'rung'}" in told
        run_quietly("cmake", "--build", tmp_path / "build", "--target", "consumer-c")
    else:
        flags = moved.pkg_config("--cflags", "--libs")
        assert os.path.realpath(flags[0][2:]) == str(moved.include) and os.path.realpath(flags[1][2:]) == str(moved.lib)


def test_half_an_installation_is_told(installation, tmp_path):
    moved = installation.moved(tmp_path / "moved")
    (moved.include / "rung" / "rung.h").unlink()
    result = subprocess.run(["cmake", "-S", SOURCES, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={moved.prefix}"], capture_output=True,
                            text=True, check=False)
    assert result.returncode != 0 and "rung/rung.h is missing; install rung again" in " ".join(result.stderr.split())
