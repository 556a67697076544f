# SPDX-License-Identifier: Apache-2.0
"""The command `pack`."""

import contextlib
import json
import os
import pathlib
import tempfile

from .. import files, handling, program
from . import __doc__ as about
from . import gate, spec

SCHEMA = 1


@contextlib.contextmanager
def unfinished(output):
    """A name beside the output: a bundle is found from there, and from there the file is put in its place."""
    path = pathlib.Path(output).absolute()
    passing = path.with_name(f".{path.name}.{os.getpid()}.rung")
    try:
        yield passing
    finally:
        passing.unlink(missing_ok=True)


def make(place, graph, packed):
    program.run("pack", place, *([graph] if graph else []), "-o", packed)
    return {**program.read("inspect", "--json", packed), gate.HANDLING: handling.digest(packed)}


def mark(place, graph, packed, info):
    """Packs it once more, with a record that says that it did not pass."""
    record = {**info.get("gate", {"schema": SCHEMA, "gates": []}), gate.UNSAFE: True}
    with tempfile.TemporaryDirectory(prefix="rung-pack-") as folder:
        copy = pathlib.Path(folder) / pathlib.Path(place).name
        copy.write_text(spec.with_record(place, record), "utf-8")
        return make(copy, graph, packed)


def finish(packed, output, key):
    """Signed only now that it is known to ship."""
    if key:
        program.run("sign", packed, "-o", output, "--key", key)
    else:
        os.replace(packed, output)


def report_of(info, arguments):
    gated = info["gated"]
    return {"schema": SCHEMA, "output": arguments.output, "name": info["name"], "form": info["form"], "artifact": info["digest"],
            "bytes": os.stat(arguments.output).st_size, "signed": bool(arguments.key), "verdict": gated["verdict"],
            gate.UNSAFE: gated[gate.UNSAFE]}


def say(report):
    signed = "signed" if report["signed"] else "unsigned"
    print(f"{report['output']}: {report['name']} in {report['form']}, {report['bytes'] / 1e6:.2f} MB, {signed}, artifact "
          f"{report['artifact'][:16]}…")
    if report[gate.UNSAFE]:
        print("it is packed without a gate (--unsafe-no-gate), and rung inspect and rung explain say so")
    elif report["form"] != "f32":
        print("it passed its gate")


def must_spare_inputs(arguments):
    """Before `rung pack` has read the spec nothing is known of what it names, and a wrong one is its matter."""
    named = spec.files_named_by(arguments.spec) if pathlib.Path(arguments.spec).is_file() else []
    files.must_spare(arguments.output, [arguments.spec, arguments.graph, arguments.key, *named])


def run(arguments):
    files.must_be_writable(arguments.output)
    must_spare_inputs(arguments)
    with unfinished(arguments.output) as packed:
        info = make(arguments.spec, arguments.graph, packed)
        if not arguments.unsafe_no_gate:
            gate.must_have_passed(info, arguments.spec)
        elif info["form"] != "f32" and not gate.has_passed(info):
            info = mark(arguments.spec, arguments.graph, packed, info)
        finish(packed, arguments.output, arguments.key)
    report = report_of(info, arguments)
    if arguments.json:
        print(json.dumps(report))
    else:
        say(report)


def add(commands):
    one = commands.add_parser("pack", help="make a signed model file; a form only when it passed its gate", description=about)
    one.add_argument("spec", metavar="SPEC", help="the spec (docs/artifact.md)")
    one.add_argument("graph", metavar="GRAPH", nargs="?", help="the graph (default: the one that SPEC names)")
    one.add_argument("-o", "--output", required=True, metavar="FILE.rung", help="the model file to write")
    one.add_argument("-k", "--key", help="the private key, PEM; without it the file is unsigned")
    one.add_argument("--unsafe-no-gate", action="store_true",
                     help="pack a form that did not pass; the file says so, and so do rung inspect and rung explain")
    one.add_argument("--json", action="store_true", help="what was packed as one JSON object")
    one.set_defaults(run=run)
