# SPDX-License-Identifier: Apache-2.0
"""keygen, pack, sign, verify, inspect: what goes in comes out, and what is wrong gets a sentence and its exit status."""
import json
import os
import shutil
import stat
import subprocess

import numpy
import onnx
import pytest
import tiny
from conftest import BUILD, ROOT, RUNG, clean_environment, json_lines, run, sentence


@pytest.fixture
def model(tmp_path, keys):
    run("pack", tiny.spec(tmp_path / "spec.json"), tiny.graph(tmp_path / "tiny.onnx"), "-o",
        tmp_path / "tiny.rung", "--key", keys / "key.pem")
    return tmp_path / "tiny.rung"


def verify(path, keys, status=0, key="key.pub.pem", *more):
    return run("verify", path, "--trust", keys / key, *more, status=status)


def test_private_keys_are_for_their_owner_only(tmp_path):
    old = os.umask(0)
    try:
        run("keygen", tmp_path / "a.pem", tmp_path / "a.pub.pem")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a.pem").stat().st_mode) == 0o600


def test_keygen_never_replaces_a_key(tmp_path):
    (tmp_path / "a.pem").write_text("precious")
    assert "a.pem" in sentence(run("keygen", tmp_path / "a.pem", tmp_path / "b.pem", status=5))
    assert (tmp_path / "a.pem").read_text() == "precious"
    assert not (tmp_path / "b.pem").exists()


def test_keygen_leaves_no_half_of_a_pair(tmp_path):
    assert "b.pem" in sentence(run("keygen", tmp_path / "a.pem", tmp_path / "no" / "b.pem", status=5))
    assert not list(tmp_path.iterdir())


def test_results_that_do_not_arrive_are_no_success(model):
    with open("/dev/full", "wb") as full:
        result = subprocess.run([RUNG, "inspect", model], stdout=full, stderr=subprocess.PIPE, text=True,
                                env=clean_environment(), check=False)
    assert result.returncode == 5 and "standard output" in result.stderr


@pytest.mark.parametrize("place", ["spec.json", "net.onnx", "key.pem"])
def test_packing_writes_over_nothing_that_it_reads(keys, tmp_path, place):
    tiny.graph(tmp_path / "net.onnx")
    tiny.spec(tmp_path / "spec.json", graph="net.onnx")
    shutil.copy(keys / "key.pem", tmp_path / "key.pem")
    before = (tmp_path / place).read_bytes()
    done = run("pack", tmp_path / "spec.json", "-o", tmp_path / place, "--key", tmp_path / "key.pem", status=2)
    assert "would be written over" in sentence(done) and (tmp_path / place).read_bytes() == before


def test_a_packed_model_verifies_and_runs(model, keys, tmp_path):
    verify(model, keys)
    (tmp_path / "white.ppm").write_bytes(b"P6 16 16 255\n" + b"\xff" * 768)
    result = run("explain", "-m", model, "--trust", keys / "key.pub.pem", "--json")
    explained = json.loads(result.out)
    assert explained["model"]["rung"] == "ort-cpu" and explained["model"]["signed"]


def test_packing_is_reproducible(tmp_path, keys):
    graph, spec = tiny.graph(tmp_path / "t.onnx"), tiny.spec(tmp_path / "s.json")
    run("pack", spec, graph, "-o", tmp_path / "1.rung")
    run("pack", spec, graph, "-o", tmp_path / "2.rung")
    assert (tmp_path / "1.rung").read_bytes() == (tmp_path / "2.rung").read_bytes()


def test_an_inspected_spec_packs_to_the_same_bytes(tmp_path):
    graph = tiny.graph(tmp_path / "t.onnx")
    run("pack", tiny.spec(tmp_path / "s.json"), graph, "-o", tmp_path / "1.rung")
    (tmp_path / "again.json").write_text(run("inspect", "--spec", tmp_path / "1.rung").out)
    run("pack", tmp_path / "again.json", graph, "-o", tmp_path / "2.rung")
    assert (tmp_path / "1.rung").read_bytes() == (tmp_path / "2.rung").read_bytes()


def test_inspect_shows_what_is_inside(model):
    report = json.loads(run("inspect", "--json", model).out)
    assert report["name"] == "tiny" and report["head"] == "rows"
    assert "tiny" in run("inspect", model).out


def test_signing_again_replaces_the_signature(model, keys, tmp_path):
    run("sign", model, "--key", keys / "other.pem", "-o", tmp_path / "other.rung")
    verify(tmp_path / "other.rung", keys, key="other.pub.pem")
    verify(tmp_path / "other.rung", keys, status=4)
    verify(model, keys)


def test_a_wrong_key_is_refused(model, keys):
    assert "key" in sentence(verify(model, keys, 4, "other.pub.pem"))


