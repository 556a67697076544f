# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "scripts" / "lib")]
os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before anything imports onnxruntime
