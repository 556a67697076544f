# SPDX-License-Identifier: Apache-2.0
"""A form of its own threshold: quantising lowers the confidence of some targets, and those are lost at the threshold of
f32 though the form still sees them. Which lower one gives them back, and what that costs in extra ones, is measured."""

import json
import re

from .. import Refusal, files
from . import forms

PARTS = (0.97, 0.94, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5)  # of the spec's own; each lower one finds more, and more that is extra
DECIMALS = 3
MEMBER = re.compile(r'("min_confidence"\s*:\s*)[-+0-9.eE]+')


def threshold_of(model):
    """As the spec says it; a model file has it to the nearest 1/65535."""
    return (model.spec or model.info)["selection"]["min_confidence"]


def must_be_searched(model):
    if model.spec is None:
        raise Refusal(f"{model.place} is a packed file; name its spec for --suggest-threshold")
    if model.info["role"] != "detector":
        raise Refusal(f"{model.place} is no detector, and has no threshold to suggest")


def candidates(spec):
    """The highest first. A band's confidence may not be above the threshold."""
    own = spec["selection"]["min_confidence"]
    least = (spec["selection"].get("band") or {}).get("confidence", 0)
    lower = (round(own * part, DECIMALS) for part in PARTS)
    return sorted({value for value in lower if least <= value < own and value > 0}, reverse=True)


def with_threshold(spec, value):
    return {**spec, "selection": {**spec["selection"], "min_confidence": value}}


def packed_with(value, folder):
    return folder / f"threshold-{round(value * 10**DECIMALS)}.rung"


def figures(value, gate):
    above = next(check for check in gate["checks"] if check["name"] == "found of 40 px and more")
    return {"min_confidence": value, "found": above["value"], "extra": gate["extra"], "extra_share": gate["extra_share"],
            "passed": gate["passed"]}


def suggest(model, own_gate, folder, measured):
    """The table of what was measured, the threshold to take (None: none of them passes), and the gate measured with it.
    `measured(packed)` is a gate of a packed form. Extra targets only grow further down, so the first that passes has the
    fewest."""
    own = threshold_of(model)
    rows = [figures(own, own_gate)]
    if own_gate["passed"]:
        return rows, own, own_gate
    for value in candidates(model.spec):
        gate = measured(forms.pack(model.place, with_threshold(model.spec, value), folder, packed_with(value, folder).stem))
        rows.append(figures(value, gate))
        if gate["passed"]:
            return rows, value, gate
    return rows, None, own_gate


def apply(model, value):
    """Changes that one member of the spec, and leaves the text around it as it was."""
    text = model.place.read_text("utf-8")
    wanted = with_threshold(json.loads(text), value)
    changed = MEMBER.sub(rf"\g<1>{value}", text)
    if json.loads(changed) != wanted:  # the words stand elsewhere too
        changed = json.dumps(wanted, indent=1) + "\n"
    files.write_whole(changed.encode(), model.place)
