# SPDX-License-Identifier: Apache-2.0
"""From an RGB8 picture to a planar f32 tensor by a letterbox, source and destination out of the caches."""
import numpy

import ours
import pictures
from measure import Case, Goal, Peers, Side

SIZES = (((1280, 720), (640, 640), 3.0), ((1920, 1080), (640, 640), 3.0), ((1920, 1080), (1280, 768), 3.0),
         ((4000, 3000), (640, 640), 2.0))
GREY = 114
# A loop that only reads the same rows and stores as much is the least that memory asks.
TOUCH_AT_MOST = {"avx512": 1.5, "avx2": 1.9}
# Peers weigh with 11 bits, Rung with 8: levels of 255 by which they may differ on the average and at most.
MEAN_LEVELS, MOST_LEVELS = 0.5, 4.0

ULTRALYTICS, BLOB, RESIZE_BLOB = "ultralytics LetterBox", "OpenCV blobFromImageWithParams", "OpenCV resize, blobFromImage"
BY_HAND = "OpenCV resize, split + numpy by hand"


def ultralytics(picture, canvas):
    """What the predictor of the package does with one picture on a CPU: BGR in, as its loader gives it."""
    import torch
    from ultralytics.data.augment import LetterBox
    bgr = numpy.ascontiguousarray(picture[..., ::-1])
    letterbox = LetterBox(canvas[::-1], auto=False)

    def run():
        with torch.inference_mode():
            tensor = torch.from_numpy(letterbox(image=bgr)).unsqueeze(0)
            tensor = tensor.permute(0, 3, 1, 2).contiguous().flip(1)
            return tensor.float().div_(255)

    return Side(run, reads=[bgr])


def opencv_blob(picture, canvas):
    """The blob as the picture is, RGB: without the swap of channels it is faster."""
    import cv2
    params = cv2.dnn.Image2BlobParams()
    params.scalefactor = (1 / 255,) * 4
    params.size = canvas
    params.ddepth = cv2.CV_32F
    params.datalayout = cv2.DNN_LAYOUT_NCHW
    params.paddingmode = cv2.dnn.DNN_PMODE_LETTERBOX
    params.borderValue = (GREY,) * 4
    return Side(lambda: cv2.dnn.blobFromImageWithParams(picture, params), reads=[picture])


def content_of(picture, canvas):
    """A grey canvas and the part of it that the picture covers; the sizes here leave no fractions."""
    import cv2
    height, width = picture.shape[:2]
    scale = min(canvas[0] / width, canvas[1] / height)
    width, height = round(width * scale), round(height * scale)
    left, top = (canvas[0] - width) // 2, (canvas[1] - height) // 2
    grey = numpy.full((canvas[1], canvas[0], 3), GREY, numpy.uint8)
    part = grey[top:top + height, left:left + width]
    return grey, lambda: cv2.resize(picture, (width, height), dst=part, interpolation=cv2.INTER_LINEAR)


def opencv_resize(picture, canvas):
    import cv2
    grey, resize = content_of(picture, canvas)

    def run():
        resize()
        return cv2.dnn.blobFromImage(grey, 1 / 255)

    return Side(run, reads=[picture])


def opencv_by_hand(picture, canvas):
    """Nothing is allocated, nothing copied twice: the fastest that was found with these two packages."""
    import cv2
    grey, resize = content_of(picture, canvas)
    planes = [numpy.empty(canvas[::-1], numpy.uint8) for _ in range(3)]
    tensor = ours.aligned((1, 3, *canvas[::-1]), numpy.float32)
    factor = numpy.float32(1 / 255)

    def run():
        resize()
        cv2.split(grey, planes)
        for channel, plane in enumerate(planes):
            numpy.multiply(plane, factor, out=tensor[0, channel])
        return tensor

    return Side(run, reads=[picture])


def differs(_name, answer, wanted):
    apart = numpy.abs(numpy.asarray(answer).reshape(wanted.shape) - wanted) * 255
    if apart.mean() <= MEAN_LEVELS and apart.max() <= MOST_LEVELS:
        return ""
    return f"its values are {apart.mean():.2f} of 255 levels away on the average, {apart.max():.1f} at most"


def cases(levels, photos):
    found = []
    for (width, height), canvas, at_least in SIZES:
        picture = pictures.photograph(photos, width, height)
        form = ours.Form(width, height, *canvas, ours.BILINEAR, ours.LETTERBOX, ours.F32, ours.PLANAR)

        def sides(kind):
            return {name: Side(ours.Preprocess(level, form, picture, kind), reads=[picture])
                    for name, level in levels.items()}

        peers = Peers()
        for name, make in ((ULTRALYTICS, ultralytics), (BLOB, opencv_blob), (RESIZE_BLOB, opencv_resize),
                           (BY_HAND, opencv_by_hand)):
            peers.add(name, lambda: make(picture, canvas))
        found.append(Case(f"preprocess {width}x{height} to {canvas[0]}x{canvas[1]}", sides("preprocess"), peers, differs,
                          (Goal((ULTRALYTICS, BLOB, RESIZE_BLOB), at_least),), "a loop that reads and stores as much",
                          sides("touch"), TOUCH_AT_MOST))
    return found
