# SPDX-License-Identifier: Apache-2.0
"""What the tests of rewrites share: small graphs, and how a rewrite is applied to one."""

import numpy
import onnxruntime
from onnx import helper

from rung_model import build, fix, rewrite

PICTURE = [1, 3, 8, 12]


class Small(build.Graph):
    """A graph whose weights need no names."""

    def __init__(self):
        super().__init__("small")

    def numbers(self, *values):
        return self.weight(f"numbers{len(self.weights)}", numpy.array(values, numpy.int64))

    def reshape(self, name, shape, output):
        return self.node("Reshape", [name, self.numbers(*shape)], output)

    def slice(self, name, output, starts, ends, axes, steps):
        return self.node("Slice", [name, *(self.numbers(*values) for values in (starts, ends, axes, steps))], output)


def model_of(graph, kind, opset, inputs, outputs):
    """A model of another type or opset than converters write; `inputs` and `outputs`: {name: shape}."""
    values = [[helper.make_tensor_value_info(name, kind, shape) for name, shape in tensors.items()]
              for tensors in (inputs, outputs)]
    made = helper.make_graph(graph.nodes, graph.name, *values, list(graph.weights.values()))
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", opset)], ir_version=fix.LEAST_IR)


def packed(shape, cut, perm, final):
    """A picture through Reshape, Transpose and Reshape."""
    graph = Small()
    graph.reshape("picture", cut, "cut")
    graph.node("Transpose", ["cut"], "moved", perm=perm)
    graph.reshape("moved", final, "packed")
    return graph.model({"picture": shape}, {"packed": final})


def unfolded(shape, phases, axis=1, block=2, chained=True):
    """A picture's pixels of each phase (row, column), joined along an axis."""
    rows, columns = (2, 3) if axis == 1 else (1, 2)
    graph, end = Small(), 2**31 - 1
    for index, (row, column) in enumerate(phases):
        if chained:
            graph.slice("picture", f"rows{index}", [row], [end], [rows], [block])
            graph.slice(f"rows{index}", f"part{index}", [column], [end], [columns], [block])
        else:
            graph.slice("picture", f"part{index}", [row, column], [end, end], [rows - 4, columns - 4], [block, block])
    graph.node("Concat", [f"part{index}" for index in range(len(phases))], "unfolded", axis=axis)
    answer = list(shape)
    answer[rows], answer[columns] = -(-shape[rows] // block), -(-shape[columns] // block)
    answer[axis] = shape[axis] * len(phases)
    return graph.model({"picture": shape}, {"unfolded": answer})


def resized(shape, answer, scales=None, **attributes):
    graph = Small()
    size = (["picture", "", "", graph.numbers(*answer)] if scales is None
            else ["picture", "", graph.weight("scales", numpy.array(scales, numpy.float32))])
    graph.node("Resize", size, "resized", **{"mode": "linear", **attributes})
    return graph.model({"picture": shape}, {"resized": answer})


def level(graph, name, size, parts):
    """Rows of one level: each part of so many channels is scores or not; joined and laid out as 1xCxN."""
    made = []
    for index, (scores, channels) in enumerate(parts):
        kernel = graph.weight(f"{name}.kernel{index}", numpy.linspace(-1, 1, channels * 3, dtype=numpy.float32)
                              .reshape(channels, 3, 1, 1))
        made.append(graph.node("Conv", [name, kernel], f"{name}.convolved{index}"))
        if scores:
            made[-1] = graph.node("Sigmoid", [made[-1]], f"{name}.scores{index}")
    total = sum(channels for _, channels in parts)
    joined = graph.node("Concat", made, f"{name}.joined", axis=1)
    return graph.reshape(joined, [1, total, size * size], f"{name}.flat")


BOX_AND_SCORES = ((False, 4), (True, 1), (True, 3))


def detector(parts=BOX_AND_SCORES, other=None):
    """Two levels whose rows come out as 1xNxC."""
    graph = Small()
    flat = [level(graph, "near", 4, parts), level(graph, "far", 2, other or parts)]
    graph.node("Concat", flat, "levels", axis=2)
    graph.node("Transpose", ["levels"], "rows", perm=[0, 2, 1])
    total = sum(channels for _, channels in parts)
    return graph.model({"near": [1, 3, 4, 4], "far": [1, 3, 2, 2]}, {"rows": [1, 20, total]})


def applied(model, name):
    """The rewritten model and the report of one rewrite."""
    after, (report,) = rewrite.rewrite_all(model, [name])
    return after, report


def kinds(model):
    return [node.op_type for node in model.graph.node]


def reason(model, name):
    """Why the only place that looks like the pattern is left; the graph is then the same."""
    after, report = applied(model, name)
    assert after.SerializeToString(deterministic=True) == model.SerializeToString(deterministic=True)
    assert report["changed"] == []
    (left,) = report["left"]
    return left["why"]


def must_look_the_same(before, after):
    for values in ("input", "output"):
        pairs = [[(value.name, value.type.tensor_type.elem_type, fix.shape_of(value)) for value in getattr(model.graph, values)]
                 for model in (before, after)]
        assert pairs[0] == pairs[1]


def answers(model, feed):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, feed)


def random_feed(model, seed=3):
    random = numpy.random.default_rng(seed)
    return {value.name: random.uniform(-5, 255, fix.shape_of(value)).astype(numpy.float32) for value in model.graph.input}


def must_answer_the_same(before, after):
    feed = random_feed(before)
    for one, other in zip(answers(before, feed), answers(after, feed), strict=True):
        assert one.tobytes() == other.tobytes()
