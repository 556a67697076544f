# SPDX-License-Identifier: Apache-2.0
"""The ladder: every rung is listed with its outcome and its reason, and none is claimed that did not run."""
import json
import re

import pytest
from conftest import ROOT, clean_environment, run, sentence


def explain(*arguments, **options):
    return json.loads(run("explain", "--json", *arguments, **options).out)


def rungs_of(explained):
    return {rung["id"]: rung for rung in explained["rungs"]}


def test_every_rung_of_the_table_is_listed_with_a_reason():
    rungs = rungs_of(explain())
    assert list(rungs)[:2] == ["tensorrt", "cuda"] and list(rungs)[-3:] == ["ort-cpu", "tract", "dummy"]
    for rung in rungs.values():
        assert rung["outcome"] in ("absent", "unmeasured", "available", "by name only"), rung
        assert len(rung["reason"]) > 10 and rung["text"]


def test_a_rung_that_cannot_run_is_not_claimed():
    explained = explain()
    (offered,) = [runtime["providers"] for runtime in explained["loaded"] if runtime["name"] == "onnxruntime"]
    for rung in explained["rungs"]:
        if rung["provider"] is None:
            assert rung["outcome"] in ("absent", "unmeasured")
        if rung["executed_by"] and rung["executed_by"] not in offered:
            assert rung["outcome"] == "absent"
    assert explained["chosen"] == "ort-cpu"


def test_the_options_of_a_rung_are_told():
    openvino = rungs_of(explain())["openvino-cpu"]
    assert "f32" in openvino["options"]["load_config"] and openvino["compiling"]
    assert openvino["fallback"] == "ort-cpu" and openvino["device"] == "an x86 CPU"


@pytest.mark.parametrize("rung", ["tensorrt", "coreml"])
def test_a_rung_that_this_version_cannot_run_is_refused_by_name(rung):
    refused = sentence(run("explain", "-m", "centerface", "--rung", rung, status=3))
    assert f'cannot run the rung "{rung}"' in refused and "rung explain" in refused


def test_without_an_onnx_runtime_its_rungs_say_so(tmp_path):
    rungs = rungs_of(explain(environment=clean_environment(RUNG_RUNTIME=str(tmp_path / "libonnxruntime.so"))))
    assert rungs["cuda"]["outcome"] == "absent" and "no ONNX Runtime" in rungs["cuda"]["reason"]
    assert rungs["tract"]["outcome"] == "available"


def test_the_page_lists_the_rungs_of_the_table():
    page = (ROOT / "docs" / "ladder.md").read_text().split("**This version runs")[0]
    listed = re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)
    assert listed == [rung["id"] for rung in explain()["rungs"]]
