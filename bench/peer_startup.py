# SPDX-License-Identifier: Apache-2.0
"""The shortest way from Python to a detection: peer_startup.py GRAPH PICTURE THRESHOLD"""
import sys

import cv2
import numpy
import onnxruntime

picture = cv2.imread(sys.argv[2])
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
blob = cv2.dnn.blobFromImage(picture, size=(640, 640), swapRB=True)
heat, scale, offset = session.run(["537", "538", "539"], {"input.1": blob})
for y, x in numpy.argwhere(heat[0, 0] > float(sys.argv[3])):
    height, width = numpy.exp(scale[0, :, y, x]) * 4
    top, left = (offset[0, :, y, x] + (y + 0.5, x + 0.5)) * 4 - (height / 2, width / 2)
    print(left, top, width, height, heat[0, 0, y, x], flush=True)
