# SPDX-License-Identifier: Apache-2.0
"""Reads the weights in a file of PyTorch's first format without PyTorch: a few pickles, then the numbers. A
pickle may call anything by name; this reader knows the few names that weights need and refuses all others."""

import collections
import io
import pickle
import struct

import numpy

from . import Refusal

MAGIC = 0x1950A86A20F9469CFC6C
STORAGES = {"FloatStorage": numpy.dtype("<f4"), "LongStorage": numpy.dtype("<i8")}

# A tensor is a part of a storage: offset and strides in elements.
Part = collections.namedtuple("Part", "key offset shape strides")


def make_part(key, offset, shape, strides, *_):
    return Part(key, offset, shape, strides)


KNOWN = {
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("torch._utils", "_rebuild_tensor"): make_part,
    ("torch._utils", "_rebuild_tensor_v2"): make_part,
    ("torch._utils", "_rebuild_parameter"): lambda part, *_: part,
    **{("torch", name): dtype for name, dtype in STORAGES.items()},
}


class Unpickler(pickle.Unpickler):
    def __init__(self, file):
        super().__init__(file)
        self.types = {}

    def find_class(self, module, name):
        if (module, name) not in KNOWN:
            raise Refusal(f"the file wants {module}.{name}, which weights do not need")
        return KNOWN[module, name]

    def persistent_load(self, pid):
        """A storage, told by type, key, place and number of elements; it is read at the end."""
        kind, dtype, key = pid[:3]
        if kind != "storage" or not isinstance(dtype, numpy.dtype):
            raise Refusal("the file refers to something that is no storage of numbers")
        self.types[key] = dtype
        return key


def read_storages(file, keys, types):
    storages = {}
    for key in keys:
        count, = struct.unpack("<q", file.read(8))
        size = count * types[key].itemsize
        data = file.read(size)
        if len(data) != size:
            raise Refusal("the file ends in the middle of its numbers")
        storages[key] = numpy.frombuffer(data, types[key])
    return storages


def cut_out(storage, part):
    strides = [stride * storage.itemsize for stride in part.strides]
    last = part.offset + sum((length - 1) * stride for length, stride in zip(part.shape, part.strides))
    if min([part.offset, *part.strides]) < 0 or last >= storage.size:
        raise Refusal("the file has a tensor that lies outside its storage")
    return numpy.lib.stride_tricks.as_strided(storage[part.offset:], part.shape, strides).copy()


def read(data):
    """{name: array} of a state dict."""
    file = io.BytesIO(data)
    try:
        magic, _, _ = (Unpickler(file).load() for _ in range(3))
        if magic != MAGIC:
            raise Refusal("the file is no weights of PyTorch's first format")
        unpickler = Unpickler(file)
        parts = unpickler.load()
        storages = read_storages(file, Unpickler(file).load(), unpickler.types)
        return {name: cut_out(storages[part.key], part) for name, part in parts.items()}
    except (pickle.UnpicklingError, struct.error, EOFError, KeyError, ValueError, AttributeError, TypeError) as error:
        raise Refusal(f"the file cannot be read as weights of PyTorch's first format: {error}")
