# SPDX-License-Identifier: Apache-2.0
"""Strides that a canvas and a number of rows go with."""

STRIDES = [[8, 16, 32], [8, 16, 32, 64], [4, 8, 16, 32], [16, 32], [8, 16, 32, 64, 128]]


def cells(canvas, stride):
    width, height = canvas
    return (width // stride) * (height // stride) if width % stride == 0 == height % stride else 0


def strides_of(canvas, rows, boxes_a_cell):
    """The strides whose grids have that many rows in all; None where none have."""
    for strides in STRIDES:
        parts = [cells(canvas, stride) for stride in strides]
        if all(parts) and boxes_a_cell * sum(parts) == rows:
            return strides
    return None


def text_of(strides):
    return f"{', '.join(map(str, strides[:-1]))} and {strides[-1]}"


def is_grid(canvas, rows):
    return any(strides_of(canvas, rows, boxes) for boxes in (1, 2, 3))
