# SPDX-License-Identifier: Apache-2.0
"""The members of a spec that a person may say: one row each, with how it is read. What the tensors themselves tell
is in no row, so it cannot be said otherwise."""

import collections
import math
import re

from .. import Refusal

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}\Z")
MOST_TEXTS, MOST_TEXT_BYTES = 256, 65536
MOST_SCALE = 2.0**20

# `read(member, value)` gives the value as the spec has it, from JSON or from the text behind --set.
Row = collections.namedtuple("Row", "read meaning")


def refuse(member, value, wanted):
    raise Refusal(f"{member}={str(value)[:60]!a} is no {wanted}")


def number(member, value):
    """A finite number; 1/255 is one, too."""
    try:
        if isinstance(value, str):
            over, _, under = value.partition("/")
            value = float(over) / float(under or 1)
        if isinstance(value, bool) or not math.isfinite(value):
            refuse(member, value, "number")
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        refuse(member, value, "number")
    return short(value)


def short(value):
    """As many digits as an f32 holds."""
    rounded = float(f"{value:.9g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded


def listed(value):
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")]
    return value if isinstance(value, list) else [value]


def numbers(member, value):
    return [number(member, one) for one in listed(value)[:4096]]


def three(member, value):
    """One for each channel; a single one holds for all."""
    values = numbers(member, value)
    values = values * 3 if len(values) == 1 else values
    if len(values) != 3 or any(abs(one) > MOST_SCALE for one in values):
        refuse(member, value, "one or three numbers")
    return values


def fill(member, value):
    values = three(member, value)
    if any(not isinstance(one, int) or not 0 <= one <= 255 for one in values):
        refuse(member, value, "one or three whole numbers of 0 to 255")
    return values


def truth(member, value):
    if value in ("true", "false"):
        return value == "true"
    return value if isinstance(value, bool) else refuse(member, value, "true or false")


def fraction(member, value):
    one = number(member, value)
    return one if 0 <= one <= 1 else refuse(member, value, "fraction of 0 to 1")


def count(member, value):
    one = number(member, value)
    return one if isinstance(one, int) and 1 <= one <= 65536 else refuse(member, value, "whole number of 1 to 65536")


def one_of(*choices):
    def read(member, value):
        return value if value in choices else refuse(member, value, f"one of {', '.join(choices)}")
    return read


def name(member, value):
    if isinstance(value, str) and NAME.match(value):
        return value
    return refuse(member, value, "name of letters a-z, digits, points, dashes and underscores")


def tensor_name(member, value):
    return value if isinstance(value, str) and value else refuse(member, value, "name of an output")


def texts(member, value):
    """Labels: texts of one line, or @FILE with one a line. An empty list is to have none."""
    if isinstance(value, str) and value.startswith("@"):
        value = lines_of(value[1:])
    values = [] if value == "" else listed(value)
    fit = all(isinstance(one, str) and one.strip() and one.isprintable() for one in values)
    if not fit or len(values) > MOST_TEXTS or sum(len(one.encode()) + 1 for one in values) > MOST_TEXT_BYTES:
        refuse(member, value, f"list of at most {MOST_TEXTS} texts of one line")
    return values


def lines_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(MOST_TEXT_BYTES + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"the labels in {path} cannot be read: {error}")
    if len(text) > MOST_TEXT_BYTES:
        raise Refusal(f"{path} has more than {MOST_TEXT_BYTES} letters; labels are one a line")
    return text.splitlines()


def attached(member, value):
    """A file beside the spec, or the text itself."""
    if isinstance(value, str) and value:
        return {"file": value}
    fits = isinstance(value, dict) and len(value) == 1 and set(value) <= {"file", "text"}
    return value if fits and all(isinstance(v, str) for v in value.values()) else refuse(member, value, "file")


def as_it_is(_, value):
    """What rung pack reads and judges alone."""
    return value


MEMBERS = {
    "name": Row(name, "the model's name"),
    "form": Row(one_of("f32", "f16", "int8", "a16w8", "a16w16"), "the numeric form"),
    "fit": Row(one_of("stretch", "letterbox", "letterbox-topleft", "cover"), "how a picture meets the canvas"),
    "rounding": Row(one_of("floor", "nearest"), "of a letterbox's free side"),
    "resampler": Row(one_of("bilinear", "triangle", "nearest"), "how pictures are scaled"),
    "order": Row(one_of("RGB", "BGR"), "order of the channels"),
    "scale": Row(three, "what a value of 0 to 255 is multiplied by, such as 1/255"),
    "bias": Row(three, "what is added then"),
    "fill": Row(fill, "the value around a letterbox"),
    "tensor.normalised": Row(truth, "whether Rung divides embeddings by their length"),
    "selection.min_confidence": Row(fraction, "the least confidence of a target, or of a mask's pixel"),
    "selection.iou": Row(fraction, "from which overlap on two boxes are one object"),
    "selection.suppress": Row(truth, "whether overlapping boxes are one object"),
    "selection.containment": Row(truth, "whether a box inside another one is the same object"),
    "selection.per_class": Row(truth, "whether only boxes of one class can be one object"),
    "selection.capacity": Row(count, "candidates kept"),
    "selection.considered": Row(count, "candidates considered"),
    "selection.max_targets": Row(count, "targets at most"),
    "selection.band": Row(as_it_is, "a second threshold for small boxes (docs/artifact.md)"),
    "parameters.logits": Row(truth, "whether scores still lack their sigmoid"),
    "parameters.raw": Row(truth, "whether boxes are still to be decoded"),
    "parameters.distances": Row(truth, "whether boxes are distances to their sides"),
    "parameters.interleaved": Row(truth, "whether a segmenter's channels come last"),
    "parameters.box_sides": Row(numbers, "sides of priors in pixels of the canvas"),
    "parameters.variances": Row(numbers, "what offsets from priors are multiplied by"),
    "labels": Row(texts, "names of the classes: a,b,c or @FILE with one a line; empty for none"),
    "capabilities": Row(as_it_is, "a number for each class"),
    "licence": Row(attached, "a file beside the spec"),
    "gate": Row(attached, "a gate record beside the spec"),
    "precision": Row(attached, "a precision map beside the spec; forms other than f32 need one"),
    "canonical": Row(as_it_is, "digest of the f32 form"),
    "golden": Row(as_it_is, "a golden sample (docs/artifact.md)"),
    "providers": Row(lambda member, value: texts(member, value), "who may run it, such as ort,tract"),
    "graph": Row(as_it_is, "the graph beside the spec"),
    "max_output_bytes": Row(as_it_is, "the largest packet"),
    # Questions about a model that are no members of a spec.
    "detr.classes": Row(one_of("sigmoid", "softmax"), "how the model was trained to score classes"),
    "embedder.vector": Row(one_of("embedding", "classes"), "what the one vector is"),
}
OUTPUT = re.compile(r"outputs\.[a-z]+[0-9]?\Z")
OUTPUT_ROW = Row(tensor_name, "the name of the output for that purpose")
NO_SPEC = ("detr.classes", "embedder.vector")


def read(member, value):
    row = OUTPUT_ROW if OUTPUT.match(member) else MEMBERS.get(member)
    if row is None:
        raise Refusal(f"{member[:60]!a} is nothing that can be said; there are mean and std, outputs.PURPOSE, "
                      f"{', '.join(MEMBERS)}")
    return row.read(member, value)
