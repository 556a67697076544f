# SPDX-License-Identifier: Apache-2.0
"""Markdown that is readable as it is in a terminal. Texts of model files are not trusted: they stay texts."""

import re

ALIGNED = 40  # cells that are wider are not padded for

# What Markdown, or HTML in it, would make more than text of.
SPECIAL = re.compile(r"([\\`*\[\]<>|#]|(?<!\w)_|_(?!\w))")


def plain(value):
    """One line of text that no reader of Markdown takes for anything else."""
    shown = "".join(character if character.isprintable() else " " for character in str(value))
    return SPECIAL.sub(r"\\\1", " ".join(shown.split()))


def table(head, rows):
    """Padded so that the columns stand below each other."""
    widths = [min(ALIGNED, max(len(row[column]) for row in [head, *rows])) for column in range(len(head))]
    lines = [head, ["-" * max(3, width) for width in widths], *rows]
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines)


def megabytes(count):
    return f"{count / 1e6:.2f} MB"


def percent(part):
    return f"{100 * part:.1f} %"
