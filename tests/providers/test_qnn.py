# SPDX-License-Identifier: Apache-2.0
"""A plugin library brings QNN to the stock ONNX Runtime, and its simulator of a Hexagon really computes."""
import json
import shutil

import numpy
import pytest
import quantised
from PIL import Image
from real import ROOT, command_line, explain, found, machine, probe, rung_of, run, sentence


@pytest.fixture(scope="module")
def plugin():
    return found("onnxruntime-qnn-*/libonnxruntime_providers_qnn.so", "scripts/fetch-runtimes --tests")


@pytest.fixture(scope="module")
def phone(plugin, tmp_path_factory):
    """A phone with a Hexagon, as far as Rung can see, with the stock ONNX Runtime and the plugin."""
    folder = tmp_path_factory.mktemp("phone")
    (stock,) = ROOT.glob("runtimes/onnxruntime-[0-9]*/libonnxruntime.so.*")
    return {"RUNG_HARDWARE_ROOT": machine(folder, "qualcomm-v73"), "RUNG_RUNTIME": str(stock), "RUNG_PROBE": "off",
            "RUNG_RUNTIME_PATH": str(plugin.parent), "XDG_STATE_HOME": str(folder / "state"), "XDG_CACHE_HOME": str(folder / "cache")}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    run("pack", quantised.spec(folder / "spec.json"), quantised.graph(folder / "graph.onnx"), "-o", folder / "quantised.rung")
    return folder / "quantised.rung"


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    for number in range(4):
        noise = numpy.random.default_rng(number).integers(0, 256, (quantised.SIDE, quantised.SIDE, 3), numpy.uint8)
        Image.fromarray(noise).save(folder / f"{number}.png")
    return folder


def environment(of, **more):
    return command_line.clean_environment(**of, **more)


def said(out):
    """The simulator greets on standard output, before the first line."""
    return [json.loads(line) for line in out.splitlines() if not line.startswith(" # LIBNATIVE")]


def segment(of, model, pictures, *arguments, **more):
    return said(run("segment", "--json", "-m", model, "--allow-unsigned", *arguments, pictures, environment=environment(of, **more)).out)


def plugins(explained):
    """Those that the test put there."""
    return [library for library in explained["plugins"] if library["origin"] == "RUNG_RUNTIME_PATH"]


def test_a_plugin_is_listed_with_what_it_brings(phone, plugin):
    explained = explain(environment(phone))
    (listed,) = plugins(explained)
    assert listed["state"] == "loads" and listed["providers"] == ["QNNExecutionProvider"]
    assert listed["path"] == listed["file"] == str(plugin) and len(listed["digest"]) == 64
    assert rung_of(explained, "qnn-htp")["outcome"] == "unmeasured"
    assert any(listed["digest"] in line for line in explained["depends_on"])


def test_without_a_hexagon_its_rung_is_absent(phone, tmp_path):
    env = environment(phone | {"RUNG_HARDWARE_ROOT": machine(tmp_path, "qualcomm-v66")})
    assert rung_of(explain(env), "qnn-htp")["reason"] == "it needs a Hexagon of V68 to V81, and none was found"


def test_without_the_plugin_its_rung_is_absent(phone):
    rung = rung_of(explain(environment(phone | {"RUNG_RUNTIME_PATH": ""})), "qnn-htp")
    assert rung["outcome"] == "absent" and "does not offer QNNExecutionProvider" in rung["reason"]


def test_a_bridge_of_another_build_is_no_plugin(phone, tmp_path):
    """OpenVINO's has the entry of a plugin, and needs its own build in the process."""
    bridge = found("onnxruntime-openvino-*/libonnxruntime_providers_openvino.so", "scripts/fetch-runtimes --tests")
    shutil.copy(bridge, tmp_path)
    assert plugins(explain(environment(phone | {"RUNG_RUNTIME_PATH": str(tmp_path)}))) == []


