# SPDX-License-Identifier: Apache-2.0
"""YOLOX as its authors run it, in ONNX Runtime and numpy alone: nothing of Rung has a part in it.

The picture is scaled to fit and lies at the top left on grey, 114; blue, green, red, values 0 to 255. A row of the
output is a cell's centre, size, objectness and classes; boxes of one class that overlap are one object."""

import numpy
import onnxruntime
from PIL import Image

STRIDES = (8, 16, 32)
GREY = 114


def taps(target, source):
    """For each place of an axis that is scaled: its two neighbours, and the weight of the second. Centres of pixels, no
    smoothing, as OpenCV's INTER_LINEAR."""
    places = ((numpy.arange(target) + 0.5) * source / target - 0.5).clip(0, source - 1)
    first = places.astype(int)
    return first, numpy.minimum(first + 1, source - 1), places - first


def scaled(pixels, height, width):
    upper, lower, down = taps(height, pixels.shape[0])
    left, right, across = taps(width, pixels.shape[1])
    rows = pixels[upper] * (1 - down)[:, None, None] + pixels[lower] * down[:, None, None]
    mixed = rows[:, left] * (1 - across)[:, None] + rows[:, right] * across[:, None]
    return numpy.floor(mixed + 0.5)


def cells(side):
    """Of each row of the output: column and row of its cell, and the cell's stride."""
    grids = [numpy.stack([numpy.tile(numpy.arange(side // stride), side // stride),
                          numpy.repeat(numpy.arange(side // stride), side // stride),
                          numpy.full((side // stride) ** 2, stride)], axis=1) for stride in STRIDES]
    return numpy.concatenate(grids).astype(numpy.float32)


def overlaps(box, others):
    """Intersection over union of a box with others; all are left, top, right, bottom."""
    inner = numpy.minimum(box[2:], others[:, 2:]) - numpy.maximum(box[:2], others[:, :2])
    shared = inner.clip(0).prod(axis=1)
    return shared / ((box[2:] - box[:2]).prod() + (others[:, 2:] - others[:, :2]).prod(axis=1) - shared)


def best_of(boxes, scores, classes, most):
    """Which remain where the best of a class takes all of that class that overlap it by more than `most`."""
    left, kept = numpy.argsort(-scores, kind="stable"), []
    while left.size:
        one, left = left[0], left[1:]
        kept.append(one)
        left = left[(classes[left] != classes[one]) | (overlaps(boxes[one], boxes[left]) <= most)]
    return kept


class Yolox:
    def __init__(self, graph):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        entry, = self.session.get_inputs()
        self.name, self.side = entry.name, entry.shape[-1]
        self.cells = cells(self.side)

    def tensor(self, pixels):
        """And by how much the picture was scaled."""
        height, width = pixels.shape[:2]
        scale = min(self.side / height, self.side / width)
        canvas = numpy.full((self.side, self.side, 3), GREY, numpy.float32)
        inside = scaled(pixels, int(height * scale), int(width * scale))
        canvas[:inside.shape[0], :inside.shape[1]] = inside
        return numpy.ascontiguousarray(canvas[None, :, :, ::-1].transpose(0, 3, 1, 2)), scale

    def detect(self, path, least, overlap):
        """(box as left, top, width, height in pixels of the picture; score; class) of each target."""
        pixels = numpy.asarray(Image.open(path).convert("RGB"))
        tensor, scale = self.tensor(pixels)
        rows, = self.session.run(None, {self.name: tensor})[0]
        chances = rows[:, 4:5] * rows[:, 5:]
        scores, classes = chances.max(axis=1), chances.argmax(axis=1)
        likely = scores >= least
        rows, scores, classes, grid = rows[likely], scores[likely], classes[likely], self.cells[likely]
        centres, sizes = (rows[:, :2] + grid[:, :2]) * grid[:, 2:], numpy.exp(rows[:, 2:4]) * grid[:, 2:]
        boxes = numpy.concatenate([centres - sizes / 2, centres + sizes / 2], axis=1) / scale
        boxes = boxes.clip(0, [*pixels.shape[1::-1], *pixels.shape[1::-1]])
        return [([*boxes[one, :2], *(boxes[one, 2:] - boxes[one, :2])], scores[one], classes[one])
                for one in best_of(boxes, scores, classes, overlap)]
