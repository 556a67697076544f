# SPDX-License-Identifier: Apache-2.0
"""The model files of a card, and whether they are forms of one model."""

import dataclasses
import pathlib

from .. import Refusal, program

CANONICAL = "f32"
ORDER = (CANONICAL, "f16", "int8", "a16w8", "a16w16")
SAME = ("name", "role", "canvas")


@dataclasses.dataclass(frozen=True, eq=False)
class Form:
    path: pathlib.Path
    info: dict  # what `rung inspect` says

    @property
    def name(self):
        return self.info["form"]

    @property
    def digest(self):
        return self.info["digest"]

    @property
    def source(self):
        """The digest of the model in f32 that it was made from; None where the file does not say."""
        return self.digest if self.name == CANONICAL else self.info.get("canonical")


def must_not_differ(first, other):
    for member in SAME:
        if first.info[member] != other.info[member]:
            raise Refusal(f"{other.path} is of {member} {other.info[member]}, and {first.path} of {first.info[member]}; a card is "
                          "for the forms of one model")
    if first.name == other.name:
        raise Refusal(f"{first.path} and {other.path} are both in {first.name}; name one of them")
    if first.source and other.source and first.source != other.source:
        raise Refusal(f"{first.path} was made from {first.source[:16]}… and {other.path} from {other.source[:16]}…, other graphs in "
                      "f32; a card is for the forms of one model")


def read(paths):
    """In their order of forms, f32 first."""
    forms = [Form(pathlib.Path(path), program.read("inspect", "--json", path)) for path in paths]
    for form in forms:
        if form.info["kind"] == "engine":
            raise Refusal(f"{form.path} is an engine for one device; name the model file that it was compiled from")
    for place, other in enumerate(forms):
        for first in forms[:place]:
            must_not_differ(first, other)
    return sorted(forms, key=lambda form: ORDER.index(form.name))