def test_a_plugin_that_does_not_load_is_refused_with_the_reason(phone, plugin, tmp_path):
    broken = tmp_path / plugin.name
    broken.write_bytes(plugin.read_bytes()[:200000] + b"CreateEpFactories\0")
    explained = explain(environment(phone | {"RUNG_RUNTIME_PATH": str(tmp_path)}))
    (listed,) = plugins(explained)
    assert listed["state"] == "refused" and str(broken) in listed["reason"]
    assert rung_of(explained, "qnn-htp")["outcome"] == "absent"


def test_the_simulator_computes_what_the_floor_does_in_the_same_form(phone, model):
    rungs = probe(environment(phone), "-m", model, "--allow-unsigned")
    qnn = rungs["qnn-htp"]
    assert qnn["outcome"] in ("slower", "chosen"), qnn
    assert qnn["executed_by"].startswith("QNNExecutionProvider (") and qnn["runs"] >= 3
    assert rungs["ort-cpu"]["outcome"] in ("slower", "chosen")


def test_named_outright_it_serves_the_quantised_form(phone, model, pictures, tmp_path):
    masks = {}
    for rung in ("qnn-htp", "ort-cpu"):
        lines = segment(phone, model, pictures, "--rung", rung, "-o", tmp_path / rung)
        assert [(line["rung"], line["identity"]) for line in lines] == [(rung, "quantised+i8")] * 4
        masks[rung] = [numpy.asarray(Image.open(file)) for file in sorted((tmp_path / rung).glob("*.png"))]
    differing = [numpy.mean(one != other) for one, other in zip(masks["qnn-htp"], masks["ort-cpu"])]
    assert max(differing) < 0.01 and all(len(numpy.unique(mask)) > 1 for mask in masks["ort-cpu"])


def test_a_model_in_f32_is_not_for_it(phone):
    refused = sentence(run("explain", "-m", "selfie_seg", "--rung", "qnn-htp", environment=environment(phone), status=3))
    assert "qnn-htp cannot serve selfie_seg" in refused


def test_qnns_cpu_backend_is_refused_as_it_leaves_all_to_the_cpu(phone, model, tmp_path):
    """A provider that takes no node of a model says nothing of it: the model would run on the CPU under its name."""
    ladder = tmp_path / "ladder.json"
    ladder.write_text(json.dumps({"schema": 1, "rungs": [{"rung": "qnn-htp", "options": {
        "backend_type": "cpu", "htp_performance_mode": None, "htp_graph_finalization_optimization_mode": None}}]}))
    rungs = probe(environment(phone), "-m", model, "--allow-unsigned", "--ladder", ladder)
    assert rungs["qnn-htp"]["outcome"] == "failed" and "in silence" in rungs["qnn-htp"]["reason"], rungs["qnn-htp"]
    assert rungs["ort-cpu"]["outcome"] == "chosen"


