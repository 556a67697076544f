# SPDX-License-Identifier: Apache-2.0
"""Specs (docs/artifact.md) and what lies beside them: JSON that anybody may have written."""

import json
import os

from . import Refusal

MOST_BYTES = 16 << 20  # of a spec, as `rung pack`
ENDING = ".spec.json"


def read_json(path, most, what):
    """An object, of a file that anybody may have written."""
    try:
        size = path.stat().st_size
        if not path.is_file() and not path.is_dir():
            raise Refusal(f"{path} is a device, a pipe or a socket; name {what}")
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


def anchored(value, folder):
    """Files that a spec names are relative to its folder; the copy that is packed lies elsewhere."""
    if isinstance(value, list):
        return [anchored(item, folder) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"file"} and isinstance(value["file"], str):
        return {"file": str(folder.resolve() / value["file"])}
    return {key: anchored(item, folder) for key, item in value.items()}


def files_named(value, folder):
    """Those that a spec names beside its graph: its labels, licence, precision map, gate record."""
    if not isinstance(value, (dict, list)):
        return []
    own = [folder / value["file"]] if isinstance(value, dict) and isinstance(value.get("file"), str) else []
    return sum((files_named(item, folder) for item in (value.values() if isinstance(value, dict) else value)), own)


def objects_of(value):
    """What of a list is an object; none of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
