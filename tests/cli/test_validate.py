# SPDX-License-Identifier: Apache-2.0
"""rung validate: its rows, its records and its exit statuses. Who is faster is the machine's affair, and no part of these tests."""
import json

import pytest
import tiny
from conftest import clean_environment, run, sentence
from PIL import Image

ROWS = [("preprocess", "simd-exact-v1"), ("preprocess", "threaded-exact-v1"), ("buffer", "import-v1"), ("buffer", "ring-v1"),
        ("schedule", "overlap-v1"), ("postprocess", "grid-exact-v1")]
PROVEN = {"recorded", "shipped", "slower", "unkept"}
EARNED = {"threaded-exact-v1", "ring-v1", "overlap-v1"}


@pytest.fixture(scope="module")
def model(tmp_path_factory, keys):
    folder = tmp_path_factory.mktemp("validate")
    run("pack", tiny.spec(folder / "tiny.json"), tiny.graph(folder / "tiny.onnx"), "-o", folder / "tiny.rung",
        "--key", keys / "key.pem")
    return folder / "tiny.rung"


@pytest.fixture
def validate(model, keys, tmp_path):
    def call(*arguments, state=tmp_path / "state", status=0, **variables):
        return run("validate", "-m", model, "--trust", keys / "key.pub.pem", *arguments, status=status,
                   environment=clean_environment(XDG_STATE_HOME=str(state), **variables))
    return call


@pytest.fixture
def pictures(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for i in range(3):
        Image.effect_noise((60 + i, 40), 80).convert("RGB").save(folder / f"{i}.png")
    return folder


def rows(result):
    report = json.loads(result.out)
    assert report["schema"] == 1 and report["model"] == "tiny" and report["rung"]
    return {row["implementation"]: row for row in report["stages"]}


def records(tmp_path):
    path = tmp_path / "state" / "rung" / "stages.json"
    return {record["id"]: record for record in json.loads(path.read_text())["records"]} if path.exists() else {}


def test_every_implementation_has_a_row_and_the_bytes_of_base(validate, pictures):
    found = json.loads(validate("--json", "--threads", "2", pictures).out)["stages"]
    assert [(row["stage"], row["implementation"]) for row in found] == ROWS
    for row in found:
        assert row["outcome"] in PROVEN | {"unsuited"} and len(row["reason"]) > 10
        if row["outcome"] in PROVEN:
            assert row["rounds"] >= 3 and row["base_ms"] > 0 and row["p50_ms"] > 0
    packets = {row["digest"] for row in found if row["stage"] != "preprocess" and "digest" in row}
    assert len(packets) == 1 and len(packets.pop()) == 64


def test_the_records_are_those_of_the_rows(validate, pictures, tmp_path):
    found = rows(validate("--json", "--threads", "2", pictures))
    kept = records(tmp_path)
    assert set(kept) == {name for name, row in found.items() if row["outcome"] == "recorded"} <= EARNED
    for name, record in kept.items():
        row = found[name]
        assert record["digest"] == row["digest"] and record["stage"] == row["stage"] and record["width"] == 62
        assert record["p50_ns"] / 1e6 == pytest.approx(row["p50_ms"]) and record["p50_ns"] < 0.97 * record["base_ns"]


def test_the_outputs_are_the_same_each_time(validate):
    first, second = (rows(validate("--json", "--threads", "2")) for _ in range(2))
    assert {name: row.get("digest") for name, row in first.items()} == {name: row.get("digest") for name, row in second.items()}


def test_the_table_has_the_same_rows(validate, pictures):
    head, *lines = validate(pictures / "0.png").out.splitlines()
    assert head.split()[:3] == ["STAGE", "IMPLEMENTATION", "OUTCOME"]
    assert [tuple(line.split()[:2]) for line in lines] == ROWS


def test_what_cannot_serve_says_why(validate):
    threaded = rows(validate("--json", "--threads", "1"))["threaded-exact-v1"]
    assert threaded["outcome"] == "unsuited" and "one thread" in threaded["reason"] and "p50_ms" not in threaded


def test_the_environment_bounds_the_threads_and_chooses_nothing(validate):
    bounded = rows(validate("--json", "--threads", "2", RUNG_PREPROCESSOR_MAX_WORKERS="1"))
    assert bounded["threaded-exact-v1"]["outcome"] == "unsuited"
    chosen = rows(validate("--json", "--threads", "2", RUNG_PREPROCESSOR="base", RUNG_SCHEDULER="base"))
    assert all(chosen[name]["outcome"] in PROVEN for name in EARNED)


def test_a_state_folder_that_cannot_be_written_is_no_failure(validate, tmp_path):
    (tmp_path / "file").write_text("no folder")
    found = rows(validate("--json", "--threads", "2", state=tmp_path / "file"))
    assert {found[name]["outcome"] for name in EARNED} <= {"unkept", "slower"}


def test_wrong_calls_are_told(validate, pictures, tmp_path):
    assert "-m MODEL" in sentence(run("validate", status=2))
    assert "missing.png" in sentence(validate(tmp_path / "missing.png", status=5))
    (tmp_path / "empty").mkdir()
    validate(tmp_path / "empty", status=5)
    (pictures / "1.png").write_bytes(b"no picture")
    assert "1.png" in sentence(validate(pictures, status=5))
