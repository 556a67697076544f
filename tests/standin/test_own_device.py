# SPDX-License-Identifier: Apache-2.0
"""A model file that holds an engine serves on the device that it was compiled for, on its rung, and is refused elsewhere."""

import hashlib
import json
import sys

import pytest
import tiny
from engine_context import write_engine
from PIL import Image
from standing_in import ROOT, calls, copy, environment, run

sys.path.insert(0, str(ROOT / "tests" / "hardware"))
import trees  # noqa: E402

REFUSED = "compiled for another device, or for other drivers or libraries (there → here: "


class Phone:
    """One with a Hexagon, whose ONNX Runtime offers QNN; an engine for it, as far as Rung can tell."""

    def __init__(self, folder):
        self.folder, self.library, self.trace = folder, copy(folder / "standin"), folder / "trace"
        trees.write(trees.TREES["qualcomm-v73"](), folder / "machine")
        trees.write(trees.TREES["qualcomm-v66"](), folder / "other")
        Image.new("RGB", (16, 16), "white").save(folder / "white.png")
        tiny.graph(folder / "t.onnx")
        self.rung("keygen", "key.pem", "key.pub.pem")
        self.lines = [line for line in json.loads(self.rung("explain", "--json").out)["depends_on"] if not line.startswith("cpu.usable=")]

    def rung(self, *arguments, status=0, machine="machine", **more):
        settings = {"RUNG_RUNTIME": str(self.library), "RUNG_HARDWARE_ROOT": str(self.folder / machine), "RUNG_PROBE": "off",
                    "RUNG_TRUST_PATH": str(self.folder / "key.pub.pem"), "XDG_CACHE_HOME": str(self.folder / "cache"), **more}
        steering = f"providers=QNNExecutionProvider,CPUExecutionProvider;trace={self.trace}"
        return run(*arguments, cwd=self.folder, environment=environment(steering, **settings), status=status)

    def pack(self, file, kind="engine", status=0, role=None, **changes):
        lines = changes.get("depends_on", self.lines)
        text = "".join(f"{line}\n" for line in lines)
        device = {"schema": 1, "rung": "qnn-htp", "precision": "i8", "artifact": "a" * 64,
                  "fingerprint": hashlib.sha256(text.encode()).hexdigest(), "depends_on": lines, **changes}
        tiny.spec(self.folder / "spec.json", kind=kind, form="int8", precision={"text": "{}"},
                  device={"text": json.dumps(device)} if kind == "engine" else None, **(role or {}))
        return self.rung("pack", "spec.json", "t.onnx", "-o", f"{file}.rung", "--key", "key.pem", status=status)

    def refusal(self, *arguments, **options):
        return self.rung(*arguments, status=3, **options).err


@pytest.fixture
def phone(tmp_path):
    made = Phone(tmp_path)
    made.pack("engine")
    return made


DETECT = ("detect", "--json", "-m", "./engine.rung", "white.png")


def test_on_its_device_it_serves_on_its_rung_and_compiles_nothing(phone):
    line = json.loads(phone.rung(*DETECT).out)
    assert (line["rung"], line["identity"], len(line["targets"])) == ("qnn-htp", "tiny+i8", 2)
    assert calls(phone.trace, "session") and not calls(phone.trace, "engine") and not (phone.folder / "cache").exists()
    explained = json.loads(phone.rung("explain", "--json", "-m", "./engine.rung").out)["model"]
    assert explained["rung"] == "qnn-htp" and explained["why"] == "named by the model file, an engine for this device"
    assert phone.rung("verify", "engine.rung").out == "ok: engine.rung\n"


def test_on_another_device_it_is_refused_with_what_differs_before_any_runtime_has_it(phone):
    for command in (DETECT, ("explain", "-m", "./engine.rung"), ("verify", "engine.rung")):
        assert f"{REFUSED}chip SM8550, Hexagon V73 → SM8250, Hexagon V66)" in phone.refusal(*command, machine="other")
    assert not calls(phone.trace, "session")


def test_with_another_library_it_is_refused(phone):
    with open(phone.library, "ab") as library:
        library.write(b"another build")
    assert f"{REFUSED}library onnxruntime.0 " in phone.refusal(*DETECT)


def test_many_differences_are_counted(phone):
    phone.pack("engine", depends_on=["a=1", "b=2", "c=3", "d=4"])
    assert " more); compile the model for this one" in phone.refusal(*DETECT)


def test_no_other_rung_serves_it(phone):
    words = "ort-cpu cannot serve tiny (%s): the file holds an engine of qnn-htp alone"
    assert words % "the application" in phone.refusal(*DETECT, "--rung", "ort-cpu")
    assert words % "RUNG_RUNG" in phone.refusal(*DETECT, RUNG_RUNG="ort-cpu")
    assert json.loads(phone.rung(*DETECT, "--rung", "qnn-htp").out)["rung"] == "qnn-htp"


def test_a_rung_or_a_precision_that_is_not_here_is_refused(phone):
    for changes, words in (({"rung": "marvel"}, "it was compiled for marvel, and"), ({"rung": "tensorrt"}, "it was compiled for tensorrt, and"),
                           ({"precision": "f16"}, "it was compiled in f16, and qnn-htp computes in i8")):
        phone.pack("engine", **changes)
        assert words in phone.refusal(*DETECT)


