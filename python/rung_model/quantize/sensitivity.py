# SPDX-License-Identifier: Apache-2.0
"""How much each operation costs when it alone is quantised.

Operations with weights are looked at, with the activation behind them: what lies between quantised operations reads and
makes quantised tensors whatever it is called, so to keep it in float by itself changes nothing."""

from typing import NamedTuple

from .. import compare
from .progress import counted
from .quantiser import quantised
from .rules import groups


class Error(NamedTuple):
    at: str
    kind: str
    error: float  # as `distance`


def distance(references, session, feeds):
    """Relative L2 from the references, the mean of all outputs and feeds: one output that is all but empty is no judge."""
    far = [compare.relative_distance(*pair, compare.SERVED_FLOOR) for reference, feed in zip(references, feeds, strict=True)
           for pair in zip(reference, session.run(None, feed), strict=True)]
    return sum(far) / len(far)


def measure(model, form, ranges, names, feeds, weight_bits=None):
    """The error of each, the worst first."""
    reference = compare.session_of(model, True)
    answers = [reference.run(None, feed) for feed in feeds]
    table = []
    for group in counted(groups(model, names), "measuring operations"):
        alone = quantised(model, form, ranges, {node.name for node in group}, weight_bits)
        table.append(Error(group[0].name, group[0].op_type, distance(answers, compare.session_of(alone, True), feeds)))
    return sorted(table, key=lambda one: (-one.error, one.at))


def worst(model, names, table, count):
    """{name: why} of the operations with the largest errors, and of what belongs to them."""
    chosen, kept = {one.at for one in table[:count]}, {}
    for first, *behind in groups(model, names):
        if first.name in chosen:
            kept[first.name] = f"among the {count} worst"
            kept |= {node.name: f"behind one of the {count} worst" for node in behind}
    return kept
