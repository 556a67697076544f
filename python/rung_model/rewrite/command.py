# SPDX-License-Identifier: Apache-2.0
"""The command `rewrite`."""

import json

from .. import Refusal, files, fix
from . import REWRITES, proof, rewrite_all
from . import __doc__ as about

SCHEMA = 1


def sizes_of(model):
    return {"nodes": len(model.graph.node), "bytes": model.ByteSize()}


def print_report(report):
    """One line for each place, and one for each rewrite's whole graph."""
    for one in report["rewrites"]:
        for entry in one["changed"]:
            print(f"{one['name']}: {entry['at']}: {entry['what']}; {told(entry, 'of the largest number')}")
        for entry in one["left"]:
            print(f"{one['name']}: {entry['at']} left as it is: {entry['why']}")
        if one["changed"]:
            print(f"{one['name']}: the whole graph on {one['graph']['inputs']} inputs: {told(one['graph'], 'relative L2')}")
    if "real" in report:
        print(f"on the {report['real']['inputs']} inputs given: {told(report['real'], 'relative L2')}")
    changed = sum(len(one["changed"]) for one in report["rewrites"])
    print(f"{report['output']}: {changed} changed, {report['before']['nodes']} nodes before, {report['after']['nodes']} after")


def told(entry, unit):
    if not entry["allowed"]:
        return "the same bits"
    return f"differs by {entry['difference']:.3g} {unit}, allowed {entry['allowed']:.3g}"


def run(arguments):
    files.must_be_writable(arguments.output)
    files.must_spare(arguments.output, [arguments.model, *arguments.inputs])
    model = fix.load(arguments.model)
    try:
        rewritten, rewrites = rewrite_all(model, arguments.only)
        real = proof.of_files(model, rewritten, arguments.inputs) if arguments.inputs else None
    except proof.Unequal as error:
        raise Refusal(f"{arguments.model} is not rewritten: {error}; nothing was written")
    fix.save(rewritten, arguments.output)
    report = {"schema": SCHEMA, "model": arguments.model, "output": arguments.output, "rewrites": rewrites,
              "before": sizes_of(model), "after": sizes_of(rewritten)}
    if real:
        report["real"] = real
    if arguments.json:
        print(json.dumps(report))
    else:
        print_report(report)


def add(commands):
    listed = "; ".join(f"{rewrite.NAME}: {rewrite.ABOUT}" for rewrite in REWRITES)
    one = commands.add_parser("rewrite", help="say parts of a graph in operations that devices run well",
                              description=about, epilog=f"Rewrites: {listed}.")
    one.add_argument("model", help="the graph, as `fix` writes it")
    one.add_argument("-o", "--output", required=True, help="the file to write")
    one.add_argument("--only", action="append", default=[], choices=[rewrite.NAME for rewrite in REWRITES],
                     metavar="NAME", help="this rewrite alone; may be repeated")
    one.add_argument("--inputs", nargs="+", default=[], metavar="FILE",
                     help="photographs or .npy arrays on which both graphs must agree, too")
    one.add_argument("--json", action="store_true", help="the report as one JSON object")
    one.set_defaults(run=run)
