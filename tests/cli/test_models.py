# SPDX-License-Identifier: Apache-2.0
"""rung models: every file of a folder is one line that says what it is, whatever it is, and the order is that of -m."""
import os
import pathlib
import shutil

import pytest
import tiny
from conftest import BUILD, clean_environment, json_lines, run, sentence

KEY_ID_DIGITS = 16


@pytest.fixture
def folder(tmp_path, keys):
    """One model of each kind of trust."""
    folder = tmp_path / "models"
    folder.mkdir()
    spec, graph = tiny.spec(tmp_path / "spec.json"), tiny.graph(tmp_path / "tiny.onnx")
    run("pack", spec, graph, "-o", folder / "tiny.rung", "--key", keys / "key.pem")
    run("pack", spec, graph, "-o", folder / "strange.rung", "--key", keys / "other.pem")
    run("pack", spec, graph, "-o", folder / "open.rung")
    return folder


def models(*arguments, keys, status=0, **options):
    result = run("models", "--json", "--trust", keys / "key.pub.pem", *arguments, status=status, **options)
    return {pathlib.Path(line["source"]).name: line for line in json_lines(result)}


def search_path(*folders):
    return clean_environment(RUNG_MODEL_PATH=":".join(map(str, folders)), RUNG_TRUST_PATH="")


def test_a_trusted_model_is_told_with_all_its_facts(folder, keys):
    line = models(folder, keys=keys)["tiny.rung"]
    assert line["schema"] == 1 and line["state"] == "trusted" and "error" not in line
    assert line["name"] == "tiny" and line["role"] == "detector" and line["form"] == "f32"
    assert line["canvas"] == {"width": 8, "height": 8}
    assert line["bytes"] == (folder / "tiny.rung").stat().st_size
    assert len(line["key_id"]) == KEY_ID_DIGITS and line["key"] == str(keys / "key.pub.pem")
    assert len(line["artifact"]) == 64 and line["source"] == str(folder / "tiny.rung")


def test_what_is_not_trusted_is_listed_and_no_failure(folder, keys):
    lines = models(folder, keys=keys)
    assert lines["strange.rung"]["state"] == "untrusted" and "key" not in lines["strange.rung"]
    assert "not one of the" in lines["strange.rung"]["reason"] and lines["strange.rung"]["name"] == "tiny"
    assert lines["open.rung"]["state"] == "unsigned" and "not signed" in lines["open.rung"]["reason"]
    assert not any("error" in line for line in lines.values())


def test_unsigned_models_are_allowed_as_everywhere(folder, keys):
    line = models(folder, "--allow-unsigned", keys=keys)["open.rung"]
    assert line["state"] == "unsigned" and "reason" not in line


def test_the_signature_is_really_checked(folder, keys):
    content = bytearray((folder / "tiny.rung").read_bytes())
    content[-5] ^= 4
    (folder / "tiny.rung").write_bytes(content)
    line = models(folder, keys=keys, status=4)["tiny.rung"]
    assert line["state"] == "damaged" and line["error"]["code"] == "INTEGRITY" and line["name"] == "tiny"


def test_the_table_says_the_same(folder, keys):
    result = run("models", "--trust", keys / "key.pub.pem", folder)
    head, *rows = result.out.splitlines()
    assert head.split() == ["NAME", "ROLE", "FORM", "CANVAS", "SIZE", "TRUST", "SIGNER", "KEY", "FILE"]
    assert [row.split()[0] for row in rows] == ["open", "strange", "tiny"]
    assert "unsigned" in rows[0] and "untrusted" in rows[1]
    assert rows[2].split()[1:4] == ["detector", "f32", "8x8"] and " trusted " in rows[2]
    assert "key.pub.pem" in rows[2] and rows[2].endswith(str(folder / "tiny.rung"))
    assert "strange (tiny)" in rows[1]  # -m takes the one, results say the other


