# SPDX-License-Identifier: Apache-2.0
"""What a family says of a graph: that it could be one of its own, and why; or why not."""

import collections
import dataclasses

# One row of the table of families. `recognise(graph, said)` gives a Candidate or raises NotThis; `said` has what the
# person said of the model, by member. `usual` are members as the family's authors have them, offered, never taken.
Family = collections.namedtuple("Family", "name title recognise usual source", defaults=({}, ""))


class NotThis(Exception):
    """The graph is none of the family; the text says by what."""


@dataclasses.dataclass
class Candidate:
    head: str | None
    outputs: list  # (purpose, Tensor)
    by: list  # what it was recognised by, a sentence each
    role: str = "detector"
    told: dict = dataclasses.field(default_factory=dict)  # members that the graph tells
    open: dict = dataclasses.field(default_factory=dict)  # members that this family needs besides, and why
    classes: int | None = None
    obstacles: list = dataclasses.field(default_factory=list)
    family: Family | None = None

    def tell(self, member, value, why):
        """A member of which the graph may show the value; where it does not, the person must."""
        if value is None:
            self.open[member] = "the graph does not show it"
            return
        self.told[member] = value
        if why:
            self.by.append(why)


def only_output(graph):
    if len(graph.outputs) != 1:
        raise NotThis(f"it has one output, and this graph {len(graph.outputs)}")
    return graph.outputs[0]


def names_fit(tensor, purpose):
    """False where a name says the other of scores and boxes."""
    words = {"scores": ("score", "conf", "cls", "logit", "label", "class"), "boxes": ("box", "loc", "dets")}
    name = tensor.name.lower()
    other = "boxes" if purpose == "scores" else "scores"
    return any(word in name for word in words[purpose]) or not any(word in name for word in words[other])


def scores_and_boxes(graph, said):
    """The two outputs of a detector with a table of scores and one of boxes, and what is wrong with their names."""
    if len(graph.outputs) != 2:
        raise NotThis(f"it has two outputs, and this graph {len(graph.outputs)}")
    tables = [tensor for tensor in graph.outputs if len(tensor.shape) >= 2 and all(s == 1 for s in tensor.shape[:-2])]
    if len(tables) != 2 or tables[0].shape[-2] != tables[1].shape[-2]:
        raise NotThis("its two outputs have a row a box each, as many in both")
    boxes = [tensor for tensor in tables if tensor.shape[-1] == 4]
    if not boxes:
        raise NotThis("one of its outputs has 4 columns, the boxes")
    pair = [tensor for tensor in tables if tensor is not boxes[0]][0], boxes[0]
    named = [said.get("outputs.scores"), said.get("outputs.boxes")]
    if len(boxes) == 2 and any(named):
        pair = tuple(sorted(tables, key=lambda tensor: (tensor.name == named[1]) - (tensor.name == named[0])))
    elif len(boxes) == 2:
        raise NotThis("both outputs have 4 columns, so scores and boxes look alike; say outputs.scores=NAME")
    scores, boxes = pair
    if any(named) or (names_fit(scores, "scores") and names_fit(boxes, "boxes")):
        return scores, boxes, []
    return scores, boxes, [f"by their names two outputs are swapped: {scores} has the columns of scores and {boxes} "
                           "those of boxes; export again with output_names in the order of the graph's outputs, or, "
                           f"if the shapes are right, say --set outputs.scores={scores.name}"]
