# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "scripts" / "lib")]
os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before anything imports onnxruntime


@pytest.fixture(scope="session")
def data():
    folder = os.environ.get("RUNG_TEST_DATA")
    if not folder:
        pytest.skip("RUNG_TEST_DATA is not set: it names the folder of further test data")
    return pathlib.Path(folder)
