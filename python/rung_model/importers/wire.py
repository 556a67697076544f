# SPDX-License-Identifier: Apache-2.0
"""Reads protobuf messages field by field where they lie. Weights are stepped over, so a file costs what it says,
not what it holds; every length is compared with what is left before it is followed."""

from .. import Refusal

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
FIXED_SIZES = {FIXED64: 8, FIXED32: 4}
MAX_VARINT_BYTES = 10
MAX_DEPTH = 40
MAX_FIELDS = 2_000_000  # a few seconds of work; graphs of 10,000 nodes have a tenth of it
MAX_TEXT = 2**26  # bytes of names and other texts


def damaged(what):
    return Refusal(f"the file is damaged or no ONNX model: {what}; export the model again")


class Budget:
    """How many fields and bytes of text may still be read, of one file."""

    def __init__(self):
        self.fields, self.texts = MAX_FIELDS, MAX_TEXT

    def spend(self):
        self.fields -= 1
        if self.fields < 0:
            raise Refusal(f"the file has more than {MAX_FIELDS:,} fields outside its weights; no model needs as many, "
                          "so export it again")

    def spend_text(self, size):
        self.texts -= size
        if self.texts < 0:
            raise Refusal(f"the file has more than {MAX_TEXT:,} bytes of names; no model needs as many, so export it "
                          "again")


class Message:
    """A part of a file that holds one message."""

    def __init__(self, data, start, end, budget, depth=0):
        if depth > MAX_DEPTH:
            raise damaged(f"messages lie in each other more than {MAX_DEPTH} deep")
        self.data, self.start, self.end, self.budget, self.depth = data, start, end, budget, depth

    def _varint(self, at):
        value = 0
        for index in range(MAX_VARINT_BYTES):
            if at + index >= self.end:
                raise damaged("it ends in the middle of a number")
            byte = self.data[at + index]
            value |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                return value & (2**64 - 1), at + index + 1
        raise damaged("a number has more than 10 bytes")

    def __iter__(self):
        """(number, value) of each field: a whole number, or the Message that lies there, which may be text as well."""
        at = self.start
        while at < self.end:
            self.budget.spend()
            key, at = self._varint(at)
            number, kind = key >> 3, key & 7
            if number == 0:
                raise damaged("a field has the number 0")
            if kind == VARINT:
                value, at = self._varint(at)
                yield number, value
                continue
            if kind == BYTES:
                size, at = self._varint(at)
            elif kind in FIXED_SIZES:
                size = FIXED_SIZES[kind]
            else:
                raise damaged(f"a field is of kind {kind}")
            if size > self.end - at:
                raise damaged(f"a field of {size} bytes where {self.end - at} are left")
            if kind == BYTES:
                yield number, Message(self.data, at, at + size, self.budget, self.depth + 1)
            at += size

    def text(self, most):
        size = self.end - self.start
        if size > most:
            raise damaged(f"a text has {size} bytes; at most {most} are read")
        self.budget.spend_text(size)
        try:
            return bytes(self.data[self.start:self.end]).decode("utf-8")
        except UnicodeDecodeError:
            raise damaged("a text is no UTF-8")


def number_of(value):
    """A signed whole number, which negative dimensions are."""
    if isinstance(value, Message):
        raise damaged("bytes where a number belongs")
    return value - 2**64 if value >= 2**63 else value


def message_of(value):
    if not isinstance(value, Message):
        raise damaged("a number where bytes belong")
    return value
