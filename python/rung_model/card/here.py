# SPDX-License-Identifier: Apache-2.0
"""What serves on this device, and how long each form takes. Forms and f32 are measured in turns, so that what else happens on the
machine meets both alike."""

import dataclasses
import statistics
import sys

from .. import Refusal, program
from .forms import CANONICAL

ROUNDS = 6
RUNS = 40  # of each side in a round
FLOOR = "ort-cpu"
PART = "total"  # the frame on its way to the packet


@dataclasses.dataclass(frozen=True)
class Timing:
    rung: str
    median_ms: float  # of the rounds' medians
    ratios: tuple  # of each round the form's median by that of f32; empty for f32 itself
    against: str = ""  # the rung of f32


@dataclasses.dataclass(frozen=True)
class Here:
    device: str
    serves: dict  # of the model in f32, what `rung explain` says under `model`
    forms: dict  # {digest: what it says of a form beside it}
    timings: dict  # {form: Timing, or the sentence why there is none}


def say(text):
    if sys.stderr.isatty():
        print(f"rung-model: {text}", file=sys.stderr)


class Bench:
    def __init__(self, options):
        self.options = options

    def measure(self, form, rung=None):
        asked = ("--rung", rung) if rung else ()
        report = program.read("bench", "--json", "-m", form.path, "--iterations", RUNS, *asked, *self.options)
        result, = report["results"]
        return result

    def rung_of(self, form):
        """None: what serves by itself is this form. f32 may be served by another one, and is then measured on the floor."""
        return None if self.measure(form)["artifact"] == form.digest else FLOOR

    def alone(self, form, rung):
        results = [self.measure(form, rung) for _ in range(ROUNDS)]
        return Timing(results[0]["rung"], statistics.median(result["ms"][PART]["p50"] for result in results), ())

    def in_turns(self, form, canonical, rung):
        pairs = []
        for number in range(ROUNDS):
            say(f"{form.name} against f32, round {number + 1} of {ROUNDS}")
            sides = [(canonical, rung), (form, None)]
            results = {side.name: self.measure(side, asked) for side, asked in (sides if number % 2 else reversed(sides))}
            pairs.append((results[form.name], results[CANONICAL]))
        medians = [(one["ms"][PART]["p50"], other["ms"][PART]["p50"]) for one, other in pairs]
        return Timing(pairs[0][0]["rung"], statistics.median(one for one, _ in medians),
                      tuple(sorted(one / other for one, other in medians)), pairs[0][1]["rung"])

    def time(self, form, canonical, rung):
        try:
            if canonical is None or form is canonical:
                return self.alone(form, rung if form is canonical else None)
            return self.in_turns(form, canonical, rung)
        except Refusal as refusal:
            return str(refusal).partition(": ")[2]


def device_of(explained):
    cpu = explained["device"]["cpu"]
    others = [device.get("name") or device.get("text") or "" for device in explained["device"]["devices"]]
    return ", ".join([f"{cpu['model']}, {cpu['usable']} processors usable", *filter(None, others)])


def look(forms, options):
    """`options` are those of trust, for every program that opens a model."""
    bench = Bench(options)
    canonical = next((form for form in forms if form.name == CANONICAL), None)
    explained = program.read("explain", "--json", "-m", (canonical or forms[0]).path, *options)
    rung = bench.rung_of(canonical) if canonical else None
    return Here(device_of(explained), explained["model"], {form["artifact"]: form for form in explained.get("forms", [])},
                {form: bench.time(form, canonical, rung) for form in forms})
