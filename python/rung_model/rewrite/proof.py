# SPDX-License-Identifier: Apache-2.0
"""Runs a place before and after its rewriting, and then the whole graph, on random and extreme inputs, with the
runtime's own optimisation off. What only moves numbers must answer bit for bit."""

import math
from itertools import chain

import numpy
import onnx

from .. import Refusal, compare
from .graph import excerpt, excerpt_model

SEED = 20
# Sums of larger numbers leave float32's range.
LARGEST = 2.0 ** 100


class Unequal(Exception):
    """Both ways answer differently; the text says how."""


def numbered(shape, kind, start):
    """Each element has bits of its own, as far as the type has as many, from `start` on."""
    kind = numpy.dtype(kind)
    if kind == bool:
        return numpy.random.default_rng(start).integers(0, 2, shape).astype(bool)
    bits = numpy.arange(start, start + math.prod(shape), dtype=numpy.uint64)
    return bits.astype(f"u{kind.itemsize}").view(kind).reshape(shape)


def checkerboard(shape, low, high):
    return numpy.where(sum(numpy.indices(shape, sparse=True)) % 2, low, high)


def one_pixel(shape):
    """All 0 but one number."""
    array = numpy.zeros(shape)
    array.flat[array.size * 2 // 3] = 255
    return array


def odd_numbers(shape, random):
    """What is no ordinary number: both zeros, infinities, NaN, the smallest and the largest."""
    tiny = numpy.finfo(numpy.float32)
    odd = [0.0, -0.0, math.inf, -math.inf, math.nan, tiny.smallest_subnormal, tiny.max, tiny.min]
    return random.choice(odd, shape)


# Each makes an array of a shape; what is cast to an integer type is within 0..255.
ORDINARY = (
    ("random", lambda shape, random: random.standard_normal(shape)),
    ("random pixels", lambda shape, random: random.uniform(0, 255, shape)),
    ("all 0", lambda shape, random: numpy.zeros(shape)),
    ("all 255", lambda shape, random: numpy.full(shape, 255.0)),
    ("a checkerboard", lambda shape, random: checkerboard(shape, 0.0, 255.0)),
    ("one pixel", lambda shape, random: one_pixel(shape)),
)
GREAT = (
    ("a checkerboard of 2^100", lambda shape, random: checkerboard(shape, -LARGEST, LARGEST)),
    ("a checkerboard of 2^-100", lambda shape, random: checkerboard(shape, -1 / LARGEST, 1 / LARGEST)),
)
ODD = (("odd numbers", odd_numbers),)
LOUD = (("random to 10000", lambda shape, random: random.standard_normal(shape) * 1e4),)


def cast(array, kind):
    kind = numpy.dtype(kind)
    if kind.kind != "f":
        array = numpy.nan_to_num(numpy.abs(array)).clip(0, 255)
    with numpy.errstate(over="ignore"):
        return array.astype(kind)


def feeds(values, fills):
    """(name of the fill, {input: array}) for each; `values`: {input: (shape, type)}."""
    random = numpy.random.default_rng(SEED)
    for name, fill in fills:
        yield name, {value: cast(fill(shape, random), kind) for value, (shape, kind) in values.items()}


def numbered_feed(values):
    start, feed = 1, {}
    for name, (shape, kind) in values.items():
        feed[name] = numbered(shape, kind, start)
        start += math.prod(shape)
    return "numbered elements", feed


def inputs_of(model):
    """{input: (shape, NumPy's type)} of a model whose sizes are fixed."""
    kinds = onnx.helper.tensor_dtype_to_np_dtype
    return {value.name: ([dim.dim_value for dim in value.type.tensor_type.shape.dim],
                         kinds(value.type.tensor_type.elem_type)) for value in model.graph.input}


def run(session, feed):
    try:
        return session.run(None, feed)
    except Exception as error:  # the binding raises a kind of its own for each status
        raise Refusal(f"ONNX Runtime does not run the graph: {str(error).splitlines()[0]}")


def must_be_same_bits(name, before, after):
    for one, other in zip(before, after, strict=True):
        if one.shape != other.shape or one.dtype != other.dtype or one.tobytes() != other.tobytes():
            raise Unequal(f"on {name} it does not answer the same bits")


def share_of_largest(before, after, largest):
    """The largest difference as a share of the largest number that went in."""
    if before.shape != after.shape or not numpy.isfinite(after).all():
        return math.inf
    difference = float(numpy.abs(before.astype(numpy.float64) - after).max())
    return difference / largest if difference else 0.0


def of_site(view, site):
    """The largest difference found; raises Unequal when it is not within the site's bound."""
    models = [excerpt_model(view, site, *excerpt(view, site)), excerpt_model(view, site, site.nodes, site.weights)]
    before, after = [compare.session_of(model, False) for model in models]
    values = inputs_of(models[0])
    exact = site.bound == 0
    worst = 0.0
    for name, feed in chain(feeds(values, ORDINARY + (ODD if exact else GREAT)), [numbered_feed(values)] if exact else []):
        answers = run(before, feed), run(after, feed)
        if exact:
            must_be_same_bits(name, *answers)
            continue
        largest = max(float(numpy.abs(array).max()) for array in feed.values())
        share = share_of_largest(answers[0][0], answers[1][0], largest or 1.0)
        if not share <= site.bound:
            raise Unequal(f"on {name} it differs by {share:.3g} of the largest number, allowed {site.bound:.3g}")
        worst = max(worst, share)
    return worst


def distance(before, after):
    """Relative L2 over what is finite, which must be the same elements."""
    if before.dtype.kind != "f" or before.shape != after.shape:
        return 0.0 if numpy.array_equal(before, after) else math.inf
    finite = numpy.isfinite(before)
    if not numpy.array_equal(finite, numpy.isfinite(after)):
        return math.inf
    return compare.relative_distance(before[finite], after[finite], compare.SERVED_FLOOR)


def of_graph(before, after, bound):
    """What the report says of the whole graph; raises Unequal when its answers are not within the bound."""
    sessions = [compare.session_of(model, False) for model in (before, after)]
    fills, worst = ORDINARY + LOUD, 0.0
    for name, feed in feeds(inputs_of(before), fills):
        answers = [run(session, feed) for session in sessions]
        if bound == 0:
            must_be_same_bits(name, *answers)
            continue
        far = max(distance(*pair) for pair in zip(*answers, strict=True))
        if not far <= bound:
            raise Unequal(f"on {name} the whole graph's answers differ by {far:.3g} (relative L2), allowed {bound:.3g}")
        worst = max(worst, far)
    return {"difference": worst, "allowed": bound, "inputs": len(fills)}


def of_files(before, after, paths):
    """On real inputs, both graphs as written and both as the runtime optimises them: what the optimising itself
    changes is no matter of the rewrite. Returns the largest relative L2."""
    worst = 0.0
    for optimised in (False, True):
        sessions = [compare.session_of(model, optimised) for model in (before, after)]
        entry = compare.only_input(sessions[0])
        for path in paths:
            feed = {entry.name: compare.read_input(path, entry)}
            pairs = zip(*(run(session, feed) for session in sessions), strict=True)
            worst = max([worst, *(distance(*pair) for pair in pairs)])
    if not worst <= compare.SERVED_BOUND:
        raise Unequal(f"on the given inputs the answers differ by {worst:.3g} (relative L2), allowed {compare.SERVED_BOUND:.3g}")
    return {"difference": worst, "allowed": compare.SERVED_BOUND, "inputs": len(paths)}
