# SPDX-License-Identifier: Apache-2.0
"""Whether there is a picture in a photograph at all. Noise and plain colours make ranges that no photograph has, and some
models find something even in them."""

import numpy

LEAST_SPREAD = 2.0  # standard deviation of the brightness, of 0..255; photographs have 15 and more
LEAST_LIKENESS = 0.2  # correlation of neighbours in a row; photographs have 0.3 to 0.99, noise 0


def is_picture(pixels):
    brightness = pixels.mean(axis=2, dtype=numpy.float32)
    brightness -= brightness.mean(dtype=numpy.float64)
    variance = float(numpy.square(brightness).mean(dtype=numpy.float64))
    if variance < LEAST_SPREAD ** 2 or brightness.shape[1] < 2:
        return False
    return float((brightness[:, :-1] * brightness[:, 1:]).mean(dtype=numpy.float64)) >= LEAST_LIKENESS * variance
