# SPDX-License-Identifier: Apache-2.0
"""What it takes to run one model on one picture at a time."""

from __future__ import annotations

import collections
import contextlib
import ctypes
import json
import threading
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _abi
from ._handle import Handle
from ._library import chars, library, written
from .errors import CapacityError
from .frame import Format, Frame, borrow, whole
from .info import WHOLE, RunInfo
from .results import Answer, Detections, Embedding, Mask, answer
from .ticket import Ticket, hand_over, let_go


TENSOR_ALIGNMENT = 64  # of rung_preprocess


def share(name: str, value: float | None) -> int:
    """A threshold as the library counts it, where 0 says that there is no wish."""
    if value is None:
        return 0
    if not 0 <= value <= 1:
        raise ValueError(f"{name} is {value}; it is 0 to 1")
    return max(round(value * WHOLE), 1)


def context_options(*, min_confidence: float | None = None, iou: float | None = None, max_targets: int | None = None,
                    override_calibration: bool = False, max_size: tuple[int, int] | None = None,
                    plan: dict[str, Any] | str | None = None, identity: str | None = None, stay: bool = False,
                    rebuild: bool = False, depth: int = 0) -> _abi.rung_context_options:
    """The structure for the wishes that Model.context explains."""
    width, height = max_size or (0, 0)
    return _abi.rung_context_options(
        flags=(override_calibration * _abi.RUNG_CONTEXT_OVERRIDE_CALIBRATION | stay * _abi.RUNG_CONTEXT_STAY
               | rebuild * _abi.RUNG_CONTEXT_REBUILD | bool(depth) * _abi.RUNG_CONTEXT_TICKETS),
        max_frame_width=whole("the width of max_size", width, 32),
        max_frame_height=whole("the height of max_size", height, 32),
        min_confidence=share("min_confidence", min_confidence), iou=share("iou", iou),
        max_targets=whole("max_targets", max_targets or 0, 32), identity=chars(identity),
        depth=whole("depth", depth, 32), plan=chars(json.dumps(plan) if isinstance(plan, dict) else plan))


def tensor_bytes(context: int, frame: _abi.rung_frame) -> int:
    """How large the tensor is that the library makes of a frame."""
    size = ctypes.c_size_t()
    with contextlib.suppress(CapacityError):
        library().rung_preprocess(context, frame, _abi.rung_span(None, 0), size)
    return size.value


def aligned(size: int) -> np.ndarray:
    """Bytes that begin where the library wants a tensor to begin."""
    room = np.empty(size + TENSOR_ALIGNMENT, np.uint8)
    return room[-room.ctypes.data % TENSOR_ALIGNMENT:][:size]


