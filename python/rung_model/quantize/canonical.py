# SPDX-License-Identifier: Apache-2.0
"""The model in f32, as the library runs it: which tensor a photograph becomes, and what the model makes of it."""

import contextlib
from collections.abc import Callable
from typing import NamedTuple

import numpy

from .. import Refusal, program
from .forms import LEAST_PHOTOGRAPHS
from .pictures import is_picture

RUNG = "ort-cpu"
LIKE = 0.75  # half the pairs of vectors are closer where all photographs show the same; usual are 0.3


def targets_in(model, pixels):
    return len(model.detect(pixels))


def classes_in(model, pixels):
    return frozenset(numpy.unique(model.segment(pixels).classes).tolist())


def vector_of(model, pixels):
    vector = numpy.asarray(model.embed(pixels).vector, numpy.float64)
    length = numpy.linalg.norm(vector)
    return vector / length if length > 0 else vector


def some_of(labels):
    return ", ".join(labels[:3]) + ", …" * (len(labels) > 3) or "its classes"


def judge_targets(found, labels):
    if not any(found):
        raise Refusal(f"the model in f32 finds nothing in any of the {len(found)} photographs; name some that contain what it "
                      f"detects ({some_of(labels)})")


def judge_classes(found, labels):
    if len(frozenset().union(*found)) < 2:
        raise Refusal(f"the model in f32 sees one class alone in all of the {len(found)} photographs; name some that show more "
                      f"({some_of(labels)})")


def judge_vectors(found, _):
    vectors = numpy.stack(found)
    if not vectors.any():
        raise Refusal(f"the vectors of all {len(found)} photographs are 0 in f32; import the model again, its input is prepared "
                      "otherwise than it was trained with")
    median = float(numpy.median((vectors @ vectors.T)[numpy.triu_indices(len(vectors), 1)]))
    if not median <= LIKE:
        raise Refusal(f"the {len(found)} photographs are all alike to the model in f32: the cosine of half of their pairs is "
                      f"{median:.2f} or more, allowed {LIKE}; name photographs of different things")


class Role(NamedTuple):
    look: Callable  # what the model makes of a photograph
    holds: Callable  # whether there is anything in that
    judge: Callable  # of all photographs; refuses those that are of no use


ROLES = {
    "detector": Role(targets_in, bool, judge_targets),
    "segmenter": Role(classes_in, lambda classes: len(classes) > 1, judge_classes),
    "embedder": Role(vector_of, lambda vector: bool(vector.any()), judge_vectors),
}


class Canonical:
    def __init__(self, model, value):
        """`value`: shape and type of the graph's input."""
        self.model, self.context, self.value = model, model.context(), value
        self.role = ROLES[model.info.role]
        self.found, self.blank = [], []

    def tensor(self, photograph):
        """What the model is given for a photograph; what it makes of it is kept for `holding`."""
        pixels = photograph.pixels()
        if not is_picture(pixels):
            self.blank.append(photograph.path)
        self.found.append(self.role.look(self.model, pixels))
        shape, kind = self.value
        return self.context.preprocess(pixels).view(kind).reshape(shape)

    def last_holds(self):
        return self.role.holds(self.found[-1])

    def holding(self):
        """How many photographs hold something. Refuses them all where they are of no use."""
        pictures = len(self.found) - len(self.blank)
        if pictures < LEAST_PHOTOGRAPHS:
            raise Refusal(f"{len(self.blank)} of the {len(self.found)} photographs are noise or one plain colour, such as "
                          f"{self.blank[0]}, and calibration takes {LEAST_PHOTOGRAPHS} others at least; name real ones")
        self.role.judge(self.found, self.model.info.labels)
        return sum(map(self.role.holds, self.found))


@contextlib.contextmanager
def opened(spec, graph, value, folder):
    """Packs spec and graph, unsigned, into a folder that is the caller's own, and opens the model."""
    packed = folder / "canonical.rung"
    program.run("pack", spec, graph, "-o", packed)
    try:
        rung = program.library()
    except ImportError as error:
        raise Refusal(str(error))
    try:
        with rung.Instance(allow_unsigned=True, log=lambda *_: None) as instance:  # what fails says it in its error
            yield Canonical(instance.open(packed, rung=RUNG), value)
    except rung.Error as error:
        raise Refusal(f"the model in f32 does not run: {error}; export it again")
