# SPDX-License-Identifier: Apache-2.0
"""A ladder file says which rungs there are: they are told, measured and taken like others, and a bad file is a sentence."""
import json

import pytest
from conftest import PHOTOS, clean_environment, json_lines, run, sentence

FACE = PHOTOS / "astronaut.png"
SPINNING = {"rung": "ort-cpu-spin", "like": "ort-cpu", "text": "its threads spin", "session": {"session.intra_op.allow_spinning": "1"}}


@pytest.fixture
def user(tmp_path):
    return clean_environment(XDG_STATE_HOME=str(tmp_path / "state"))


@pytest.fixture
def ladder(tmp_path):
    """→ the path of a ladder file with these members."""
    def write(**members):
        (tmp_path / "own.json").write_text(json.dumps({"schema": 1, **members}))
        return str(tmp_path / "own.json")
    return write


def explain(environment, *arguments):
    return json.loads(run("explain", "--json", *arguments, environment=environment).out)


def test_rungs_are_removed_and_reordered_and_explain_says_so(user, ladder):
    path = ladder(order=["openvino-cpu", "tract"])
    explained = explain(user, "--ladder", path)
    assert explained["ladder"] == path and [rung["rung"] for rung in explained["rungs"]] == ["openvino-cpu", "tract"]
    assert explained["chosen"]["rung"] == "tract" and explained["rungs"][0]["fallback"] == "tract"
    assert f"ladder     {path} says which rungs there are" in run("explain", "--ladder", path, environment=user).out
    (line,) = json_lines(run("detect", "-m", "centerface", "--json", "--ladder", path, FACE, environment=user))
    assert line["rung"] == "tract" and explain(user)["ladder"] is None
    refused = run("detect", "-m", "centerface", "--ladder", path, "--rung", "ort-cpu", FACE, environment=user, status=5)
    assert 'there is no rung "ort-cpu"' in refused.err


def test_the_variable_names_one_and_the_option_goes_before_it(user, ladder, tmp_path):
    named = user | {"RUNG_LADDER": ladder(order=["tract"])}
    assert explain(named)["chosen"]["rung"] == "tract"
    (tmp_path / "other.json").write_text('{"schema":1,"order":["ort-cpu"]}')
    assert explain(named, "--ladder", tmp_path / "other.json")["chosen"]["rung"] == "ort-cpu"


def test_a_rung_that_is_added_is_probed_in_another_process_and_serves(user, ladder):
    user["RUNG_LADDER"] = ladder(rungs=[SPINNING])
    result = run("probe", "-m", "yunet_n_320", "--json", environment=user)
    rungs = {rung["rung"]: rung for rung in json.loads(result.out)["rungs"]}
    assert rungs["ort-cpu-spin"]["runs"] >= 3 and rungs["ort-cpu-spin"]["executed_by"] == rungs["ort-cpu"]["executed_by"]
    explained = explain(user, "-m", "yunet_n_320", "--rung", "ort-cpu-spin")
    assert explained["model"]["rung"] == "ort-cpu-spin"
    (told,) = [rung for rung in explained["rungs"] if rung["rung"] == "ort-cpu-spin"]
    assert told["session"] == SPINNING["session"] and told["text"] == "its threads spin"
    both = [json_lines(run("detect", "-m", "centerface", "--json", "--rung", rung, FACE, environment=user))[0]["targets"]
            for rung in ("ort-cpu-spin", "ort-cpu")]
    assert both[0] == both[1]


def test_a_verdict_depends_on_the_file(user, ladder):
    run("probe", "-m", "yunet_n_320", environment=user)
    (changed,) = explain(user, "--ladder", ladder(rungs=[SPINNING]))["changed"]
    assert changed.startswith("ladder file (") and changed.endswith(" is new")
    assert explain(user)["changed"] == []


@pytest.mark.parametrize("members, said", [
    ({"order": ["cuda"]}, "a floor has to stay"), ({"rungs": [{"rung": "warp"}]}, '"like" says which'),
    ({"rungs": [{"rung": "qnn-htp", "options": {"backend_path": "./evil.so"}}]}, "names a file"), ({"ladder": []}, "ladder")])
def test_a_bad_file_is_a_sentence(user, ladder, members, said):
    path = ladder(**members)
    told = sentence(run("detect", "-m", "centerface", "--ladder", path, FACE, environment=user, status=2))
    assert said in told and path in told


def test_a_file_that_is_missing_or_too_large_is_one_that_cannot_be_read(user, tmp_path):
    run("explain", "--ladder", tmp_path / "none.json", environment=user, status=5)
    (tmp_path / "large.json").write_text(" " * 300_000)
    run("explain", "--ladder", tmp_path / "large.json", environment=user, status=5)
