# SPDX-License-Identifier: Apache-2.0
"""What a person and a program are told of an import."""

import json

from .draft import ORDER
from .onnx_file import shown

WIDTH = 26


def line(label, text):
    return f"  {label:<{WIDTH}} {text}"


def head_of(candidate):
    return f"head {candidate.head}" if candidate.head else candidate.role


def file_lines(graph):
    file = graph.file
    by = f", written by {shown(file.producer)}" if file.producer else ""
    yield f"{shown(file.path)}: opset {file.opset}, {len(file.nodes)} nodes{by}"
    for tensor in file.inputs[:8]:
        yield f"  input  {tensor}"
    for tensor in graph.outputs[:16]:
        yield f"  output {tensor}"


def candidate_lines(candidate):
    yield f"recognised as {candidate.family.title if candidate.family else 'what the spec says'}, {head_of(candidate)}"
    for sentence in candidate.by:
        yield f"  {sentence}"


def short(value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = text if len(text) <= 60 else text[:59] + "…"
    return text if text.isprintable() else ascii(text)


def place(member):
    """In the order of a spec; questions that are no members of one come first."""
    whole = member.partition(".")[0]
    return ORDER.index(whole) if whole in ORDER else -1


def draft_lines(draft):
    for member, (value, source) in sorted(draft.values.items(), key=lambda pair: place(pair[0])):
        note = " (against what the graph shows)" if source == "said" and draft.told.get(member, value) != value else ""
        yield line(member, f"{short(value)}   [{source}]{note}")
    if not draft.missing:
        return
    yield "remains to be said, by --set MEMBER=VALUE or a JSON file with --spec:"
    for member, why in draft.missing.items():
        usual = f"; usually {short(draft.usual[member])}" if member in draft.usual else ""
        yield line(member, why + usual)
    if any(member in draft.usual for member in draft.missing):
        source = draft.candidate.family.source if draft.candidate.family else ""
        yield f"--accept takes what is usual{f': {source}' if source else ''}"


def ambiguous_lines(found):
    yield "several families have such tensors; say which by --as FAMILY:"
    for candidate in found:
        yield f"{candidate.family.name}: {candidate.family.title}, {head_of(candidate)}"
        for sentence in candidate.by:
            yield f"  {sentence}"


def tensor_object(tensor):
    return {"name": tensor.name, "dtype": tensor.dtype, "shape": tensor.shape}


def candidate_object(candidate):
    family = candidate.family
    return {"family": family.name if family else None, "title": family.title if family else None,
            "role": candidate.role, "head": candidate.head, "by": candidate.by}


def whole_object(graph, found, obstacles, draft, written):
    result = {"schema": 1, "model": graph.file.path, "opset": graph.file.opset, "producer": graph.file.producer,
              "inputs": [tensor_object(tensor) for tensor in graph.file.inputs],
              "outputs": [tensor_object(tensor) for tensor in graph.outputs],
              "recognised": [candidate_object(candidate) for candidate in found], "obstacles": obstacles,
              "values": {}, "missing": [], "spec": None, "written": written}
    if draft:
        result["values"] = {member: {"value": value, "source": source}
                            for member, (value, source) in draft.values.items()}
        result["missing"] = [{"member": member, "why": why, **({"usual": draft.usual[member]}
                                                               if member in draft.usual else {})}
                             for member, why in draft.missing.items()]
        result["spec"] = draft.spec()
    return result
