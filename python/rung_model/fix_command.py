# SPDX-License-Identifier: Apache-2.0
"""The command `fix`."""

import argparse
import json
import math

from . import Refusal, compare, files, fix


SCHEMA = 1


def parse_shape(text):
    name, separator, numbers = text.rpartition("=")
    try:
        shape = [int(number) for number in numbers.split(",")]
    except ValueError:
        shape = []
    if not separator or not shape or min(shape) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not of the form NAME=1,3,640,640")
    return name, shape


def parse_bound(text):
    """One that no answer misses is none."""
    try:
        if math.isfinite(float(text)):
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text} is no finite number")


def must_be_near(what, distance, bound):
    """Also refuses what is no number."""
    if not distance <= bound:
        raise Refusal(f"{what}: relative L2 {distance:.3g}, allowed {bound:.3g}; nothing was written")


def say(arguments, edit, served):
    if arguments.json:
        print(json.dumps({"schema": SCHEMA, "model": arguments.model, "output": arguments.output, "inputs": len(arguments.inputs),
                          "as_written": {"distance": edit, "allowed": arguments.bound},
                          "as_optimised": {"distance": served, "allowed": compare.SERVED_BOUND}}))
        return
    print(f"{arguments.output}: same answers as {arguments.model} on {len(arguments.inputs)} inputs: "
          f"relative L2 {edit:.3g} as written (allowed {arguments.bound:.3g}), "
          f"{served:.3g} as optimised (allowed {compare.SERVED_BOUND:.3g})")


def run(arguments):
    files.must_be_writable(arguments.output)
    files.must_spare(arguments.output, [arguments.model, *arguments.inputs])
    model = fix.load(arguments.model)
    fixed = fix.fix(model, dict(arguments.shape), arguments.opset)
    reference = fix.free_shapes(model)
    edit = compare.largest_distance(reference, fixed, arguments.inputs)
    must_be_near(f"the fixed graph answers otherwise than {arguments.model}", edit, arguments.bound)
    served = compare.largest_distance(reference, fixed, arguments.inputs, optimised=True)
    must_be_near(f"ONNX Runtime optimises the fixed graph to other answers than {arguments.model}",
                 served, compare.SERVED_BOUND)
    fix.save(fixed, arguments.output)
    say(arguments, edit, served)


def add(commands):
    one = commands.add_parser("fix", help="make a published ONNX graph fit to serve", description=fix.__doc__)
    one.add_argument("model", help="the ONNX model as published")
    one.add_argument("output", help="the file to write")
    one.add_argument("--shape", action="append", default=[], type=parse_shape, metavar="NAME=1,3,640,640",
                     help="static shape of an input; for each input that has free or wrong dimensions")
    one.add_argument("--opset", type=int, default=fix.LEAST_OPSET, help="at least this one (default %(default)s)")
    one.add_argument("--inputs", nargs="+", required=True, metavar="FILE",
                     help="photographs or .npy arrays on which both graphs must agree")
    one.add_argument("--bound", type=parse_bound, default=compare.BOUND,
                     help="largest relative L2 between the answers of the graphs as written (default %(default)s)")
    one.add_argument("--json", action="store_true", help="what was compared as one JSON object")
    one.set_defaults(run=run)
