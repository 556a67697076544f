# SPDX-License-Identifier: Apache-2.0
"""rung vectors: the parity certificate of a device says ok, or which byte is wrong, or why a file cannot be run."""
import base64
import json
import os

import pytest
from conftest import ROOT, json_lines, run, sentence

VECTORS = sorted((ROOT / "tests/data/vectors").glob("*.json"))


def load(group):
    return json.loads((ROOT / f"tests/data/vectors/{group}.json").read_text())


def save(folder, document):
    path = folder / "copy.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def flip(text, offset):
    content = bytearray(base64.b64decode(text))
    content[offset] ^= 0x10
    return base64.b64encode(content).decode()


def assert_passed(lines, cases):
    """One line for each implementation, the scalar oracle among them."""
    assert "scalar" in [line["implementation"] for line in lines]
    for line in lines:
        assert line["verdict"] == "ok" and line["failed"] == 0 and "failure" not in line
        assert line["cases"] == line["passed"] + line["not_applicable"] == cases


def verdict(result, path):
    """What is said of a case that fails: the same of every implementation, which are those of the machine-readable output."""
    names = [line["implementation"] for line in json_lines(run("vectors", "--json", path, status=1))]
    lines = result.err.strip().splitlines()
    assert len(lines) == len(names) and all(line.startswith("rung: ") for line in lines), result.err
    said = {line.replace(f": {name}: ", ": ", 1) for line, name in zip(lines, names)}
    assert len(said) == 1 and all(f": {name}: " in line for line, name in zip(lines, names)), result.err
    return lines[0]


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_every_file_passes_with_every_implementation(path):
    assert_passed(json_lines(run("vectors", "--json", path)), len(json.loads(path.read_text())["cases"]))


def test_each_file_and_implementation_is_a_line():
    result = run("vectors", *VECTORS)
    lines = result.out.splitlines()
    assert len(lines) % len(VECTORS) == 0 and not result.err
    for path in VECTORS:
        assert any(line.startswith(f"ok: {path}: scalar: ") for line in lines)


@pytest.mark.parametrize("group,member,offset", [
    ("decode_rows", ("expect", "records"), 5),
    ("decode_centernet", ("expect", "points_q8_i32"), 2),
    ("select", ("expect", "packet"), 100),
    ("triangle_axis", ("expect",), 9),
    ("preprocess", ("expect",), 17),
])
def test_a_flipped_byte_is_exit_1_and_a_sentence_that_names_it(tmp_path, group, member, offset):
    document = load(group)
    case, blob = next((case, blob) for case in document["cases"][::-1]
                      if (blob := find(case, member)) and blob["bytes"] > offset and "base64" in blob)
    right = base64.b64decode(blob["base64"])[offset]
    blob["base64"] = flip(blob["base64"], offset)
    path = save(tmp_path, document)

    result = run("vectors", path, VECTORS[0], status=1)
    assert f"wrong: {path}: scalar: {len(document['cases']) - 1} of {len(document['cases'])} cases" in result.out
    assert f"ok: {VECTORS[0]}: scalar: " in result.out
    for part in (str(path), f"case {case['id']}: scalar: ", f"byte {offset} of {blob['bytes']} is 0x{right:02x}",
                 f"0x{right ^ 0x10:02x} was expected"):
        assert part in verdict(result, path)

    line = json_lines(run("vectors", "--json", path, status=1))[0]
    assert line["verdict"] == "wrong" and line["failed"] == 1
    assert line["failure"]["case"] == case["id"] and f"byte {offset} " in line["failure"]["message"]


def find(case, member):
    for key in member:
        case = case.get(key, {})
    return case


@pytest.mark.parametrize("group,change,expected", [
    ("fit", lambda case: case["expect"].update(k=9), "k is "),
    ("fit", lambda case: case["expect"]["AU"].__setitem__(0, "0x12345678"), "0x12345678 was expected"),
    ("math", lambda case: case["expect"]["sigmoid_q16"].__setitem__(3, 1), "sigmoid_q16: element 3 is "),
    ("math", lambda case: case["expect"]["exp"].__setitem__(0, "0x12345678"), "exp: element 0 is 0x"),
    ("admission", lambda case: case["expect"].update(admitted=not case["expect"]["admitted"]), "was expected"),
    ("decode_rows", lambda case: case["expect"]["records"].update(sha256="0" * 64), "SHA-256"),
    ("select", lambda case: case["expect"].update(admitted=12345), "12345 was expected"),
    ("e2e", lambda case: case["expect"]["decode"].update(survivors=0), "survivors is "),
])
def test_whatever_else_differs_is_exit_1_and_a_sentence(tmp_path, group, change, expected):
    document = load(group)
    applicable = [case for case in document["cases"] if case.get("head") in (None, "rows")]
    change(applicable[0])
    path = save(tmp_path, document)
    said = verdict(run("vectors", path, status=1), path)
    assert f"case {applicable[0]['id']}: scalar: " in said and expected in said


