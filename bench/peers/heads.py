# SPDX-License-Identifier: Apache-2.0
"""From a model's output in memory to boxes: decoding and selection."""
import numpy

import ours
from measure import Case, Goal, Peers, Side

CANVAS = 640
CLASSES, ANCHORS = 80, 8400
LIVE = {100: 2.5, 1_000: 6.0}  # anchors above the threshold: goal against numpy with OpenCV
THRESHOLD, IOU, KEPT_MAX = 0.25, 0.45, 300
QUERIES, LABELS, FIRST = 300, 91, 300
TOPK_GOAL = 2.0
DETR = ((600, 0), (50, 0.25))  # high logits and the threshold: 300 of any score, or what a detector gives
SAME = 0.98  # of the boxes; Rung's have 3 fraction bits, so that an overlap near the limit may fall on its other side
APART = 0.2  # pixels

NUMPY, ULTRALYTICS, EDGEFIRST = "numpy + OpenCV", "ultralytics non_max_suppression", "edgefirst_hal Decoder"
TOPK, DETR_TORCH = "torch.topk alone", "torch sigmoid, topk, boxes"


def kept(head):
    """Rung's answer as the peers give it: left, top, right, bottom, score, class."""
    records = head.kept()
    left, top = records["x"].astype(float), records["y"].astype(float)
    return numpy.stack([left / 8, top / 8, (left + records["w"]) / 8, (top + records["h"]) / 8, records["confidence"] / 65535,
                        records["class_id"]], 1)


def differs(_name, answer, wanted):
    answer = numpy.asarray(answer, float)
    same = sum(bool((numpy.abs(answer[:, :4] - row[:4]).max(1) <= APART)[answer[:, 5] == row[5]].any()) for row in wanted)
    if same >= SAME * max(len(answer), len(wanted)):
        return ""
    return f"it gives {len(answer)} boxes and Rung {len(wanted)}, {same} of them the same"


# ---- YOLO ----------------------------------------------------------------------------------------

