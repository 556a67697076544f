# SPDX-License-Identifier: Apache-2.0
"""The page of a gate: one file that asks nothing of a network and has no script."""

import html
import pathlib

from . import advice, plots, table

STYLE = pathlib.Path(__file__).with_name("style.css")
COSINES = "cosines above "  # the check whose name ends with the least cosine
SIZES = ("all", "small", "medium", "large")
KEY = ('<p class="key"><span><svg viewBox="0 0 1 1"><rect class="right" width="1" height="1"/></svg>f32</span>'
       '<span><svg viewBox="0 0 1 1"><rect class="form" width="1" height="1"/></svg>the form</span></p>')


def escaped(value):
    return html.escape(str(value))


def rows(head, body):
    heads = "".join(f"<th>{escaped(cell)}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in body)
    return f'<div class="card"><table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>'


def section(title, content, note=""):
    soft = f'<p class="soft">{escaped(note)}</p>' if note else ""
    return f"<h2>{escaped(title)}</h2>{soft}{content}"


def plot(drawing):
    return f'<div class="card">{drawing}</div>'


def verdict(passed):
    return f'<span class="{"passed" if passed else "missed"}">{"passed" if passed else "missed"}</span>'


def summary(entry):
    against = entry["against"]
    return (f"<h1>{escaped(entry['identity'])} on {escaped(entry['rung'])}: {verdict(entry['passed'])}</h1>"
            f"<p>Measured against {escaped(against['identity'])} on {escaped(against['rung'])} on {entry['pictures']} photographs; "
            f"it runs in {escaped(entry['precision'])}.</p>")


def what_to_do(entry):
    told = advice.of(entry)
    return section("What to do", "".join(f'<p class="note">{escaped(sentence)}.</p>' for sentence in told)) if told else ""


def checks(entry):
    return section("Checks", rows(("check", "value", "least", "", "missed by"), (
        (escaped(check["name"]), table.number(check["value"]), table.number(check["least"]), verdict(check["passed"]),
         table.short_of(check).removeprefix("missed by ")) for check in entry["checks"])))


def check_of(entry, name):
    return next(check for check in entry["checks"] if check["name"].startswith(name))


def of_detector(entry):
    spread = entry["quantiles"]
    yield section("Found, by size", KEY + plot(plots.bands(entry["bands"])),
                  f"Of the targets of f32 those that the form finds; it finds {entry['extra']} more that f32 does not.")
    for name, title, note, unit, mark in (
            ("confidence_change", "Change of confidence", "Of what both find, the form's less f32's.", "", 0),
            ("lost_confidence", "Confidence of what was lost", "As f32 has it: just above the threshold, a lower one for the form "
             "recovers them.", "", None),
            ("keypoints_moved", "Movement of key points", "In pixels of the photograph.", " px", None)):
        if spread[name]:
            yield section(title, plot(plots.histogram(spread[name], title, unit, mark)), note)


def of_embedder(entry):
    title = "Cosines between the form's embeddings and those of f32"
    if entry["quantiles"]["cosine"]:
        least = float(check_of(entry, COSINES)["name"].removeprefix(COSINES))
        yield section(title, plot(plots.distribution(entry["quantiles"]["cosine"], title, least)),
                      "The part of the photographs at or below each cosine.")


def of_segmenter(entry):
    classes = [(row.get("label", str(row["class_id"])), row["iou"]) for row in entry["class_iou"]]
    if classes:
        yield section("IoU of each class", plot(plots.shares(classes, "IoU of each class", check_of(entry, "mean IoU")["least"])))


BY_ROLE = {"detector": of_detector, "embedder": of_embedder, "segmenter": of_segmenter}


def precision(entry):
    if "coco" not in entry:
        return ""
    both = entry["coco"]
    left_out = f" Left out, as the labels do not have them: {', '.join(both['left_out'])}." if both["left_out"] else ""
    body = ((size, *(table.number(both[side][size][key]) for key in ("ap", "ap50") for side in ("f32", "form"))) for size in SIZES)
    return section("Average precision", rows(("size", "AP f32", "AP form", "AP50 f32", "AP50 form"), body),
                   f"COCO's, by pycocotools, of {both['targets']} labelled targets of {both['classes']} classes on "
                   f"{both['pictures']} photographs; detections from a score of {both['score_floor']} on.{left_out}")


def thresholds(entry):
    if "thresholds" not in entry:
        return ""
    both = entry["thresholds"]
    body = ((f"{row['min_confidence']:g}", f"{100 * row['found']:.2f} %", row["extra"], verdict(row["passed"]))
            for row in both["measured"])
    note = "None of them passes." if both["suggested"] is None else f"The one to take is {both['suggested']:g}."
    return section("Thresholds of its own", rows(("min_confidence", "found of 40 px and more", "extra", ""), body), note)


def pictures(shown, role):
    if not shown:
        return ""
    figures = "".join(f'<figure class="card"><img src="{picture.address}" alt="{escaped(picture.told)}">'
                      f"<figcaption>{escaped(picture.name)}: {escaped(picture.told)}</figcaption></figure>" for picture in shown)
    return section("The worst photographs", (KEY if role == "detector" else "") + f'<div class="pair">{figures}</div>')


def size(number):
    return "not told" if number is None else f"{number / 1e6:.2f} MB"


def facts(entry):
    on = entry["measured_on"]
    told = [("artifact", entry["artifact"]), ("of f32", entry["against"]["artifact"]),
            ("payload", f"{size(entry['bytes']['form'])}, f32 {size(entry['bytes']['f32'])}")]
    for side, memory in entry["memory"].items():
        if memory:
            told.append((f"memory, {side}", f"{size(memory['process_peak'])} of the whole process at most; between layers "
                         f"{size(memory['activations'])}"))
    told += [("processor", on["processor"] or "not told"), ("runtime", on["runtime"] or "not told"), ("rung", on["rung"])]
    lines = "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(value)}</dd>" for name, value in told)
    return section("What was measured, and where", f'<div class="card"><dl>{lines}</dl></div>')


def page(entry, shown):
    """`entry` as the record has it, and the worst photographs."""
    parts = [summary(entry), what_to_do(entry), checks(entry), *BY_ROLE[entry["role"]](entry), precision(entry),
             thresholds(entry), pictures(shown, entry["role"]), facts(entry)]
    title = f"{entry['identity']} on {entry['rung']}"
    return ('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'; img-src data:">\n'
            f"<title>Gate of {escaped(title)}</title>\n<style>\n{STYLE.read_text()}</style>\n</head>\n<body>\n<main>\n"
            + "\n".join(part for part in parts if part) + "\n</main>\n</body>\n</html>\n")