def test_an_embedders_gate_is_that_of_the_model_that_it_was_compiled_from(phone):
    embedder = {"name": "embedder", "role": "embedder", "head": "none", "selection": None, "labels": None, "embedding_length": 12}
    gate = {"schema": 1, "gates": [{"rung": "qnn-htp", "precision": "i8", "artifact": "a" * 64, "passed": True}]}
    embed = ("embed", "--json", "-m", "./embedder.rung", "white.png")
    phone.pack("embedder", role=embedder)
    assert "served in f32 unless their gate record" in phone.refusal(*embed)
    phone.pack("embedder", role={**embedder, "gate": {"text": json.dumps(gate)}})
    assert json.loads(phone.rung(*embed).out)["identity"] == "embedder+i8"


def test_it_is_neither_measured_nor_compiled_nor_exported(phone):
    words = "it is an engine, compiled for one rung on one device"
    assert words in phone.refusal("probe", "-m", "./engine.rung")
    assert words in phone.refusal("engines", "export", "./engine.rung", "-o", "again.rung")
    (built,) = json.loads(phone.rung("engines", "build", "--json", "./engine.rung").out)["engines"]
    assert built["state"] == "none" and words in built["reason"]


def test_it_is_listed_and_shown_as_what_it_is(phone):
    row = phone.rung("models", ".").out.splitlines()[1]
    assert "trusted" in row and row.endswith("./engine.rung (an engine for one device)"), row
    assert json.loads(phone.rung("models", "--json", ".").out)["kind"] == "engine"
    device = json.loads(phone.rung("inspect", "--json", "engine.rung").out)["device"]
    assert device["rung"] == "qnn-htp" and device["depends_on"] == phone.lines
    (phone.folder / "again.json").write_text(phone.rung("inspect", "--spec", "engine.rung").out)
    phone.rung("pack", "again.json", "t.onnx", "-o", "again.rung", "--key", "key.pem")
    one, other = ((phone.folder / name).read_bytes()[:-64] for name in ("engine.rung", "again.rung"))
    assert one == other


@pytest.mark.parametrize("changes, words", [
    ({"fingerprint": "b" * 64}, "is not the SHA-256 of the lines"), ({"schema": 2}, "schema"), ({"rung": "QNN HTP"}, "must be names"),
    ({"artifact": "A" * 64}, "64 hexadecimal digits"), ({"depends_on": []}, "is empty"), ({"depends_on": ["a\nb"]}, "no line of text"),
    ({"depends_on": [1]}, "no line of text"), ({"depends_on": "a"}, "an array of lines"), ({"more": 1}, "more")])
def test_a_device_that_is_none_is_not_packed(phone, changes, words):
    before = (phone.folder / "engine.rung").read_bytes()
    assert words in phone.pack("engine", status=2, **changes).err
    assert (phone.folder / "engine.rung").read_bytes() == before


def test_a_built_engine_is_exported_with_all_that_its_model_has(phone):
    phone.pack("model", kind="onnx")
    write_engine(phone.folder / "cache" / "rung" / "engines", (phone.folder / "t.onnx").read_bytes(), phone.lines)
    export = ("engines", "export", "./model.rung", "-o", "out.rung")
    assert phone.rung(*export, "--key", "key.pem").out == "packed: out.rung (signed)\n"
    model, engine = (json.loads(phone.rung("inspect", "--json", name).out) for name in ("model.rung", "out.rung"))
    assert engine.pop("device") == {"schema": 1, "rung": "qnn-htp", "precision": "i8", "artifact": model["digest"], "depends_on": phone.lines,
                                    "fingerprint": hashlib.sha256("".join(f"{line}\n" for line in phone.lines).encode()).hexdigest()}
    assert (model.pop("kind"), engine.pop("kind")) == ("onnx", "engine")
    for name in ("path", "bytes", "message_digest", "sections"):
        model.pop(name), engine.pop(name)
    assert engine == model
    line = json.loads(phone.rung("detect", "--json", "-m", "./out.rung", "white.png").out)
    assert (line["rung"], line["identity"]) == ("qnn-htp", "tiny+i8")
    assert phone.rung(*export).out == "packed: out.rung (unsigned)\n"
    assert json.loads(phone.rung(*export, "--json").out)["action"] == "export"


def test_what_is_not_built_or_no_file_is_not_exported(phone):
    phone.pack("model", kind="onnx")
    export = ("engines", "export", "./model.rung", "-o", "out.rung")
    assert "tiny on qnn-htp: its engine is not built yet (rung engines build)" in phone.rung(*export, status=5).err
    assert "that rung does not make an engine of it that is one file" in phone.refusal(*export, "--rung", "ort-cpu")
    assert "takes one model, and -o FILE" in phone.rung("engines", "export", "./model.rung", status=2).err
    assert "-o and --key are for export" in phone.rung("engines", "list", "-o", "out.rung", status=2).err
    assert not (phone.folder / "out.rung").exists()
