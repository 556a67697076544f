# SPDX-License-Identifier: Apache-2.0
"""What a model answers: the packet as it came, and its numbers as arrays, which are made when they are asked for."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from . import _abi
from ._library import chars, library
from .info import WHOLE, RunInfo

HEADER = ctypes.sizeof(_abi.rung_packet_header)
MASK = ctypes.sizeof(_abi.rung_mask)
TARGET = np.dtype(_abi.rung_target)
Q8 = 256  # to a pixel


class Result:
    """What all answers have."""

    packet: bytes  #: as the library wrote it; it may be stored or sent (rung.parse)
    run: RunInfo | None  #: what ran and how long; None for a packet that was parsed
    identity: str | None  #: what the numbers are: the model's name, and the precision when that is not f32

    def __init__(self, packet: bytes, run: RunInfo | None, labels: Sequence[str], identity: str | None):
        self.packet, self.run, self.identity = packet, run, identity
        self._names = labels
        self._header = _abi.rung_packet_header.from_buffer_copy(packet)

    @property
    def incomplete(self) -> bool:
        """A capacity left something out."""
        return bool(self._header.flags & _abi.RUNG_PACKET_INCOMPLETE)

    @property
    def stale(self) -> bool:
        """An epoch of it was no longer the current one when it was delivered (Context.set_epochs)."""
        return bool(self._header.flags & _abi.RUNG_PACKET_STALE)

    @property
    def frame_id(self) -> int:
        return self._header.frame_id

    @property
    def source_id(self) -> int:
        return self._header.source_id

    @property
    def model_epoch(self) -> int:
        return self._header.model_epoch

    @property
    def session_epoch(self) -> int:
        return self._header.session_epoch

    @property
    def transform_epoch(self) -> int:
        return self._header.transform_epoch

    @property
    def topology_epoch(self) -> int:
        return self._header.topology_epoch

    def _label(self, class_id: int) -> str:
        return self._names[class_id] if class_id < len(self._names) else str(class_id)


class Detection(NamedTuple):
    """One thing that was found."""

    box: tuple[float, float, float, float]  #: x, y, width, height in pixels of the picture
    score: float  #: 0..1
    class_id: int
    label: str  #: the name of the class, or its number where the model has no name for it
    keypoints: np.ndarray  #: (K, 2): x, y in pixels


class Detections(Result):
    """What a detector found, the best first. It is a sequence of Detection, and has each column as an array."""

    @functools.cached_property
    def targets(self) -> np.ndarray:
        """The records as the packet has them (rung_target): a structured array that cannot be written."""
        return np.frombuffer(self.packet, TARGET, self._header.count, self._header.targets_offset)

    def _columns(self, *names: str) -> np.ndarray:
        return np.stack([self.targets[name] for name in names], axis=1)

    @functools.cached_property
    def boxes_q8(self) -> np.ndarray:
        """(N, 4) int32: x, y, width, height, 256 to a pixel. These are the exact ones."""
        return self._columns("x", "y", "w", "h")

    @functools.cached_property
    def boxes(self) -> np.ndarray:
        """(N, 4) float32: x, y, width, height in pixels of the picture."""
        return (self.boxes_q8 / Q8).astype(np.float32)

    @functools.cached_property
    def corners(self) -> np.ndarray:
        """(N, 4) float32: x and y of the upper left corner and of the lower right one."""
        x, y, width, height = self.boxes_q8.T
        return (np.stack([x, y, x + width, y + height], axis=1) / Q8).astype(np.float32)

    @functools.cached_property
    def scores(self) -> np.ndarray:
        """(N,) float32, 0..1."""
        return (self.targets["confidence"] / WHOLE).astype(np.float32)

    @functools.cached_property
    def class_ids(self) -> np.ndarray:
        """(N,) int32."""
        return self.targets["class_id"].astype(np.int32)

    @functools.cached_property
    def labels(self) -> list[str]:
        """The name of each target's class, or its number where the model has no name for it."""
        return [self._label(class_id) for class_id in self.class_ids.tolist()]

    @functools.cached_property
    def safe_points(self) -> np.ndarray:
        """(N, 2) float32: a point inside of each target."""
        return (self._columns("safe_x", "safe_y") / Q8).astype(np.float32)

    @functools.cached_property
    def keypoints(self) -> np.ndarray:
        """(N, K, 2) float32: x, y in pixels. K is 0 for a model without key points; points that a capacity left out are
        NaN."""
        start = self._header.targets_offset + self.targets.nbytes
        pairs = np.frombuffer(self.packet, "<i4", (len(self.packet) - start) // 8 * 2, start).reshape(-1, 2)
        counts = self.targets["attachment_bytes"] // 8
        points = np.full((len(self), int(counts.max(initial=0)), 2), np.nan, np.float32)
        for row, offset, count in zip(points, self.targets["attachment_offset"], counts):
            row[:count] = pairs[offset:offset + count] / Q8
        return points

    def __len__(self) -> int:
        return self._header.count

    def __getitem__(self, index: int) -> Detection:
        count = int(self.targets["attachment_bytes"][index]) // 8
        return Detection(tuple(self.boxes[index].tolist()), float(self.scores[index]), int(self.class_ids[index]),
                         self.labels[index], self.keypoints[index, :count])

    def __iter__(self) -> Iterator[Detection]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"<rung.Detections: {len(self)} targets{', incomplete' if self.incomplete else ''}>"


class Embedding(Result):
    """An embedder's vector."""

    @functools.cached_property
    def vector(self) -> np.ndarray:
        """float32, as many numbers as the model's embedding_length."""
        return np.frombuffer(self.packet, "<f4", self._header.count, self._header.targets_offset).copy()

    def cosine(self, other: Embedding) -> float:
        """How near the two are, -1..1. Vectors of different models or precisions raise rung.IdentityError."""
        cosine = ctypes.c_double()
        library().rung_embedding_cosine(self._borrowed(), other._borrowed(), cosine)
        return cosine.value

    def _borrowed(self) -> _abi.rung_embedding:
        if self.identity is None:
            raise ValueError("this vector was parsed without its identity, so it is comparable with none")
        numbers = self.vector.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        return _abi.rung_embedding(identity=chars(self.identity), numbers=numbers, count=len(self.vector))

    def __len__(self) -> int:
        return self._header.count

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(self.vector, dtype)

    def __repr__(self) -> str:
        return f"<rung.Embedding: {len(self)} numbers of {self.identity}>"


class Mask(Result):
    """A segmenter's mask, and where it belongs: the part of the picture at `crop` is what the model saw, and the classes
    are that part, scaled to the part of the model's canvas at `content`."""

    @functools.cached_property
    def _place(self) -> _abi.rung_mask:
        return _abi.rung_mask.from_buffer_copy(self.packet, HEADER)

    @property
    def crop(self) -> tuple[int, int, int, int]:
        """x, y, width, height in pixels of the picture."""
        place = self._place
        return place.crop_x, place.crop_y, place.crop_w, place.crop_h

    @property
    def content(self) -> tuple[int, int, int, int]:
        """x, y, width, height in pixels of the canvas."""
        place = self._place
        return place.content_x, place.content_y, place.content_w, place.content_h

    @functools.cached_property
    def classes(self) -> np.ndarray:
        """uint8, the height and width of `content`: the class of each pixel."""
        shape = self._header.count, self._header.stride
        return np.frombuffer(self.packet, np.uint8, shape[0] * shape[1], HEADER + MASK).reshape(shape).copy()

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes, as far as the model has any."""
        return tuple(self._names)

    def __repr__(self) -> str:
        return f"<rung.Mask: {self._header.stride} x {self._header.count} pixels>"


Answer = Detections | Embedding | Mask
KINDS: dict[int, type[Answer]] = {_abi.RUNG_SPACE_EMBEDDING: Embedding, _abi.RUNG_SPACE_MASK: Mask}


def answer(packet: bytes, run: RunInfo | None, labels: Sequence[str], identity: str | None) -> Answer:
    """The result that a sound packet is."""
    space = _abi.rung_packet_header.from_buffer_copy(packet).space
    return KINDS.get(space, Detections)(packet, run, labels, identity)


def parse(packet: bytes, *, labels: Sequence[str] = (), identity: str | None = None) -> Answer:
    """A result of a packet that was stored or sent, after every size and offset in it was checked.

    `labels` are the model's (ModelInfo.labels), and `identity` is what made it (Result.identity). Raises
    rung.IntegrityError for a packet that is damaged, and rung.VersionError for one of another version.
    """
    packet = bytes(packet)
    aligned = ctypes.create_string_buffer(len(packet) + 8)
    start = -ctypes.addressof(aligned) % 8
    ctypes.memmove(ctypes.addressof(aligned) + start, packet, len(packet))
    library().rung_packet_check(ctypes.addressof(aligned) + start, len(packet))
    size = _abi.rung_packet_header.from_buffer_copy(packet).total_size
    return answer(packet[:size], None, labels, identity)
