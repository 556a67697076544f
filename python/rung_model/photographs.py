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

    @classmethod
    def at(cls, place):
        path = pathlib.Path(place)
        try:
            return cls(path, hashlib.sha256(path.read_bytes()).hexdigest())
        except OSError as error:
            raise Refusal(f"{path} cannot be read: {error.strerror}; name photographs that can")

    def decoded(self):
        with Image.open(self.path) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise Refusal(f"{self.path} has {picture.width} x {picture.height} pixels, more than {MOST_PIXELS}; "
                              "make it smaller")
            return numpy.asarray(ImageOps.exif_transpose(picture).convert("RGB"))

    def pixels(self):
        """Height x width x 3 bytes, RGB, upright."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self.decoded()
        except Refusal:
            raise
        except Exception as error:  # Pillow lets through whatever a broken file makes its parts raise
            raise Refusal(f"{self.path} cannot be read as a photograph: {error}; take it away, or replace it")


def files_in(place):
    """In the order of their paths, those of the folders below it too."""
    if place.is_dir():
        return sorted(path for path in place.rglob("*") if path.suffix.lower() in ENDINGS and path.is_file())
    if place.exists() and not place.is_file():
        raise Refusal(f"{place} is neither a file nor a folder; name photographs, or folders of them")
    return [place]


def find(places):
    """The photographs of files and folders, each of them once. Refuses places without any."""
    found = {}
    for place in map(pathlib.Path, places):
        paths = files_in(place)
        if not paths:
            raise Refusal(f"{place} holds no photographs ({', '.join(sorted(ENDINGS))}); name a folder that does")
        for path in paths:
            photograph = Photograph.at(path)
            found.setdefault(photograph.digest, photograph)
    return list(found.values())
