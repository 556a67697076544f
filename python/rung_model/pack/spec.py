# SPDX-License-Identifier: Apache-2.0
"""A spec with another gate record than it names, and what it is packed with."""

import json
import pathlib

from .. import Refusal, specs


def read(place):
    return specs.read_json(pathlib.Path(place), specs.MOST_BYTES, "a spec (docs/artifact.md)")


def files_named_by(place):
    """The graph and the files beside a spec; none of one that is no spec, of which `rung pack` tells what is wrong."""
    folder = pathlib.Path(place).parent
    try:
        content = read(place)
        graph = content.get("graph")
        return specs.files_named(content, folder) + ([folder / graph] if isinstance(graph, str) else [])
    except (Refusal, RecursionError):
        return []


def with_record(place, record):
    """The text of the spec with this gate record in place of its own."""
    folder = pathlib.Path(place).resolve().parent
    content = specs.anchored(read(place), folder)
    if isinstance(content.get("graph"), str):
        content["graph"] = str(folder / content["graph"])
    content["gate"] = {"text": json.dumps(record)}
    return json.dumps(content)
