# SPDX-License-Identifier: Apache-2.0
"""The antialiased resize of 8-bit RGB pictures in warm memory: to a picture, and by a letterbox to a tensor."""
import numpy
from PIL import Image

import ours
import pictures
from measure import Case, Goal, Peers, Side

SIZES = (((1280, 720), (640, 360)), ((4000, 3000), (640, 480)))
TENSOR_SIZES = (((1280, 720), (640, 640)), ((4000, 3000), (640, 640)))
PICTURE, TENSOR = (ours.STRETCH, ours.U8, ours.INTERLEAVED), (ours.LETTERBOX, ours.F32, ours.PLANAR)
GREY = (114,) * 3
PILLOW, TORCHVISION, EDGEFIRST = "Pillow resize", "torchvision resize, antialiased", "edgefirst_hal convert"
GOALS = {PILLOW: 5.0, TORCHVISION: 1.0}
MOST_LEVELS = {PILLOW: 0, TORCHVISION: 1.001, EDGEFIRST: 1.001}  # of 255; tensors of those are a rounding away


def pillow(picture, size):
    image = Image.fromarray(picture)
    image.load()
    return Side(lambda: image.resize(size, Image.Resampling.BILINEAR),
                lambda: numpy.asarray(image.resize(size, Image.Resampling.BILINEAR)))


def torchvision(picture, size):
    """In torch's `channels_last` form, which is how the picture lies in memory and for which it has a path of its own."""
    import torch
    from torchvision.transforms.v2 import functional
    image = torch.from_numpy(picture).permute(2, 0, 1)

    def run():
        with torch.inference_mode():
            return functional.resize(image, size[::-1], antialias=True)

    return Side(run, lambda: run().permute(1, 2, 0).numpy())


def edgefirst(picture, canvas):
    """A letterbox to planar f32; its resize is antialiased."""
    import edgefirst_hal as hal
    height, width = picture.shape[:2]
    processor = hal.ImageProcessor()
    source = hal.Tensor.image(width, height, hal.PixelFormat.Rgb, mem=hal.TensorMemory.MEM, access="readwrite")
    source.from_numpy(picture)
    tensor = processor.create_image(*canvas, hal.PixelFormat.PlanarRgb, "float32", access="readwrite")

    with tensor.map() as memory:
        values = numpy.asarray(memoryview(memory))

    def run():
        processor.convert(source, tensor, letterbox=[*GREY, 255])
        return values

    return Side(run)


def differs(name, answer, wanted):
    apart = numpy.abs(answer.astype(float) - wanted).max() * (255 if wanted.dtype == numpy.float32 else 1)
    return "" if apart <= MOST_LEVELS[name] else f"it has levels that are {apart:.1f} away"


def case(levels, photos, size, canvas, kind, peers_of):
    picture = pictures.photograph(photos, *size)
    form = ours.Form(*size, *canvas, ours.TRIANGLE, *kind)
    peers = Peers()
    for name, make in peers_of.items():
        peers.add(name, lambda: make(picture, canvas))
    what = "letterbox, f32" if kind == TENSOR else "u8"
    return Case(f"triangle {size[0]}x{size[1]} to {canvas[0]}x{canvas[1]}, {what}",
                {name: Side(ours.Preprocess(level, form, picture)) for name, level in levels.items()}, peers, differs,
                tuple(Goal((name,), GOALS[name]) for name in peers_of if name in GOALS))


def cases(levels, photos):
    return ([case(levels, photos, *sizes, PICTURE, {PILLOW: pillow, TORCHVISION: torchvision}) for sizes in SIZES] +
            [case(levels, photos, *sizes, TENSOR, {EDGEFIRST: edgefirst}) for sizes in TENSOR_SIZES])
