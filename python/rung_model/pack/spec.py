# SPDX-License-Identifier: Apache-2.0
"""A spec with another gate record than it names."""

import json
import pathlib

from .. import Refusal

MOST_BYTES = 16 << 20  # as `rung pack`


def read(place):
    """That of a file which `rung pack` has packed already, so what it says is known to be right."""
    data = pathlib.Path(place).read_bytes()
    if len(data) > MOST_BYTES:
        raise Refusal(f"{place} has grown beyond {MOST_BYTES} bytes since it was packed; leave it alone meanwhile")
    return json.loads(data)


def files_in(content, folder):
    if isinstance(content, list):
        return [path for item in content for path in files_in(item, folder)]
    if not isinstance(content, dict):
        return []
    if set(content) == {"file"} and isinstance(content["file"], str):
        return [folder / content["file"]]
    return [path for item in content.values() for path in files_in(item, folder)]


def files_named_by(place):
    """The files beside a spec that it is packed with; none of one that cannot be read."""
    folder = pathlib.Path(place).parent
    try:
        content = read(place)
    except (ValueError, RecursionError):
        return []
    graph = content.get("graph") if isinstance(content, dict) else None
    return files_in(content, folder) + ([folder / graph] if isinstance(graph, str) else [])


def anchored(content, folder):
    """With all files that it names told from the root on: the copy lies elsewhere."""
    if isinstance(content, list):
        return [anchored(item, folder) for item in content]
    if not isinstance(content, dict):
        return content
    if set(content) == {"file"} and isinstance(content["file"], str):
        return {"file": str(folder / content["file"])}
    return {key: anchored(item, folder) for key, item in content.items()}


def with_record(place, record):
    """The text of the spec with this gate record in place of its own."""
    folder = pathlib.Path(place).resolve().parent
    content = anchored(read(place), folder)
    if isinstance(content.get("graph"), str):
        content["graph"] = str(folder / content["graph"])
    content["gate"] = {"text": json.dumps(record)}
    return json.dumps(content)
