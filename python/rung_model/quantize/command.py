# SPDX-License-Identifier: Apache-2.0
"""The command `quantize`."""

import argparse
import json

from . import __doc__ as about
from .forms import FORMS, LEAST_PHOTOGRAPHS, check_weight_bits, form_of

SHOWN = 10


def parse_range(text):
    """The percentile; None for the plain ends."""
    if text == "minmax":
        return None
    try:
        name, percentile = text.split("=")
        if name == "percentile" and 50 < float(percentile) < 100:
            return float(percentile)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text} is neither minmax nor percentile=P with a P between 50 and 100")


def parse_count(text):
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is no number of operations")
    return int(text)


def parse_confidence(text):
    try:
        if 0 < float(text) <= 1:
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text} is no confidence above 0 and up to 1")


def megabytes(count):
    return f"{count / 1e6:.2f} MB"


def print_report(report):
    seen = report["photographs"]
    print(f"calibrated on {seen['count']} photographs, {seen['holding']} of which hold something: {report['range']}")
    for one in report["sensitivity"][:SHOWN]:
        print(f"alone {'no number' if one['error'] is None else format(one['error'], '.3g')}: {one['at']} ({one['kind']})")
    reasons = [one["why"] for one in report["float"]]
    for why in dict.fromkeys(reasons):
        print(f"in float: {reasons.count(why)}, {why}")
    counts = ", ".join(f"{count} in {precision}" for precision, count in report["operations"].items())
    weights = report["weights"]
    print(f"operations: {counts}; {weights['count']} have weights of whole numbers, {megabytes(weights['bytes'])}")
    for warning in report["warnings"]:
        print(f"warning: {warning}")
    sizes = report["bytes"]
    print(f"{report['output']}: {report['form']}, {megabytes(sizes['before'])} before, {megabytes(sizes['after'])} after; relative "
          f"L2 {report['distance']:.3g} from f32 here, which is no gate")


def run(arguments):
    from .making import Quantising  # with the quantiser, which the other commands need not wait for

    form = form_of(arguments.form)
    check_weight_bits(arguments.weight_bits, form)
    report = Quantising(arguments, form).run()
    if arguments.json:
        print(json.dumps(report))
    else:
        print_report(report)


def add(commands):
    one = commands.add_parser("quantize", help="make a quantised form of a model", description=about)
    one.add_argument("spec", help="the spec of the model in f32")
    one.add_argument("graph", help="its graph, as `fix` or `rewrite` writes it")
    one.add_argument("--form", required=True, help=f"one of {', '.join(FORMS)}")
    one.add_argument("--photos", nargs="+", required=True, metavar="DIR",
                     help=f"photographs to calibrate on, {LEAST_PHOTOGRAPHS} at least, with what the model is for")
    one.add_argument("-o", "--output", required=True, metavar="OUT.onnx",
                     help="the graph to write; its spec, precision map and gate record go beside it")
    one.add_argument("--float", action="append", default=[], metavar="PATTERN",
                     help="operations to keep in float, by name or kind (* ? [ ] as in a shell); may be repeated")
    one.add_argument("--float-worst", type=parse_count, default=0, metavar="N",
                     help="keep in float the N operations with the largest error when they alone are quantised")
    one.add_argument("--no-rules", action="store_true", help="quantise row builders and attention, too")
    one.add_argument("--range", dest="percentile", type=parse_range, metavar="HOW",
                     help="minmax (default), or percentile=P: P per cent of a tensor's numbers lie inside")
    one.add_argument("--weight-bits", type=int, metavar="BITS",
                     help="7: for processors whose 8 bit products saturate (x86 without VNNI); default 8")
    one.add_argument("--min-confidence", type=parse_confidence, metavar="SHARE",
                     help="the form's own threshold, where a gate showed that it finds with it what it lost")
    one.add_argument("--json", action="store_true", help="the report as one JSON object")
    one.set_defaults(run=run)
