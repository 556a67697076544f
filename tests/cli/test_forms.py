# SPDX-License-Identifier: Apache-2.0
"""Forms of one model: a probe measures those that passed their gate, and the fastest serves under its own identity."""
import hashlib
import json

import pytest
import tiny
from conftest import PHOTOS, clean_environment, json_lines, run, sentence

FACE = PHOTOS / "astronaut.png"


def slow(name):
    """Before the picture is looked at: so much that the quantised form, which does without, is faster on any machine."""
    return tiny.chain(name, steps=400)


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def pack(folder, keys, name, graph, **changes):
    spec = tiny.spec(folder / f"{name}.json", **changes)
    run("pack", spec, graph, "-o", folder / f"{name}.rung", "--key", keys / "key.pem")


def pack_form(folder, keys, name, graph, passed):
    gates = [{"rung": "ort-cpu", "precision": "i8", "artifact": digest_of(graph), "passed": passed,
              "cpu": {"features": ["sse4_2"]}}]  # the weakest: it counts on all
    pack(folder, keys, name, graph, form="int8", precision={"text": "{}"}, canonical=digest_of(folder / "tiny.onnx"),
         gate={"text": json.dumps({"schema": 1, "gates": gates})})


@pytest.fixture(scope="module")
def models(tmp_path_factory, keys):
    """tiny.rung, a form of it that passed its gate, and one that missed it."""
    folder = tmp_path_factory.mktemp("models")
    pack(folder, keys, "tiny", tiny.graph(folder / "tiny.onnx", before=slow))
    quantised = tiny.graph(folder / "quantised.onnx", before=tiny.eight_bits)
    pack_form(folder, keys, "tiny-i8", quantised, True)
    pack_form(folder, keys, "tiny-missed", tiny.graph(folder / "missed.onnx", before=tiny.eight_bits, corner_class=0), False)
    return folder


@pytest.fixture(scope="module")
def environment(models, keys, tmp_path_factory):
    """Before anything was measured, by the name alone."""
    return clean_environment(XDG_STATE_HOME=str(tmp_path_factory.mktemp("state")), RUNG_MODEL_PATH=str(models),
                             RUNG_TRUST_PATH=str(keys / "key.pub.pem"))


@pytest.fixture(scope="module")
def probed(environment):
    """What `rung probe` told; `environment` has the verdicts from then on."""
    before = json.loads(run("explain", "--json", "-m", "tiny", environment=environment).out)
    return before, json.loads(run("probe", "--json", "-m", "tiny", environment=environment).out)


def outcomes(told):
    return {form["file"]: form["outcome"] for form in told["forms"]}


def test_without_a_probe_the_model_in_f32_serves(probed):
    before, _ = probed
    assert before["model"]["identity"] == "tiny"
    assert outcomes(before) == {"tiny-i8.rung": "unmeasured", "tiny-missed.rung": "ungated"}


def test_a_probe_measures_the_forms_that_passed_and_tells_what_came_of_it(probed):
    _, after = probed
    assert outcomes(after) == {"tiny-i8.rung": "chosen", "tiny-missed.rung": "ungated"}
    chosen, missed = after["forms"]
    assert chosen["rung"] == "ort-cpu" and chosen["identity"] == "tiny+i8" and "ms of the model in f32" in chosen["reason"]
    (floor,) = [rung for rung in after["rungs"] if rung["rung"] == "ort-cpu"]
    assert chosen["median_ms"] < floor["median_ms"]
    assert missed["median_ms"] is None and "missed its gate on ort-cpu" in missed["reason"]


def test_explain_tells_which_form_ran_and_lists_them(probed, environment, models):
    explained = json.loads(run("explain", "--json", "-m", "tiny", environment=environment).out)
    model = explained["model"]
    assert (model["identity"], model["precision"], model["rung"]) == ("tiny+i8", "i8", "ort-cpu")
    assert model["artifact"] == digest_of(models / "quantised.onnx") and "tiny-i8.rung serves" in model["why"]
    assert outcomes(explained)["tiny-i8.rung"] == "chosen"
    shown = run("explain", "-m", "tiny", environment=environment).out
    assert "forms\n" in shown and "tiny-missed.rung" in shown


def test_a_file_that_is_named_serves_itself(probed, environment, models):
    def identity(*arguments):
        return json.loads(run("explain", "--json", *arguments, environment=environment).out)["model"]["identity"]
    assert identity("-m", "tiny-i8") == identity("-m", models / "tiny-i8.rung") == "tiny+i8"
    assert identity("-m", "tiny-missed") == "tiny+i8"
    assert identity("-m", "tiny", "--rung", "ort-cpu") == "tiny"


def test_forms_do_not_hide_the_model_from_its_name(probed, environment):
    names = run("models", "--names", environment=environment).out.split()
    assert {"tiny", "tiny-i8", "tiny-missed"} <= set(names)
    listed = json_lines(run("models", "--json", environment=environment))
    forms = {line["source"].rsplit("/", 1)[-1]: (line["form"], line.get("shadowed_by")) for line in listed if line.get("name") == "tiny"}
    assert forms == {"tiny.rung": ("f32", None), "tiny-i8.rung": ("int8", None), "tiny-missed.rung": ("int8", None)}


def test_a_job_that_was_begun_in_f32_is_not_gone_on_with_in_another_form(probed, environment, tmp_path):
    results = tmp_path / "results.jsonl"
    run("detect", "-m", "tiny", "--rung", "ort-cpu", "--json", "--resume", results, FACE, environment=environment)
    refused = sentence(run("detect", "-m", "tiny", "--json", "--resume", results, FACE, environment=environment, status=4))
    assert "tiny+i8" in refused
    run("detect", "-m", "tiny", "--rung", "ort-cpu", "--json", "--resume", results, FACE, environment=environment)


def test_a_rung_that_takes_no_f32_says_what_is_in_the_way_of_each_form(environment):
    refused = sentence(run("explain", "-m", "tiny", "--rung", "qnn-htp", environment=environment, status=3))
    assert "takes models in a quantised form" in refused and "beside tiny.rung with canonical" in refused
    assert "tiny-i8.rung: no gate record says that it passed on qnn-htp" in refused
