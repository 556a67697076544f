# SPDX-License-Identifier: Apache-2.0
"""What the library made and this package has to end: once, after what was made from it, and while nobody is inside it."""

import atexit
import contextlib
import functools
import os
import threading
import time
import weakref

from .errors import StateError

EXIT_SECONDS = 10  # that the end of Python waits for what daemon threads are inside of

_roots: weakref.WeakSet["Handle"] = weakref.WeakSet()
_exiting = threading.Event()


class Handle:
    """An object of the library.

    It keeps its parent: the arguments of the finalizer do, which no collector takes for garbage before the finalizer has
    run. So a model outlives its contexts even where all of them become garbage at once.
    """

    def __init__(self, what, pointer, destroy, parent=None, keep=None):
        self._what, self._pointer = what, pointer
        self._users, self._closing = 0, False
        self._changed = threading.Condition()
        self._children = weakref.WeakSet()
        self._finalizer = weakref.finalize(self, _destroy, destroy, pointer, os.getpid(), parent, keep)
        self._finalizer.atexit = False
        (_roots if parent is None else parent._children).add(self)
        _close_at_exit()

    @contextlib.contextmanager
    def use(self):
        """The pointer, which stays good inside the block."""
        with self._changed:
            closed = self._closing
            self._users += not closed
        if closed:
            self._refuse()
        try:
            yield self._pointer
        finally:
            with self._changed:
                self._users -= 1
                self._changed.notify_all()

    def _refuse(self):
        if _exiting.is_set() and threading.current_thread().daemon:
            threading.Event().wait()  # as Python stops daemon threads at its end: without a word
        raise StateError(f"the {self._what} is closed, by itself or with what it was made from; open it again")

    @property
    def closed(self):
        return self._closing

    def close(self, deadline=None):
        """Ends it and what was made from it, after the calls that are under way; at `deadline` it is left as it is.
        Returns whether it is ended."""
        with self._changed:
            self._closing = True
            if not self._changed.wait_for(lambda: not self._users, deadline and max(deadline - time.monotonic(), 0)):
                return False
        if not all([child.close(deadline) for child in list(self._children)]):
            return False
        self._finalizer()
        return True


def _destroy(destroy, pointer, process, parent, keep):
    """A process that was forked has the memory but not the threads, so nothing can be ended there."""
    if os.getpid() == process:
        destroy(pointer)


@functools.cache
def _close_at_exit():
    """Registered behind weakref's own end, which would make finalizers do nothing, so it runs before that."""
    atexit.register(_close_all)


def _close_all():
    """The process must not end below a thread that is inside a runtime."""
    _exiting.set()
    deadline = time.monotonic() + EXIT_SECONDS
    for root in list(_roots):
        root.close(deadline)
