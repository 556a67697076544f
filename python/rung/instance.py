# SPDX-License-Identifier: Apache-2.0
"""One user of the library: its configuration, trust, runtimes and models."""

from __future__ import annotations

import ctypes
import json
import logging
import os
import pathlib
from collections.abc import Callable, Iterable
from typing import Any, Literal

from . import _abi
from ._handle import Handle
from ._library import chars, library, text, written
from .frame import whole
from .info import ModelFile
from .model import Model, model_options

Path = str | os.PathLike
Paths = Path | Iterable[Path]
Level = Literal["debug", "info", "warning", "error"]

_logger = logging.getLogger("rung")
_LEVELS = {number: name for name, number in _abi.LOG_LEVELS.items()}


def _to_logging(level: str, line: str) -> None:
    _logger.log(logging.getLevelNamesMapping()[level.upper()], "%s", line)


def _joined(paths: Paths | None) -> bytes | None:
    if paths is None or isinstance(paths, (str, os.PathLike)):
        return chars(paths)
    return os.fsencode(os.pathsep).join(chars(path) for path in paths)


def _one_of(what: str, names: dict[str, int], name: str | None) -> int:
    if name is None:
        return 0
    if name not in names:
        raise ValueError(f"there is no {what} {name!r}; there are {', '.join(names)}")
    return names[name]


class Instance:
    """Opens models. Everything may be left away.

    `runtime_path`: where inference runtimes are looked for, before everything else (a file, a folder, or several).
    `trust_path`: public keys (PEM files, or folders of them) whose models are trusted, besides those of RUNG_TRUST_PATH
    and the user's own. `helper_path`: the program rung-probe. `ladder_path`: a ladder file. `allow_unsigned` admits models
    without a signature. Without `environment` no environment variable is read, without `children` no process is made.
    `probe`: which rungs are measured in the background: "off", "first" or "all". `engine_cache_bytes`: what compiled
    engines may take on the disk.

    What the library has to say of at least `log_level` goes to `log(level, line)`, called from any thread, which must not
    use this package; without `log` to the logger "rung" of Python's logging.

    It ends with `close`, at the end of a `with` block, or when neither it nor a model of it is referred to any more; its
    models end before it. All methods may be called from any thread.
    """

    def __init__(self, *, runtime_path: Paths | None = None, trust_path: Paths | None = None,
                 helper_path: Path | None = None, ladder_path: Path | None = None, allow_unsigned: bool = False,
                 environment: bool = True, children: bool = True,
                 probe: Literal["default", "off", "first", "all"] | None = None, engine_cache_bytes: int = 0,
                 log: Callable[[str, str], None] | None = None, log_level: Level = "warning"):
        log = log or _to_logging
        callback = _abi.rung_log_callback(lambda user, level, line: log(_LEVELS.get(level, "error"), text(line)))
        options = _abi.rung_instance_options(
            flags=(allow_unsigned * _abi.RUNG_INSTANCE_ALLOW_UNSIGNED
                   | (not environment) * _abi.RUNG_INSTANCE_NO_ENVIRONMENT
                   | (not children) * _abi.RUNG_INSTANCE_NO_CHILDREN),
            log_level=_one_of("log level", _abi.LOG_LEVELS, log_level), log=callback,
            runtime_path=_joined(runtime_path), trust_path=_joined(trust_path), helper_path=chars(helper_path),
            ladder_path=chars(ladder_path), probe=_one_of("probe policy", _abi.PROBE_POLICIES, probe),
            engine_cache_bytes=whole("engine_cache_bytes", engine_cache_bytes))
        pointer = ctypes.c_void_p()
        library().rung_instance_create(options, pointer)
        self._handle = Handle("instance", pointer.value, library().rung_instance_destroy, keep=callback)

    def open(self, model: Path, *, rung: str | None = None, threads: int = 0, any_precision: bool = False) -> Model:
        """Verifies and loads a model: a file (what has a "/" or ends in ".rung", or a Path), or the name of one (find).

        `rung` is the only one allowed, such as "ort-cpu"; None: the best that is proven here. `threads` of one run; 0: the
        usable cores. `any_precision` serves embedders also in precisions that they are pinned away from.
        """
        if isinstance(model, str) and "/" not in model and not model.endswith(".rung"):
            model = self.find(model)
        return Model(self._handle, chars(model), model_options(rung, whole("threads", threads, 32), any_precision))

    def find(self, name: str) -> pathlib.Path:
        """The model file of a name, such as "centerface", in the folders of RUNG_MODEL_PATH, the user's and the installed
        ones."""
        with self._handle.use() as instance:
            return pathlib.Path(written(library().rung_model_find, instance, chars(name)))

    def models(self, *folders: Path, verify: bool = True) -> list[ModelFile]:
        """The model files in `folders`, else in those of `find`. With `verify` each is read whole, and its signature and
        trust are checked."""
        found: list[ModelFile] = []
        callback = _abi.rung_model_file_callback(lambda user, file: found.append(ModelFile.of(file.contents)))
        names = (ctypes.c_char_p * len(folders))(*map(chars, folders))
        with self._handle.use() as instance:
            library().rung_model_list(instance, 0 if verify else _abi.RUNG_MODEL_LIST_UNVERIFIED, names, len(folders),
                                      callback, None)
        return found

    def explain(self) -> dict[str, Any]:
        """What this device is, which rungs there are, which one is taken, and why (docs/explain.md)."""
        with self._handle.use() as instance:
            return json.loads(written(library().rung_instance_explain, instance))

    def summary(self) -> str:
        """The same in one line for people."""
        with self._handle.use() as instance:
            return written(library().rung_instance_summary, instance)

    def use(self, rung: str | None) -> None:
        """Keeps the rung that the user wants in place of what a probe chooses, for this and every later program; None
        forgets it."""
        with self._handle.use() as instance:
            library().rung_instance_use(instance, chars(rung))

    @property
    def closed(self) -> bool:
        return self._handle.closed

    def close(self) -> None:
        """Ends it and its models, after the calls that are under way. Once more does nothing."""
        self._handle.close()

    def __enter__(self) -> Instance:
        return self

    def __exit__(self, *exception) -> None:
        self.close()


def explain(**options: Any) -> dict[str, Any]:
    """What this device is, which rungs there are, which one is taken, and why, for an instance with `options`
    (docs/explain.md)."""
    with Instance(**options) as instance:
        return instance.explain()
