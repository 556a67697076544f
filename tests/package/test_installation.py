# SPDX-License-Identifier: Apache-2.0
"""What `meson install` brings: all headers, each good on its own; the library under its SONAME, with few needs."""
import re
import subprocess

import pytest
from conftest import ROOT, run_quietly

STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only")
HEADERS = sorted(path.name for path in (ROOT / "include" / "rung").iterdir())


def dynamic(library, tag):
    """The values of a tag of the library's dynamic section."""
    text = run_quietly("readelf", "--dynamic", "--wide", library)
    return set(re.findall(rf"\({tag}\).*\[(.*)\]", text))


def test_every_public_header_is_installed(installation):
    assert sorted(path.name for path in (installation.include / "rung").iterdir()) == HEADERS


@pytest.mark.parametrize("language, compiler", [("c", ("cc", "-std=c11")), ("c++", ("c++", "-std=c++17"))])
@pytest.mark.parametrize("header", HEADERS)
def test_a_header_can_be_included_alone(installation, tmp_path, header, language, compiler):
    source = tmp_path / "alone"
    source.write_text(f"#include <rung/{header}>\n#include <rung/{header}>\nint alone;\n")
    run_quietly(*compiler, *STRICT, "-x", language, "-I", installation.include, source)


def test_the_headers_need_no_others_than_the_standard_ones(installation):
    """So a consumer needs no package but this one."""
    for header in (installation.include / "rung").iterdir():
        named = set(re.findall(r"^ *# *include [<\"]([^>\"]+)", header.read_text(), re.MULTILINE))
        assert {name for name in named if not name.startswith("rung/")} <= {"stddef.h", "stdint.h"}, header


def test_the_library_has_its_soname_and_what_links_to_it_finds_it(installation):
    assert dynamic(installation.library, "SONAME") == {"librung.so.0"}
    assert (installation.lib / "librung.so").resolve() == installation.library.resolve()


def test_the_library_needs_libc_libcrypto_and_jansson_alone(installation):
    needed = {re.sub(r"\.so.*", "", name) for name in dynamic(installation.library, "NEEDED")}
    assert {"libc", "libcrypto", "libjansson"} <= needed <= {"libc", "libcrypto", "libjansson", "libm", "ld-linux-x86-64"}


def test_the_library_looks_for_others_where_the_system_has_them(installation):
    """A path of the build folder in it would be a way in for others, and a folder of one machine's."""
    assert not dynamic(installation.library, "RPATH") and not dynamic(installation.library, "RUNPATH")


def test_pkg_config_names_the_library_and_nothing_else(installation):
    assert installation.pkg_config("--modversion") == [ROOT.joinpath("meson.build").read_text().split("version: '")[1].split("'")[0]]
    flags = installation.pkg_config("--cflags", "--libs")
    assert [flag[:2] for flag in flags] == ["-I", "-L", "-l"] and flags[-1] == "-lrung"
    # There is no static library: linking is the same, and asks for no package that made the shared one.
    assert installation.pkg_config("--static", "--cflags", "--libs") == flags
    assert installation.pkg_config("--print-requires", "--print-requires-private") == []


def test_pkg_config_and_cmake_name_no_folder_of_the_build(installation):
    for path in (*installation.lib.glob("pkgconfig/*"), *installation.lib.glob("cmake/rung/*")):
        text = path.read_text()
        assert str(ROOT) not in text and "/usr/local" not in text and "@" not in text, path


@pytest.mark.parametrize("asked, found", [
    ("", True), ("0.1", True), ("0.1.0 EXACT", True), ("0.1...0.3", True), ("0.0.9", True), ("0.1...<1", True),
    ("0.0.1...<0.1.0", False), ("0.2", False), ("1.0", False), ("0.1.1", False), ("0.0.9 EXACT", False),
    ("COMPONENTS gpu", False),
])
def test_cmake_takes_the_versions_that_serve(installation, tmp_path, asked, found):
    (tmp_path / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.19)\nproject(asking NONE)\nfind_package(rung {asked} CONFIG REQUIRED PATHS "
        f"{installation.lib / 'cmake'} NO_DEFAULT_PATH)\n")
    result = subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "build"], capture_output=True, text=True, check=False)
    assert (result.returncode == 0) == found, result.stderr
    assert found or "rung" in result.stderr
