# SPDX-License-Identifier: Apache-2.0
"""Networks that answer with a score for each class and pixel of the canvas."""

from .candidate import Candidate, Family, NotThis, only_output
from .graph import without_batch

MOST_CLASSES = 256


def channels_of(graph, output):
    """Number of channels and whether they lie together; NotThis where the output is no picture of the canvas."""
    width, height = graph.canvas
    shape = without_batch(output.shape)
    if shape == [height, width]:
        return 1, None
    if len(shape) == 3 and shape[1:] == [height, width]:
        return shape[0], False
    if len(shape) == 3 and shape[:2] == [height, width]:
        return shape[2], True
    raise NotThis(f"its output has the {width}×{height} pixels of the canvas")


def one_class(one, graph, output):
    one.by.append("one channel: how surely a pixel is of the one class")
    one.classes = 2
    one.told.update({"selection.suppress": False, "selection.capacity": 1, "selection.considered": 1,
                     "selection.max_targets": 1})
    one.open["selection.min_confidence"] = "from where on a pixel is of the class"
    one.tell("parameters.logits", *graph.logits(output.name))


def recognise(graph, _):
    output = only_output(graph)
    channels, together = channels_of(graph, output)
    if not 1 <= channels <= MOST_CLASSES:
        raise NotThis(f"it has up to {MOST_CLASSES} classes, and this output {channels} channels")
    by = [f"output {output}: a number for each pixel of the canvas"]
    one = Candidate(None, [("output", output)], by, "segmenter")
    if channels == 1:
        one_class(one, graph, output)
        return one
    one.by.append(f"{channels} channels are classes, the greatest number of a pixel tells its class")
    one.classes = channels
    if len(set(without_batch(output.shape))) == 1:
        one.open["parameters.interleaved"] = "all three sides are equal: true if the channels come last"
    return one


FAMILY = Family("segmenter", "segmenter (a score for each class and pixel)", recognise)
