# SPDX-License-Identifier: Apache-2.0
"""The page of a gate is one file without scripts that asks nothing of a network, and has the verdict first."""

import base64
import html.parser
import io
import json
import re

import pytest
from PIL import Image

from gating import CORNER, MIDDLE, corner, forms, gate, photos, refused  # noqa: F401
from rung_model.gate import advice, plots
from test_gate_labels import write_labels


class Reader(html.parser.HTMLParser):
    """Which elements there are, that each of them ends, and what stands in them."""
    EMPTY = {"meta", "img"}

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.addresses, self.text = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "xlink:href", "data", "action")]
        assert not any(name.startswith("on") for name, _ in attributes)
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)


def page_of(forms, gate, form, *options, role="detector", missed=False):
    path = forms.folder / "page.html"
    told = gate(form, "--against", forms.folder / f"f32-{role}.spec.json", "--report", path, "--json", *options, missed=missed)
    assert json.loads(told)["report"] == str(path)
    content = path.read_text()
    assert len(content) < 1_000_000 and "http" not in content.replace("http-equiv", "")
    reader = Reader(content)
    assert not reader.open and "script" not in reader.elements and "link" not in reader.elements
    assert all(address.startswith("data:image/jpeg;base64,") for address in reader.addresses)
    return reader, [part.strip() for part in reader.text if part.strip()]


def test_a_detector_that_missed(forms, gate, tmp_path):
    form = forms.form(rows=corner(0.46), labels=["bright", "corner"])
    labels = write_labels(tmp_path / "labels.json")
    reader, text = page_of(forms, gate, form, "--labels", labels, "--suggest-threshold", missed=True)
    words = " ".join(text)
    assert text[1:3] == ["tiny+i8 on ort-cpu:", "missed"]  # behind the title
    order = [words.index(part) for part in ("What to do", "Checks", "Found, by size", "Change of confidence",
                                            "Confidence of what was lost", "Average precision", "Thresholds of its own",
                                            "The worst photographs", "What was measured, and where")]
    assert order == sorted(order)
    assert "40 of 40 (100.0 %)" in words and "0 of 40 (0.0 %)" in words and "--suggest-threshold finds a lower one" in words
    assert len(reader.addresses) == 6 and "00.png: f32 finds 2, the form 1; 1 is of one alone" in text


def test_boxes_of_both_are_drawn_on_the_worst(forms, gate):
    reader, _ = page_of(forms, gate, forms.form(rows=corner(0.1)), missed=True)
    picture = Image.open(io.BytesIO(base64.b64decode(reader.addresses[0].split(",")[1]))).convert("RGB")
    assert picture.size == (200, 200)
    at_corner, at_middle = picture.getpixel((49, 25)), picture.getpixel((50, 100))
    assert at_corner[2] > at_corner[0] + 40  # blue: f32 alone
    assert at_middle != (255, 255, 255) and picture.getpixel((180, 20))[0] > 240


def test_an_embedder_shows_the_distribution_of_its_cosines(forms, gate):
    form = forms.form(role="embedder", rows=[[0.9, *MIDDLE[1:]], CORNER])
    reader, text = page_of(forms, gate, form, role="embedder", missed=True)
    words = " ".join(text)
    assert "polyline" in reader.elements and "above 0.999" in words and "an embedder in this form is not served" in words
    assert len(reader.addresses) == 6 and "cosine 0." in words


def test_a_segmenter_shows_the_iou_of_each_class(forms, gate):
    rows = [MIDDLE, [0.9, *CORNER[1:]]]
    _, text = page_of(forms, gate, forms.form(role="segmenter", rows=rows), role="segmenter", missed=True)
    words = " ".join(text)
    assert "IoU of each class" in words and "dark" in text and "bright" in text and "% of the pixels differ" in words


def test_a_form_that_passes_needs_no_advice(forms, gate):
    _, text = page_of(forms, gate, forms.form(rows=corner(0.9)))
    assert text[2] == "passed" and "What to do" not in text and "The worst photographs" not in text


def test_names_of_others_cannot_write_into_the_page(forms, gate):
    """A label comes from whoever made the model."""
    rows = [MIDDLE, [0.9, *CORNER[1:]]]
    evil = "</svg><script>alert(1)</script>"
    forms.f32("segmenter", labels=[evil, "bright"])
    reader, _ = page_of(forms, gate, forms.form(role="segmenter", rows=rows, labels=[evil, "bright"]), role="segmenter", missed=True)
    assert "script" not in reader.elements


@pytest.mark.parametrize("low, high", [(-0.03, 0.07), (0, 9), (0.55, 0.6), (0.998, 1.0), (-1e-7, 1e-7), (0, 12345)])
def test_values_at_an_axis_are_round_and_few_and_lie_on_it(low, high):
    values = plots.round_values(low, high)
    assert 2 <= len(values) <= 7 and low <= min(values) and max(values) <= high
    assert all(len(plots.brief(value)) < 9 for value in values)


def test_a_histogram_has_all_of_its_figures():
    heights = [float(height) for height in re.findall(r'class="form".*?height="([\d.]+)"', plots.histogram([0] * 50 + [1] * 51, "x"))]
    assert len(heights) == 2 and heights[0] / heights[1] == pytest.approx(50 / 51, abs=0.01)
    assert "All of them are 0.5" in plots.histogram([0.5] * 101, "x")


def test_each_check_that_can_be_missed_has_advice():
    """By the names that `rung gate` gives them."""
    names = ["outputs are finite", "targets of 40 px and more", "found of 40 px and more", "found of 80 to 160 px", "pictures",
             "cosines above 0.999", "interval of the match threshold, against its move", "classes", "mean IoU"]
    told = advice.of({"checks": [{"name": name, "passed": False} for name in names]})
    assert len(told) == len(names) == len(advice.BY_NAME)
