# SPDX-License-Identifier: Apache-2.0
"""The models of a gate: spec files, which are packed for the measurement, and model files."""

import dataclasses
import json
import pathlib

from .. import Refusal, program, specs


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
        return [self.place, specs.graph_of(self.place, self.spec), *specs.files_named(self.spec, self.place.parent)]

    @property
    def labels(self):
        return self.info.get("labels") or []

    @property
    def payload_bytes(self):
        return next(section["bytes"] for section in self.info["sections"] if section["name"] == "payload")


def pack(place, spec, folder, name, gate=None):
    """Packs the spec, unsigned, into the folder. Of gate records it gets the one that is given, or none."""
    if "bundle" in spec:
        raise Refusal(f"{place} names a bundle; pack it, and name the model file")
    try:
        content = specs.anchored(spec, place.parent)
    except RecursionError:
        raise Refusal(f"{place} has lists and objects too deep within each other; a spec has a few levels")
    content.pop("graph", None)
    content.pop("gate", None)
    if gate:
        content["gate"] = {"text": json.dumps(gate)}
    copy, packed = folder / f"{name}{specs.ENDING}", folder / f"{name}.rung"
    copy.write_text(json.dumps(content))
    program.run("pack", copy, specs.graph_of(place, spec).resolve(), "-o", packed)
    return packed


def open_model(place, folder, name):
    place = pathlib.Path(place)
    if place.suffix == ".rung":
        packed, spec = place, None
    else:
        spec = specs.read_json(place, specs.MOST_BYTES, "a spec (docs/artifact.md) or a .rung file")
        packed = pack(place, spec, folder, name)
    return Model(place, packed, program.read("inspect", "--json", packed), spec)
