# SPDX-License-Identifier: Apache-2.0
"""Pictures on their way into the library: arrays of NumPy, borrowed where that is possible."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from . import _abi

Format = Literal["rgb", "bgr", "rgba", "bgra", "rgbx", "bgrx", "gray"]

FORMATS = {name.removesuffix("8"): number for name, number in _abi.PIXELS.items()}
DEFAULTS = {1: "gray", 3: "rgb", 4: "rgba"}


@dataclasses.dataclass(frozen=True, eq=False)
class Frame:
    """A picture with what a program knows of it. A plain array will do where there is nothing more to say.

    `pixels` are bytes (uint8): height x width x 3 or 4 channels, or height x width of grey. They are read where they lie
    when the pixels of a row lie one behind the other and the rows in rising order, whatever the distance from row to row;
    so a picture that was cut out of a larger one is not copied. Anything else is copied first.
    """

    pixels: ArrayLike
    _: dataclasses.KW_ONLY
    #: What the channels are; None: RGB, RGBA or grey, by their number. Alpha and X are ignored.
    format: Format | None = None
    #: The part that counts: x, y, width, height in pixels. None: all of it.
    crop: tuple[int, int, int, int] | None = None
    #: Carried into the result.
    frame_id: int = 0
    source_id: int = 0
    display_id: int = 0
    session_epoch: int = 0
    transform_epoch: int = 0
    topology_epoch: int = 0
    #: When it was taken, on the monotonic clock (time.monotonic_ns); 0: not known.
    capture_ns: int = 0


def format_number(name: str | None, channels: int) -> int:
    if name is None:
        name = DEFAULTS.get(channels)
        if name is None:
            raise ValueError(f"a picture has 1, 3 or 4 channels, not {channels}")
    if name not in FORMATS:
        raise ValueError(f"there is no format {name!r}; there are {', '.join(FORMATS)}")
    if channels != (1 if name == "gray" else len(name)):
        raise ValueError(f"a picture of the format {name} does not have {channels} channels")
    return FORMATS[name]


def borrowable(array: np.ndarray) -> np.ndarray:
    """The array itself, height x width x channels, or a copy where its pixels cannot be read in place."""
    height, width, channels = array.shape
    row, pixel, channel = array.strides
    lies_well = ((channels == 1 or channel == 1) and (width == 1 or pixel == channels)
                 and (height == 1 or row >= width * channels))
    return array if lies_well else np.ascontiguousarray(array)


def pixels_of(pixels: ArrayLike) -> np.ndarray:
    array = np.asarray(pixels)
    if array.dtype != np.uint8:
        raise TypeError(f"pixels are bytes, uint8; this array is of {array.dtype}")
    if array.ndim == 2:
        array = array[:, :, np.newaxis]
    if array.ndim != 3:
        raise ValueError(f"a picture is height x width x channels, or height x width; this array has {array.ndim} "
                         f"dimensions")
    if not all(1 <= side <= 65535 for side in array.shape[:2]):
        raise ValueError(f"a picture has 1 to 65535 rows and columns, not {array.shape[0]} x {array.shape[1]}")
    return borrowable(array)


def whole(name: str, value: int, bits: int = 64) -> int:
    """ctypes would cut what is too large."""
    if not 0 <= value < 1 << bits:
        raise ValueError(f"{name} is {value}; it is 0 to {(1 << bits) - 1}")
    return value


NUMBERS = ("frame_id", "source_id", "display_id", "session_epoch", "transform_epoch", "topology_epoch", "capture_ns")


def borrow(picture: ArrayLike | Frame, format: Format | None) -> tuple[_abi.rung_frame, np.ndarray]:
    """The frame for the library, and the array that must be kept as long as that is used."""
    if not isinstance(picture, Frame):
        picture = Frame(pixels=picture, format=format)
    elif format is not None:
        raise ValueError("the format of a Frame is its own; leave format away")
    array = pixels_of(picture.pixels)
    height, width, channels = array.shape
    frame = _abi.rung_frame(
        pixels=array.ctypes.data, stride=array.strides[0] if height > 1 else 0, width=width, height=height,
        format=format_number(picture.format, channels),
        **{name: whole(name, getattr(picture, name)) for name in NUMBERS})
    if picture.crop is not None:
        frame.crop = _abi.rung_rect(*(whole("a side of crop", side, 32) for side in picture.crop))
    return frame, array
