# SPDX-License-Identifier: Apache-2.0
"""Reads FlatBuffers by the numbers of their fields. A table lies at an offset, and at that offset is the way
back to its list of fields; what a field refers to lies ahead of it. A field that is missing reads as 0 or None."""

import struct

import numpy

from . import Refusal


class Table:
    def __init__(self, data, at):
        self.data, self.at = data, at
        self.fields = at - self._read("<i", at)
        self.fields_end = self.fields + self._read("<H", self.fields)

    def _read(self, layout, at):
        if at < 0:
            raise Refusal("the file is damaged: it points before its own beginning")
        try:
            return struct.unpack_from(layout, self.data, at)[0]
        except struct.error:
            raise Refusal("the file is damaged: it points beyond its own end")

    def _place(self, field):
        """Where the value of a field lies, None when it is missing."""
        entry = self.fields + 4 + 2 * field
        offset = self._read("<H", entry) if entry + 2 <= self.fields_end else 0
        return self.at + offset if offset else None

    def _target(self, field):
        at = self._place(field)
        return None if at is None else at + self._read("<I", at)

    def number(self, field, layout="<i"):
        at = self._place(field)
        return 0 if at is None else self._read(layout, at)

    def flag(self, field):
        return self.number(field, "<B") != 0

    def table(self, field):
        at = self._target(field)
        return None if at is None else Table(self.data, at)

    def array(self, field, dtype):
        """A vector of numbers, empty when it is missing."""
        at = self._target(field)
        if at is None:
            return numpy.zeros(0, dtype)
        count = self._read("<I", at)
        try:
            return numpy.frombuffer(self.data, dtype, count, at + 4)
        except ValueError:
            raise Refusal("the file is damaged: it points beyond its own end")

    def text(self, field):
        return self.array(field, numpy.uint8).tobytes().decode("utf-8", "replace")

    def tables(self, field):
        """A vector of tables."""
        at = self._target(field)
        offsets = self.array(field, "<u4")
        return [Table(self.data, at + 4 + 4 * index + int(offset)) for index, offset in enumerate(offsets)]


def root(data, identifier):
    """The first table of a file of that kind: four letters at its fifth byte."""
    if data[4:8] != identifier:
        raise Refusal(f"the file is no {identifier.decode()} file")
    return Table(data, struct.unpack_from("<I", data)[0])
