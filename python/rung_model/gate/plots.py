# SPDX-License-Identifier: Apache-2.0
"""Plots as inline SVG. Colours are the page's, by class, so that they follow light, dark and print."""

import html
import math

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 52, 32, 22, 36  # margins
TICKS = 5  # of an axis, or one more or less
BINS = 24
EDGE = 5  # between plot and writing


def text(x, y, content, anchor="middle", kind=""):
    of_kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{of_kind}>{html.escape(str(content))}</text>'


def line(x1, y1, x2, y2, kind):
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def rectangle(x, y, width, height, kind):
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"/>'


def svg(parts, title, height=HEIGHT):
    label = html.escape(title)
    return (f'<svg class="plot" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}"><title>{label}</title>'
            + "".join(parts) + "</svg>")


def brief(value):
    return f"{value:.4g}".replace("-", "−")


def round_values(low, high):
    """Some between them that are whole multiples of 1, 2 or 5 with zeros."""
    raw = (high - low) / TICKS
    power = 10 ** math.floor(math.log10(raw))
    step = next(power * part for part in (1, 2, 5, 10) if power * part >= raw)
    return [round(place * step, 12) for place in range(math.ceil(low / step), math.floor(high / step) + 1)]


class Scale:
    """From values to places along an axis."""

    def __init__(self, low, high, begin, end):
        self.low, self.span = low, (high - low) or 1
        self.begin, self.length = begin, end - begin

    def __call__(self, value):
        return self.begin + self.length * (value - self.low) / self.span


def axis_below(scale, values, unit=""):
    y = HEIGHT - BOTTOM
    yield line(LEFT, y, WIDTH - RIGHT, y, "axis")
    for value in values:
        yield text(scale(value), y + 18, brief(value) + unit)


def bands(rows):
    """Targets by size: of each band all that f32 finds, and those of them that the form finds, too."""
    most = max([row["targets"] for row in rows] + [1])
    step = (WIDTH - LEFT - RIGHT) / len(rows)
    up = Scale(0, most, HEIGHT - BOTTOM, TOP)
    parts = [line(LEFT, up(0), WIDTH - RIGHT, up(0), "axis"), text(LEFT - EDGE, up(most) + 4, most, "end"),
             text(LEFT - EDGE, up(0) + 4, 0, "end")]
    for place, row in enumerate(rows):
        x = LEFT + place * step + step * 0.2
        for which, kind in enumerate(("targets", "found")):
            parts.append(rectangle(x + which * step * 0.3, up(row[kind]), step * 0.28, up(0) - up(row[kind]),
                                   ("right", "form")[which]))
        share = f" ({100 * row['found'] / row['targets']:.1f} %)" if row["targets"] else ""
        parts.append(text(x + step * 0.3, up(max(row["targets"], row["found"])) - EDGE, f"{row['found']} of {row['targets']}{share}"))
        parts.append(text(x + step * 0.3, up(0) + 18, row["size"]))
    return svg(parts, "Targets by size: found by f32, and of those by the form")


def histogram(quantiles, title, unit="", mark=None):
    """Of the figures' quantiles at each percent, each of which stands for one percent of them."""
    low, high = min(quantiles), max(quantiles)
    if low == high:
        return f'<p>All of them are {brief(low)}{unit}.</p>'
    counts = [0] * BINS
    for value in quantiles:
        counts[min(int((value - low) / (high - low) * BINS), BINS - 1)] += 1
    along, up = Scale(low, high, LEFT, WIDTH - RIGHT), Scale(0, max(counts), HEIGHT - BOTTOM, TOP)
    step = (WIDTH - LEFT - RIGHT) / BINS
    parts = [rectangle(LEFT + place * step + 1, up(count), step - 2, up(0) - up(count), "form")
             for place, count in enumerate(counts) if count]
    if mark is not None and low <= mark <= high:
        parts.append(line(along(mark), TOP, along(mark), up(0), "mark"))
    parts += axis_below(along, round_values(low, high), unit)
    parts.append(text(LEFT - EDGE, up(max(counts)) + 4, f"{100 * max(counts) / len(quantiles):.0f} %", "end"))
    return svg(parts, title)


def distribution(quantiles, title, least):
    """How many percent of the figures are at or below each value, with the line that they have to be above."""
    low, high = min(*quantiles, least - (1 - least)), max(1.0, *quantiles)
    along, up = Scale(low, high, LEFT, WIDTH - RIGHT), Scale(0, len(quantiles) - 1, HEIGHT - BOTTOM, TOP)
    points = " ".join(f"{along(value):.1f},{up(percent):.1f}" for percent, value in enumerate(quantiles))
    parts = [line(LEFT, up(percent), WIDTH - RIGHT, up(percent), "grid") for percent in (50, 100)]
    parts += [text(LEFT - EDGE, up(percent) + 4, f"{percent} %", "end") for percent in (0, 50, 100)]
    parts += axis_below(along, round_values(low, high))
    parts += [f'<polyline class="curve" points="{points}"/>', line(along(least), TOP, along(least), up(0), "mark"),
              text(along(least) - EDGE, TOP - 6, f"above {least}", "end")]
    return svg(parts, title)


def shares(rows, title, least):
    """Bars from 0 to 1, one below the other: [(name, share)]."""
    step, begin = 22, 190
    along = Scale(0, 1, begin, WIDTH - 70)
    height = TOP + step * len(rows) + 8
    parts = []
    for place, (name, share) in enumerate(rows):
        y = TOP + place * step
        parts.append(rectangle(begin, y + 3, along(share) - begin, step - 6, "form"))
        parts.append(text(begin - EDGE, y + 15, name if len(name) < 26 else name[:24] + "…", "end"))
        parts.append(text(WIDTH - 10, y + 15, f"{share:.4f}", "end"))
    parts += [line(along(least), TOP - 8, along(least), height - 4, "mark"), text(along(least), TOP - 10, f"{least}")]
    return svg(parts, title, height)
