# SPDX-License-Identifier: Apache-2.0
"""CenterFace: four maps of faces' centres, sizes, offsets and points on one grid."""

from .candidate import Candidate, Family, NotThis

PLANES = {"heat": 1, "landmarks": 10}
ALIKE = ("scale", "offset")  # two planes each
PUBLISHED = {"scale": "538", "offset": "539"}


def maps_of(graph):
    """Stride of the grid, and the outputs by their planes."""
    width, height = graph.canvas
    by_planes, strides = {}, set()
    for tensor in graph.outputs:
        if len(tensor.shape) != 4 or tensor.shape[0] != 1:
            raise NotThis("its outputs are maps")
        planes, rows, columns = tensor.shape[1:]
        strides.add((width / columns, height / rows))
        by_planes.setdefault(planes, []).append(tensor)
    if sorted((planes, len(tensors)) for planes, tensors in by_planes.items()) != [(1, 1), (2, 2), (10, 1)]:
        raise NotThis("it has four maps, of 1, 2, 2 and 10 planes")
    across, down = strides.pop()
    if strides or across != down or across != int(across):
        raise NotThis("its four maps lie on one grid, which the canvas's sides are a multiple of")
    return int(across), by_planes


def pair_of(pair, said):
    """Scale and offset, which nothing but their names tells apart; None where those do not."""
    names = {tensor.name: tensor for tensor in pair}
    wanted = {purpose: said.get(f"outputs.{purpose}") for purpose in ALIKE}
    for purpose, other in (ALIKE, ALIKE[::-1]):
        if wanted[purpose] in names and wanted[other] is None:
            wanted[other] = next(name for name in names if name != wanted[purpose])
    for choice in (wanted, PUBLISHED):
        if set(choice.values()) == set(names):
            return [names[choice[purpose]] for purpose in ALIKE]
    return None


def recognise(graph, said):
    stride, by_planes = maps_of(graph)
    heat, = by_planes[1]
    points, = by_planes[10]
    by = [f"four maps of 1, 2, 2 and 10 planes, {stride} pixels of the canvas apart"]
    pair = pair_of(by_planes[2], said)
    one = Candidate("centernet", [], by, told={"parameters.strides": [stride]}, classes=1)
    if pair is None:
        names = " and ".join(tensor.name for tensor in by_planes[2])
        for purpose in ALIKE:
            one.open[f"outputs.{purpose}"] = f"{names} look alike; sizes and places in the cell must not be swapped"
        pair = by_planes[2]
    elif not said.get("outputs.scale") and not said.get("outputs.offset"):
        by.append("538 and 539 are the names of scale and offset in the published graph")
    one.outputs = [("heat", heat), ("scale", pair[0]), ("offset", pair[1]), ("landmarks", points)]
    one.tell("parameters.logits", *graph.logits(heat.name))
    return one


FAMILY = Family("centerface", "CenterFace (faces, five points)", recognise,
                {"order": "RGB", "scale": [1, 1, 1], "bias": [0, 0, 0], "fit": "letterbox", "rounding": "nearest",
                 "fill": [0, 0, 0], "labels": ["face"], "selection.min_confidence": 0.5, "selection.iou": 0.3,
                 "selection.suppress": True},
                "values 0 to 255 as the published graph takes them; its authors stretch, a letterbox keeps shapes")
