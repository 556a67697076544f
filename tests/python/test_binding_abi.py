# SPDX-License-Identifier: Apache-2.0
"""The binding's declarations are those of the headers and of the recorded ABI, so that they cannot drift apart."""

import ctypes
import re

import pytest
from conftest import ROOT

from rung import _abi, errors

HEADERS = re.sub(r"/\*.*?\*/", "", "\n".join(
    path.read_text() for path in sorted((ROOT / "include" / "rung").glob("*.h"))), flags=re.DOTALL)
STRUCTURES = {name: kind for name, kind in vars(_abi).items()
              if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and hasattr(kind, "_fields_")}
ENUMS = {"rung_log_level": (_abi.LOG_LEVELS, "RUNG_LOG_"), "rung_probe_policy": (_abi.PROBE_POLICIES, "RUNG_PROBE_"),
         "rung_role": (_abi.ROLES, "RUNG_ROLE_"), "rung_artifact_kind": (_abi.ARTIFACT_KINDS, "RUNG_ARTIFACT_"),
         "rung_form": (_abi.FORMS, "RUNG_FORM_"), "rung_head": (_abi.HEADS, "RUNG_HEAD_"),
         "rung_ticket_state": (_abi.TICKET_STATES, "RUNG_TICKET_"),
         "rung_pixel_format": (_abi.PIXELS, "RUNG_PIXEL_")}


def recorded_layout():
    lines = (ROOT / "abi" / "structures.txt").read_text().splitlines()
    return {name: int(number) for name, number in (line.split() for line in lines if not line.startswith("#"))}


def numbers(text):
    """{name: value} of the constants in C text."""
    found = re.findall(r"\b(RUNG_\w+)\s*=\s*\(?(-?\d+)u?(?:\s*<<\s*(\d+))?", text)
    return {name: int(value) << int(shift or 0) for name, value, shift in found}


@pytest.mark.parametrize("name", STRUCTURES)
def test_a_structure_has_the_recorded_size_and_offsets(name):
    kind = STRUCTURES[name]
    recorded = {row: number for row, number in recorded_layout().items() if row.split(".")[0] == name}
    declared = {f"{name}.{member}": getattr(kind, member).offset for member, *_ in kind._fields_}
    assert recorded.pop(name) == ctypes.sizeof(kind)
    unrecorded = {row for row in declared.keys() - recorded.keys() if not row.startswith(f"{name}.reserved")}
    assert not unrecorded and recorded == {row: declared[row] for row in recorded}


@pytest.mark.parametrize("name", [name for name in vars(_abi) if name.startswith("RUNG_")])
def test_a_constant_is_the_headers(name):
    defined = dict(re.findall(r"#define (RUNG_\w+) (\d+)u?$", HEADERS, re.MULTILINE))
    expected = {**{key: int(value) for key, value in defined.items()}, **numbers(HEADERS)}
    assert getattr(_abi, name) == expected[name]


@pytest.mark.parametrize("name", ENUMS)
def test_the_names_of_numbers_are_all_of_the_headers(name):
    names, prefix = ENUMS[name]
    body = re.search(rf"typedef enum {name} \{{(.*?)\}}", HEADERS, re.DOTALL)[1]
    assert names == {key.removeprefix(prefix).lower().replace("_", "-"): value for key, value in numbers(body).items()}


def test_every_result_has_an_exception_of_its_name():
    rows = re.findall(r"X\((\w+), (-?\d+), ", HEADERS)
    assert {name: int(code) for name, code in rows if code != "0"} == {
        kind.name: kind.code for kind in errors.BY_CODE.values()}
    for kind in errors.BY_CODE.values():
        assert kind.__name__ == "".join(part.capitalize() for part in kind.name.split("_")) + "Error"


def expected_type(declaration):
    """The type of ctypes for a parameter or what a function returns, as C says it."""
    text = re.sub(r"\bconst\b", " ", declaration).strip()
    kind, stars = re.match(r"\w+", text)[0], text.count("*")
    plain = {"char": ctypes.c_char, "void": None, "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64,
             "size_t": ctypes.c_size_t, "double": ctypes.c_double, "float": ctypes.c_float, "rung_result": ctypes.c_int32,
             "rung_ticket": ctypes.c_uint64, "rung_ticket_state": ctypes.c_int32}
    known = plain[kind] if kind in plain else getattr(_abi, kind, None)  # None: opaque
    if stars and known in (ctypes.c_char, None):
        known, stars = ctypes.c_char_p if known else ctypes.c_void_p, stars - 1
    for _ in range(stars):
        known = ctypes.POINTER(known)
    return known


@pytest.mark.parametrize("name", _abi.FUNCTIONS)
def test_a_function_is_declared_as_the_header_does(name):
    assert name in (ROOT / "abi" / "symbols.txt").read_text().split()
    returned, parameters = re.search(rf"RUNG_API ([\w ]+\**)\s*\b{name}\(([^)]*)\)", HEADERS).groups()
    expected = [] if parameters == "void" else [expected_type(parameter) for parameter in parameters.split(",")]
    assert _abi.FUNCTIONS[name] == (expected_type(returned), expected)
