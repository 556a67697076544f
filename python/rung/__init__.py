# SPDX-License-Identifier: Apache-2.0
"""Runs vision models on the fastest path this device can prove: NumPy arrays in and out.

    import rung

    with rung.Instance() as instance:
        model = instance.open("centerface.rung")
        for target in model.detect(array):  # height x width x 3 bytes, RGB
            print(target.label, target.score, target.box)

This is a thin layer over the shared library librung.so.0, which is looked for when it is first needed: library_path.
"""

from ._library import LibraryError, library_path, library_version
from .context import Context
from .errors import (AlreadyExistsError, BackendError, BusyError, CancelledError, CapacityError, DeviceLostError, Error,
                     IdentityError, IntegrityError, InvalidArgumentError, IoError, NoMemoryError, NotFoundError,
                     PermissionError, StaleError, StateError, TimeoutError, UnsupportedError, VersionError)
from .frame import Frame
from .info import ModelFile, ModelInfo, RunInfo
from .instance import Instance, explain
from .model import Model
from .results import Detection, Detections, Embedding, Mask, Result, parse
from .ticket import Ticket

__version__ = "0.1.0"

__all__ = [
    "AlreadyExistsError", "BackendError", "BusyError", "CancelledError", "CapacityError", "Context", "Detection",
    "Detections", "DeviceLostError", "Embedding", "Error", "Frame", "IdentityError", "Instance", "IntegrityError",
    "InvalidArgumentError", "IoError", "LibraryError", "Mask", "Model", "ModelFile", "ModelInfo", "NoMemoryError",
    "NotFoundError", "PermissionError", "Result", "RunInfo", "StaleError", "StateError", "Ticket",
    "TimeoutError", "UnsupportedError", "VersionError", "explain", "library_path", "library_version", "parse",
]
