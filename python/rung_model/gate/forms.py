# SPDX-License-Identifier: Apache-2.0
"""The models of a gate: spec files, which are packed for the measurement, and model files."""

import dataclasses
import json
import os
import pathlib

from .. import Refusal, program

MOST_SPEC_BYTES = 16 << 20
ENDING = ".spec.json"


@dataclasses.dataclass(frozen=True)
class Model:
    """`packed` is the file that is measured, and `info` what it says of itself."""
    place: pathlib.Path
    packed: pathlib.Path
    info: dict
    spec: dict | None  # None: it was named as a model file

    @property
    def files(self):
        """What it is made from."""
        if self.spec is None:
            return [self.place]
        return [self.place, graph_of(self.place, self.spec), *files_named(self.spec, self.place.parent)]

    @property
    def labels(self):
        return self.info.get("labels") or []

    @property
    def payload_bytes(self):
        return next(section["bytes"] for section in self.info["sections"] if section["name"] == "payload")


def read_json(path, most, what):
    """An object, of a file that anybody may have written."""
    try:
        size = path.stat().st_size
        if size > most:
            raise Refusal(f"{path} has {size} bytes, and {what} has at most {most}; name another file")
        text = path.read_text("utf-8")
    except OSError as error:
        raise Refusal(f"{path} cannot be read: {error.strerror}; name {what}")
    except UnicodeDecodeError as error:
        raise Refusal(f"{path} is no JSON: {error}; name {what}")
    return parse(text, path, f"name {what}")


def parse(text, where, advice):
    """The object that is in a text."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refusal(f"{where} is no JSON: {error}; {advice}")
    if not isinstance(content, dict):
        raise Refusal(f"{where} is no JSON object; {advice}")
    return content


def beside(place, name):
    """A file that the spec names, relative to its folder. JSON holds texts that are no names."""
    try:
        if b"\0" not in os.fsencode(name):
            return place.parent / name
    except UnicodeEncodeError:
        pass
    raise Refusal(f"{place} names the file {ascii(name)}, and no file can have that name; name the one that is meant")


def graph_of(place, spec):
    """The spec's own, else the one beside it: by the spec's name, then by the model's."""
    if isinstance(spec.get("graph"), str):
        return beside(place, spec["graph"])
    stem = place.name.removesuffix(ENDING) if place.name.endswith(ENDING) else place.stem
    for name in (stem, spec.get("name")):
        graph = place.parent / f"{name}.onnx"
        if graph.is_file():
            return graph
    raise Refusal(f"{place} names no graph, and there is none beside it by its name; give the spec a member \"graph\"")


def from_anywhere(value, folder):
    """Files that a spec names are relative to its folder; the copy that is packed lies elsewhere."""
    if isinstance(value, list):
        return [from_anywhere(item, folder) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"file"} and isinstance(value["file"], str):
        return {"file": str(folder.resolve() / value["file"])}
    return {key: from_anywhere(item, folder) for key, item in value.items()}


def files_named(value, folder):
    """Those that a spec names beside its graph: its labels, licence, precision map, gate record."""
    if not isinstance(value, (dict, list)):
        return []
    own = [folder / value["file"]] if isinstance(value, dict) and isinstance(value.get("file"), str) else []
    return sum((files_named(item, folder) for item in (value.values() if isinstance(value, dict) else value)), own)


def pack(place, spec, folder, name, gate=None):
    """Packs the spec, unsigned, into the folder. Of gate records it gets the one that is given, or none."""
    if "bundle" in spec:
        raise Refusal(f"{place} names a bundle; pack it, and name the model file")
    try:
        content = from_anywhere(spec, place.parent)
    except RecursionError:
        raise Refusal(f"{place} has lists and objects too deep within each other; a spec has a few levels")
    content.pop("graph", None)
    content.pop("gate", None)
    if gate:
        content["gate"] = {"text": json.dumps(gate)}
    copy, packed = folder / f"{name}{ENDING}", folder / f"{name}.rung"
    copy.write_text(json.dumps(content))
    program.run("pack", copy, graph_of(place, spec).resolve(), "-o", packed)
    return packed


def open_model(place, folder, name):
    place = pathlib.Path(place)
    if place.suffix == ".rung":
        packed, spec = place, None
    else:
        spec = read_json(place, MOST_SPEC_BYTES, "a spec (docs/artifact.md) or a .rung file")
        packed = pack(place, spec, folder, name)
    return Model(place, packed, program.read("inspect", "--json", packed), spec)
