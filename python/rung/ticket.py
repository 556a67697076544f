# SPDX-License-Identifier: Apache-2.0
"""Pictures that a context's own thread works on, while the caller does something else."""

from __future__ import annotations

import collections
import ctypes
import itertools
import threading
import time
import weakref
from typing import TYPE_CHECKING, Literal

import numpy as np

from . import _abi
from ._handle import Handle
from ._library import library
from .errors import BusyError, CancelledError, Error, StaleError, StateError, TimeoutError
from .info import named
from .results import Answer

if TYPE_CHECKING:
    from .context import Context

State = Literal["queued", "running", "complete", "cancelled", "failed", "gone"]

ENDS: dict[type[Error], State] = {CancelledError: "cancelled", StaleError: "gone"}
SLICE = 0.1  # seconds that a wait is inside the library at once: Ctrl-C and closing wait for that

_pinned: dict[int, np.ndarray] = {}  # arrays that the library still reads, by the number that it gives back
_numbers = itertools.count(1)


@_abi.rung_release
def _release(number, pixels):
    del _pinned[number]


def hand_over(context: int, frame: _abi.rung_frame, array) -> int:
    """Submits a frame. The array is kept until the library gives it back, on whatever way the ticket ends."""
    number, ticket = next(_numbers), ctypes.c_uint64()
    frame.release, frame.release_user = _release, number
    frames = (ctypes.POINTER(_abi.rung_frame) * 1)(ctypes.pointer(frame))
    _pinned[number] = array
    try:
        library().rung_submit(context, _abi.rung_request(frame_count=1, frames=frames), ticket)
    except Error:
        del _pinned[number]  # a frame that was refused is never given back
        raise
    return ticket.value


def let_go(context: int, ticket: int) -> bool:
    """Whether it is gone; else the context's thread is at work on it, and what comes of that is suppressed."""
    try:
        library().rung_cancel(context, ticket)
    except BusyError:
        return False
    except StaleError:
        pass
    return True


def abandon(handle: Handle, ticket: int, abandoned: collections.deque[int]) -> None:
    """Nobody can ask for the result any more."""
    try:
        with handle.use() as context:
            if not let_go(context, ticket):
                abandoned.append(ticket)  # until the next submit
    except StateError:
        pass  # its context is closed, and it went with that


class Ticket:
    """One picture on its way. Context.submit makes it.

    All methods may be called from any thread. The pixels are the library's, and must not be written to, until the
    result was taken or the ticket is gone. A ticket that nothing refers to any more is cancelled.
    """

    def __init__(self, context: Context, handle: Handle, number: int, abandoned: collections.deque[int]):
        self._context, self._handle, self._number = context, handle, number
        self._taking = threading.Lock()
        self._outcome: Answer | Error | None = None
        self._finalizer = weakref.finalize(self, abandon, handle, number, abandoned)
        self._finalizer.atexit = False

    @property
    def state(self) -> State:
        """Where it stands; "gone" after its context was reset."""
        outcome, state = self._outcome, ctypes.c_int32()
        if isinstance(outcome, Error):
            return ENDS.get(type(outcome), "failed")
        if outcome is not None:
            return "complete"
        try:
            with self._handle.use() as context:
                library().rung_poll(context, self._number, state)
        except StaleError:
            return "gone"
        return named(_abi.TICKET_STATES, state.value)

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until it is done, failed, cancelled or gone, for at most `timeout` seconds (None: as long as it takes).
        Returns whether it is."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while self._outcome is None:
            left = SLICE if deadline is None else deadline - time.monotonic()
            try:
                with self._handle.use() as context:
                    library().rung_wait(context, self._number, int(min(max(left, 0), SLICE) * 1e9), None)
                break
            except StaleError:
                break
            except TimeoutError:
                if left <= 0:
                    return False
        return True

    def result(self, timeout: float | None = None) -> Answer:
        """What came of it, waiting for it at most `timeout` seconds (None: as long as it takes); then TimeoutError.

        Raises why it failed; CancelledError, and StaleError after its context was reset. It may be asked for again.
        """
        if not self.wait(timeout):
            raise TimeoutError(f"the ticket is not done within {timeout} seconds; its state is {self.state}")
        with self._taking:
            outcome = self._take() if self._outcome is None else self._outcome
        if isinstance(outcome, Error):
            raise type(outcome)(*outcome.args)  # one's own, with the way of this call
        return outcome

    def _take(self) -> Answer | Error:
        try:
            self._outcome = self._context._collect(self._number)
        except StateError:
            raise  # closed: it says so to each
        except Error as error:
            self._outcome = error.with_traceback(None)  # which would keep this ticket
        self._finalizer.detach()
        return self._outcome

    def cancel(self) -> bool:
        """Does away with it and its result. Returns whether it is gone by now; else the library is at work on it still,
        and it goes when that ends."""
        with self._taking:
            if self._outcome is None:
                with self._handle.use() as context:
                    if not let_go(context, self._number):
                        return False
                self._outcome = CancelledError("the ticket was cancelled")
                self._finalizer.detach()
            return True

    def __repr__(self) -> str:
        return f"<rung.Ticket: {'closed' if self._handle.closed else self.state}>"