def test_an_unsigned_model_is_refused_unless_allowed(tmp_path, keys):
    run("pack", tiny.spec(tmp_path / "s.json"), tiny.graph(tmp_path / "t.onnx"), "-o", tmp_path / "u.rung")
    assert "sign" in sentence(verify(tmp_path / "u.rung", keys, 4))
    run("verify", tmp_path / "u.rung", "--allow-unsigned")
    explained = run("explain", "-m", tmp_path / "u.rung", "--allow-unsigned")
    assert "UNSIGNED" in explained.out and "unsigned" in explained.err


@pytest.mark.parametrize("place", ["header", "payload", "sections", "signature"])
def test_a_flipped_bit_is_refused(model, keys, place):
    content = bytearray(model.read_bytes())
    at = {"header": 130, "payload": 700, "sections": len(content) - 200, "signature": len(content) - 5}[place]
    content[at] ^= 4
    model.write_bytes(content)
    sentence(verify(model, keys, 4))


@pytest.mark.parametrize("size,status", [(0, 5), (3, 5), (255, 5), (256, 4), (600, 4), (-64, 4), (-1, 4)])
def test_a_truncated_model_is_refused(model, keys, size, status):
    model.write_bytes(model.read_bytes()[:size])
    sentence(verify(model, keys, status))


def test_what_is_no_model_file_is_refused(tmp_path, keys):
    (tmp_path / "jpeg.rung").write_bytes(b"\xff\xd8\xff\xe0" + b"JFIF" * 400)
    (tmp_path / "empty.rung").write_bytes(b"")
    (tmp_path / "folder.rung").mkdir()
    os.mkfifo(tmp_path / "fifo.rung")
    for name in ("jpeg", "empty", "folder", "fifo", "missing"):
        path = tmp_path / f"{name}.rung"
        assert str(path) in sentence(verify(path, keys, 5))
        assert str(path) in sentence(run("detect", "-m", path, tmp_path, "--trust", keys / "key.pub.pem", status=5))


def test_verify_tells_machines_too(model, keys, tmp_path):
    (tmp_path / "jpeg.rung").write_bytes(b"\xff\xd8\xff\xe0" * 100)
    good, bad = json_lines(run("verify", model, tmp_path / "jpeg.rung", "--trust", keys / "key.pub.pem", "--json",
                               status=5))
    assert good["ok"] and not bad["ok"] and bad["error"]["code"] == "IO"


@pytest.mark.parametrize("change,expected", [
    ({"name": "Not A Name"}, "name"),
    ({"head": "hydra"}, "hydra"),
    ({"canvas": {"width": 0, "height": 8}}, "width"),
    ({"surprise": 1}, "surprise"),
    ({"scale": [1, 1]}, "scale"),
    ({"labels": None, "role": "painter"}, "painter"),
    ({"selection": {**tiny.SPEC["selection"], "considered": 1}}, "considered"),
])
def test_a_wrong_spec_is_a_sentence_that_names_the_member(tmp_path, change, expected):
    result = run("pack", tiny.spec(tmp_path / "s.json", **change), tiny.graph(tmp_path / "t.onnx"), "-o",
                 tmp_path / "o.rung", status=2)
    assert expected in sentence(result)
    assert not (tmp_path / "o.rung").exists()


@pytest.mark.parametrize("graph,expected", [
    ({"name": "picture"}, "picture"),
    ({"shape": (1, 3, 16, 8)}, "16"),
    ({"opset": 12}, "opset"),
])
def test_a_graph_that_differs_from_the_spec_is_not_packed(tmp_path, graph, expected):
    result = run("pack", tiny.spec(tmp_path / "s.json"), tiny.graph(tmp_path / "t.onnx", **graph), "-o",
                 tmp_path / "o.rung", status=4)
    assert expected in sentence(result)
    assert not (tmp_path / "o.rung").exists()


def test_a_spec_that_is_no_json_is_a_sentence_with_its_line(tmp_path):
    (tmp_path / "s.json").write_text('{"schema": 1,\n "name": }')
    assert "line 2" in sentence(run("pack", tmp_path / "s.json", tiny.graph(tmp_path / "t.onnx"), "-o",
                                    tmp_path / "o.rung", status=2))


def test_nothing_half_written_stays_behind(tmp_path):
    (tmp_path / "out").mkdir()
    run("pack", tiny.spec(tmp_path / "s.json"), tiny.graph(tmp_path / "t.onnx"), "-o", tmp_path / "out", status=5)
    run("pack", tiny.spec(tmp_path / "s.json"), tiny.graph(tmp_path / "t.onnx"), "-o", tmp_path / "no/x.rung", status=5)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "s.json", "t.onnx"]


