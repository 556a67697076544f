# SPDX-License-Identifier: Apache-2.0
"""The photographs that a command is given: which files they are, what is in them, and which of them are the same."""

import dataclasses
import hashlib
import pathlib
import warnings

import numpy
from PIL import Image, ImageOps

from . import Refusal

ENDINGS = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"}
MOST_PIXELS = 200_000_000  # as the command line's --max-pixels


@dataclasses.dataclass(frozen=True)
class Photograph:
    path: pathlib.Path
    digest: str  # SHA-256 of the file

    def pixels(self):
        """Height x width x 3 bytes, RGB, upright."""
        try:
            with warnings.catch_warnings(), Image.open(self.path) as picture:
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)
                if picture.width * picture.height > MOST_PIXELS:
                    raise Refusal(f"{self.path} has {picture.width} x {picture.height} pixels, more than {MOST_PIXELS}; "
                                  "make it smaller")
                return numpy.asarray(ImageOps.exif_transpose(picture).convert("RGB"))
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise Refusal(f"{self.path} cannot be read as a photograph: {error}; take it away, or replace it")


def files_in(place):
    """In the order of their paths, those of the folders below it too."""
    if place.is_dir():
        return sorted(path for path in place.rglob("*") if path.suffix.lower() in ENDINGS and path.is_file())
    return [place]


def find(places):
    """The photographs of files and folders, each of them once. Refuses places without any."""
    found = {}
    for place in map(pathlib.Path, places):
        paths = files_in(place)
        if not paths:
            raise Refusal(f"{place} holds no photographs ({', '.join(sorted(ENDINGS))}); name a folder that does")
        for path in paths:
            try:
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError as error:
                raise Refusal(f"{path} cannot be read: {error.strerror}; name files and folders that can")
            found.setdefault(digest, Photograph(path, digest))
    return list(found.values())
