# SPDX-License-Identifier: Apache-2.0
"""What a user wants goes before what a probe found: it is kept, told, and never in the way of an answer; what is required is."""
import json
import pathlib
import sys

import pytest
from conftest import PHOTOS, ROOT, clean_environment, json_lines, run, sentence

sys.path.insert(0, str(ROOT / "tests" / "hardware"))
import trees  # noqa: E402

FACE = PHOTOS / "astronaut.png"


@pytest.fixture
def user(tmp_path):
    """An environment with a state folder of its own."""
    return clean_environment(XDG_STATE_HOME=str(tmp_path / "state"))


def kept(environment):
    return pathlib.Path(environment["XDG_STATE_HOME"]) / "rung" / "override.json"


def explain(environment, *arguments):
    return json.loads(run("explain", "--json", *arguments, environment=environment).out)


def served_by(environment, *arguments, status=0):
    result = run("detect", "-m", "centerface", "--json", FACE, *arguments, environment=environment, status=status)
    return json_lines(result)[0]["rung"]


def test_what_a_user_wants_serves_until_it_is_forgotten(user):
    assert served_by(user) == "ort-cpu" and run("use", environment=user).out == "auto\n"
    assert run("use", "tract", environment=user).out == "" and kept(user).stat().st_mode & 0o777 == 0o600
    assert served_by(user) == "tract" and run("use", environment=user).out == "tract (rung use)\n"
    run("use", "auto", environment=user)
    assert served_by(user) == "ort-cpu" and not kept(user).exists()
    run("use", "auto", environment=user)


def test_explain_names_it(user):
    run("use", "tract", environment=user)
    explained = explain(user, "-m", "centerface")
    assert explained["override"] == {"rung": "tract", "from": "rung use"}
    assert explained["chosen"] == {"rung": "tract", "reason": "wanted by the user (rung use)"}
    assert explained["model"]["rung"] == "tract" and explained["model"]["why"] == "wanted by the user (rung use)"
    assert "override   tract, by rung use" in run("explain", environment=user).out
    assert "on tract" in run("explain", "--line", environment=user).out
    assert explain(user | {"RUNG_RUNG": "ort-cpu"})["override"] == {"rung": "ort-cpu", "from": "RUNG_RUNG"}


def test_a_verdict_another_device_and_lost_strikes_leave_it(user, tmp_path):
    run("use", "tract", environment=user)
    run("probe", "-m", "centerface", environment=user)
    assert served_by(user) == "tract"
    trees.write(trees.TREES["nvidia"](), tmp_path / "machine")
    assert served_by(user | {"RUNG_HARDWARE_ROOT": str(tmp_path / "machine")}) == "tract"
    (kept(user).parent / "verdict.json").unlink()
    assert served_by(user) == "tract"


def test_what_is_named_goes_before_it(user):
    run("use", "tract", environment=user)
    assert served_by(user | {"RUNG_RUNG": "ort-cpu"}) == "ort-cpu"
    assert served_by(user, "--rung", "ort-cpu") == served_by(user, "--require", "ort-cpu") == "ort-cpu"


def test_where_it_cannot_serve_the_next_one_does_and_says_so(user):
    run("use", "cuda", environment=user)
    result = run("detect", "-m", "centerface", "--json", FACE, environment=user)
    assert json_lines(result)[0]["rung"] == "ort-cpu" and "runs on ort-cpu, the next rung down: cuda: " in result.err
    chosen = explain(user)["chosen"]
    assert chosen["rung"] == "ort-cpu" and chosen["reason"].startswith("cuda, wanted by the user (rung use), cannot run here: ")


def test_a_rung_that_is_named_and_cannot_serve_is_no_other(user):
    explained = explain(user | {"RUNG_RUNG": "cuda"})
    assert explained["chosen"]["rung"] is None and "cuda, named by RUNG_RUNG, cannot run here: " in explained["chosen"]["reason"]
    assert "there is no such rung" in explain(user | {"RUNG_RUNG": "warp"})["chosen"]["reason"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"schema":2,"rung":"tract"}', b'{"schema":1,"rung":""}', b"x" * 9000,
                                     b'{"schema":1,"rung":"warp"}', b'{"schema":1,"rung":"' + b"w" * 100 + b'"}'])
def test_one_that_is_damaged_or_of_another_version_is_passed_over_and_said(user, content):
    run("use", "tract", environment=user)
    kept(user).write_bytes(content)
    result = run("detect", "-m", "centerface", "--json", FACE, environment=user)
    assert json_lines(result)[0]["rung"] == "ort-cpu" and result.err.count('what "rung use" kept is not followed') == 1


@pytest.mark.parametrize("rung, status, said", [("warp", 5, 'there is no rung "warp"'), ("dummy", 3, "taken by name alone")])
def test_what_cannot_be_wanted_is_refused(user, rung, status, said):
    assert said in sentence(run("use", rung, status=status, environment=user))
    assert not kept(user).exists()


@pytest.mark.parametrize("command", ["detect", "explain"])
def test_a_rung_that_is_required_serves_or_the_status_is_1(user, command):
    subject = [FACE] if command == "detect" else []
    for rung in ("ort-cpu", "tract"):
        assert rung in run(command, "-m", "centerface", "--json", "--require", rung, *subject, environment=user).out
    assert "cuda" in run(command, "-m", "centerface", "--require", "cuda", *subject, status=1, environment=user).err
    run(command, "-m", "centerface", "--rung", "cuda", *subject, status=3, environment=user)  # what is only named is no verdict
    run(command, "-m", "missing", "--require", "cuda", *subject, status=5, environment=user)


@pytest.mark.parametrize("rung, status", [("ort-cpu", 0), ("tract", 1), ("warp", 1)])
def test_a_probe_may_require_a_rung_to_be_chosen(user, rung, status):
    result = run("probe", "-m", "yunet_n_320", "--require", rung, status=status, environment=user)
    assert "chosen" in result.out and bool(result.err) == bool(status)
