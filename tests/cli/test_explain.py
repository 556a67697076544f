# SPDX-License-Identifier: Apache-2.0
"""What explain tells: its JSON is what docs/explain.md says, its line fits, its colours are for terminals."""
import hashlib
import json
import os
import pty
import re
import subprocess
import sys

import pytest
from conftest import ROOT, RUNG, clean_environment, run

sys.path.insert(0, str(ROOT / "tests" / "hardware"))
import trees  # noqa: E402

PAGE = (ROOT / "docs" / "explain.md").read_text()


def explain(*arguments, **options):
    return json.loads(run("explain", "--json", *arguments, **options).out)


@pytest.fixture
def machine(tmp_path):
    """An environment with a state folder and a machine of its own."""
    trees.write(trees.TREES["nvidia"](), tmp_path / "machine")
    return clean_environment(XDG_STATE_HOME=str(tmp_path / "state"), XDG_CACHE_HOME=str(tmp_path / "cache"), RUNG_HARDWARE_ROOT=str(tmp_path / "machine"))


def documented(table):
    """The members that the first column of a table of the page names."""
    rows = re.search(rf"{table}.*?\n\n\| member \| \|\n\|---\|---\|\n(.*?)(\n\n|\Z)", PAGE, re.DOTALL).group(1)
    return {name for row in rows.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def strike(environment, folder):
    """A death on record, as of a probe of this device."""
    (folder / "state" / "rung" / "strikes").mkdir(parents=True, mode=0o700)
    record = {"schema": 1, "rung": "cuda", "model": "c0ffee", "fingerprint": "other", "what": "build", "strikes": 2, "time": 1}
    (folder / "state" / "rung" / "strikes" / "cuda-c0ffee.json").write_text(json.dumps(record))
    return environment


def keep_engine(folder):
    """An engine of a device that is gone."""
    engine = folder / "cache" / "rung" / "engines" / f"tensorrt-f16-{'a' * 32}-{'b' * 16}"
    (engine / "files").mkdir(parents=True)
    for made in (engine.parent, engine.parent.parent, engine.parent.parent.parent):
        made.chmod(0o700)
    (engine / "files" / "a.engine").write_bytes(b"engine")
    file = {"path": "a.engine", "size": 6, "sha256": hashlib.sha256(b"engine").hexdigest()}
    record = {"schema": 1, "rung": "tensorrt", "precision": "f16", "artifact": "a" * 64, "fingerprint": "b" * 64,
              "model": "tiny", "built": 1, "files": [file]}
    (engine / "record.json").write_text(json.dumps(record))


def test_the_page_has_every_member_and_no_other(machine, tmp_path):
    strike(machine, tmp_path)
    keep_engine(tmp_path)
    run("probe", "-m", "centerface", environment=machine)
    explained = explain("-m", "centerface", environment=machine)
    assert set(explained) == documented("schema 1")
    assert {key for rung in explained["rungs"] for key in rung} == documented("Each of `rungs`")
    assert set(explained["strikes"][0]) == documented("Each of `strikes`")
    assert set(explained["engines"][0]) == documented("Each of `engines`")
    for part, members in (("model", explained["model"]), ("probe", explained["rungs"][-3]["probe"]), ("verdict", explained["verdict"]),
                          ("chosen", explained["chosen"]), ("loaded", explained["loaded"][0]), ("runtimes", explained["runtimes"][0])):
        row = re.search(rf"^\| `{part}` \|(.*)$", PAGE, re.MULTILINE).group(1)
        assert set(members) <= set(re.findall(r"`(\w+)`", row)), part


def test_what_was_measured_and_what_it_depends_on_is_told(machine):
    run("probe", "-m", "centerface", environment=machine)
    explained = explain(environment=machine)
    rungs = {rung["rung"]: rung for rung in explained["rungs"]}
    assert rungs["ort-cpu"]["median_ms"] == rungs["ort-cpu"]["floor_ms"] == rungs["tract"]["floor_ms"] < rungs["tract"]["median_ms"]
    assert rungs["cuda"]["median_ms"] is None and rungs["cuda"]["floor_ms"] is None
    assert "driver.nvidia=550.90.07" in explained["depends_on"] and explained["changed"] == []
    assert explained["chosen"] == {"rung": "ort-cpu", "reason": explained["chosen"]["reason"]} and "probe of centerface" in explained["chosen"]["reason"]


def test_what_changed_is_named(machine, tmp_path):
    run("probe", "-m", "centerface", environment=machine)
    before = explain(environment=machine)["fingerprint"]
    trees.write(trees.TREES["nvidia"]() | trees.nvidia_driver("560.28.03"), tmp_path / "newer")
    machine["RUNG_HARDWARE_ROOT"] = str(tmp_path / "newer")
    explained = explain(environment=machine)
    assert explained["changed"] == ["driver nvidia 550.90.07 → 560.28.03"] and explained["fingerprint"] != before
    assert "changed    driver nvidia 550.90.07 → 560.28.03" in run("explain", environment=machine).out
    line = run("explain", "--line", environment=machine).out
    assert re.fullmatch(r"Models run on ort-cpu \(ONNX Runtime [\d.]+\): to be probed again: driver nvidia 550.90.07 → 560.28.03\n", line)


def test_a_strike_is_told_and_whether_it_holds(machine, tmp_path):
    (told,) = explain(environment=strike(machine, tmp_path))["strikes"]
    assert told == {"rung": "cuda", "model": "c0ffee", "what": "build", "strikes": 2, "holds": False, "refused": False, "time": 1}
    assert "strikes    cuda died 2 times in a row in a build" in run("explain", environment=machine).out


def test_an_engine_is_told_and_whether_it_is_of_this_device(machine, tmp_path):
    keep_engine(tmp_path)
    (told,) = explain(environment=machine)["engines"]
    assert told == {"rung": "tensorrt", "model": "tiny", "artifact": "a" * 64, "precision": "f16", "state": "outdated", "reason": "", "bytes": 6}
    assert "engine     tensorrt for tiny in f16, 0.0 MB: outdated" in run("explain", environment=machine).out


def test_the_line_tells_what_serves_and_why(machine):
    assert re.fullmatch(r"Models run on ort-cpu \(ONNX Runtime [\d.]+\): nothing was probed on this device\n",
                        run("explain", "--line", environment=machine).out)
    run("probe", "-m", "centerface", environment=machine)
    assert re.fullmatch(r"centerface runs on ort-cpu \(ONNX Runtime [\d.]+, \d+(\.\d)? ms\): nothing here is faster\n",
                        run("explain", "--line", environment=machine).out)


def on_a_terminal(environment, *arguments):
    ours, theirs = pty.openpty()
    process = subprocess.Popen([RUNG, *arguments], stdout=theirs, env=environment | {"TERM": environment.get("TERM", "xterm")})
    os.close(theirs)
    said = b""
    try:
        while part := os.read(ours, 65536):
            said += part
    except OSError:  # it is at its end
        pass
    os.close(ours)
    assert process.wait() == 0
    return said


@pytest.mark.parametrize("command", [("explain",), ("probe", "-m", "yunet_n_320")], ids=" ".join)
def test_colours_are_for_terminals_and_can_be_refused(machine, command):
    coloured = on_a_terminal(machine, *command)
    assert b"\033[90mabsent" in coloured and b"\033[32m" in coloured
    assert b"\033" not in on_a_terminal(machine | {"NO_COLOR": "1"}, *command)
    assert b"\033" not in on_a_terminal(machine | {"TERM": "dumb"}, *command)
    assert b"\033" in on_a_terminal(machine | {"NO_COLOR": ""}, *command)
    assert "\033" not in run(*command, environment=machine).out
