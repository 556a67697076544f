# SPDX-License-Identifier: Apache-2.0
"""Release-time work on models. The device never edits a graph: what shapes a model happens here."""

import os
import re

# Read when ONNX Runtime starts; without it its telemetry writes a device id and reports home.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"


class Refusal(Exception):
    """The model cannot be used as asked; the text says why and what to do."""


def first_line(error):
    """What an error of a library says, without the rest and without the kind that ONNX Runtime puts in front of it."""
    line = str(error).strip().partition("\n")[0]
    return re.sub(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ", "", line).rstrip(" .")
