# SPDX-License-Identifier: Apache-2.0
"""Runs two forms of a model on the same inputs and says how far their answers lie apart.

An edit of a graph is judged as the graph is written, with the runtime's own optimisation off: that
figure is about the edit alone. What the runtime then makes of the edited graph is a second figure:
it may fold what it could not fold before, which moves the last digits. That figure takes an output
whose numbers are all near 0, such as the scores of a picture without objects, for one of SERVED_FLOOR:
the last digits of a sigmoid near 0 mean nothing."""

import math

import numpy
import onnxruntime
from PIL import Image

from . import Refusal, first_line
from .photographs import Photograph

BOUND = 1e-5
SERVED_BOUND = 1e-4
SERVED_FLOOR = 1e-3
NUMPY_TYPES = {"tensor(float)": numpy.float32, "tensor(float16)": numpy.float16,
               "tensor(uint8)": numpy.uint8}
QUIET = 4  # what goes wrong is told by the refusal


def session_of(model, optimised):
    levels = onnxruntime.GraphOptimizationLevel
    options = onnxruntime.SessionOptions()
    options.log_severity_level = QUIET
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimised else levels.ORT_DISABLE_ALL
    try:
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the binding raises a kind of its own for each status
        raise Refusal(f"ONNX Runtime does not accept the graph: {first_line(error)}; export it with operations of ONNX "
                      "alone")


def answers(session, feed, path):
    """What a graph answers; where it cannot, such as at a size that is too small for it, the refusal says so."""
    try:
        return session.run(None, feed)
    except Exception as error:  # the binding raises a kind of its own for each status
        raise Refusal(f"the graph cannot be run on {path}: {first_line(error)}; give its input another size with --shape, "
                      "or export it again")


def read_picture(path, shape):
    """RGB, stretched to the input's size, 0..255. The scale does not matter to equality."""
    planar = len(shape) == 4 and shape[:2] == [1, 3]
    if not planar and (len(shape) != 4 or shape[0] != 1 or shape[3] != 3):
        raise Refusal(f"a picture needs an input of 1x3xHxW or 1xHxWx3; this one is {'x'.join(map(str, shape))}")
    height, width = shape[2:] if planar else shape[1:3]
    picture = Image.fromarray(Photograph.at(path).pixels())
    pixels = numpy.asarray(picture.resize((width, height), Image.Resampling.BILINEAR))
    return (pixels.transpose(2, 0, 1) if planar else pixels)[numpy.newaxis]


def read_array(path):
    try:
        array = numpy.load(path, allow_pickle=False)
    except Exception as error:  # NumPy lets through whatever a broken file makes its parts raise
        reason = getattr(error, "strerror", None) or first_line(error) or type(error).__name__
        raise Refusal(f"{path} cannot be read as an input: {reason}; name photographs, or arrays in NumPy's format (.npy)")
    if not isinstance(array, numpy.ndarray) or array.dtype.kind not in "fiu":
        raise Refusal(f"{path} is no array of numbers; name photographs, or arrays in NumPy's format (.npy)")
    return array


def read_input(path, entry):
    """A picture, or an array in NumPy's format."""
    array = read_array(path) if str(path).endswith(".npy") else read_picture(path, entry.shape)
    if list(array.shape) != entry.shape:
        raise Refusal(f"{path} is {array.shape}; input {entry.name} is {tuple(entry.shape)}; give arrays of that shape")
    with numpy.errstate(all="ignore"):  # the refusal tells it
        numbers = array.astype(NUMPY_TYPES[entry.type])
    if not (numpy.isfinite(array).all() and numpy.isfinite(numbers).all()):
        raise Refusal(f"{path} has numbers that are not finite as {numbers.dtype}; give arrays of finite ones")
    return numbers


def only_input(session):
    entries = session.get_inputs()
    if len(entries) != 1:
        raise Refusal(f"the comparison knows models of one input; this one has {len(entries)}; export "
                      "it with the picture alone")
    if entries[0].type not in NUMPY_TYPES:
        raise Refusal(f"the comparison knows no input of {entries[0].type}; export it with f32")
    return entries[0]


def relative_distance(reference, answer, floor=0.0):
    """L2 of the difference against L2 of the reference, or of as many numbers of size `floor` where
    that is more; infinite where one is not finite."""
    if reference.shape != answer.shape:
        return math.inf
    reference = reference.astype(numpy.float64)
    answer = answer.astype(numpy.float64)
    difference = numpy.linalg.norm(reference - answer)
    if difference == 0:
        return 0.0
    norm = max(numpy.linalg.norm(reference), floor * math.sqrt(reference.size))
    return difference / norm if norm > 0 and math.isfinite(difference) else math.inf


def largest_distance(reference, model, paths, optimised=False):
    """Over all inputs and outputs. `model` has static shapes, `reference` takes any and is always
    run as written; `optimised` is about the model."""
    expected, measured = session_of(reference, False), session_of(model, optimised)
    entry = only_input(measured)
    floor = SERVED_FLOOR if optimised else 0.0
    largest = 0.0
    for path in paths:
        feed = {entry.name: read_input(path, entry)}
        pairs = zip(answers(expected, feed, path), answers(measured, feed, path))
        largest = max([largest] + [relative_distance(*pair, floor) for pair in pairs])
    return largest
