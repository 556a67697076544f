# SPDX-License-Identifier: Apache-2.0
"""The command `gate`."""

import argparse
import json
import pathlib
import sys
import tempfile

from .. import Refusal, files, handling, photographs
from . import __doc__ as about
from . import costs, forms, measure, page, record, table, thresholds, worst
from .labels import Labels

SCHEMA = 1
SCORE_FLOOR = 0.05
MOST_THREADS = 1024  # as `rung gate` has it


def say(text):
    """Beside the results, which go to standard output."""
    print(f"rung-model: {text}", file=sys.stderr)


class Gate:
    """One run of the command; everything that can be refused without measuring is, first."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.applied = None  # the threshold that the spec is given
        self.photographs = photographs.find(arguments.photos)
        self.form = forms.open_model(arguments.form, folder, "form")
        self.record = record.Record(self.form)
        self.record.must_be_disjoint_from(self.photographs)
        self.right = forms.open_model(arguments.against, folder, "f32") if arguments.against else self.form
        self.trust = ("--trust", arguments.trust) if arguments.trust else ()
        self.outputs_must_be_writable()
        self.labels = self.read_labels() if arguments.labels else None
        if arguments.suggest_threshold:
            thresholds.must_be_searched(self.form)

    def outputs_must_be_writable(self):
        """Found out now, and not after the measurement."""
        if self.arguments.report:
            files.must_spare(self.arguments.report, [*self.form.files, *self.right.files, self.arguments.labels, self.arguments.trust,
                                                     *(photograph.path for photograph in self.photographs)])
            files.must_be_writable(self.arguments.report)
        if self.record.path:
            files.must_be_writable(self.record.path)
        if self.arguments.apply:
            files.must_be_writable(self.form.place)

    def read_labels(self):
        from . import coco  # here, as pycocotools is for labels alone
        self.compare = coco.compare
        if self.form.info["role"] != "detector":
            raise Refusal(f"--labels is for detectors, and {self.form.place} is none")
        labels = Labels(self.arguments.labels, self.photographs, self.form.labels)
        if labels.left_out:
            say(f"{self.arguments.labels} does not have {', '.join(labels.left_out)}: what is found of them is left out of the "
                "average precision")
        return labels

    def measured(self, packed):
        options = self.arguments
        return measure.measure(packed, self.right.packed, self.photographs, options.rung, options.threads, options.labels,
                               self.trust)

    def with_suggestion(self, gate):
        """The packed form to go on with, and its gate: where a lower threshold is applied, the form that has it."""
        rows, chosen, better = thresholds.suggest(self.form, gate, self.folder, self.measured)
        packed = self.form.packed
        if self.arguments.apply and better is not gate:
            self.applied, packed, gate = chosen, thresholds.packed_with(chosen, self.folder), better
        gate["thresholds"] = {"measured": rows, "suggested": chosen}
        return packed, gate

    def entry(self):
        """What the record gets, and the packed form that was measured."""
        packed, gate = self.form.packed, self.measured(self.form.packed)
        if self.arguments.suggest_threshold:
            packed, gate = self.with_suggestion(gate)
        if gate["role"] == "detector":
            gate["min_confidence"] = thresholds.threshold_of(self.form) if self.applied is None else self.applied
        if self.labels:
            gate["coco"] = self.compare(packed, self.right.packed, gate, self.labels, self.photographs,
                                        self.arguments.score_floor, self.trust)
        gate["spec"] = handling.digest(packed)
        gate["bytes"] = {"form": self.form.payload_bytes, "f32": self.right.payload_bytes}
        gate.update(costs.costs(self.served(packed, gate), self.right.packed, gate, self.arguments.threads, self.trust))
        return record.rounded(gate), packed

    def served(self, packed, gate):
        """An embedder is served in another form only with a record that it passed."""
        if gate["role"] != "embedder" or self.form.spec is None or not gate["passed"]:
            return packed
        passed = {"schema": SCHEMA, "gates": [gate]}
        return forms.pack(self.form.place, self.form.spec, self.folder, "served", passed)

    def write(self, entry):
        """The spec last: a record of a threshold that the spec does not have yet is no harm, the other way round is."""
        if self.record.path:
            self.record.append(entry)
        else:
            say(f"{self.form.place} names no file as its gate record: what was measured is not written")
        if self.applied is not None:
            thresholds.apply(self.form, self.applied)


def run(arguments):
    if arguments.apply and not arguments.suggest_threshold:
        raise Refusal("--apply is for --suggest-threshold")
    with tempfile.TemporaryDirectory(prefix="rung-gate-") as name:  # which nobody else may enter
        gate = Gate(arguments, pathlib.Path(name))
        entry, packed = gate.entry()
        html = arguments.report and page.page(entry, worst.look(entry, packed, gate.right.packed, gate.photographs, gate.trust))
        if html:  # first, as nothing is recorded where something fails
            files.write_whole(html.encode(), arguments.report)
        gate.write(entry)
    if arguments.json:
        print(json.dumps({"schema": SCHEMA, "form": str(arguments.form), "against": arguments.against, "passed": entry["passed"],
                          "record": gate.record.path and str(gate.record.path), "report": arguments.report, "gate": entry}))
    else:
        table.show(entry, arguments)
    if not entry["passed"]:
        sys.exit(measure.MISSED)


def score(text):
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


def count(text):
    if not text.isdecimal() or not 1 <= int(text) <= MOST_THREADS:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from 1 to {MOST_THREADS}")
    return int(text)


def add(commands):
    one = commands.add_parser("gate", help="measure a form of a model against f32 on photographs", description=about,
                              epilog="The exit status is 0 where the form passed, 1 where it missed, 5 where there is no verdict; then "
                              "nothing is recorded.")
    one.add_argument("form", metavar="FORM", help="the form's spec, or a .rung file")
    one.add_argument("--against", metavar="F32", help="the spec of the model in f32, or its .rung file (default: FORM, in f32)")
    one.add_argument("--photos", nargs="+", required=True, metavar="DIR",
                     help="photographs, or folders of them, that have what the model is for, and none that it was calibrated on")
    one.add_argument("--labels", metavar="FILE", help="what there is on them, in COCO's format for annotations: tells the average "
                     "precision too")
    one.add_argument("--score-floor", type=score, default=SCORE_FLOOR, metavar="C",
                     help="average precision counts detections from this score on (default %(default)s)")
    one.add_argument("--rung", help="where the form is to run (default: where it is served)")
    one.add_argument("--threads", type=count, metavar="N", help="threads that run models")
    one.add_argument("--trust", metavar="PATH", help="for .rung files: trust this public key, or the keys in this folder")
    one.add_argument("--report", metavar="PAGE.html", help="a page with plots and the worst photographs")
    one.add_argument("--suggest-threshold", action="store_true",
                     help="where the form missed, look for a lower min_confidence with which it passes")
    one.add_argument("--apply", action="store_true", help="write that into the form's spec")
    one.add_argument("--json", action="store_true", help="what was measured as one JSON object")
    one.set_defaults(run=run, refused=measure.UNREADABLE)
