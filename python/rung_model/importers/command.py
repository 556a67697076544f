# SPDX-License-Identifier: Apache-2.0
"""rung-model import: recognises an exported ONNX graph, shows by what, and writes a spec for `rung pack`
once everything is said that no graph tells: preprocessing, labels, thresholds. Nothing is guessed: what is usual in a
family is offered, and taken with --accept alone."""

import argparse
import json
import pathlib
import shlex
import sys
import textwrap

from .. import Refusal, files
from . import FAMILIES, answers, members, obstacles, onnx_file, outright, recognise, report
from .draft import Draft
from .graph import Graph

OPEN = 3  # exit code: something remains to be said

CODES = """exit codes: 0 recognised, and all is said (with -o: written); 1 refused, the sentence says why;
2 wrong usage; 3 something remains to be said, nothing was written"""


def epilog():
    rows = [f"  {member:<26} {row.meaning}" for member, row in members.MEMBERS.items()]
    families = textwrap.fill(", ".join(FAMILIES), 100)
    return "\n".join(["families: " + families, "", "members that can be said with --set:", *rows,
                      "  mean, std                  in place of scale and bias, of values 0 to 255",
                      "  outputs.PURPOSE            the name of the output for a purpose of the head", "", CODES])


def candidates(graph, said, facts, family):
    outright.compare_outputs(graph, facts)
    families = [FAMILIES[family]] if family else FAMILIES.values()
    found, not_these = recognise(graph, {**outright.said_names(facts), **said}, families)
    agreeing = [candidate for candidate in found if outright.agrees(candidate, facts)]
    if not agreeing and not family and outright.is_whole(facts):
        agreeing = [outright.candidate_of(graph, facts)]
    if found and not agreeing:
        raise Refusal(f"the spec says another role or head than {found[0].family.name} has, whose tensors these are; "
                      "correct it, or say all of role, head and outputs")
    if not found and not agreeing:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in not_these.items())
        raise Refusal(f"the graph is not {family}: {reasons}" if family else
                      f"no family has such tensors ({reasons}); if docs/heads.md has a head for them, say role, head "
                      "and outputs with their purposes in a spec file, by --spec")
    return agreeing


def can_be_recognised(graph):
    return graph.canvas is not None and len(graph.file.inputs) == 1 and \
        0 < len(graph.outputs) <= obstacles.MOST_OUTPUTS and all(tensor.fixed() for tensor in graph.outputs)


def all_said(arguments):
    said, facts = answers.from_file(arguments.spec) if arguments.spec else ({}, {})
    pairs = answers.from_pairs(arguments.set)
    return {**said, **pairs}, facts


def unused(candidate, said):
    """Slips of the pen: what was said and is no part of this model's spec."""
    purposes = {f"outputs.{purpose}" for purpose, _ in candidate.outputs}
    for member in said:
        odd = (member.startswith("outputs.") and member not in purposes) or \
            (member in members.NO_SPEC and member not in candidate.open) or \
            (member.startswith("selection.") and candidate.role == "embedder") or \
            (member == "tensor.normalised" and candidate.role != "embedder")
        if odd:
            raise Refusal(f"{member} means nothing for {report.head_of(candidate)}; leave it out")
        if member.startswith("outputs.") and dict(candidate.outputs)[member[8:]].name != said[member]:
            raise Refusal(f"{member} was said to be {onnx_file.shown(said[member])}, and by its shape it is "
                          f"{dict(candidate.outputs)[member[8:]]}; leave it out or name that one")


def write(spec, arguments):
    """Never over the model."""
    path = pathlib.Path(arguments.output)
    if path.exists() and path.samefile(arguments.model):
        raise Refusal(f"{path} is the model itself; name another file for the spec")
    files.write_whole((json.dumps(spec, indent=2, ensure_ascii=False) + "\n").encode(), path)
    return str(path)


class Import:
    """What is known of one graph so far."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.said, self.facts = all_said(arguments)
        self.graph = Graph(onnx_file.read(arguments.model))
        self.obstacles = obstacles.of(self.graph) + obstacles.form(self.graph, self.said)
        self.found, self.draft, self.written = [], None, None
        if can_be_recognised(self.graph):
            self.look()

    def look(self):
        """What is wrong with what was said is told together with what is wrong with the graph."""
        try:
            self.found = candidates(self.graph, self.said, self.facts, self.arguments.family)
            if len(self.found) == 1:
                self.obstacles += self.found[0].obstacles
                self.fill()
        except Refusal as refusal:
            self.obstacles.append(str(refusal))

    def fill(self):
        candidate, = self.found
        unused(candidate, self.said)
        draft = Draft(self.graph, candidate, self.said, self.arguments.accept)
        outright.compare(self.graph, self.facts, draft.spec())
        self.draft = draft

    def is_complete(self):
        return not self.obstacles and self.draft is not None and not self.draft.missing

    def finish(self):
        if self.is_complete() and self.arguments.output:
            self.written = write(self.draft.spec(), self.arguments)

    def code(self):
        return 1 if self.obstacles else 0 if self.is_complete() else OPEN

    def lines(self):
        yield from report.file_lines(self.graph)
        if len(self.found) > 1:
            yield from report.ambiguous_lines(self.found)
        elif self.found:
            yield from report.candidate_lines(self.found[0])
        if self.draft:
            yield from report.draft_lines(self.draft)
        cure = obstacles.fix_command(self.graph)
        if cure:
            yield f"first: {cure}, then import fixed.onnx"
        if self.written:
            name = self.draft.value("name")
            yield f"{self.written} is written; next: rung pack {shlex.quote(self.written)} " \
                  f"{shlex.quote(self.graph.file.path)} -o {name}.rung --key KEY"


def run(arguments):
    one = Import(arguments)
    one.finish()
    if arguments.json:
        whole = report.whole_object(one.graph, one.found, one.obstacles, one.draft, one.written)
        print(json.dumps(whole, indent=2, ensure_ascii=False))
    else:
        print("\n".join(one.lines()))
    if one.code() == OPEN and arguments.output:
        print(f"rung-model: something remains to be said; {arguments.output} was not written", file=sys.stderr)
    if one.obstacles:
        raise Refusal("\nrung-model: ".join(one.obstacles))
    sys.exit(one.code())


def add(commands):
    one = commands.add_parser("import", help="recognise an exported ONNX graph and write its spec",
                              description=__doc__, epilog=epilog(), formatter_class=argparse.RawDescriptionHelpFormatter)
    one.add_argument("model", help="the ONNX model")
    one.add_argument("--as", dest="family", choices=FAMILIES, metavar="FAMILY", help="what it is, where several fit")
    one.add_argument("--set", action="append", default=[], metavar="MEMBER=VALUE", help="say one member")
    one.add_argument("--spec", metavar="FILE", help="say members by a JSON file: a spec, whole or in part")
    one.add_argument("--accept", action="store_true", help="take what is usual in the family for what remains")
    one.add_argument("-o", "--output", metavar="SPEC", help="the spec to write")
    one.add_argument("--json", action="store_true", help="tell all of it as JSON")
    one.set_defaults(run=run)
