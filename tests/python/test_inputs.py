# SPDX-License-Identifier: Apache-2.0
"""Inputs that are none: each is a refusal, and nothing besides is said, whatever the libraries say of it."""

import os
import types

import numpy
import pytest
from PIL import Image

from rung_model import Refusal, compare

SHAPE = [1, 3, 16, 24]
ENTRY = types.SimpleNamespace(name="picture", shape=SHAPE, type="tensor(float)")


def numbers(path, number):
    numpy.save(path, numpy.full(SHAPE, number))


def header(path, shape):
    """Of an array in NumPy's format, with a few numbers behind it."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}".encode()
    path.write_bytes(b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text + bytes(64))


def archive(path):
    path.write_bytes(b"PK\3\4" + bytes(60))


def tiff(path):
    """Pixels that cannot be unpacked, which libtiff itself tells standard error."""
    Image.linear_gradient("L").save(path, "TIFF", compression="tiff_deflate")
    packed = path.read_bytes()
    beginning = packed.index(b"\x78", 8)  # of the first strip, in zlib's format
    path.write_bytes(packed[:beginning] + bytes(8) + packed[beginning + 8:])


@pytest.mark.parametrize("name, make, words", [
    ("nan.npy", lambda path: numbers(path, numpy.nan), "not finite as float32"),
    ("large.npy", lambda path: numbers(path, 1e300), "not finite as float32"),
    ("open.npy", lambda path: header(path, "((((("), "cannot be read as an input"),
    ("huge.npy", lambda path: header(path, f"({10 ** 40},)"), "cannot be read as an input"),
    ("archive.npy", archive, "cannot be read as an input"),
    ("broken.tif", tiff, "cannot be read as a photograph"),
    ("pipe.jpg", os.mkfifo, "is no file; name photographs"),
    ("folder.jpg", os.mkdir, "is no file; name photographs"),
])
def test_what_is_no_input_is_told_in_the_refusal_alone(tmp_path, capfd, recwarn, name, make, words):
    make(tmp_path / name)
    with pytest.raises(Refusal, match=words) as refusal:
        compare.read_input(tmp_path / name, ENTRY)
    assert name in str(refusal.value) and "\n" not in str(refusal.value)
    assert not [one for one in recwarn if one.category is not ResourceWarning]  # which Python keeps to itself
    os.write(2, b"open again")
    assert capfd.readouterr() == ("", "open again")
