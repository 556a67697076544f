# SPDX-License-Identifier: Apache-2.0
"""The page as Markdown, section by section."""

from collections import Counter

from . import gates
from .forms import CANONICAL
from .here import Timing
from .text import megabytes, percent, plain, table

LABELS = 6  # that are listed


def labels_of(info):
    labels = info.get("labels") or []
    named = ", ".join(map(plain, labels[:LABELS])) + (", …" if len(labels) > LABELS else "")
    return [["classes", f"{len(labels)}: {named}"]] if labels else []


def licences_of(forms):
    """The first line of each text that there is."""
    texts = [form.info.get("licence", "") for form in forms]
    lines = [next((line for line in text.splitlines() if line.strip()), "") for text in texts]
    return "; ".join(dict.fromkeys(plain(line) for line in lines if line)) or "not in the file"


def facts(forms):
    info = forms[0].info
    canvas, head = info["canvas"], "" if info["head"] == "none" else f", head {info['head']}"
    source = next((form.source for form in forms if form.source), None)
    rows = [["role", info["role"] + head],
            ["canvas", f"{canvas['width']} × {canvas['height']}, {info['fit']}, {info['order']}"], *labels_of(info),
            ["licence", licences_of(forms)],
            ["graph in f32", f"`{source}`" if source else "not told"]]
    return table(["", ""], rows)


def signer_of(info):
    return f"key `{info['key_id']}`" if info["signed"] else "unsigned"


def sizes(forms):
    """With the digests below, which are too wide for a table."""
    f32 = next((form.info["bytes"] for form in forms if form.name == CANONICAL), None)
    rows = [[form.name, plain(form.path.name), megabytes(form.info["bytes"]), percent(form.info["bytes"] / f32) if f32 else "",
             signer_of(form.info)] for form in forms]
    yield table(["form", "file", "size", "of f32", "signed by"], rows)
    yield "SHA-256 of the graphs:"
    yield "\n".join(f"- {form.name}: `{form.digest}`" for form in forms)


def operations_of(form):
    """How many operations compute in what, by the file's precision map; None where it does not tell."""
    operations = (form.info.get("precision") or {}).get("operations")
    if not isinstance(operations, dict):
        return None
    counts = Counter(plain(precision) for precision in operations.values())
    return ", ".join(f"{count} in {precision}" for precision, count in sorted(counts.items()))


def precision(forms):
    rows = [[form.name, operations_of(form) or "not told"] for form in forms if form.name != CANONICAL]
    if rows:
        yield table(["form", "operations"], rows)


def timing_row(form, timing):
    if not isinstance(timing, Timing):
        return [form.name, "-", "-", "-", "not measured"]
    ratio = "1" if form.name == CANONICAL else "-"
    spread = ""
    if timing.ratios:
        middle = timing.ratios[len(timing.ratios) // 2 - 1:len(timing.ratios) // 2 + 1]
        ratio = f"{sum(middle) / len(middle):.3f}"
        spread = f"{timing.ratios[0]:.3f} to {timing.ratios[-1]:.3f}"
    return [form.name, timing.rung, f"{timing.median_ms:.2f} ms", ratio, spread]


def serving(forms, here):
    """Which form serves when the model is asked for, and what the others are worth here."""
    chosen = here.serves
    name = next((form.name for form in forms if form.digest == chosen["artifact"]), plain(chosen["identity"]))
    yield f"**{name}** serves here on {chosen['rung']}: {plain(chosen['why'])}."
    lines = []
    for form in forms:
        told = here.forms.get(form.digest)
        if form.digest == chosen["artifact"]:
            continue
        if told:
            lines.append(f"- {form.name} is {told['outcome']}: {plain(told['reason'])}.")
        elif not isinstance(here.timings[form], Timing):
            lines.append(f"- {form.name} cannot serve: {plain(here.timings[form])}.")
        elif form.name != CANONICAL:
            lines.append(f"- {form.name} does not lie beside f32, where it would be looked for.")
    if lines:
        yield "\n".join(lines)


def times(forms, here):
    yield f"Measured on {plain(here.device)}."
    yield table(["form", "rung", "median", "by f32", "spread"], [timing_row(form, here.timings[form]) for form in forms])
    yield "The median of an answer to a made-up frame, without decoding one. *By f32* is the median over the rounds in which the form and " \
          "f32 were measured in turns, below 1 where the form is faster; the spread is from the least round to the greatest."
    yield from serving(forms, here)


def sections(forms, about, here):
    yield "", [facts(forms)]
    if about:
        yield "Origin", [about]
    yield "Forms", sizes(forms)
    if any(form.name != CANONICAL for form in forms):
        yield "Precision", precision(forms)
    if gates.about(forms):
        yield "Gates", gates.section(forms)
    if here:
        yield "On this device", times(forms, here)


def page(forms, about=None, here=None):
    paragraphs = [f"# {plain(forms[0].info['name'])}"]
    for title, content in sections(forms, about, here):
        paragraphs += [f"## {title}"] if title else []
        paragraphs += content
    return "\n\n".join(paragraphs) + "\n"
