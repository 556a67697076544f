# SPDX-License-Identifier: Apache-2.0
"""The photographs on which the form is furthest from f32, small, with what both find."""

import base64
import dataclasses
import io

from PIL import Image, ImageDraw

from . import measure

MOST = 6
SIDE = 360  # pixels of the longer one
QUALITY = 70
RIGHT, FORM = (47, 126, 196), (217, 115, 13)  # as the page's colours


@dataclasses.dataclass(frozen=True)
class Picture:
    name: str
    told: str
    jpeg: bytes

    @property
    def address(self):
        return "data:image/jpeg;base64," + base64.b64encode(self.jpeg).decode()


def draw(picture, targets, scale, colour, width):
    pen = ImageDraw.Draw(picture)
    for target in targets:
        x, y, w, h = (side * scale for side in target["box"])
        pen.rectangle((x, y, max(x, x + w), max(y, y + h)), outline=colour, width=width)


def small(photograph, right=None, form=None):
    """A JPEG of it; boxes of the form lie inside those of f32 where they agree."""
    picture = Image.fromarray(photograph.pixels())
    scale = min(1, SIDE / max(picture.size))
    picture = picture.resize([max(1, round(side * scale)) for side in picture.size], Image.Resampling.LANCZOS)
    for line, colour, width in ((right, RIGHT, 3), (form, FORM, 1)):
        if line:
            draw(picture, line["targets"], scale, colour, width)
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


def told(role, apart, right=None, form=None):
    if role == "detector":
        return f"f32 finds {len(right['targets'])}, the form {len(form['targets'])}; {apart:g} {'is' if apart == 1 else 'are'} of one alone"
    if role == "embedder":
        return f"cosine {1 - apart:.5f}"
    return f"{100 * apart:.2f} % of the pixels differ"


def look(gate, form, right, photographs, trust=()):
    """`form` and `right` are model files, `gate` what was measured of them on the photographs."""
    chosen = [(photographs[row["place"]], row["apart"]) for row in gate["worst"][:MOST]]
    if not chosen:
        return []
    found = [(None, None)] * len(chosen)
    if gate["role"] == "detector":
        names = [photograph for photograph, _ in chosen]
        found = list(zip(measure.detections(right, names, gate["against"]["rung"], trust),
                         measure.detections(form, names, gate["rung"], trust)))
    return [Picture(photograph.path.name, told(gate["role"], apart, *lines), small(photograph, *lines))
            for (photograph, apart), lines in zip(chosen, found)]
