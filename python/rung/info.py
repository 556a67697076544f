# SPDX-License-Identifier: Apache-2.0
"""What the library tells of models, files and runs, as plain values."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from typing import Any, Literal

from . import _abi
from ._library import text
from .errors import BY_CODE, Error

Role = Literal["detector", "embedder", "segmenter"]

WHOLE = 65535  # 1.0, as the library counts confidences and overlaps


def named(names: dict[str, int], number: int) -> Any:
    """The name of a number; what a newer library has besides goes by its number."""
    return next((name for name, known in names.items() if known == number), str(number))


@dataclasses.dataclass(frozen=True)
class ModelInfo:
    """What a model is, and what serves it."""

    name: str
    identity: str  #: what the results are: the name, and the precision when that is not f32
    rung: str  #: the path that serves, such as "ort-cpu"
    reason: str  #: why that one, one sentence
    artifact: str  #: SHA-256 of the payload, 64 hexadecimal digits
    key_id: str  #: of the signer, 16 hexadecimal digits; "" when unsigned
    role: Role
    form: str  #: numeric form of the file: "f32", "f16", "int8", …
    head: str  #: how a detector's output is decoded, such as "centernet"; "none" for others
    canvas: tuple[int, int]  #: width and height of what the model sees, pixels
    max_targets: int
    threads: int  #: of one run
    max_output_bytes: int  #: of a packet, at most
    embedding_length: int  #: numbers of an embedder's vector, else 0
    normalised: bool  #: an embedder's vectors have length 1
    mask_classes: int  #: classes of a segmenter's mask, else 0
    min_confidence: float  #: the model's own, 0..1
    iou: float  #: a detector's own, 0..1
    precision: str  #: of the numbers that are executed
    canonical: str  #: digest of the model in f32 that this form was made from; "": the file does not tell
    labels: tuple[str, ...]  #: the name of each class; () when the file has none

    @classmethod
    def of(cls, info: _abi.rung_model_info, labels: tuple[str, ...]) -> ModelInfo:
        return cls(
            name=text(info.name), identity=text(info.identity), rung=text(info.rung), reason=text(info.reason),
            artifact=text(info.artifact), key_id=text(info.key_id), role=named(_abi.ROLES, info.role),
            form=named(_abi.FORMS, info.form), head=named(_abi.HEADS, info.head),
            canvas=(info.canvas_width, info.canvas_height), max_targets=info.max_targets, threads=info.threads,
            max_output_bytes=info.max_output_bytes, embedding_length=info.embedding_length,
            normalised=bool(info.normalised), mask_classes=info.mask_classes,
            min_confidence=info.min_confidence / WHOLE, iou=info.iou / WHOLE, precision=text(info.precision),
            canonical=text(info.canonical), labels=labels)


@dataclasses.dataclass(frozen=True)
class ModelFile:
    """A file that Instance.models found. What it says of itself is proved only when it was verified and `error` is None."""

    path: pathlib.Path
    error: Error | None  #: why it is not admitted
    folder: bool  #: `path` is a folder that could not be listed
    shadowed_by: pathlib.Path | None  #: the file of an earlier folder that has the same name
    name: str
    artifact: str
    key_id: str
    key_path: pathlib.Path | None  #: the file of the signer's key, when that is trusted
    bytes: int
    role: Role | None
    form: str | None
    canvas: tuple[int, int]
    kind: str | None  #: "onnx", "coreml" or "engine"

    @classmethod
    def of(cls, file: _abi.rung_model_file) -> ModelFile:
        def path(value):
            return pathlib.Path(os.fsdecode(value)) if value else None

        def known(names, number):
            return named(names, number) if number else None

        return cls(
            path=path(file.path),
            error=BY_CODE.get(file.result, Error)(text(file.reason)) if file.result else None,
            folder=bool(file.flags & _abi.RUNG_MODEL_FILE_FOLDER), shadowed_by=path(file.shadowed_by),
            name=text(file.name), artifact=text(file.artifact), key_id=text(file.key_id), key_path=path(file.key_path),
            bytes=file.bytes, role=known(_abi.ROLES, file.role), form=known(_abi.FORMS, file.form),
            canvas=(file.canvas_width, file.canvas_height), kind=known(_abi.ARTIFACT_KINDS, file.kind))


@dataclasses.dataclass(frozen=True)
class RunInfo:
    """What ran, and how long."""

    identity: str
    rung: str
    artifact: str
    precision: str
    role: Role
    calibration_overridden: bool  #: thresholds were not the model's own
    preprocess_ns: int
    run_ns: int
    postprocess_ns: int

    @classmethod
    def of(cls, info: _abi.rung_run_info) -> RunInfo:
        return cls(
            identity=text(info.identity), rung=text(info.rung), artifact=text(info.artifact),
            precision=text(info.precision), role=named(_abi.ROLES, info.role),
            calibration_overridden=bool(info.calibration_overridden), preprocess_ns=info.preprocess_ns,
            run_ns=info.run_ns, postprocess_ns=info.postprocess_ns)
