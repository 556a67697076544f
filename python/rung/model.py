# SPDX-License-Identifier: Apache-2.0
"""A model that was admitted and loaded."""

from __future__ import annotations

import collections
import contextlib
import ctypes
from typing import Any

from numpy.typing import ArrayLike

from . import _abi
from ._handle import Handle
from ._library import chars, library, text
from .context import Context, context_options
from .frame import Format, Frame
from .info import ModelInfo
from .results import Detections, Embedding, Mask


class Model:
    """One model of an instance. Instance.open makes it, and it keeps its instance.

    detect, embed and segment may be called from any number of threads: each takes an idle context of the model, and one
    is made where there is none. It ends with `close`, at the end of a `with` block, with its instance, or when nothing
    refers to it any more; its contexts end before it.
    """

    def __init__(self, instance: Handle, path: bytes, options: _abi.rung_model_options):
        pointer = ctypes.c_void_p()
        with instance.use() as parent:
            library().rung_model_open(parent, path, options, pointer)
            self._handle = Handle("model", pointer.value, library().rung_model_destroy, instance)
        self._idle: collections.deque[Context] = collections.deque()
        self._labels = self._read_labels()

    def _read_info(self) -> _abi.rung_model_info:
        info = _abi.rung_model_info()
        with self._handle.use() as model:
            library().rung_model_get_info(model, info)
        return info

    def _read_labels(self) -> tuple[str, ...]:
        label, labels = ctypes.c_char_p(), []
        count = self._read_info().class_count
        with self._handle.use() as model:
            for class_id in range(count):
                library().rung_model_get_label(model, class_id, label)
                labels.append(text(label.value))
        return tuple(labels)

    @property
    def info(self) -> ModelInfo:
        """What it is, and what serves it now."""
        with self._handle.use():  # the strings live as long as the model
            return ModelInfo.of(self._read_info(), self._labels)

    def detect(self, picture: ArrayLike | Frame, format: Format | None = None) -> Detections:
        """Finds things in a picture: an array (see Frame), whose channels are what `format` says."""
        with self._idle_context() as context:
            return context.detect(picture, format)

    def embed(self, picture: ArrayLike | Frame, format: Format | None = None) -> Embedding:
        """The vector of a picture, where the model is an embedder."""
        with self._idle_context() as context:
            return context.embed(picture, format)

    def segment(self, picture: ArrayLike | Frame, format: Format | None = None) -> Mask:
        """The class of each pixel, where the model is a segmenter."""
        with self._idle_context() as context:
            return context.segment(picture, format)

    @contextlib.contextmanager
    def _idle_context(self):
        with self._handle.use():
            try:
                context = self._idle.pop()
            except IndexError:
                context = self.context(stay=True, rebuild=True)  # one rung for all that come this way
            try:
                yield context
            finally:
                self._idle.append(context)

    def context(self, *, min_confidence: float | None = None, iou: float | None = None, max_targets: int | None = None,
                override_calibration: bool = False, max_size: tuple[int, int] | None = None,
                plan: dict[str, Any] | str | None = None, identity: str | None = None, stay: bool = False,
                rebuild: bool = False, depth: int = 0) -> Context:
        """A context with wishes of its own.

        `min_confidence` and `iou` (0..1) and `max_targets` (1..10000) replace a detector's own thresholds, which it was
        calibrated with, so `override_calibration` has to allow it; every result then says so. `max_size` is the width
        and height of the largest picture that is served without allocating. `plan` says which implementation each
        stage has (docs/stages.md). `identity` is what the results must be (ModelInfo.identity), or making it fails.

        It is made on the rung that is proven to be the best by now; with `stay` on that of the newest context. With
        `rebuild` it goes to the next rung down by itself when its device is lost. With a `depth` (1..16) it has a
        thread of its own and takes as many pictures at once (Context.submit).
        """
        options = context_options(min_confidence=min_confidence, iou=iou, max_targets=max_targets,
                                  override_calibration=override_calibration, max_size=max_size, plan=plan,
                                  identity=identity, stay=stay, rebuild=rebuild, depth=depth)
        return Context(self._handle, options, self._labels)

    @property
    def closed(self) -> bool:
        return self._handle.closed

    def close(self) -> None:
        """Ends it and its contexts, after the calls that are under way. Once more does nothing."""
        self._handle.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *exception) -> None:
        self.close()


def model_options(rung: str | None, threads: int, any_precision: bool) -> _abi.rung_model_options:
    return _abi.rung_model_options(flags=any_precision * _abi.RUNG_MODEL_ANY_PRECISION, threads=threads, rung=chars(rung))
