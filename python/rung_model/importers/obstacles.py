# SPDX-License-Identifier: Apache-2.0
"""What keeps a graph from being packed, whatever family it is of: one check a sentence, with what to do."""

import math
import shlex

from .onnx_file import MOST_NAME, shape_text, shown

LEAST_OPSET = 13  # docs/artifact.md
MOST_OUTPUTS, MOST_RANK, MOST_ELEMENTS = 16, 8, 2**31
SERVED = ("f32", "f16", "u8")
SUPPRESSES = ("NonMaxSuppression", "NMS", "BatchedNMS")


FIX = "rung-model fix"
SHAPE = "1,3,HEIGHT,WIDTH"


def fix_command(graph):
    """What cures all that `fix` can cure; None where there is nothing."""
    if not any(sentence for check in CURED for sentence in check(graph)):
        return None
    picture = graph.input is None or graph.canvas is not None
    shape = "" if picture else f" --shape {shlex.quote(graph.input.name)}={SHAPE}"
    return f"{FIX} {shlex.quote(graph.file.path)} fixed.onnx{shape} --inputs PHOTOGRAPH..."


def inputs(graph):
    if len(graph.file.inputs) != 1:
        names = ", ".join(str(tensor) for tensor in graph.file.inputs[:8]) or "none"
        yield f"the graph has {len(graph.file.inputs)} inputs ({names}) and Rung serves one, the picture; export it " \
              "with the picture alone"


def shapes(graph):
    if graph.input is None:
        return
    sides = graph.input.shape
    if graph.input.fixed() and any(side != 1 for side in sides[:-3]):
        yield f"input {graph.input} has a batch of {sides[0]}, and Rung serves pictures one by one; " \
              f"{FIX} --shape {graph.input.name}={SHAPE} changes that"
    elif not graph.input.fixed():
        yield f"input {graph.input} has free dimensions, and Rung serves one size; " \
              f"{FIX} --shape {graph.input.name}={SHAPE} gives it one"
    elif graph.canvas is None:
        yield f"input {graph.input} is no picture of 3 channels; export it with 1×3×HEIGHT×WIDTH or " \
              "1×HEIGHT×WIDTH×3, or 1×HEIGHT×WIDTH×4 of u8"
    free = [str(tensor) for tensor in graph.outputs if not tensor.fixed()]
    if free and graph.input.fixed():
        yield f"the shape of {', '.join(free)} is not told; {FIX} works it out"


def opset(graph):
    if graph.file.opset < LEAST_OPSET:
        yield f"opset {graph.file.opset} is older than {LEAST_OPSET}, the least that is served; {FIX} raises it"


def external(graph):
    if graph.file.external:
        places = ", ".join(shown(place) for place in graph.file.external[:4])
        yield f"weights lie in other files ({places}), and a model file holds one; {FIX} puts them into it"


def suppression(graph):
    kinds = [kind for kind in sorted(graph.file.kinds) if kind.startswith(SUPPRESSES) or "NMS" in kind]
    if kinds:
        yield f"the graph suppresses boxes itself ({', '.join(map(shown, kinds))}), so how many it gives varies; " \
              "export it without (in ultralytics nms=False, elsewhere without end2end or post-processing)"


def types(graph):
    for tensor in graph.file.inputs[:1] + graph.outputs[:MOST_OUTPUTS]:
        if tensor.dtype not in SERVED:
            hint = "; an ArgMax ends it: cut the graph before that" if "i" in tensor.dtype and \
                graph.ends(tensor.name) & {"ArgMax"} else ""
            yield f"{tensor} is of a type that is not served; export it with f32 ({', '.join(SERVED)} are){hint}"


def bounds(graph):
    if not 1 <= len(graph.outputs) <= MOST_OUTPUTS:
        yield f"the graph has {len(graph.outputs)} outputs, and a model file 1 to {MOST_OUTPUTS}; export it without " \
              "the rest"
    for tensor in graph.file.inputs[:1] + graph.outputs[:MOST_OUTPUTS]:
        size = len(tensor.name.encode())
        if not 1 <= size <= MOST_NAME:
            yield f"the name {shown(tensor.name)} has {size} bytes, and a model file keeps 1 to {MOST_NAME}; rename it"
        if len(tensor.shape) > MOST_RANK:
            yield f"{shown(tensor.name)} has {len(tensor.shape)} dimensions, and a model file at most {MOST_RANK}"
        elif tensor.fixed() and math.prod(tensor.shape) > MOST_ELEMENTS:
            yield f"{shown(tensor.name)} has {shape_text(tensor.shape)} elements, more than {MOST_ELEMENTS:,}"
    names = [tensor.name for tensor in graph.outputs]
    if len(set(names)) < len(names):
        yield "two outputs have the same name; export the graph with output_names of their own"


def listed_weights(graph):
    if graph.file.weights_listed:
        listed = len(graph.file.weights_listed)
        yield f"{listed} weights are listed as inputs, as old exporters do; {FIX} takes them out"


CURED = (opset, shapes, external, listed_weights)
CHECKS = (inputs, *CURED, suppression, types, bounds)


def of(graph):
    return [sentence for check in CHECKS for sentence in check(graph)]


def form(graph, said):
    """A graph whose weights are no f32 is a form of another model, which the person must say."""
    halves = graph.file.half_weights or (graph.input is not None and graph.input.dtype == "f16")
    steps = {"QuantizeLinear", "DequantizeLinear"} & graph.file.kinds
    if not (halves or steps) or "form" in said:
        return []
    what = f"input {graph.input}" if graph.input is not None and graph.input.dtype == "f16" else "weights"
    if halves:
        return [f"{what} of 16 bits: the model's canonical form is f32, so export that (half=False); if this is the "
                "form to pack, say --set form=f16 --set precision=FILE --set canonical=DIGEST (docs/artifact.md)"]
    return ["the graph is quantised: import the f32 graph first; if this is the form to pack, say --set form=int8 "
            "(or a16w8, a16w16) --set precision=FILE --set canonical=DIGEST (docs/artifact.md)"]
