# SPDX-License-Identifier: Apache-2.0
"""Release-time work on models: python -m rung_model COMMAND"""

import argparse
import sys

from . import Refusal, build, compare, efficientnet_lite, fix, tflite
from .gate import command as gate
from .importers import command as importers
from .quantize import command as quantize
from .rewrite import command as rewrite

CONVERTERS = {"efficientnet-lite0": efficientnet_lite.convert, "tflite": tflite.convert}


def parse_shape(text):
    name, separator, numbers = text.rpartition("=")
    try:
        shape = [int(number) for number in numbers.split(",")]
    except ValueError:
        shape = []
    if not separator or not shape or min(shape) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not of the form NAME=1,3,640,640")
    return name, shape


def must_be_near(what, distance, bound):
    """Also refuses what is no number."""
    if not distance <= bound:
        raise Refusal(f"{what}: relative L2 {distance:.3g}, allowed {bound:.3g}; nothing was written")


def run_fix(arguments):
    model = fix.load(arguments.model)
    fixed = fix.fix(model, dict(arguments.shape), arguments.opset)
    reference = fix.free_shapes(model)
    edit = compare.largest_distance(reference, fixed, arguments.inputs)
    must_be_near(f"the fixed graph answers otherwise than {arguments.model}", edit, arguments.bound)
    served = compare.largest_distance(reference, fixed, arguments.inputs, optimised=True)
    must_be_near(f"ONNX Runtime optimises the fixed graph to other answers than {arguments.model}",
                 served, compare.SERVED_BOUND)
    fix.save(fixed, arguments.output)
    print(f"{arguments.output}: same answers as {arguments.model} on {len(arguments.inputs)} inputs: "
          f"relative L2 {edit:.3g} as written (allowed {arguments.bound:.3g}), "
          f"{served:.3g} as optimised (allowed {compare.SERVED_BOUND:.3g})")


def run_convert(arguments):
    model = CONVERTERS[arguments.format](build.read_file(arguments.model))
    fix.save(model, arguments.output)
    shapes = [f"{value.name} {'x'.join(map(str, fix.shape_of(value)))}"
              for value in [*model.graph.input, *model.graph.output]]
    print(f"{arguments.output}: {len(model.graph.node)} nodes, {', '.join(shapes)}")


def add_convert(commands):
    one = commands.add_parser("convert", help="make an ONNX graph of a model in another format")
    one.add_argument("format", choices=CONVERTERS, help="what the file is")
    one.add_argument("model", help="the file as published")
    one.add_argument("output", help="the file to write")
    one.set_defaults(run=run_convert)


def parser():
    top = argparse.ArgumentParser(prog="rung_model", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True)
    one = commands.add_parser("fix", help="make a published ONNX graph fit to serve", description=fix.__doc__)
    one.add_argument("model", help="the ONNX model as published")
    one.add_argument("output", help="the file to write")
    one.add_argument("--shape", action="append", default=[], type=parse_shape, metavar="NAME=1,3,640,640",
                     help="static shape of an input; for each input that has free or wrong dimensions")
    one.add_argument("--opset", type=int, default=fix.LEAST_OPSET, help="at least this one (default %(default)s)")
    one.add_argument("--inputs", nargs="+", required=True, metavar="FILE",
                     help="photographs or .npy arrays on which both graphs must agree")
    one.add_argument("--bound", type=float, default=compare.BOUND,
                     help="largest relative L2 between the answers of the graphs as written (default %(default)s)")
    one.set_defaults(run=run_fix)
    add_convert(commands)
    gate.add(commands)
    importers.add(commands)
    rewrite.add(commands)
    quantize.add(commands)
    return top


def main():
    arguments = parser().parse_args()
    try:
        arguments.run(arguments)
    except (Refusal, OSError) as error:
        sys.exit(f"rung_model: {error}")


if __name__ == "__main__":
    main()
