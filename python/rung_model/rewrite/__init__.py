# SPDX-License-Identifier: Apache-2.0
"""Says a part of a graph in operations that devices run well. What looks like a pattern and is none stays as it
is, with the reason; what is one is proven equal before it is used (proof.py)."""

from . import packing, proof, resize, rows, unfold
from .. import Refusal, fix
from .graph import Left, View, replaced

# A rewrite is a module with NAME, ABOUT, BOUND (of the whole graph, 0: bit for bit) and find(view), which yields a
# Site for each place that it knows, and a Left for each that only looks like one.
REWRITES = (packing, unfold, resize, rows)


def must_be_fixed(model):
    """Shapes and weights are read as constants, which they are in a fixed graph alone."""
    graph = model.graph
    opset = max((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), default=1)
    if opset < fix.LEAST_OPSET:
        raise Refusal(f"the graph has opset {opset}, less than {fix.LEAST_OPSET}; fix it first")
    if len(fix.real_inputs(graph)) != len(graph.input):
        raise Refusal("the graph lists weights as inputs, so that they may change; fix it first")
    for value in graph.input:
        if not value.type.tensor_type.HasField("shape") or not all(fix.shape_of(value)):
            raise Refusal(f"input {value.name} has a free dimension; fix the graph first")


def prove_and_replace(view, found):
    """What to go on with, and an entry of the report."""
    try:
        difference = proof.of_site(view, found)
    except (proof.Unequal, Refusal) as error:
        return None, {"at": found.at, "why": f"its replacement was not proven: {error}"}
    return found, {"at": found.at, "what": found.what, "difference": difference, "allowed": found.bound}


def apply(model, rewrite):
    """A copy of the model with every place that is proven replaced, and what the report says of it."""
    view = View(model)
    report = {"name": rewrite.NAME, "changed": [], "left": []}
    after = model
    for found in rewrite.find(view):
        if isinstance(found, Left):
            report["left"].append({"at": found.at, "why": found.why})
            continue
        site, entry = prove_and_replace(view, found)
        report["changed" if site else "left"].append(entry)
        if site:
            after = replaced(after, site)
    if report["changed"]:
        fix.check(after)
        report["graph"] = proof.of_graph(model, after, rewrite.BOUND)
    return after, report


def rewrite_all(model, names=()):
    """By every rewrite, or by those of these names. Returns the model and a report for each rewrite."""
    must_be_fixed(model)
    reports = []
    for rewrite in REWRITES:
        if not names or rewrite.NAME in names:
            model, report = apply(model, rewrite)
            reports.append(report)
    return model, reports
