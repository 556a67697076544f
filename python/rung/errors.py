# SPDX-License-Identifier: Apache-2.0
"""One exception for each result of the library, named as the result is, and a kind of Python's own where one fits."""

import builtins


class Error(Exception):
    """The library refused or failed. The text says what failed, on what, and what to do."""

    code = 0  #: the number of the result, below 0 (rung/result.h)
    name = "UNKNOWN"  #: its name, such as "INTEGRITY"


class InvalidArgumentError(Error, ValueError):
    """An argument is out of its documented range."""

    code, name = -1, "INVALID_ARGUMENT"


class VersionError(Error):
    """A structure or a file has another major version."""

    code, name = -2, "VERSION"


class CapacityError(Error):
    """The output does not fit."""

    code, name = -3, "CAPACITY"


class StaleError(Error):
    """A handle belongs to something that has ended."""

    code, name = -4, "STALE"


class UnsupportedError(Error):
    """Not possible with this build, model or device."""

    code, name = -5, "UNSUPPORTED"


class BackendError(Error, RuntimeError):
    """The inference runtime failed."""

    code, name = -6, "BACKEND"


class StateError(Error):
    """Not allowed in the present state, such as using what was closed."""

    code, name = -7, "STATE"


class NotFoundError(Error, LookupError):
    """No such thing."""

    code, name = -8, "NOT_FOUND"


class TimeoutError(Error, builtins.TimeoutError):
    """The time limit passed."""

    code, name = -9, "TIMEOUT"


class CancelledError(Error):
    """It was cancelled."""

    code, name = -10, "CANCELLED"


class BusyError(Error):
    """In use; try again later."""

    code, name = -11, "BUSY"


class AlreadyExistsError(Error):
    """It exists already."""

    code, name = -12, "ALREADY_EXISTS"


class PermissionError(Error, builtins.PermissionError):
    """Not trusted or not allowed."""

    code, name = -13, "PERMISSION"


class IntegrityError(Error):
    """The content is damaged or was changed."""

    code, name = -14, "INTEGRITY"


class IdentityError(Error):
    """Results of different identities cannot be combined."""

    code, name = -15, "IDENTITY"


class IoError(Error, OSError):
    """Reading or writing failed."""

    code, name = -16, "IO"


class NoMemoryError(Error, MemoryError):
    """Out of memory."""

    code, name = -17, "NO_MEMORY"


class DeviceLostError(Error):
    """The device is gone."""

    code, name = -18, "DEVICE_LOST"


BY_CODE = {kind.code: kind for kind in Error.__subclasses__()}
