# SPDX-License-Identifier: Apache-2.0
"""Plans from the command line: what they come to is told, and no plan changes what is found."""
import json

import pytest
from conftest import PHOTOS, clean_environment, json_lines, run, sentence

OVERLAP = '{"scheduler": "overlap-v1"}'
VARIABLES = {"RUNG_PREPROCESSOR": "base", "RUNG_BUFFER": "base", "RUNG_SCHEDULER": "base", "RUNG_POSTPROCESSOR": "base"}


def plan(*arguments, environment=None):
    return json.loads(run("plan", "--json", *arguments, environment=environment).out)


def effective(told):
    return {stage["stage"]: stage["effective"] for stage in told["stages"]}


def found(*arguments, environment=None):
    """What a job found, without the times."""
    lines = json_lines(run("detect", "-m", "centerface", "--json", *arguments, environment=environment))
    return [(line["source"], line["targets"]) for line in lines]


def test_every_implementation_is_listed_and_what_runs_is_marked():
    told = plan("-m", "centerface")
    listed = {(entry["stage"], entry["id"]) for entry in told["catalog"]}
    assert {("preprocess", "simd-exact-v1"), ("buffer", "ring-v1"), ("schedule", "overlap-v1"), ("postprocess", "grid-exact-v1"),
            ("engine", "base")} <= listed
    assert all(stage["reason"] for stage in told["stages"])
    table = run("plan", "-m", "centerface").out
    for stage, name in effective(told).items():
        assert any(line.split()[:2] == [stage, name] and line.endswith("<") for line in table.splitlines()), (stage, name)


def test_a_plan_is_json_itself_or_a_file_and_counts_before_the_environment(tmp_path):
    file = tmp_path / "plan.json"
    file.write_text(OVERLAP)
    base = clean_environment(**VARIABLES)
    assert set(effective(plan("--series", environment=base)).values()) == {"base"}
    for given in (OVERLAP, file):
        told = effective(plan("--series", "--plan", given, environment=base))
        assert told["schedule"] == "overlap-v1" and told["buffer"] == "ring-v1"


@pytest.mark.parametrize("given, status, words", [
    ('{"scheduler": "faster"}', 2, "overlap-v1"),
    ('{"schedule": "base"}', 2, "schedule"),
    ("{", 2, "plan"),
    ("/nonexistent/plan.json", 5, "/nonexistent/plan.json"),
])
def test_what_is_no_plan_is_a_sentence(given, status, words):
    for command in (["plan"], ["detect", "-m", "centerface", PHOTOS]):
        assert words in sentence(run(*command, "--plan", given, status=status))


def test_a_file_that_is_no_plan_is_read_no_further_than_a_plan_goes(tmp_path):
    file = tmp_path / "large"
    file.write_bytes(b"{" + b" " * 100000)
    assert "longer" in sentence(run("plan", "--plan", file, status=5))


def test_no_plan_changes_what_is_found():
    expected = found(PHOTOS)
    assert any(targets for _, targets in expected)
    for given in (OVERLAP, '{"preprocessor": "base", "buffer": "base", "postprocessor": "base"}', '{"preprocessor": "threaded-exact-v1"}'):
        assert found("--plan", given, PHOTOS) == expected
    assert found(PHOTOS, environment=clean_environment(**VARIABLES)) == expected
    assert found(PHOTOS, environment=clean_environment(RUNG_CPU_FLAGS="scalar")) == expected
    one_by_one = [found("--hint", "latency", "--plan", OVERLAP, source)[0] for source, _ in expected[:3]]
    assert one_by_one == expected[:3]


def test_pictures_that_fail_stay_in_their_place_when_steps_overlap(tmp_path):
    pictures = sorted(PHOTOS.glob("*.[jp]*g"))[:4]
    (tmp_path / "broken.jpg").write_bytes(b"no picture")
    sources = [pictures[0], tmp_path / "broken.jpg", *pictures[1:]]
    lines = json_lines(run("detect", "-m", "centerface", "--json", "--threads", "1", "--plan", OVERLAP, *sources, status=5))
    assert [line["source"] for line in lines] == [str(source) for source in sources]
    assert ["error" in line for line in lines] == [False, True, False, False, False]


def test_annotated_pictures_are_the_same_when_steps_overlap(tmp_path):
    for name, given in (("one", "{}"), ("two", OVERLAP)):
        run("detect", "-m", "centerface", "--plan", given, "-o", tmp_path / name, PHOTOS)
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_level_of_instructions_that_is_not_there_is_a_sentence():
    message = sentence(run("plan", environment=clean_environment(RUNG_CPU_FLAGS="mmx"), status=2))
    assert "RUNG_CPU_FLAGS" in message and "mmx" in message
