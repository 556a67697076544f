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


def text_of(percentile):
    """How reports call it. None: the plain ends."""
    return "minmax" if percentile is None else f"percentile={percentile:g}"


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


def gather(model, feeds, percentile, folder):
    """The ranges of all tensors of a prepared model: plain, or such that this percentage of a tensor's numbers lies inside."""
    path = folder / "to_calibrate.onnx"
    path.write_bytes(model.SerializeToString())
    method = CalibrationMethod.MinMax if percentile is None else CalibrationMethod.Percentile
    with quiet.quiet():
        calibrator = calibrate.create_calibrator(path, KINDS, str(folder / "augmented.onnx"), method,
                                                 extra_options={} if percentile is None else {"percentile": percentile})
    for chunk in chunks(feeds, CHUNK if percentile is None else 1):
        with quiet.quiet():
            calibrator.collect_data(Reader(chunk))
    with quiet.quiet():
        tensors = calibrator.compute_data()
    must_be_finite(tensors)
    return TensorsData(method, dict(sorted(tensors.items())))  # sets of names have no order of their own
