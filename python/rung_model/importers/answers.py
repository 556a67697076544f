# SPDX-License-Identifier: Apache-2.0
"""What the person says: --set MEMBER=VALUE, and a spec file, whole or in part."""

import json

from .. import Refusal
from . import members

MOST_BYTES = 2**20
NESTED = ("selection", "parameters", "tensor")
# Members that the graph tells: a file may say them, and must then say the same.
FACTS = ("schema", "role", "kind", "head", "canvas", "input", "outputs", "embedding_length", "tensor.dtype",
         "tensor.layout", "parameters.strides", "parameters.anchors", "parameters.maps", "parameters.map_boxes")


def no_constant(text):
    raise ValueError(f"{text} is no number of JSON")


def once(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"{max(names, key=names.count)!a} is there twice")
    return dict(pairs)


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES} letters")
        spec = json.loads(text, object_pairs_hook=once, parse_constant=no_constant)
    except (OSError, ValueError, RecursionError) as error:
        raise Refusal(f"the spec {path} cannot be read: {error}")
    if not isinstance(spec, dict):
        raise Refusal(f"the spec {path} is no JSON object")
    return spec


def flat(spec):
    """{"selection": {"iou": 1}} as {"selection.iou": 1}."""
    said = {}
    for member, value in spec.items():
        if member in NESTED and isinstance(value, dict):
            said.update({f"{member}.{name}": inner for name, inner in value.items()})
        else:
            said[member] = value
    return said


def from_file(path):
    """(members that may be said, members that the graph tells)."""
    said = flat(load(path))
    facts = {member: said.pop(member) for member in FACTS if member in said}
    return {member: members.read(member, value) for member, value in said.items()}, facts


def from_mean(pairs):
    """mean and std, of values 0 to 255, as scale and bias."""
    mean = members.three("mean", pairs.pop("mean", "0"))
    deviation = members.three("std", pairs.pop("std", "1"))
    if {"scale", "bias"} & set(pairs):
        raise Refusal("say either mean and std or scale and bias")
    if min(deviation) <= 0:
        raise Refusal("std must be above 0")
    if max(deviation) < 1 or 0 < max(mean) < 1:
        told = [",".join(str(members.short(255 * one)) for one in values) for values in (mean, deviation)]
        raise Refusal("mean and std are of values 0 to 255 here, and these look like those of values 0 to 1; "
                      f"if so, say --set mean={told[0]} --set std={told[1]}")
    pairs["scale"] = [members.short(1 / one) for one in deviation]
    pairs["bias"] = [members.short(-one / by) for one, by in zip(mean, deviation)]


def from_pairs(texts):
    pairs = {}
    for text in texts:
        member, separator, value = text.partition("=")
        if not separator:
            raise Refusal(f"--set {text[:60]!a} is not of the form MEMBER=VALUE")
        if member in pairs:
            raise Refusal(f"--set says {member[:60]!a} twice")
        pairs[member] = value
    if {"mean", "std"} & set(pairs):
        from_mean(pairs)
    return {member: members.read(member, value) for member, value in pairs.items()}
