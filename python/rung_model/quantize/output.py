# SPDX-License-Identifier: Apache-2.0
"""The four files of a form: its graph, its spec, its precision map and its gate record. All are made and proven in a
folder of their own before the first is put in its place; the spec comes last, since it names the others."""

import hashlib
import json
import os
import pathlib
import platform
import shutil

import numpy
import onnx
import onnxruntime

from .. import Refusal, files, program, specs

SCHEMA = 1
MOST_TEXT = 16 << 20  # bytes of a spec, or of a licence
MOST_RECORD = 131072  # half of what a gate record may have: the gates come later
ROOM = 8  # times the graph, in the temporary folder and at the place of the output
# What is true of the f32 form alone, or made anew.
LEFT_OUT = ("form", "canonical", "graph", "precision", "gate", "golden")


class Files:
    """Their names, by the graph's."""

    def __init__(self, output):
        self.graph = pathlib.Path(output)
        if self.graph.suffix != ".onnx":
            raise Refusal(f"{output} does not end in .onnx; name the graph to write so, and the files beside it get its name")
        if not self.graph.parent.is_dir():
            raise Refusal(f"there is no folder {self.graph.parent}; make it first")
        self.spec, self.precision, self.gate = (self.graph.with_suffix(f".{what}.json") for what in ("spec", "precision", "gate"))

    def all(self):
        """In the order in which they are written."""
        return [self.graph, self.precision, self.gate, self.spec]

    def must_spare(self, inputs):
        files.must_be_writable(self.graph)
        for path in self.all():
            files.must_spare(path, inputs)


def must_have_room(folder, bytes_needed):
    free = shutil.disk_usage(folder).free
    if free < bytes_needed:
        raise Refusal(f"{folder} has {free / 1e6:.0f} MB free, and {bytes_needed / 1e6:.0f} MB are needed; make room")


def read_text(path, what):
    try:
        if not path.is_file():
            raise Refusal(f"{what} {path} is not there; name the right one" if not path.exists() else
                          f"{what} {path} is no file; name one")
        if path.stat().st_size > MOST_TEXT:
            raise Refusal(f"{what} {path} has {path.stat().st_size} bytes, and at most {MOST_TEXT} are read; say it shorter")
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Refusal(f"{what} {path} cannot be read: {error}")


def read_spec(path):
    spec = specs.read_json(path, specs.MOST_BYTES, "a spec, such as `import` writes")
    if spec.get("kind", "onnx") != "onnx":
        raise Refusal(f"{path} is of kind {spec['kind']}; forms are made of ONNX graphs")
    if spec.get("form", "f32") != "f32":
        raise Refusal(f"{path} is of form {spec['form']}; forms are made of the model in f32, so name its spec and graph")
    return spec


def as_text(member, folder):
    """A text that a spec holds or names, so that it goes with the spec wherever that is put."""
    if not isinstance(member, dict) or "file" not in member:
        return member
    return {"text": read_text(folder / member["file"], "the licence")}


def with_threshold(spec, confidence):
    """A detector's spec with a threshold of the form's own; None: that of f32."""
    if confidence is None:
        return spec
    if not isinstance(spec.get("selection"), dict):
        raise Refusal("--min-confidence is for detectors; this spec has no selection")
    return {**spec, "selection": {**spec["selection"], "min_confidence": confidence}}


def spec_of(spec, folder, form, graph_bytes, places):
    """What `rung pack` makes a model file of the form from. A golden sample is left out: it is of the f32 form."""
    made = {name: value for name, value in spec.items() if name not in LEFT_OUT}
    if "licence" in made:
        made["licence"] = as_text(made["licence"], folder)
    return {**made, "form": form.name, "canonical": hashlib.sha256(graph_bytes).hexdigest(), "graph": places.graph.name,
            "precision": {"file": places.precision.name}, "gate": {"file": places.gate.name}}


def tools():
    return {"python": platform.python_version(), "numpy": numpy.__version__, "onnx": onnx.__version__,
            "onnxruntime": onnxruntime.__version__, "rung": program.run("--version").stdout.split()[-1]}


def record_of(calibration, photographs):
    """The gate record before any gate. Photographs are told by name and digest, never by where they lie."""
    listed = [{"name": one.path.name, "sha256": one.digest} for one in photographs]
    record = {"schema": SCHEMA, "calibration": {**calibration, "photographs": listed, "tools": tools()}, "gates": []}
    data = as_json(record)
    if len(data) > MOST_RECORD:
        raise Refusal(f"the names and digests of {len(listed)} photographs take {len(data)} bytes of the gate record, more than "
                      f"{MOST_RECORD}; calibrate on fewer")
    return data


def as_json(value):
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def must_pack(places, contents, folder):
    """`rung pack` takes the files, or its reason is the refusal."""
    for path, data in contents.items():
        (folder / path.name).write_bytes(data)
    program.run("pack", folder / places.spec.name, folder / places.graph.name, "-o", folder / "form.rung")


def write(contents):
    """All of them or none: every byte is on the disk before the first file gets its name."""
    passing = {path: path.with_name(f"{path.name}.{os.getpid()}.new") for path in contents}
    try:
        for path, data in contents.items():
            files.write_whole(data, passing[path])
        for path, written in passing.items():
            os.replace(written, path)
    finally:
        for written in passing.values():
            written.unlink(missing_ok=True)
