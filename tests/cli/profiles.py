# SPDX-License-Identifier: Apache-2.0
"""Colour profiles for the tests, made from their numbers: ICC.1:2001-04, three primaries and a gamma."""
import struct

# XYZ of red, green and blue, adapted to D50, and the gamma.
DISPLAY_P3 = ((0.51512, 0.24120, -0.00105), (0.29198, 0.69225, 0.04189), (0.15710, 0.06657, 0.78407)), 2.2
ADOBE_RGB = ((0.60974, 0.31111, 0.01947), (0.20528, 0.62567, 0.06087), (0.14919, 0.06322, 0.74457)), 2.19921875
WHITE_D50 = (0.9642, 1.0, 0.8249)


def fixed(value):
    return struct.pack(">i", round(value * 65536))


def xyz(values):
    return b"XYZ \0\0\0\0" + b"".join(map(fixed, values))


def curve(gamma):
    return struct.pack(">4s4xIHxx", b"curv", 1, round(gamma * 256))


def description(name):
    return struct.pack(">4s4xI", b"desc", len(name) + 1) + name.encode() + bytes(1 + 78)


def assemble(space, tags):
    """A profile of a display, from colours of `space` to XYZ."""
    table, body = struct.pack(">I", len(tags)), b""
    at = 128 + 4 + 12 * len(tags)
    for name, content in tags:
        table += struct.pack(">4sII", name, at + len(body), len(content))
        body += content + bytes(-len(content) % 4)
    size = 128 + len(table) + len(body)
    head = struct.pack(">I4sI4s4s4s12x4s", size, bytes(4), 0x02100000, b"mntr", space, b"XYZ ", b"acsp")
    head += bytes(68 - len(head)) + b"".join(map(fixed, WHITE_D50))
    return head + bytes(128 - len(head)) + table + body


def rgb(primaries, gamma):
    red, green, blue = primaries
    return assemble(b"RGB ", [(b"desc", description("test")), (b"cprt", b"text\0\0\0\0none\0"),
                              (b"wtpt", xyz(WHITE_D50)), (b"rXYZ", xyz(red)), (b"gXYZ", xyz(green)),
                              (b"bXYZ", xyz(blue))] + [(name, curve(gamma)) for name in (b"rTRC", b"gTRC", b"bTRC")])


def grey(gamma):
    return assemble(b"GRAY", [(b"desc", description("test")), (b"cprt", b"text\0\0\0\0none\0"),
                              (b"wtpt", xyz(WHITE_D50)), (b"kTRC", curve(gamma))])
