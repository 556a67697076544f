# SPDX-License-Identifier: Apache-2.0
"""The first K of many candidates and what of these overlaps no better one; each side chooses its own first K."""
import numpy

import ours
from measure import Case, Goal, Peers, Side

COUNTS = {1_024: (1_000, 8_400, 65_536), 10_000: (8_400, 65_536)}  # by K
GOALS = {1_024: (6.0, 12.0), 10_000: (6.0, None)}  # against ONNX Runtime and torchvision
IOU = 0.45
WIDTH, HEIGHT, UNITS = 1920, 1080, 8  # of the picture in pixels; of a pixel
OBJECTS_MAX = 900
OPENCV_BELOW = 10_000  # candidates: from there on it takes up to a second
SAME = 0.999  # of what is kept; a box whose overlap is the limit itself is kept by one and not by another

ORT, TORCHVISION, OPENCV = "ONNX Runtime NonMaxSuppression", "torchvision.ops.nms", "OpenCV dnn.NMSBoxes"


def boxes_of(form, count, random):
    """Centres and sizes in pixels."""
    if form == "clustered":  # nine or more about every object
        objects = min(count // 9, OBJECTS_MAX)
        which = random.integers(objects, size=count)
        side = numpy.exp(random.uniform(numpy.log(20), numpy.log(200), (objects, 2)))[which]
        centre = random.uniform((0, 0), (WIDTH, HEIGHT), (objects, 2))[which] + random.normal(0, 0.06, (count, 2)) * side
        return centre, side * random.normal(1, 0.06, (count, 2))
    side = (WIDTH * HEIGHT / 2 / count) ** 0.5  # half of the picture is covered, were there no overlaps
    return random.uniform((0, 0), (WIDTH, HEIGHT), (count, 2)), random.uniform(side / 2, side * 3 / 2, (count, 2))


def candidates(form, count):
    """Records with confidences that differ, so that every side finds the same order."""
    random = numpy.random.default_rng(count)
    centre, size = boxes_of(form, count, random)
    low, high = (numpy.clip(numpy.rint(edge * UNITS), 0, (WIDTH * UNITS, HEIGHT * UNITS)).astype(int)
                 for edge in (centre - size / 2, centre + size / 2))
    records = numpy.zeros(count, ours.CANDIDATE)
    records["x"], records["y"] = low.T
    records["w"], records["h"] = numpy.maximum(high - low, 1).T
    records["confidence"] = numpy.maximum(65535 - random.permutation(count), 1)
    records["source_bits"], records["payload"] = 1, 0xffff
    return records


def corners(records):
    return numpy.stack([records["x"], records["y"], records["x"].astype(int) + records["w"],
                        records["y"].astype(int) + records["h"]], 1).astype(numpy.float32) / UNITS


def scores(records):
    return (records["confidence"] / 65535).astype(numpy.float32)


def ort_session(first, count):
    """TopK, Gather and NonMaxSuppression in one graph, one thread; the first two only where they leave something out."""
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    def constant(name, values, dtype=numpy.int64):
        return numpy_helper.from_array(numpy.array(values, dtype), name)

    first = min(first, count)
    nodes, boxes, ranked = [], "boxes", "scores"
    values = [constant("first", [first]), constant("iou", [IOU], numpy.float32)]
    outputs = [helper.make_tensor_value_info("selected", TensorProto.INT64, [None, 3])]
    if first < count:
        nodes = [helper.make_node("TopK", ["scores", "first"], ["best", "which"], axis=2),
                 helper.make_node("Reshape", ["which", "flat"], ["indices"]),
                 helper.make_node("Gather", ["boxes", "indices"], ["considered"], axis=1)]
        boxes, ranked = "considered", "best"
        values.append(constant("flat", [-1]))
        outputs.append(helper.make_tensor_value_info("indices", TensorProto.INT64, [first]))
    nodes.append(helper.make_node("NonMaxSuppression", [boxes, ranked, "first", "iou"], ["selected"]))
    inputs = [helper.make_tensor_value_info("boxes", TensorProto.FLOAT, [1, count, 4]),
              helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 1, count])]
    graph = helper.make_graph(nodes, "select", inputs, outputs, values)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])


def ort(records, first):
    session = ort_session(first, len(records))
    x0, y0, x1, y1 = corners(records).T
    feed = {"boxes": numpy.stack([y0, x0, y1, x1], 1)[None], "scores": scores(records)[None, None]}

    def answer():
        selected, *indices = session.run(None, feed)
        return indices[0][selected[:, 2]] if indices else selected[:, 2]

    return Side(lambda: session.run(None, feed), answer)


def torchvision(records, first):
    import torch
    from torchvision.ops import nms
    boxes, ranks = torch.from_numpy(corners(records)), torch.from_numpy(scores(records))

    def run():
        with torch.inference_mode():
            if first >= len(records):
                return nms(boxes, ranks, IOU)
            best, which = torch.topk(ranks, first, sorted=False)
            return which[nms(boxes[which], best, IOU)]

    return Side(run, lambda: run().numpy())


def opencv(records, first):
    import cv2
    boxes = corners(records).astype(float)
    boxes[:, 2:] -= boxes[:, :2]
    ranks = scores(records)
    return Side(lambda: cv2.dnn.NMSBoxes(boxes, ranks, 0.0, IOU, top_k=first))


def differs(_name, answer, wanted):
    both = numpy.intersect1d(answer, wanted).size
    if both >= SAME * max(len(answer), len(wanted)):
        return ""
    return f"it keeps {len(answer)} and Rung {len(wanted)}, {both} of them the same"


def case(levels, first, count, form):
    records = candidates(form, count)
    rules = ours.Rules(1, round(IOU * 65535), ours.SUPPRESS, count, first, first)
    selections = {name: ours.Selection(level, rules, records) for name, level in levels.items()}
    peers = Peers()
    peers.add(ORT, lambda: ort(records, first))
    peers.add(TORCHVISION, lambda: torchvision(records, first))
    if first < OPENCV_BELOW:
        peers.add(OPENCV, lambda: opencv(records, first))
    kept = len(next(iter(selections.values())).kept())
    return Case(f"select {min(first, count):,} of {count:,} {form}, {kept:,} kept",
                {name: Side(selection, selection.kept) for name, selection in selections.items()}, peers, differs,
                tuple(Goal((name,), goal) for name, goal in zip((ORT, TORCHVISION), GOALS[first]) if goal))


def cases(levels, _photos):
    return [case(levels, first, count, form)
            for first, counts in COUNTS.items() for count in counts for form in ("clustered", "spread")]
