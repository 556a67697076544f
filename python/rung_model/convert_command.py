# SPDX-License-Identifier: Apache-2.0
"""The command `convert`."""

from . import build, efficientnet_lite, fix, tflite

CONVERTERS = {"efficientnet-lite0": efficientnet_lite.convert, "tflite": tflite.convert}


def run(arguments):
    model = CONVERTERS[arguments.format](build.read_file(arguments.model))
    fix.save(model, arguments.output)
    shapes = [f"{value.name} {'x'.join(map(str, fix.shape_of(value)))}"
              for value in [*model.graph.input, *model.graph.output]]
    print(f"{arguments.output}: {len(model.graph.node)} nodes, {', '.join(shapes)}")


def add(commands):
    one = commands.add_parser("convert", help="make an ONNX graph of a model in another format")
    one.add_argument("format", choices=CONVERTERS, help="what the file is")
    one.add_argument("model", help="the file as published")
    one.add_argument("output", help="the file to write")
    one.set_defaults(run=run)
