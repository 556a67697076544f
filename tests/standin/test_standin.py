# SPDX-License-Identifier: Apache-2.0
"""The stand-in itself: without faults it is the real library, and wrong steering never passes."""

import pytest
from standing_in import LIBRARY, MODELS, PHOTOS, environment, explain, json_lines, misused, run, without_times

OFFERED = "CUDAExecutionProvider,CPUExecutionProvider"


@pytest.mark.parametrize("command", [("detect", "-m", "centerface"), ("embed", "-m", "effnet_lite0"),
                                     ("segment", "-m", "selfie_seg")], ids=lambda command: command[0])
@pytest.mark.parametrize("steering", ["", f"version=1.99.0;providers={OFFERED}"], ids=["as it is", "with other providers"])
def test_without_faults_every_byte_is_the_real_librarys(command, steering):
    if not (MODELS / f"{command[2]}.rung").exists():
        pytest.skip("the demo's models are not made; scripts/demo-models makes them")
    through = run(*command, "--json", PHOTOS, environment=environment(steering, RUNG_RUNTIME=str(LIBRARY)))
    assert without_times(through.out) == without_times(run(*command, "--json", PHOTOS).out)
    assert len(json_lines(through)) > 3 and all(line["rung"] == "ort-cpu" for line in json_lines(through))


def test_it_offers_the_providers_that_it_is_told_to():
    (loaded,) = (each for each in explain(f"providers={OFFERED}", RUNG_RUNTIME=str(LIBRARY))["loaded"] if each.get("api"))
    assert loaded["path"] == str(LIBRARY) and loaded["providers"] == OFFERED.split(",")


@pytest.mark.parametrize("steering, words", [
    ("sesion=crash", "neither a place"), ("session=cras", 'no fault "cras" at session'), ("session", "no entry KEY=VALUE"),
    ("session=", 'no fault ""'), ("session=nan", 'no fault "nan" at session'), ("run=nan@0", "from 1"), ("run=nan@", "no number"),
    ("run=nan@x", "no number"), ("run=nan@-1", "no number"), ("run=nan@1@2", "no number"), ("run=nan;run=inf", "given twice"),
    ("run=nan;", "no entry"), ("Run=nan", "neither a place"), ("run=nan,", 'no fault ""'), ("slow-ms=60001", "at most 60000"),
    ("slow-ms=20,30:CUDA", '"CUDA" is not among'), ("slow-ms=:CPU", "no number"),
    ("null=425", "at most 424"), ("providers=", "no name"), ("for=elsewhere;run=nan", "is not one"),
    ("for=elsewhere;run=nam;for=standin", 'no fault "nam"'), (";".join(["trace=/dev/null"] * 2), "given twice"),
    ("session=crash:CUDA", '"CUDA" is not among'), ("session=crash:", '"" is not among'), ("load=slow:CPU", "no provider has its own"),
    ("providers=CUDAExecutionProvider;run=nan:CUD", '"CUD" is not among'), ("run=nan@3:CPU", "no number"),
    ("for=elsewhere;run=nan:CUDA;for=standin", '"CUDA" is not among'), ("trace=/dev/null/trace", "cannot write"), ("run=" + ",".join(["nan"] * 9), "more than 8"),
    ("providers=" + ",".join("abcdefghijklmnopq"), "more than 16"), ("version=" + "1" * 8192, "longer than"),
])
def test_what_is_mistyped_does_not_pass(steering, words):
    assert words in misused(steering, RUNG_RUNTIME=str(LIBRARY))


@pytest.mark.parametrize("change, words", [
    ({"RUNG_STANDIN": None}, "RUNG_STANDIN is not set"), ({"RUNG_STANDIN_REAL": None}, "RUNG_STANDIN_REAL is not set"),
    ({"RUNG_STANDIN_REAL": "/nonexistent.so"}, "cannot open"), ({"RUNG_STANDIN_REAL": "libc.so.6"}, "has no OrtGetApiBase"),
])
def test_it_does_not_go_on_without_what_it_needs(change, words):
    assert words in misused("", RUNG_RUNTIME=str(LIBRARY), **change)
