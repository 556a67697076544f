# SPDX-License-Identifier: Apache-2.0
"""Rung's stages from Python: the functions of ours.h, each object at one level of instructions."""
import ctypes
import functools
import weakref

import numpy

import harness

LIBRARY = harness.WORK / "peers/libbench-peers.so"
LINE = 64

# rung/types.h
HEAD_YOLO, HEAD_DETR = 2, 5
SUPPRESS, SUPPRESS_PER_CLASS = 1, 4
F32, U8 = 1, 4
PLANAR, INTERLEAVED = 1, 2
STRETCH, LETTERBOX = 1, 2
BILINEAR, TRIANGLE = 1, 2

CANDIDATE = numpy.dtype([("x", "<u2"), ("y", "<u2"), ("w", "<u2"), ("h", "<u2"), ("confidence", "<u2"), ("class_id", "u1"),
                         ("source_bits", "u1"), ("flags", "<u2"), ("payload", "<u2")])
POINTER, U32 = ctypes.c_void_p, ctypes.c_uint32


class Form(ctypes.Structure):
    _fields_ = [(name, U32) for name in ("width", "height", "canvas_width", "canvas_height", "resampler", "fit", "dtype",
                                         "layout")]


class Rules(ctypes.Structure):
    _fields_ = [(name, U32) for name in ("min_confidence", "iou", "flags", "capacity", "considered", "max_targets")]


class HeadForm(ctypes.Structure):
    _fields_ = [(name, U32) for name in ("head", "canvas_width", "canvas_height", "rows", "columns")]


@functools.cache
def library():
    if not LIBRARY.exists():
        harness.fail(f"{LIBRARY} is missing; run ninja -C build first")
    loaded = ctypes.CDLL(str(LIBRARY))
    for name, result, *arguments in (
            ("level_name", ctypes.c_char_p, U32),
            ("evict", None, POINTER, ctypes.c_size_t),
            ("preprocess_new", POINTER, U32, POINTER), ("preprocess_run", None, POINTER, POINTER, POINTER),
            ("preprocess_delete", None, POINTER),
            ("touch_new", POINTER, U32, POINTER), ("touch_run", None, POINTER, POINTER, POINTER),
            ("touch_delete", None, POINTER),
            ("selection_new", POINTER, U32, POINTER), ("selection_run", U32, POINTER, POINTER, U32),
            ("selection_order", POINTER, POINTER), ("selection_delete", None, POINTER),
            ("head_new", POINTER, U32, POINTER, POINTER), ("head_run", U32, POINTER, POINTER, POINTER),
            ("head_candidates", POINTER, POINTER), ("head_order", POINTER, POINTER), ("head_delete", None, POINTER)):
        function = getattr(loaded, f"bench_{name}")
        function.restype, function.argtypes = result, arguments
    return loaded


def levels():
    """{name: number} of what this processor runs, rising."""
    names = []
    while name := library().bench_level_name(len(names)):
        names.append(name.decode())
    return {name: number for number, name in enumerate(names)}


def evict(array):
    library().bench_evict(array.ctypes.data, array.nbytes)


def aligned(shape, dtype):
    """An array that begins a cache line, as Rung's own buffers do."""
    dtype = numpy.dtype(dtype)
    size = int(numpy.prod(shape)) * dtype.itemsize
    block = numpy.zeros(size + LINE, numpy.uint8)
    start = -block.ctypes.data % LINE
    return block[start:start + size].view(dtype).reshape(shape)


class _Object:
    """Something that a function …_new made."""

    def __init__(self, kind, *arguments):
        handle = getattr(library(), f"bench_{kind}_new")(*arguments)
        if not handle:
            harness.fail(f"Rung's {kind} is not to be had for {arguments}")
        self.handle = POINTER(handle)
        weakref.finalize(self, getattr(library(), f"bench_{kind}_delete"), handle)


class Preprocess(_Object):
    """Makes a tensor of a picture; with kind `touch` a loop that only reads and stores as much."""

    def __init__(self, level, form, picture, kind="preprocess"):
        super().__init__(kind, level, ctypes.byref(form))
        shape = (form.canvas_height, form.canvas_width)
        self.tensor = aligned((3, *shape) if form.layout == PLANAR else (*shape, 3),
                              numpy.float32 if form.dtype == F32 else numpy.uint8)
        self.picture = picture
        self.run = functools.partial(getattr(library(), f"bench_{kind}_run"), self.handle, picture.ctypes.data,
                                     self.tensor.ctypes.data)

    def __call__(self):
        self.run()
        return self.tensor


def _numbers(address, count):
    """A copy of that many numbers in Rung's memory."""
    return numpy.array((U32 * count).from_address(address), numpy.int64)


class Selection(_Object):
    """Selects among candidates; gives how many are kept."""

    def __init__(self, level, rules, candidates):
        super().__init__("selection", level, ctypes.byref(rules))
        self.candidates = candidates
        self.run = functools.partial(library().bench_selection_run, self.handle, candidates.ctypes.data, len(candidates))

    def __call__(self):
        return self.run()

    def kept(self):
        """Their numbers, best first."""
        count = self()
        return _numbers(library().bench_selection_order(self.handle), count)


class Head(_Object):
    """Decodes a model's outputs and selects; gives how many are kept."""

    def __init__(self, level, form, rules, *outputs):
        super().__init__("head", level, ctypes.byref(form), ctypes.byref(rules))
        self.outputs = outputs
        self.run = functools.partial(library().bench_head_run, self.handle,
                                     *[*(output.ctypes.data for output in outputs), None][:2])
        self.capacity = rules.capacity

    def __call__(self):
        return self.run()

    def kept(self):
        """The candidates, best first."""
        order = _numbers(library().bench_head_order(self.handle), self())
        memory = (ctypes.c_uint8 * (self.capacity * CANDIDATE.itemsize)).from_address(
            library().bench_head_candidates(self.handle))
        return numpy.frombuffer(memory, CANDIDATE)[order]
