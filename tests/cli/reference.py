# SPDX-License-Identifier: Apache-2.0
"""CenterFace with ONNX Runtime and numpy alone: an independent answer to compare with.

Resizing is bilinear with half-pixel centres in double precision; decoding is the published rule; nothing of Rung's
integer geometry is used.
"""
import io

import numpy
import onnx
import onnxruntime
from PIL import Image, ImageCms, ImageOps


def session(path):
    """The published file declares a wrong fixed shape: batch, height and width are made free."""
    model = onnx.load(path)
    initialisers = {i.name for i in model.graph.initializer}
    for value in [*model.graph.input, *model.graph.output]:
        if value.name not in initialisers:
            for axis in (0, 2, 3):
                value.type.tensor_type.shape.dim[axis].dim_param = f"{value.name}_{axis}"
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def load(path):
    picture = Image.open(path)
    upright = ImageOps.exif_transpose(picture)
    profile = picture.info.get("icc_profile")
    if profile and upright.mode == "RGB":  # relative to the paper's white, black to black, as rung does
        upright = ImageCms.profileToProfile(upright, ImageCms.ImageCmsProfile(io.BytesIO(profile)), ImageCms.createProfile("sRGB"),
                                            ImageCms.Intent.RELATIVE_COLORIMETRIC, flags=ImageCms.Flags.BLACKPOINTCOMPENSATION)
    return numpy.asarray(upright.convert("RGB"))


def resize(pixels, width, height):
    def axis(out, size):
        at = numpy.clip((numpy.arange(out) + 0.5) * size / out - 0.5, 0, size - 1)
        low = numpy.floor(at).astype(int)
        return low, numpy.minimum(low + 1, size - 1), at - low

    y0, y1, fy = axis(height, pixels.shape[0])
    x0, x1, fx = axis(width, pixels.shape[1])
    p = pixels.astype(numpy.float64)
    fx, fy = fx[None, :, None], fy[:, None, None]
    rows = p[:, x0] * (1 - fx) + p[:, x1] * fx
    return rows[y0] * (1 - fy) + rows[y1] * fy


def letterbox(pixels, width, height):
    """→ tensor, scale x, scale y, left, top. The free side is rounded half to even."""
    h, w = pixels.shape[:2]
    if width * h <= height * w:
        nw, nh = width, max(1, round(h * width / w))
    else:
        nw, nh = max(1, round(w * height / h)), height
    left, top = (width - nw) // 2, (height - nh) // 2
    canvas = numpy.zeros((height, width, 3))
    canvas[top:top + nh, left:left + nw] = resize(pixels, nw, nh)
    return numpy.float32(canvas.transpose(2, 0, 1)[None]), nw / w, nh / h, left, top


def suppress(boxes, scores, limit):
    kept = []
    for i in numpy.argsort(-scores, kind="stable"):
        for j in kept:
            a, b = boxes[i], boxes[j]
            w = min(a[2], b[2]) - max(a[0], b[0])
            h = min(a[3], b[3]) - max(a[1], b[1])
            inter = max(w, 0) * max(h, 0)
            if inter > 0 and inter >= limit * ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - inter):
                break
        else:
            kept.append(i)
    return kept


def detect(net, pixels, width, height, threshold=0.5, limit=0.3):
    """→ list of {score, box [x, y, w, h], keypoints}, in pixels of the picture, clipped to it."""
    tensor, sx, sy, left, top = letterbox(pixels, width, height)
    heat, scale, offset, landmarks = (a[0] for a in net.run(["537", "538", "539", "540"],
                                                            {net.get_inputs()[0].name: tensor}))
    rows, columns = numpy.nonzero(heat[0] >= threshold)
    boxes, points = [], []
    for r, c in zip(rows, columns):
        h, w = numpy.exp(scale[:, r, c].astype(float)) * 4
        y, x = (numpy.array([r, c]) + offset[:, r, c] + 0.5) * 4 - [h / 2, w / 2]
        boxes.append([(x - left) / sx, (y - top) / sy, (x + w - left) / sx, (y + h - top) / sy])
        points.append([[(landmarks[2 * j + 1, r, c] * w + x - left) / sx, (landmarks[2 * j, r, c] * h + y - top) / sy]
                       for j in range(5)])
    if not boxes:
        return []
    limits = [pixels.shape[1], pixels.shape[0]]
    boxes = numpy.clip(boxes, 0, limits * 2)
    scores = heat[0][rows, columns]
    return [{"score": float(scores[i]), "box": [*boxes[i][:2], *(boxes[i][2:] - boxes[i][:2])],
             "keypoints": numpy.clip(points[i], 0, limits).tolist()} for i in suppress(boxes, scores, limit)]
