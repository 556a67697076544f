# SPDX-License-Identifier: Apache-2.0
"""A gate for people: the verdict, each check, and by how much it was missed."""

from . import advice

UNIT = 1_000_000


def short_of(check):
    """What is missing to a check that was missed."""
    if check["passed"]:
        return ""
    if check["value"] is None:
        return "no figure"
    return f"missed by {check['least'] - check['value']:.4g}"


def number(value):
    return "none" if value is None else f"{value:.5g}"


def check_lines(entry):
    rows = [("CHECK", "VALUE", "LEAST", "")]
    rows += [(check["name"], number(check["value"]), number(check["least"]), short_of(check)) for check in entry["checks"]]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for name, value, least, missed in rows:
        yield f"  {name:<{widths[0]}}  {value:>{widths[1]}}  {least:>{widths[2]}}  {missed}".rstrip()


def cosine_line(entry):
    return "cosine " + ", ".join(f"{name} {value:.5f}" for name, value in entry["cosine"].items() if value is not None)


def precision_line(entry):
    both = entry["coco"]
    figures = "; ".join(f"{what} {number(both['form']['all'][key])}, f32 {number(both['f32']['all'][key])}"
                        for what, key in (("AP", "ap"), ("AP50", "ap50")))
    return f"COCO {figures}: {both['targets']} targets of {both['classes']} classes, scores from {both['score_floor']} on"


def threshold_lines(entry, arguments):
    both = entry["thresholds"]
    yield "  MIN_CONFIDENCE  FOUND    EXTRA"
    for row in both["measured"]:
        yield f"  {row['min_confidence']:<14g}  {100 * row['found']:6.2f}%  {row['extra']:5}  {'passed' if row['passed'] else 'missed'}"
    if both["suggested"] is None:
        yield "no lower threshold recovers what was lost: keep more of the graph in float, or take 16 bits for activations"
    elif both["suggested"] == both["measured"][0]["min_confidence"]:
        yield "the form's own threshold is enough"
    elif arguments.apply:
        yield f'{arguments.form}: "min_confidence" in "selection" is {both["suggested"]} now, and the gate is that with it'
    else:
        yield f'with "min_confidence": {both["suggested"]} in "selection" of {arguments.form} it passes; --apply writes that'


def lines(entry, arguments):
    against = entry["against"]
    yield (f"{entry['identity']} on {entry['rung']} against {against['identity']} on {against['rung']}, "
           f"{entry['pictures']} photographs: {'passed' if entry['passed'] else 'MISSED'}")
    yield from check_lines(entry)
    if "cosine" in entry:
        yield cosine_line(entry)
    if "coco" in entry:
        yield precision_line(entry)
    yield from (f"to do: {sentence}" for sentence in advice.of(entry))
    yield f"{entry['bytes']['form'] / UNIT:.2f} MB, f32 {entry['bytes']['f32'] / UNIT:.2f} MB"
    if "thresholds" in entry:
        yield from threshold_lines(entry, arguments)


def show(entry, arguments):
    print("\n".join(lines(entry, arguments)))