class Output:
    """Memory for the largest packet of a context, for one call at a time."""

    def __init__(self, size: int):
        self._memory = (ctypes.c_uint64 * (size // 8 + 1))()
        self._span = _abi.rung_span(ctypes.addressof(self._memory), ctypes.sizeof(self._memory))
        self.lock = threading.Lock()

    def of(self, handle: Handle, labels: tuple[str, ...], function, *arguments) -> Answer:
        """What a function of the library writes that answers with a packet."""
        size, info = ctypes.c_size_t(), _abi.rung_run_info()
        with self.lock, handle.use() as context:
            function(context, *arguments, self._span, size, info)
            packet, run = ctypes.string_at(self._span.data, size.value), RunInfo.of(info)
        return answer(packet, run, labels, run.identity)


class Context:
    """Runs one picture after the other; calls from several threads wait for each other. Model.context makes it.

    The pixels are borrowed for the call, and other threads of Python run meanwhile. One that was made with a depth also
    takes pictures that its own thread works on (submit); while that is at work the other calls raise rung.BusyError.

    It ends with `close`, at the end of a `with` block, with its model, or when nothing refers to it any more.
    """

    def __init__(self, model: Handle, options: _abi.rung_context_options, labels: tuple[str, ...]):
        pointer, size = ctypes.c_void_p(), ctypes.c_uint64()
        with model.use() as parent:
            library().rung_context_create(parent, options, pointer)
            self._handle = Handle("context", pointer.value, library().rung_context_destroy, model)
        with self._handle.use() as context:
            library().rung_context_get_max_output_bytes(context, size)
        self._labels = labels
        self._abandoned: collections.deque[int] = collections.deque()
        self._now, self._later = Output(size.value), Output(size.value if options.depth else 0)
        self._submitting = threading.Lock()

    def detect(self, picture: ArrayLike | Frame, format: Format | None = None) -> Detections:
        """Finds things in a picture: an array (see Frame), whose channels are what `format` says."""
        return self._run(library().rung_detect, picture, format)

    def embed(self, picture: ArrayLike | Frame, format: Format | None = None) -> Embedding:
        """The vector of a picture, by a model that is an embedder."""
        return self._run(library().rung_embed, picture, format)

    def segment(self, picture: ArrayLike | Frame, format: Format | None = None) -> Mask:
        """The class of each pixel, by a model that is a segmenter."""
        return self._run(library().rung_segment, picture, format)

    def preprocess(self, picture: ArrayLike | Frame, format: Format | None = None) -> np.ndarray:
        """The tensor that the model is given for a picture, and nothing else: its bytes, to be viewed as the type and
        shape that the model file declares (`rung inspect`)."""
        frame, array = borrow(picture, format)
        with self._handle.use() as context:
            tensor = aligned(tensor_bytes(context, frame))
            library().rung_preprocess(context, frame, _abi.rung_span(tensor.ctypes.data, tensor.size), None)
        del array  # borrowed until here
        return tensor

    def _run(self, function, picture, format) -> Any:
        frame, array = borrow(picture, format)
        result = self._now.of(self._handle, self._labels, function, frame)
        del array  # borrowed until here
        return result

    def submit(self, picture: ArrayLike | Frame, format: Format | None = None) -> Ticket:
        """Hands a picture over to the context's own thread and returns at once; the model's role says what is done with it.

        An array that must be copied is copied here; another one must not be written to until the ticket is done.
        Raises rung.BusyError when as many tickets as the context's depth are alive: take a result, or cancel one.
        """
        frame, array = borrow(picture, format)
        with self._submitting, self._handle.use() as context:
            self._let_go_again(context)
            return Ticket(self, self._handle, hand_over(context, frame, array), self._abandoned)

    def _let_go_again(self, context):
        """The collector may add to them at any time."""
        for _ in range(len(self._abandoned)):
            ticket = self._abandoned.popleft()
            if not let_go(context, ticket):
                self._abandoned.append(ticket)

    def _collect(self, ticket: int) -> Answer:
        return self._later.of(self._handle, self._labels, library().rung_collect, ticket, 0)

    def reset(self) -> None:
        """Does away with all tickets; the one that is being worked on is waited for."""
        with self._handle.use() as context:
            library().rung_context_reset(context)

    def rebuild(self) -> None:
        """Gives a context whose device was lost a new place, on the next rung down. Raises rung.StateError where
        nothing is lost."""
        with self._handle.use() as context:
            library().rung_context_rebuild(context)

    def set_epochs(self, *, session: int = 0, transform: int = 0, topology: int = 0) -> None:
        """Says which epochs are current from now on; 0: any. Results of frames with others are stale."""
        with self._handle.use() as context:
            library().rung_context_set_epochs(context, _abi.rung_epochs(
                session_epoch=whole("session", session), transform_epoch=whole("transform", transform),
                topology_epoch=whole("topology", topology)))

    def metadata(self) -> dict[str, Any]:
        """Which implementation each stage around the model has, and why (docs/stages.md)."""
        with self._now.lock, self._handle.use() as context:
            return json.loads(written(library().rung_context_metadata, context))

    def report(self) -> dict[str, Any]:
        """What the context is and what its frames cost (docs/report.md)."""
        with self._handle.use() as context:
            return json.loads(written(library().rung_context_report, context))

    def restart_report(self) -> None:
        """Begins those figures of `report` anew that are since the beginning. No picture may be under way."""
        with self._now.lock, self._handle.use() as context:
            library().rung_context_restart_report(context)

    @property
    def closed(self) -> bool:
        return self._handle.closed

    def close(self) -> None:
        """Ends it, after the call that is under way. Once more does nothing."""
        self._handle.close()

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *exception) -> None:
        self.close()
