# SPDX-License-Identifier: Apache-2.0
"""From a model in f32 and photographs to the four files of a form."""

import hashlib
import math
import pathlib
import tempfile

import onnx

from .. import Refusal, compare, fix, photographs
from ..rewrite import proof
from . import canonical, output, prepared, ranges, rules, sensitivity
from .forms import LEAST_PHOTOGRAPHS
from .precision import Map
from .progress import counted
from .quantiser import quantised

LEAST_HOLDING = 0.25  # of the photographs; below, the report warns
HANDFUL = 4  # photographs on which operations and the whole form are compared


def quantised_names(model, kept):
    return {node.name for node in model.graph.node} - {one.at for one in kept}


def told_of(model):
    """Name, type and shape of inputs and outputs."""
    return [(value.name, value.type.tensor_type.elem_type, fix.shape_of(value))
            for value in [*model.graph.input, *model.graph.output]]


def as_row(one):
    """JSON has no infinity."""
    return {**one._asdict(), "error": one.error if math.isfinite(one.error) else None}


class Quantising:
    """From the command's arguments to the four files and the report."""

    def __init__(self, arguments, form):
        self.arguments, self.form = arguments, form
        self.spec_path, self.graph_path = pathlib.Path(arguments.spec), pathlib.Path(arguments.graph)
        self.files = output.Files(arguments.output)
        self.files.must_spare([self.spec_path, self.graph_path])
        self.form_spec = output.with_threshold(output.read_spec(self.spec_path), arguments.min_confidence)
        self.photographs = self.find_photographs()
        self.record = output.record_of(self.calibration(), self.photographs)
        self.graph = fix.load(self.graph_path)
        self.given = self.graph_path.read_bytes()
        self.warnings, self.table, self.sample = [], [], []

    def find_photographs(self):
        found = photographs.find(self.arguments.photos)
        if len(found) < LEAST_PHOTOGRAPHS:
            raise Refusal(f"there are {len(found)} different photographs, and calibration takes {LEAST_PHOTOGRAPHS} at least; "
                          "name folders with more")
        return found

    def calibration(self):
        """What the gate record says of it."""
        told = self.arguments
        return {"form": self.form.name, "method": ranges.text_of(told.percentile), "count": len(self.photographs),
                "weight_bits": told.weight_bits or (16 if self.form.name == "a16w16" else 8),
                "float": told.float, "rules": not told.no_rules, "float_worst": told.float_worst,
                "min_confidence": told.min_confidence}

    def run(self):
        with tempfile.TemporaryDirectory(prefix="rung_model.") as name:  # for its user alone
            folder = pathlib.Path(name)
            for place in (folder, self.files.graph.parent):
                output.must_have_room(place, output.ROOM * self.graph.ByteSize())
            model = prepared.prepare(self.graph, folder)
            kept = rules.kept_in_float(model, self.arguments.float, not self.arguments.no_rules)
            gathered = self.calibrate(model, folder)
            prepared.check(self.graph, model, self.sample)
            kept = self.keep_the_worst(model, gathered, kept)
            made = quantised(model, self.form, gathered, quantised_names(model, kept), self.arguments.weight_bits)
            contents, report = self.finished(made, kept)
            output.must_pack(self.files, contents, folder)
        output.write(contents)
        return report

    def feeds(self, model):
        """One for each photograph. A handful is kept: the first that hold something, and others where there are too few."""
        name, holding, others = self.graph.graph.input[0].name, [], []
        for photograph in counted(self.photographs, "calibrating"):
            feed = {name: model.tensor(photograph)}
            few = holding if model.last_holds() else others
            if len(few) < HANDFUL:
                few.append(feed)
            yield feed
        self.sample = [*holding, *others][:HANDFUL]

    def calibrate(self, model, folder):
        (value,) = proof.inputs_of(self.graph).values()
        with canonical.opened(self.spec_path, self.graph_path, value, folder) as known:
            gathered = ranges.gather(model, self.feeds(known), self.arguments.percentile, folder)
            self.holding = known.holding()
        if self.holding < LEAST_HOLDING * len(self.photographs):
            self.warnings.append(f"the model in f32 finds something in {self.holding} of the {len(self.photographs)} photographs "
                                 "alone; more of what it is for would make better ranges")
        return gathered

    def keep_the_worst(self, model, gathered, kept):
        count = self.arguments.float_worst
        if not count:
            return kept
        names = quantised_names(model, kept)
        self.table = sensitivity.measure(model, self.form, gathered, names, self.sample, self.arguments.weight_bits)
        chosen = sensitivity.worst(model, names, self.table, count)
        return kept + [rules.Kept(node.name, node.op_type, chosen[node.name]) for node in model.graph.node
                       if node.name in chosen]

    def finished(self, made, kept):
        """The files' contents and the report."""
        operations = Map(made, self.form)
        operations.must_be_quantised()
        self.must_look_the_same(made)
        self.warn_of_islands(operations, kept)
        graph = made.SerializeToString(deterministic=True)
        spec = output.spec_of(self.form_spec, self.spec_path.parent, self.form, self.given, self.files)
        contents = dict(zip(self.files.all(), [graph, operations.section(), self.record, output.as_json(spec)], strict=True))
        report = {
            "schema": 1, "model": str(self.graph_path), "output": str(self.files.graph), "form": self.form.name,
            "files": list(map(str, self.files.all())), "artifact": hashlib.sha256(graph).hexdigest(),
            "photographs": {"count": len(self.photographs), "holding": self.holding},
            "range": ranges.text_of(self.arguments.percentile), "operations": operations.counts(),
            "bytes": {"before": len(self.given), "after": len(graph)},
            "weights": {"count": len(operations.quantised_weights), "bytes": operations.weight_bytes()},
            "distance": self.distance(made), "float": [one._asdict() for one in kept],
            "sensitivity": [as_row(one) for one in self.table], "warnings": self.warnings}
        return contents, report

    def warn_of_islands(self, operations, kept):
        """What has no weights reads and makes what its neighbours do, so a runtime takes it with them."""
        islands = [one for one in kept if operations.operations.get(one.at) == self.form.precision]
        if islands:
            self.warnings.append(f"{len(islands)} operations that were to stay in float stand between quantised ones and compute "
                                 f"in {self.form.precision}, as {islands[0].at} ({islands[0].kind}); keep those beside them, too")

    def must_look_the_same(self, made):
        if told_of(made) != told_of(self.graph):
            raise Refusal("the quantiser changed the graph's inputs or outputs; nothing was written")
        onnx.checker.check_model(made)

    def distance(self, made):
        """Of the form as ONNX Runtime serves it here, from f32, on a handful of the photographs."""
        reference, session = [compare.session_of(model, True) for model in (self.graph, made)]
        far = sensitivity.distance([reference.run(None, feed) for feed in self.sample], session, self.sample)
        if not math.isfinite(far):
            raise Refusal("the quantised graph answers with numbers that are not finite; nothing was written")
        return far
