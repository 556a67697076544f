# SPDX-License-Identifier: Apache-2.0
"""What numbers each tensor holds, over all photographs.

Photographs come in chunks, and only one chunk is held. For plain smallest and largest numbers the graph itself reduces
each tensor to two of them, so what is kept does not grow with the photographs; for a percentile it is one histogram a
tensor, which is filled from one photograph at a time."""

import math

import numpy
from onnxruntime.quantization import CalibrationMethod, TensorsData, calibrate

from .. import Refusal
from . import quiet
from .quantiser import KINDS

CHUNK = 8


class Range:
    """How the ends of a tensor's range are found: plainly, or so that `percentile` of its numbers lie inside."""

    def __init__(self, percentile=None):
        self.percentile = percentile
        self.method = CalibrationMethod.MinMax if percentile is None else CalibrationMethod.Percentile
        self.chunk = CHUNK if percentile is None else 1

    def __str__(self):
        return "minmax" if self.percentile is None else f"percentile={self.percentile:g}"


class Reader(calibrate.CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def chunks(items, size):
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def must_be_finite(tensors):
    for name, data in tensors.items():
        if not all(math.isfinite(float(numpy.max(end))) for end in data.range_value):
            raise Refusal(f"the tensor {name} has numbers that are not finite on these photographs; such a graph cannot be "
                          "quantised: clip them, or cut the graph before it")


def gather(model, feeds, how, folder):
    """The ranges of all tensors of a prepared model."""
    path = folder / "to_calibrate.onnx"
    path.write_bytes(model.SerializeToString())
    options = {} if how.percentile is None else {"percentile": how.percentile}
    with quiet.quiet():
        calibrator = calibrate.create_calibrator(path, KINDS, str(folder / "augmented.onnx"), how.method,
                                                 extra_options=options)
    for chunk in chunks(feeds, how.chunk):
        with quiet.quiet():
            calibrator.collect_data(Reader(chunk))
    with quiet.quiet():
        tensors = calibrator.compute_data()
    must_be_finite(tensors)
    return TensorsData(how.method, dict(sorted(tensors.items())))  # sets of names have no order of their own