def test_nothing_in_a_folder_stops_the_listing(folder, keys):
    model = (folder / "tiny.rung").read_bytes()
    (folder / "cut.rung").write_bytes(model[:300])
    (folder / "empty.rung").write_bytes(b"")
    (folder / "picture.rung").write_bytes(b"\xff\xd8\xff\xe0" * 200)
    (folder / "folder.rung").mkdir()
    os.mkfifo(folder / "fifo.rung")
    (folder / "nowhere.rung").symlink_to("missing")
    (folder / "loop.rung").symlink_to("loop.rung")
    (folder / "device.rung").symlink_to("/dev/zero")
    (folder / "link.rung").symlink_to("tiny.rung")
    (folder / "notes.txt").write_text("no model")
    (folder / ".rung").write_text("no name")
    lines = models(folder, keys=keys, status=5)
    states = {name.removesuffix(".rung"): line["state"] for name, line in lines.items()}
    assert states == {"cut": "damaged", "device": "unreadable", "empty": "unreadable", "fifo": "unreadable",
                      "folder": "unreadable", "link": "trusted", "loop": "unreadable", "nowhere": "unreadable",
                      "open": "unsigned", "picture": "unreadable", "strange": "untrusted", "tiny": "trusted"}
    assert all(len(line["error"]["message"]) > 20 for line in lines.values() if line["state"] == "unreadable")
    table = run("models", "--trust", keys / "key.pub.pem", folder, status=5)
    assert len(table.out.splitlines()) == 1 + len(lines)
    assert "1 damaged, 7 unreadable" in sentence(table)


def test_names_cannot_command_a_terminal(folder, keys):
    shutil.copy(folder / "tiny.rung", folder / "a\x1b[31m\nb.rung")
    shutil.copy(folder / "tiny.rung", os.fsencode(folder) + b"/\xff.rung")
    result = run("models", "--trust", keys / "key.pub.pem", folder)
    assert "\x1b" not in result.out and len(result.out.splitlines()) == 6
    assert len(models(folder, keys=keys)) == 5
    assert "\x1b" not in run("models", "--names", folder).out


def test_the_search_path_is_that_of_models_by_name(folder, keys, tmp_path):
    first = tmp_path / "first"
    first.mkdir()
    shutil.copy(folder / "tiny.rung", first)
    environment = search_path(first, tmp_path / "missing", folder)
    result = run("models", "--json", "--trust", keys / "key.pub.pem", environment=environment)
    lines = [line for line in json_lines(result) if str(tmp_path) in line["source"]]
    assert [line["source"] for line in lines] == [str(first / "tiny.rung"), *(
        str(folder / name) for name in ("open.rung", "strange.rung", "tiny.rung"))]
    assert lines[-1]["shadowed_by"] == lines[0]["source"] and "shadowed_by" not in lines[0]
    table = run("models", "--trust", keys / "key.pub.pem", environment=environment).out
    assert f"(shadowed by {first / 'tiny.rung'})" in table
    found = run("explain", "-m", "missing", status=5, environment=environment).err
    places = [found.index(str(place)) for place in (first, tmp_path / "missing", folder, BUILD / "models")]
    assert places == sorted(places)


def test_the_users_folder_is_looked_in(folder, keys, tmp_path):
    user = tmp_path / "data" / "rung" / "models"
    user.parent.mkdir(parents=True)
    shutil.copytree(folder, user)
    environment = clean_environment(XDG_DATA_HOME=str(tmp_path / "data"), RUNG_MODEL_PATH="")
    result = run("models", "--json", "--trust", keys / "key.pub.pem", environment=environment)
    assert str(user / "tiny.rung") in [line["source"] for line in json_lines(result)]


def test_a_folder_that_cannot_be_listed_is_told_and_the_others_are_listed(folder, keys, tmp_path):
    result = run("models", "--trust", keys / "key.pub.pem", tmp_path / "missing", folder, status=5)
    assert str(tmp_path / "missing") in sentence(result) and "tiny.rung" in result.out
    lines = models(tmp_path / "spec.json", folder, keys=keys, status=5)
    assert lines["spec.json"]["error"]["code"] == "IO" and lines["tiny.rung"]["state"] == "trusted"


def test_a_folder_is_listed_once(folder, keys):
    assert len(run("models", folder, folder, "--trust", keys / "key.pub.pem").out.splitlines()) == 4


def test_names_are_those_that_are_found(folder, keys, tmp_path):
    first = tmp_path / "first"
    first.mkdir()
    shutil.copy(folder / "tiny.rung", first)
    (folder / "broken.rung").write_bytes(b"RUNG")
    shutil.copy(folder / "tiny.rung", folder / "No Name.rung")
    names = run("models", "--names", first, folder).out.splitlines()
    assert names == ["tiny", "open", "strange"]
