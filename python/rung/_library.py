# SPDX-License-Identifier: Apache-2.0
"""Finds and loads the shared library once, when it is first needed, and turns its results into exceptions."""

import ctypes
import functools
import os
import pathlib
import typing

from . import _abi
from .errors import BY_CODE, CapacityError, Error

NAME = "librung.so.0"
BESIDE = pathlib.Path(__file__).with_name(NAME)


class LibraryError(ImportError):
    """The shared library is missing, cannot be loaded, or is not the one that this package is for."""


def library_path() -> str:
    """What is loaded: the file that RUNG_LIBRARY names, else librung.so.0 in the folder of this package, else the one
    that the system's loader finds."""
    return os.environ.get("RUNG_LIBRARY") or (str(BESIDE) if BESIDE.exists() else NAME)


def library_version() -> str:
    """The version of the shared library, such as "0.1.0"."""
    return text(library().rung_version())


def _raise_failure(result, function, arguments):
    if result == 0:
        return result
    sentence = text(library().rung_last_error()) or text(library().rung_result_name(result))
    raise BY_CODE.get(result, Error)(sentence)


def _load(path):
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise LibraryError(
            f"the library {path} cannot be loaded ({error}); install Rung (ninja -C build install, then ldconfig), or "
            f"name the file of the library in RUNG_LIBRARY", name="rung", path=path) from None


@functools.cache
def library() -> ctypes.CDLL:
    """The loaded library, whose functions raise rung.Error for every result but OK."""
    path = library_path()
    loaded = _load(path)
    for name, (restype, argtypes) in _abi.FUNCTIONS.items():
        try:
            function = getattr(loaded, name)
        except AttributeError:
            raise LibraryError(
                f"the library {path} has no {name}: it is older than this package, or no Rung; install the version of "
                f"Rung that the package came with", name="rung", path=path) from None
        function.restype, function.argtypes = restype, argtypes
        if restype is _abi.rung_result:
            function.errcheck = _raise_failure
    return loaded


def text(value: bytes | None) -> str:
    """A string of the library's; names of files in it may be any bytes."""
    return (value or b"").decode("utf-8", "surrogateescape")


@typing.overload
def chars(value: None) -> None: ...


@typing.overload
def chars(value: str | os.PathLike) -> bytes: ...


def chars(value: str | os.PathLike | None) -> bytes | None:
    """A string for the library."""
    if value is None:
        return None
    encoded = os.fsencode(value)
    if b"\0" in encoded:
        raise ValueError(f"{value!r} has a zero inside, which no name has")
    return encoded


def written(function, *arguments) -> str:
    """What a function writes that takes a span and the size that it needs."""
    size = ctypes.c_size_t(1 << 14)
    while True:
        buffer = ctypes.create_string_buffer(size.value)
        try:
            function(*arguments, _abi.rung_span(ctypes.addressof(buffer), len(buffer)), ctypes.byref(size))
            return text(buffer.value)
        except CapacityError:
            if size.value <= len(buffer):
                raise
