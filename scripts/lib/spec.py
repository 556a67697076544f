# SPDX-License-Identifier: Apache-2.0
"""Fills a spec for the canvas of a fixed graph: spec.py TEMPLATE GRAPH OUTPUT NAME FIT

The shapes are read from the graph, so that the spec cannot say others."""

import json
import sys

import onnx

from rung_model import fix


def fill(template, graph, name, fit_name):
    shapes = {value.name: fix.shape_of(value) for value in [*graph.input, *graph.output]}
    tensors = [template["input"], *template["outputs"]]
    absent = [tensor["name"] for tensor in tensors if tensor["name"] not in shapes]
    if absent:
        sys.exit(f"spec: the graph has no {', '.join(absent)}; it has {', '.join(shapes)}")
    for tensor in tensors:
        tensor["shape"] = shapes[tensor["name"]]
    _, _, height, width = template["input"]["shape"]
    template["canvas"] = {"width": width, "height": height}
    template["name"] = name
    template["fit"] = fit_name


def main(template_path, graph_path, output_path, name, fit_name):
    with open(template_path, encoding="utf-8") as file:
        template = json.load(file)
    fill(template, onnx.load(graph_path).graph, name, fit_name)
    with open(output_path, "w", encoding="utf-8") as file:
        json.dump(template, file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
