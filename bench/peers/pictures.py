# SPDX-License-Identifier: Apache-2.0
"""Photographs in the sizes that are compared."""
import functools

import numpy
from PIL import Image, ImageOps

import harness
import ours


@functools.cache
def largest(folder):
    """The one with the most pixels: the less it is enlarged, the more it is a photograph."""
    def pixels(file):
        with Image.open(file) as image:
            return image.width * image.height

    with Image.open(max(harness.pictures_of(folder), key=pixels)) as image:
        return image.convert("RGB")


def photograph(folder, width, height):
    """RGB, the middle of it in that size."""
    picture = ours.aligned((height, width, 3), numpy.uint8)
    picture[:] = ImageOps.fit(largest(folder), (width, height), Image.Resampling.BICUBIC)
    return picture