def test_what_has_no_decoder_is_not_applicable_and_never_passed(tmp_path):
    document = load("e2e")
    document["cases"] = [case for case in document["cases"] if case["head"] == "rows"]
    for case in document["cases"]:
        case["head"] = "none"
    path = save(tmp_path, document)
    assert run("vectors", path).out.startswith(f"none: {path}: scalar: 0 of {len(document['cases'])} cases; ")
    line = json_lines(run("vectors", "--json", path))[0]
    assert line["verdict"] == "none" and line["passed"] == 0 and line["not_applicable"] == line["cases"]
    assert "no decoder for head none" in line["reason"]


def change_first(group, change):
    document = load(group)
    change(document["cases"][0])
    return json.dumps(document)


@pytest.mark.parametrize("text,expected", [
    ("", "line 1"),
    ("\x89PNG\r\n", "line 1"),
    ("[]", "object"),
    ("{}", '"group" is missing'),
    ('{"group": "fit", "format": 1, "cases": []}', '"cases"'),
    ('{"group": "fit", "format": 1, "cases": [7]}', "case 0"),
    ('{"group": "dance", "format": 1, "cases": [{}]}', "dance"),
    ('{"group": "fit", "format": 2, "cases": [{}]}', '"format"'),
    ("[" * 100000, "nested"),
    (json.dumps(load("select"))[:50000], "copy.json, line 1"),
    (change_first("fit", lambda case: case.pop("canvas")), '"canvas"'),
    (change_first("fit", lambda case: case.update(canvas=[10**9, 10**9])), '"canvas"[0]'),
    (change_first("fit", lambda case: case.update(canvas=[2**70, 1])), "line 1"),
    (change_first("fit", lambda case: case.update(surprise=1)), "surprise"),
    (change_first("preprocess", lambda case: case["surface"].update(bytes=2**60)), '"bytes"'),
    (change_first("preprocess", lambda case: case.update(canvas=[16384, 16384])), "more than 67108864 bytes"),
    (change_first("decode_rows", lambda case: case["tensors"]["output"].update(shape=[2**24, 2**24])), "elements"),
    (change_first("decode_rows", lambda case: case["tensors"].clear()), '"output"'),
    (change_first("decode_rows", lambda case: case.update(capacity=0)), '"capacity"'),
    (change_first("decode_rows", lambda case: case.pop("expect")), '"expect"'),
    (change_first("decode_centernet", lambda case: case["parameters"].pop("stride")), "strides"),
    (change_first("decode_centernet", lambda case: case["parameters"].update(stride=0)), "stride"),
    (change_first("select", lambda case: case["select"].update(max_targets=10**6)), '"max_targets"'),
    (change_first("triangle_axis", lambda case: case.update({"out": 0})), '"out"'),
])
def test_a_mistake_in_a_file_is_exit_2_and_a_sentence(tmp_path, text, expected):
    path = save(tmp_path, text)
    said = sentence(run("vectors", path, status=2))
    assert expected in said and str(path) in said


def test_a_file_that_cannot_be_read_is_exit_5_and_the_others_are_run(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with open(tmp_path / "large", "wb") as file:
        file.truncate((16 << 20) + 1)
    for name in ("fifo", "large", "missing", "."):
        result = run("vectors", tmp_path / name, VECTORS[0], status=5)
        assert str(tmp_path / name) in sentence(result)
        assert f"ok: {VECTORS[0]}: " in result.out


def test_a_wrong_byte_counts_more_than_a_file_that_cannot_be_read(tmp_path):
    document = load("math")
    document["cases"][0]["expect"]["sigmoid_q16"][0] ^= 1
    run("vectors", tmp_path / "missing", save(tmp_path, document), status=1)


def test_a_refused_file_is_a_line_for_machines_too(tmp_path):
    line, = json_lines(run("vectors", "--json", save(tmp_path, "{}"), status=2))
    assert line["source"].endswith("copy.json") and line["error"]["code"] == "INVALID_ARGUMENT"
    assert "group" in line["error"]["message"]


def test_a_name_that_is_no_text_still_gives_json(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.json"
    with open(path, "wb") as file:
        file.write((ROOT / "tests/data/vectors/math.json").read_bytes())
    line = json_lines(run("vectors", "--json", os.fsdecode(path)))[0]
    assert line["verdict"] == "ok" and base64.b64decode(line["source_base64"]) == path


def test_without_a_file_it_is_a_mistake_of_usage():
    assert "vectors" in run("vectors", status=2).err
