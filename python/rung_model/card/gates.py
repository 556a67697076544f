# SPDX-License-Identifier: Apache-2.0
"""What the gates of the forms measured, as their files tell it."""

from ..specs import objects_of
from .forms import CANONICAL
from .text import percent, plain, table

# Of each figure: the head of its column, and how it is shown. A column without any figure is left out.
COLUMNS = (
    ("photographs", lambda gate: f"{gate['pictures']:.0f}"),
    ("found ≥ 40 px", lambda gate: percent(gate["found"])),
    ("worst band", lambda gate: f"{percent(gate['worst_band']['found'])} of {plain(gate['worst_band']['size'])}"),
    ("least cosine", lambda gate: f"{gate['cosine']['smallest']:.5f}"),
    ("cosine of 99.9 %", lambda gate: f"{gate['cosine']['p0.1']:.5f}"),
    ("mean IoU", lambda gate: f"{gate['mean_iou']:.4f}"),
    ("AP", lambda gate: f"{gate['ap']['form']:.4f}"),
    ("AP of f32", lambda gate: f"{gate['ap']['f32']:.4f}"),
)


def cell(show, gate):
    try:
        return show(gate)
    except KeyError:
        return ""


def measurements(forms):
    return [(form, gate) for form in forms for gate in form.info["gated"]["measured"] if gate["of_this"]]


def lack_of(form):
    """The sentence about a form that no gate lets ship; None where there is nothing to say."""
    gated = form.info["gated"]
    if gated["unsafe_no_gate"]:
        return f"{form.name} was packed without a gate (`--unsafe-no-gate`)."
    if gated["verdict"] == "missed":
        return f"{form.name} passed no gate."
    if gated["verdict"] == "not measured":
        return f"{form.name} was not measured against f32."
    return None


def misses(form, gate):
    for check in gate["missed"]:
        value, least = (f"{check[key]:.4g}" if key in check else "nothing" for key in ("value", "least"))
        yield f"- {form.name} on {plain(gate['rung'])} missed: {plain(check['name'])} {value}, at least {least} is needed."


def bands(forms):
    """Rows of how much of each band of sizes was found, of the records as they were written."""
    for form in forms:
        for gate in objects_of((form.info.get("gate") or {}).get("gates")):
            for band in objects_of(gate.get("bands")) if gate.get("artifact") == form.digest else []:
                counts = [band.get(key) for key in ("targets", "found", "exact")]
                if all(isinstance(count, int) for count in counts) and counts[0] > 0:
                    yield [form.name, plain(gate.get("rung")), plain(band.get("size")), str(counts[0]),
                           f"{counts[1]} ({percent(counts[1] / counts[0])})", str(counts[2])]


def summary(measured):
    shown = [(head, show) for head, show in COLUMNS if any(cell(show, gate) for _, gate in measured)]
    rows = [[form.name, plain(gate["rung"]), plain(gate["precision"]), "passed" if gate["passed"] else "**missed**",
             *(cell(show, gate) for _, show in shown)] for form, gate in measured]
    return table(["form", "rung", "computes in", "gate", *(head for head, _ in shown)], rows)


def section(forms):
    """Paragraphs; none where there is f32 alone, unmeasured."""
    measured = measurements(forms)
    yield from filter(None, map(lack_of, forms))
    calibrated = [f"{form.name} was calibrated on {form.info['gated']['calibrated_on']} photographs."
                  for form in forms if "calibrated_on" in form.info["gated"]]
    yield from calibrated
    if measured:
        yield summary(measured)
    missed = [line for form, gate in measured if not gate["passed"] for line in misses(form, gate)]
    if missed:
        yield "\n".join(missed)
    rows = list(bands(forms))
    if rows:
        yield "Of what f32 finds, by the root of the box's area (found: IoU of 0.5 and more; exact: 0.95):"
        yield table(["form", "rung", "size", "f32", "found", "exact"], rows)


def about(forms):
    others = [form for form in forms if form.name != CANONICAL]
    return bool(others or measurements(forms))
