# SPDX-License-Identifier: Apache-2.0
"""A spec that is being filled: each member has a value with its source, or remains to be said."""

import collections
import json
import pathlib
import re

from .. import Refusal

# Where a value comes from, from the strongest to the weakest.
SAID, GRAPH, USUAL, DEFAULT = "said", "graph", "usual", "default"

Value = collections.namedtuple("Value", "value source")

ORDER = ("schema", "name", "role", "kind", "form", "head", "canvas", "tensor", "fit", "rounding", "resampler", "order",
         "scale", "bias", "fill", "selection", "embedding_length", "input", "outputs", "parameters", "labels",
         "capabilities", "licence", "gate", "precision", "canonical", "golden", "providers", "max_output_bytes",
         "graph")
# What rung pack takes for what nobody says, and a spec says all the same.
DEFAULTS = {"form": "f32", "rounding": "nearest", "resampler": "bilinear", "fill": [0, 0, 0], "providers": ["ort"]}
DETECTOR = {"selection.containment": False, "selection.per_class": False, "selection.capacity": 8192,
            "selection.considered": 2048, "selection.max_targets": 512}
# What a graph shows beyond its shapes, and a person may know better.
SHOWN_ONLY = ("parameters.logits", "parameters.raw", "selection.max_targets", "labels")


def proposed_name(path):
    name = re.sub(r"[^a-z0-9._-]+", "_", pathlib.Path(path).stem.lower()).strip("._-")[:64]
    return {"name": name} if name else {}


class Draft:
    def __init__(self, graph, candidate, said, accept):
        self.graph, self.candidate, self.said = graph, candidate, said
        self.usual = {**proposed_name(graph.file.path), **(candidate.family.usual if candidate.family else {})}
        self.accept = accept
        self.told = self.shown_by_graph()
        self.values = {}
        self.missing = {}
        self.fill_in()

    def shown_by_graph(self):
        told = dict(self.candidate.told)
        names = self.graph.class_names()
        if names and self.candidate.role != "embedder" and self.candidate.classes in (None, len(names)):
            told["labels"] = names
        if self.graph.input.dtype == "u8":
            told.update({"scale": [1, 1, 1], "bias": [0, 0, 0]})
        return told

    def resolve(self, member):
        """The value of a member by its strongest source; None where there is none."""
        if member in self.said:
            self.must_agree(member)
            return Value(self.said[member], SAID)
        if member in self.told:
            return Value(self.told[member], GRAPH)
        if self.accept and member in self.usual:
            return Value(self.usual[member], USUAL)
        default = {**DEFAULTS, **(DETECTOR if self.candidate.role == "detector" else {})}.get(member)
        return None if default is None else Value(default, DEFAULT)

    def must_agree(self, member):
        told = self.told.get(member)
        if told is not None and told != self.said[member] and member not in SHOWN_ONLY:
            raise Refusal(f"{member} was said to be {json.dumps(self.said[member])}, and of this graph it is "
                          f"{json.dumps(told)}; leave it out")

    def need(self, member, why):
        """A member that must have a value, and none by default."""
        value = self.resolve(member)
        if value is None or value.source == DEFAULT:
            self.missing[member] = why
        else:
            self.values[member] = value

    def keep(self, member):
        value = self.resolve(member)
        if value is not None:
            self.values[member] = value

    def value(self, member):
        return self.values[member].value if member in self.values else None

    def fill_in(self):
        self.need("name", "the model's name")
        self.keep("form")
        for member, why in (("order", "RGB or BGR"), ("scale", "such as 1/255"), ("bias", "what is added then"),
                            ("fit", "stretch, letterbox, letterbox-topleft or cover")):
            self.need(member, f"{why}; no graph tells it")
        if str(self.value("fit")).startswith("letterbox"):
            self.need("rounding", "floor or nearest, of the free side of a letterbox")
            self.need("fill", "the value around the picture")
        if self.value("form") not in (None, "f32"):
            self.need("precision", "the precision map, which forms other than f32 have")
        if self.candidate.role == "detector":
            self.fill_selection()
        for member, why in self.candidate.open.items():
            self.need(member, why)
        if self.candidate.role != "embedder":
            self.fill_labels()
        for member in [*DEFAULTS, *self.told, *self.said, *(DETECTOR if self.candidate.role == "detector" else ())]:
            if member not in self.missing:
                self.keep(member)

    def fill_selection(self):
        self.need("selection.min_confidence", "the least confidence of a target")
        self.need("selection.suppress", "whether overlapping boxes are one object")
        if self.value("selection.suppress"):
            self.need("selection.iou", "from which overlap on they are")
            if self.candidate.classes != 1:
                self.need("selection.per_class", "whether only boxes of one class can be one object")

    def fill_labels(self):
        classes = self.candidate.classes
        named = len(self.graph.class_names())
        odd = f"; its metadata names {named}, which are others" if named and classes not in (None, named) else ""
        self.need("labels", "names of the classes" if classes is None else
                  f"{classes} name{'s, in the order of the classes' if classes > 1 else ', of its one class'}{odd}")
        labels = self.value("labels")
        if labels and classes is not None and len(labels) != classes:
            raise Refusal(f"the model has {classes} class{'es' * (classes != 1)} by its outputs, and {len(labels)} "
                          f"labels were said; give those of this model, {classes} in the order of its training")

    def spec(self):
        """The spec as rung pack takes it."""
        candidate, tensor = self.candidate, self.graph.input
        width, height = self.graph.canvas
        whole = {"schema": 1, "role": candidate.role, "kind": "onnx",
                 "canvas": {"width": width, "height": height},
                 "tensor": {"dtype": tensor.dtype, "layout": self.graph.layout},
                 "input": {"name": tensor.name, "dtype": tensor.dtype, "shape": tensor.shape},
                 "outputs": [{"purpose": purpose, "name": output.name, "dtype": output.dtype, "shape": output.shape}
                             for purpose, output in candidate.outputs]}
        if candidate.head:
            whole["head"] = candidate.head
        for member, (value, _) in self.values.items():
            section, _, name = member.rpartition(".")
            if member == "labels" and not value:
                continue
            if section in ("selection", "parameters", "tensor"):
                whole.setdefault(section, {})[name] = value
            elif not section:
                whole[name] = value
        return {member: whole[member] for member in ORDER if member in whole}
