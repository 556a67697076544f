# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all."""

import contextlib
import os

from . import Refusal


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
            raise Refusal(f"{path} cannot be written: {error.strerror}; name a place that can") from error
        raise
