# SPDX-License-Identifier: Apache-2.0
"""The photographs that a command is given: which files they are, what is in them, and which of them are the same."""

import contextlib
import dataclasses
import hashlib
import os
import pathlib
import warnings

import numpy
from PIL import Image, ImageOps

from . import Refusal, first_line

ENDINGS = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"}
MOST_PIXELS = 200_000_000  # as the command line's --max-pixels
STANDARD_ERROR = 2


@contextlib.contextmanager
def hushed():
    """Nothing is said of a broken file but the refusal: Pillow warns, and libtiff writes to standard error itself."""
    try:
        kept = os.dup(STANDARD_ERROR)
    except OSError:  # it is closed
        kept = None
    with contextlib.ExitStack() as stack:
        if kept is not None:
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, STANDARD_ERROR)
            with open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), STANDARD_ERROR)
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        yield


@dataclasses.dataclass(frozen=True)
class Photograph:
    path: pathlib.Path
    digest: str  # SHA-256 of the file

    @classmethod
    def at(cls, place):
        path = pathlib.Path(place)
        try:
            if path.exists() and not path.is_file():  # a pipe or a device may have no end
                raise Refusal(f"{path} is no file; name photographs")
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
            with hushed():
                return self.decoded()
        except Refusal:
            raise
        except Exception as error:  # Pillow lets through whatever a broken file makes its parts raise
            reason = first_line(error) or type(error).__name__
            raise Refusal(f"{self.path} cannot be read as a photograph: {reason}; take it away, or replace it")


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
