# SPDX-License-Identifier: Apache-2.0
"""Building in the background, through the API: the promises stand in test_engines_queue.c."""

import subprocess

from engines_here import Place
from standing_in import BUILD, BUILT


def test_building_in_the_background(tmp_path):
    place = Place(tmp_path)
    large = place.pack("large", content={"licence": {"text": "long " * 2000}}, corner=(0.0, 0.0, 0.5, 0.5))
    variables = {"RUNG_TEST_SMALL": str(place.models[0]), "RUNG_TEST_LARGE": str(large),
                 "RUNG_TEST_HELPER": str(BUILD / "probe" / "rung-probe"), "RUNG_TRUST_PATH": str(tmp_path / "key.pub.pem")}
    result = subprocess.run([BUILT / "test_engines_queue"], env=place.environment(**variables), capture_output=True, text=True,
                            timeout=300, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
