# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all, and over nothing that they are made from."""

import contextlib
import os
import pathlib
import tempfile

from . import Refusal


def must_spare(output, inputs):
    """Refuses an output that is no file, or one of the inputs under whatever name. Inputs may be None, or missing."""
    output = pathlib.Path(output)
    if output.is_dir():
        raise Refusal(f"{output} is a folder; name a file to write")
    if output.exists() and not output.is_file():  # a new file would take its place
        raise Refusal(f"{output} is a device, a pipe or a socket; name a file to write")
    for given in filter(None, inputs):
        if output.exists() and pathlib.Path(given).exists() and output.samefile(given):
            raise Refusal(f"{output} would be written over {given}, which it is made from; name another output")


def must_be_writable(output):
    """Refuses a place where nothing can be written, before the work is done that is to be written there."""
    folder = pathlib.Path(output).absolute().parent
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".rung-model-"):
            pass
    except OSError as error:
        raise Refusal(f"{output} cannot be written: {error.strerror}; name a place that can") from error


def write_whole(data, path):
    """The whole file or none: what is at the path stays until the new file is on the disk."""
    passing = f"{path}.{os.getpid()}.tmp"
    try:
        with open(passing, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(passing, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(passing)
        if isinstance(error, OSError):
            raise Refusal(f"{path} cannot be written: {error.strerror or error}; name a place that can") from error
        raise