def yolo_output(live):
    """[84, 8400] as a model gives it: about every object ten anchors see it, scores of the others are low."""
    random = numpy.random.default_rng(live)
    output = ours.aligned((4 + CLASSES, ANCHORS), numpy.float32)
    output[:4] = random.uniform(8, CANVAS - 8, (4, ANCHORS))
    output[4:] = random.uniform(0, 0.05, (CLASSES, ANCHORS))
    anchors = random.choice(ANCHORS, live, replace=False)
    which = random.integers(live // 10, size=live)
    side = numpy.exp(random.uniform(numpy.log(20), numpy.log(150), (2, live // 10)))[:, which]
    centre = random.uniform(80, CANVAS - 80, (2, live // 10))[:, which]
    output[:2, anchors] = centre + random.normal(0, 0.05, (2, live)) * side
    output[2:4, anchors] = side * random.normal(1, 0.05, (2, live))
    output[4 + which % CLASSES, anchors] = random.permutation(numpy.linspace(0.3, 0.95, live))
    return output


def yolo_numpy(output):
    """Only the columns of live anchors are looked at twice."""
    import cv2

    def run():
        best = output[4:].max(0)
        live = numpy.flatnonzero(best > THRESHOLD)
        ranks, classes = best[live], output[4:, live].argmax(0)
        boxes = output[:4, live].T.astype(float)
        boxes[:, :2] -= boxes[:, 2:] / 2
        chosen = numpy.array(cv2.dnn.NMSBoxesBatched(boxes, ranks, classes, THRESHOLD, IOU), int)[:KEPT_MAX]
        boxes[:, 2:] += boxes[:, :2]
        return numpy.column_stack([boxes[chosen], ranks[chosen], classes[chosen]])

    return Side(run)


def yolo_ultralytics(output):
    import torch
    import torchvision  # noqa: F401  (the package uses its suppression where it was imported)
    from ultralytics.utils.nms import non_max_suppression
    prediction = torch.from_numpy(output)[None]

    def run():
        with torch.inference_mode():
            return non_max_suppression(prediction, THRESHOLD, IOU, max_det=KEPT_MAX)[0]

    return Side(run, lambda: run().numpy())


def yolo_edgefirst(output):
    import edgefirst_hal as hal
    decoder = hal.Decoder.new_from_outputs([hal.Output.detection(shape=[1, *output.shape]).with_normalized(False)], THRESHOLD,
                                           IOU, hal.Nms.ClassAware)
    decoder.pre_nms_top_k = ANCHORS
    tensor = hal.Tensor([1, *output.shape], "float32", hal.TensorMemory.MEM)
    tensor.from_numpy(output)

    def answer():
        boxes, ranks, classes, *_ = decoder.decode([tensor], KEPT_MAX)
        return numpy.column_stack([boxes, ranks, classes])

    return Side(lambda: decoder.decode([tensor], KEPT_MAX), answer)


def case(name, levels, form, rules, outputs, makers, goal):
    heads = {level: ours.Head(number, form, rules, *outputs) for level, number in levels.items()}
    peers = Peers()
    for peer, make in makers.items():
        peers.add(peer, lambda: make(*outputs))
    rung = {level: Side(head, lambda head=head: kept(head)) for level, head in heads.items()}
    return Case(name, rung, peers, differs, (goal,))


def yolo_case(levels, live):
    output = yolo_output(live)
    form = ours.HeadForm(ours.HEAD_YOLO, CANVAS, CANVAS, *output.shape)
    rules = ours.Rules(round(THRESHOLD * 65535), round(IOU * 65535), ours.SUPPRESS | ours.SUPPRESS_PER_CLASS, ANCHORS, ANCHORS,
                       KEPT_MAX)
    makers = {NUMPY: yolo_numpy, ULTRALYTICS: yolo_ultralytics, EDGEFIRST: yolo_edgefirst}
    return case(f"yolo {output.shape[0]}x{output.shape[1]}, {live:,} live", levels, form, rules, [output], makers,
                Goal((NUMPY,), LIVE[live]))


# ---- DETR ----------------------------------------------------------------------------------------

def detr_output(live):
    """
    Logits [300, 91] and boxes [300, 4]. So many logits are from −1 on, far enough apart to have confidences that differ; the
    others are low.
    """
    random = numpy.random.default_rng(live)
    logits = ours.aligned((QUERIES, LABELS), numpy.float32)
    logits[:] = numpy.minimum(random.normal(-6, 0.8, logits.shape), -3.5)
    logits.reshape(-1)[random.choice(logits.size, live, replace=False)] = random.permutation(numpy.linspace(-1, 3, live))
    boxes = ours.aligned((QUERIES, 4), numpy.float32)
    boxes[:, :2], boxes[:, 2:] = random.uniform(0.3, 0.7, (QUERIES, 2)), random.uniform(0.05, 0.5, (QUERIES, 2))
    return logits, boxes


def corners_of(boxes, which):
    centre, half = boxes[which // LABELS, :2] * CANVAS, boxes[which // LABELS, 2:] * (CANVAS / 2)
    return numpy.column_stack([centre - half, centre + half])


def detr_topk(logits, boxes, threshold):
    """Without scores, threshold and boxes: less than the same work, and the least that a program in Python does."""
    import torch
    flat = torch.from_numpy(logits).reshape(-1)

    def run():
        with torch.inference_mode():
            return torch.topk(flat, FIRST)

    def answer():
        best, which = (part.numpy() for part in run())
        which = which[1 / (1 + numpy.exp(-best)) >= threshold]
        return numpy.column_stack([corners_of(boxes, which), best[:len(which)], which % LABELS])

    return Side(run, answer)


def detr_torch(logits, boxes, threshold):
    import torch
    scores, places = torch.from_numpy(logits), torch.from_numpy(boxes)

    def run():
        with torch.inference_mode():
            best, which = torch.topk(scores.sigmoid().reshape(-1), FIRST)
            if threshold > 0:
                passes = best >= threshold
                best, which = best[passes], which[passes]
            centre, half = places[which // LABELS].split(2, -1)
            half = half / 2
            return torch.cat([centre - half, centre + half], -1) * CANVAS, best, which % LABELS

    return Side(run, lambda: numpy.column_stack([part.numpy() for part in run()]))


def detr_case(levels, live, threshold):
    form = ours.HeadForm(ours.HEAD_DETR, CANVAS, CANVAS, QUERIES, LABELS)
    rules = ours.Rules(max(1, round(threshold * 65535)), 65535, 0, QUERIES * LABELS, FIRST, FIRST)
    makers = {TOPK: lambda *outputs: detr_topk(*outputs, threshold), DETR_TORCH: lambda *outputs: detr_torch(*outputs, threshold)}
    what = f", {live} from {threshold} on" if threshold else ""
    return case(f"detr {QUERIES}x{LABELS}, the first {FIRST}{what}", levels, form, rules, detr_output(live), makers,
                Goal((TOPK,), TOPK_GOAL))


def cases(levels, _photos):
    return [*(yolo_case(levels, live) for live in LIVE), *(detr_case(levels, *those) for those in DETR)]
