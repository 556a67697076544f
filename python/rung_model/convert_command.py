# SPDX-License-Identifier: Apache-2.0
"""The command `convert`."""

import json

from . import build, efficientnet_lite, files, fix, tflite

SCHEMA = 1
CONVERTERS = {"efficientnet-lite0": efficientnet_lite.convert, "tflite": tflite.convert}


def shapes_of(values):
    return {value.name: fix.shape_of(value) for value in values}


def say(arguments, graph):
    if arguments.json:
        print(json.dumps({"schema": SCHEMA, "model": arguments.model, "output": arguments.output, "nodes": len(graph.node),
                          "inputs": shapes_of(graph.input), "outputs": shapes_of(graph.output)}))
        return
    shapes = [f"{name} {'x'.join(map(str, shape))}" for name, shape in shapes_of([*graph.input, *graph.output]).items()]
    print(f"{arguments.output}: {len(graph.node)} nodes, {', '.join(shapes)}")


def run(arguments):
    files.must_be_writable(arguments.output)
    files.must_spare(arguments.output, [arguments.model])
    model = CONVERTERS[arguments.format](build.read_file(arguments.model))
    fix.save(model, arguments.output)
    say(arguments, model.graph)


def add(commands):
    one = commands.add_parser("convert", help="make an ONNX graph of a model in another format")
    one.add_argument("format", choices=CONVERTERS, help="what the file is")
    one.add_argument("model", help="the file as published")
    one.add_argument("output", help="the file to write")
    one.add_argument("--json", action="store_true", help="what was written as one JSON object")
    one.set_defaults(run=run)
