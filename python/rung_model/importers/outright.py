# SPDX-License-Identifier: Apache-2.0
"""A spec file that says more than a person needs to: what the graph tells must be the same in both."""

from .. import Refusal
from .candidate import Candidate
from .onnx_file import shape_text, shown


def entries_of(facts):
    entries = facts.get("outputs", [])
    good = isinstance(entries, list) and all(isinstance(one, dict) and isinstance(one.get("name"), str) and
                                             isinstance(one.get("purpose"), str) for one in entries)
    if not good:
        raise Refusal("outputs in the spec is no list of objects with purpose and name")
    return entries


def said_names(facts):
    return {f"outputs.{entry['purpose']}": entry["name"] for entry in entries_of(facts)}


def fits(entry, tensor):
    return entry.get("shape", tensor.shape) == tensor.shape and entry.get("dtype", tensor.dtype) == tensor.dtype


def swapped_with(entry, entries, outputs):
    """The entry with which this one changed its name."""
    for other in entries:
        if other is not entry and other["name"] in outputs and \
                fits(entry, outputs[other["name"]]) and fits(other, outputs[entry["name"]]):
            return other
    return None


def compare_outputs(graph, facts):
    outputs = {tensor.name: tensor for tensor in graph.outputs}
    entries = entries_of(facts)
    for entry in entries:
        if entry["name"] not in outputs:
            raise Refusal(f"the spec has an output {shown(entry['name'])}, and the graph has "
                          f"{', '.join(map(str, graph.outputs))}; name one of those")
    for entry in entries:
        tensor = outputs[entry["name"]]
        if fits(entry, tensor):
            continue
        other = swapped_with(entry, entries, outputs)
        if other:
            raise Refusal(f"the spec has swapped two outputs: {shown(entry['name'])} is {shape_text(tensor.shape)} in "
                          f"the graph, which the spec says of {shown(other['name'])}; exchange the two names")
        raise Refusal(f"output {tensor} of the graph has another shape or type in the spec; correct it, or leave "
                      "shape and dtype out")


def compare_purposes(facts, spec):
    names = {entry["purpose"]: entry["name"] for entry in spec["outputs"]}
    for entry in entries_of(facts):
        if names.get(entry["purpose"]) != entry["name"]:
            raise Refusal(f"the spec says that {shown(entry['purpose'])} is output {shown(entry['name'])}, and in this "
                          f"graph it is {shown(str(names.get(entry['purpose'])))}; correct it or leave it out")


def compare(graph, facts, spec):
    """What else the file says of the graph."""
    compare_purposes(facts, spec)
    mine = {"schema": 1, "role": spec["role"], "kind": "onnx", "head": spec.get("head", "none"),
            "canvas": spec["canvas"], "tensor.dtype": spec["tensor"]["dtype"],
            "tensor.layout": spec["tensor"]["layout"], "embedding_length": spec.get("embedding_length"),
            **{f"parameters.{name}": value for name, value in spec.get("parameters", {}).items()}}
    for member, value in facts.items():
        if member in ("input", "outputs"):
            continue
        if value != mine.get(member):
            raise Refusal(f"the spec says {member} {str(value)[:60]}, and of this graph it is {mine.get(member)}; "
                          "correct it or leave it out")
    given = facts.get("input", {})
    if not isinstance(given, dict) or any(value != spec["input"].get(name) for name, value in given.items()):
        raise Refusal(f"the input of the graph is {graph.input}, and the spec says another; correct it or leave it out")


def agrees(candidate, facts):
    head = candidate.head or "none"
    return facts.get("role", candidate.role) == candidate.role and facts.get("head", head) == head


def is_whole(facts):
    return "role" in facts and facts.get("outputs") and (facts["role"] != "detector" or "head" in facts)


def candidate_of(graph, facts):
    """A model that no family knows, as the file says it; rung pack compares it with what its head requires."""
    head = facts.get("head")
    if facts["role"] not in ("detector", "embedder", "segmenter") or not isinstance(head, (str, type(None))):
        raise Refusal("role and head in the spec are none of docs/artifact.md and docs/heads.md")
    told = {member: value for member, value in facts.items() if member.startswith("parameters.")}
    if "embedding_length" in facts:
        told["embedding_length"] = facts["embedding_length"]
    return Candidate(None if head == "none" else head,
                     [(entry["purpose"], graph.output(entry["name"])) for entry in entries_of(facts)],
                     ["the spec file says so"], facts["role"], told=told)