@pytest.mark.parametrize("change", ["append", "flip", "truncate", "touch", "replace"])
def test_a_model_that_changes_after_it_was_verified_is_refused(model, keys, tmp_path, change):
    """A preloaded library changes the file between the signature check and the runtime's reading."""
    shim = tmp_path / "shim.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, ROOT / "tests/cli/change_after_verify.c", "-ldl"], check=True)
    preload = [str(shim)]
    if BUILD.name.endswith("asan"):
        asan = subprocess.run(["cc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
        preload.insert(0, asan.stdout.strip())
    environment = clean_environment(LD_PRELOAD=":".join(preload), CHANGE_FILE=str(model), CHANGE_KIND=change)
    result = run("explain", "-m", model, "--trust", keys / "key.pub.pem", status=4, environment=environment)
    assert "changed" in result.err


def test_usage_mistakes_are_sentences():
    assert "sign" in run("sign", status=2).err
    assert "--bogus" in run("verify", "--bogus", "x", status=2).err
    assert "there is no command" in run("fly", status=2).err
    assert "number" in run("detect", "--threads", "many", "-m", "x", "y", status=2).err
    for command in ("attach", "detect", "digest", "explain", "inspect", "keygen", "pack", "probe", "sign", "vectors",
                    "verify", "help"):
        assert f"usage: rung {command}" in run(command, "--help").out
    assert "RUNG_RUNTIME_PATH" in run("help", "environment").out


def one_output(shape, head, **changes):
    """The tiny model's spec as one of another head, with an output of that shape."""
    outputs = [{"purpose": "output", "name": "out", "dtype": "f32", "shape": shape}]
    return {"head": head, "outputs": outputs, **changes}


@pytest.mark.parametrize("labels, status", [(2, 2), (3, 0), (80, 2), (0, 0)])
def test_labels_are_as_many_as_the_classes(tmp_path, labels, status):
    graph = reshaped(tmp_path, [1, 7, 4])
    names = [f"class {i}" for i in range(labels)] or None
    spec = tiny.spec(tmp_path / "spec.json", **one_output([1, 7, 4], "yolo", labels=names))
    result = run("pack", spec, graph, "-o", tmp_path / "a.rung", status=status)
    assert (tmp_path / "a.rung").exists() == (status == 0)
    if status:
        assert sentence(result).endswith(f"there are {labels} labels, and by its tensors the model has 3 classes; give the labels of "
                                         "this model, in the order of its classes")


def test_labels_of_what_shapes_do_not_tell_are_whatever_they_are(tmp_path):
    spec = tiny.spec(tmp_path / "spec.json", labels=[f"class {i}" for i in range(80)])
    run("pack", spec, tiny.graph(tmp_path / "tiny.onnx"), "-o", tmp_path / "a.rung")


def reshaped(folder, shape):
    """A graph of the tiny model's input whose output has that shape."""
    value = onnx.helper.make_tensor_value_info
    nodes = [onnx.helper.make_node("ReduceMean", ["image"], ["mean"], keepdims=1, axes=[1, 2, 3]),
             onnx.helper.make_node("Reshape", ["mean", "one"], ["single"]), onnx.helper.make_node("Expand", ["single", "shape"], ["out"])]
    constants = [onnx.numpy_helper.from_array(numpy.array(values, numpy.int64), name)
                 for name, values in (("one", [1] * len(shape)), ("shape", shape))]
    graph = onnx.helper.make_graph(nodes, "reshaped", [value("image", 1, [1, 3, 8, 8])], [value("out", 1, shape)], constants)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), folder / "reshaped.onnx")
    return folder / "reshaped.onnx"


@pytest.mark.parametrize("edit, words", [
    (lambda model: setattr(model.graph.input[0].type.tensor_type.shape.dim[2], "dim_param", "height"), "rung-model fix makes shapes static"),
    (lambda model: model.graph.input.append(onnx.helper.make_tensor_value_info("more", 1, [1])), "takes weights out of the inputs"),
    (lambda model: setattr(model.opset_import[0], "version", 9), "at least 13 is needed; rung-model fix raises it"),
    (lambda model: model.graph.input[0].type.tensor_type.shape.dim[2].__setattr__("dim_value", 16),
     "take the graph that is declared, or declare what this one has"),
])
def test_a_graph_that_cannot_be_packed_is_told_what_to_do(tmp_path, edit, words):
    model = onnx.load(tiny.graph(tmp_path / "tiny.onnx"))
    edit(model)
    onnx.save(model, tmp_path / "tiny.onnx")
    assert words in sentence(run("pack", tiny.spec(tmp_path / "spec.json"), tmp_path / "tiny.onnx", "-o", tmp_path / "a.rung", status=4))
    assert not (tmp_path / "a.rung").exists()