def test_its_context_is_an_engine_that_is_built_verified_and_served(phone, model, pictures, tmp_path):
    """The compiled model is one file, loaded in place of the first: the simulator compiles nothing again."""
    own = phone | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_STATE_HOME": str(tmp_path / "state")}
    compiled = segment(own, model, pictures, "--rung", "qnn-htp", "-o", tmp_path / "compiled")
    run("engines", "build", model, "--allow-unsigned", "--rung", "qnn-htp", environment=environment(own))
    (context,) = (tmp_path / "cache").glob("rung/engines/qnn-htp-i8-*/files/*")
    assert context.name == "context.onnx" and b"EPContext" in context.read_bytes()
    served = segment(own, model, pictures, "--rung", "qnn-htp", "-o", tmp_path / "served")
    assert [line["rung"] for line in served] == ["qnn-htp"] * 4 == [line["rung"] for line in compiled]
    for one, other in zip(sorted((tmp_path / "served").glob("*.png")), sorted((tmp_path / "compiled").glob("*.png")), strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_a_changed_bit_of_its_context_is_never_served(phone, model, pictures, tmp_path):
    own = phone | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_STATE_HOME": str(tmp_path / "state")}
    run("engines", "build", model, "--allow-unsigned", "--rung", "qnn-htp", environment=environment(own))
    (context,) = (tmp_path / "cache").glob("rung/engines/qnn-htp-i8-*/files/context.onnx")
    content = bytearray(context.read_bytes())
    content[len(content) // 2] ^= 1
    context.write_bytes(content)
    run("engines", "verify", environment=environment(own), status=4)
    assert not context.exists()
    lines = segment(own, model, pictures, "--rung", "qnn-htp", "-o", tmp_path / "masks")
    assert [line["rung"] for line in lines] == ["qnn-htp"] * 4


@pytest.fixture(scope="module")
def packed(phone, model, tmp_path_factory):
    """The engine as a signed model file, and the environment that it was compiled in, which trusts its key."""
    folder = tmp_path_factory.mktemp("packed")
    (folder / "trust").mkdir()
    run("keygen", folder / "key.pem", folder / "trust" / "key.pub.pem")
    own = phone | {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_STATE_HOME": str(folder / "state"), "RUNG_TRUST_PATH": str(folder / "trust")}
    run("engines", "build", model, "--allow-unsigned", "--rung", "qnn-htp", environment=environment(own))
    run("engines", "export", model, "--allow-unsigned", "-o", folder / "here.rung", "--key", folder / "key.pem", environment=environment(own))
    shutil.rmtree(folder / "cache")
    return folder / "here.rung", own


def serve(own, file, pictures, folder, *arguments):
    return said(run("segment", "--json", "-m", file, *arguments, "-o", folder, pictures, environment=environment(own)).out)


def test_its_context_as_a_model_file_serves_on_its_own_device(packed, phone, model, pictures, tmp_path):
    file, own = packed
    lines = serve(own, file, pictures, tmp_path / "served")
    assert [(line["rung"], line["identity"]) for line in lines] == [("qnn-htp", "quantised+i8")] * 4
    segment(phone, model, pictures, "--rung", "qnn-htp", "-o", tmp_path / "compiled")
    for one, other in zip(sorted((tmp_path / "served").glob("*.png")), sorted((tmp_path / "compiled").glob("*.png")), strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert not (file.parent / "cache").exists(), "nothing is compiled or kept"
    run("verify", file, environment=environment(own))
    (explained,) = [line["model"] for line in said(run("explain", "--json", "-m", file, environment=environment(own)).out)]
    assert explained["rung"] == "qnn-htp" and "the model file, an engine for this device" in explained["why"]


@pytest.mark.parametrize("other, words", [("soc", "chip SM8550, Hexagon V73 → SM8250, Hexagon V66"), ("plugin", "library plugin.0 "), ("no plugin", "is gone")])
def test_on_another_device_or_with_another_plugin_it_is_refused(packed, plugin, tmp_path, other, words):
    file, own = packed
    if other == "soc":
        own = own | {"RUNG_HARDWARE_ROOT": machine(tmp_path, "qualcomm-v66")}
    else:
        own = own | {"RUNG_RUNTIME_PATH": str(tmp_path)}
    if other == "plugin":
        for library in plugin.parent.glob("*.so"):
            shutil.copy(library, tmp_path)
        with open(tmp_path / plugin.name, "ab") as copy:
            copy.write(b"another build")
    for command in (["explain", "-m", file], ["verify", file]):
        refused = sentence(run(*command, environment=environment(own), status=3))
        assert "compiled for another device, or for other drivers or libraries" in refused, refused
        assert words in refused.partition("there → here: ")[2], refused


def test_a_changed_bit_of_its_file_is_refused(packed, tmp_path):
    file, own = packed
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "changed.rung").write_bytes(content)
    run("verify", tmp_path / "changed.rung", environment=environment(own), status=4)
