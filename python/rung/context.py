# SPDX-License-Identifier: Apache-2.0
"""What it takes to run one model on one picture at a time."""

from __future__ import annotations

import ctypes
import json
import threading
from typing import Any

from numpy.typing import ArrayLike

from . import _abi
from ._handle import Handle
from ._library import chars, library, written
from .frame import Format, Frame, borrow, whole
from .info import WHOLE, RunInfo
from .results import Detections, Embedding, Mask, Result, answer


def share(name: str, value: float | None) -> int:
    """A threshold as the library counts it, where 0 says that there is no wish."""
    if value is None:
        return 0
    if not 0 <= value <= 1:
        raise ValueError(f"{name} is {value}; it is 0 to 1")
    return max(round(value * WHOLE), 1)


def context_options(*, min_confidence: float | None = None, iou: float | None = None, max_targets: int | None = None,
                    override_calibration: bool = False, max_size: tuple[int, int] | None = None,
                    plan: dict[str, Any] | str | None = None, identity: str | None = None,
                    stay: bool = False) -> _abi.rung_context_options:
    """The structure for the wishes that Model.context explains."""
    width, height = max_size or (0, 0)
    return _abi.rung_context_options(
        flags=override_calibration * _abi.RUNG_CONTEXT_OVERRIDE_CALIBRATION | stay * _abi.RUNG_CONTEXT_STAY,
        max_frame_width=whole("the width of max_size", width, 32),
        max_frame_height=whole("the height of max_size", height, 32),
        min_confidence=share("min_confidence", min_confidence), iou=share("iou", iou),
        max_targets=whole("max_targets", max_targets or 0, 32), identity=chars(identity),
        plan=chars(json.dumps(plan) if isinstance(plan, dict) else plan))


class Context:
    """Runs one picture after the other; calls from several threads wait for each other. Model.context makes it.

    The pixels are borrowed for the call, and other threads of Python run meanwhile. It ends with `close`, at the end of a
    `with` block, with its model, or when nothing refers to it any more.
    """

    def __init__(self, model: Handle, options: _abi.rung_context_options, labels: tuple[str, ...]):
        pointer, size = ctypes.c_void_p(), ctypes.c_uint64()
        with model.use() as parent:
            library().rung_context_create(parent, options, pointer)
            self._handle = Handle("context", pointer.value, library().rung_context_destroy, model)
        with self._handle.use() as context:
            library().rung_context_get_max_output_bytes(context, size)
        self._labels, self._lock = labels, threading.Lock()
        self._buffer = (ctypes.c_uint64 * (size.value // 8 + 1))()

    def detect(self, picture: ArrayLike | Frame, format: Format | None = None) -> Detections:
        """Finds things in a picture: an array (see Frame), whose channels are what `format` says."""
        return self._run(library().rung_detect, picture, format)

    def embed(self, picture: ArrayLike | Frame, format: Format | None = None) -> Embedding:
        """The vector of a picture, by a model that is an embedder."""
        return self._run(library().rung_embed, picture, format)

    def segment(self, picture: ArrayLike | Frame, format: Format | None = None) -> Mask:
        """The class of each pixel, by a model that is a segmenter."""
        return self._run(library().rung_segment, picture, format)

    def _run(self, function, picture, format) -> Result:
        frame, array = borrow(picture, format)
        size, info = ctypes.c_size_t(), _abi.rung_run_info()
        span = _abi.rung_span(ctypes.addressof(self._buffer), ctypes.sizeof(self._buffer))
        with self._lock, self._handle.use() as context:
            function(context, frame, span, size, info)
            packet = ctypes.string_at(span.data, size.value)
            run = RunInfo.of(info)
        del array  # borrowed until here
        return answer(packet, run, self._labels, run.identity)

    def metadata(self) -> dict[str, Any]:
        """Which implementation each stage around the model has, and why (docs/stages.md)."""
        with self._lock, self._handle.use() as context:
            return json.loads(written(library().rung_context_metadata, context))

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
