# SPDX-License-Identifier: Apache-2.0
"""What is run with faults: commands, the files they begin with, and what a whole output is."""

import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess

import numpy
import tiny
from engine_context import write_engine
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("RUNG_BUILD", ROOT / "build")).resolve()
RUNG = BUILD / "cli" / "rung"
INTERPOSE = BUILD / "tests" / "fault" / "interpose.so"
RUNTIMES = ROOT / "runtimes"

SIGNATURE_BYTES = 64
TRUST = ["--trust", "key.pub.pem"]


STATE = ".local/state/rung"


class Operation:
    """A command in a folder that make() filled. `outputs` are the files it writes; None: find out."""

    def __init__(self, name, *arguments, outputs=(), change=None, standing=None, result_line=False,
                 told="", may_warn=False, status=0, more_statuses=(), text=None, may_leave_out=False,
                 variables=None, may_leave=(), may_remove=(), unsound=None,
                 at_most=None):
        self.name, self.arguments, self.outputs = name, [str(argument) for argument in arguments], outputs
        self.change, self.status = change, status
        self.standing = standing  # a call that the system does not have
        self.result_line = result_line  # an error is a result, one line of JSON
        self.told = told  # what of its results is the same in every run; "": all but times
        self.may_warn = may_warn  # in place of an output
        self.more_statuses = set(more_statuses)
        self.text = text  # on standard input
        self.may_leave_out = may_leave_out  # lines of its results
        self.variables = variables or {}  # of its environment
        self.may_leave, self.may_remove = tuple(may_leave), tuple(may_remove)  # files below these folders
        self.unsound = unsound  # what is wrong about the files that are there at the end
        self.at_most = at_most  # places of one call that fail, where it would take too long to let all fail

    def enter(self, origin, folder):
        shutil.copytree(origin, folder)
        if self.change:
            self.change(folder)


def let_others_write(folder):
    (folder / "tiny.rung").chmod(0o664)


def bring_an_old_model(folder):
    shutil.copy(folder / "old.rung", folder / "out.rung")


def forget_libraries(folder):
    shutil.rmtree(folder / ".local" / "state")


def bring_results(folder):
    line = {"schema": 1, "source": "other.png", "error": {"code": "IO", "message": "cannot be opened"}}
    (folder / "results.jsonl").write_text(json.dumps(line) + '\n{"schema":1,"source":"pho')


STATE, ENGINES = ".local/state/rung", ".cache/rung/engines"

# A runtime that compiles.
COMPILING = {
    "RUNG_RUNTIME": str(BUILD / "tests" / "standin" / "libonnxruntime.so.1.99.0-standin"),
    "RUNG_STANDIN": "providers=OpenVINOExecutionProvider,CPUExecutionProvider",
    "RUNG_STANDIN_REAL": str(next(iter(sorted(RUNTIMES.glob("onnxruntime-[0-9]*/libonnxruntime.so.*"))), "")),
}


def bring_an_engine(folder, content=b"engine"):
    """One of a device that is gone, with what a dead build left beside it."""
    artifact, fingerprint = "a" * 64, "b" * 64
    engine = folder / ENGINES / f"tensorrt-f16-{artifact[:32]}-{fingerprint[:16]}"
    (engine / "files").mkdir(parents=True)
    for made in (engine.parent, engine.parent.parent, engine.parent.parent.parent):
        made.chmod(0o700)
    (engine / "files" / "a.engine").write_bytes(content)
    file = {"path": "a.engine", "size": 6, "sha256": hashlib.sha256(b"engine").hexdigest()}
    record = {"schema": 1, "rung": "tensorrt", "precision": "f16", "artifact": artifact, "fingerprint": fingerprint,
              "model": "tiny", "built": 1, "files": [file]}
    (engine / "record.json").write_text(json.dumps(record))
    os.utime(engine / "record.json", (2, 2))


def bring_the_built_engine(folder):
    """That of make_engine, for this device."""
    bring_an_old_model(folder)
    shutil.move(folder / "built", folder / ".cache")


def bring_a_damaged_engine(folder):
    bring_an_engine(folder, b"ENGINE")


def unsound_engines(after):
    """Each is whole, and has no half one beside it. Of which device it is depends on what could be read of it."""
    for name, content in after.items():
        folder, _, rest = name.removeprefix(f"{ENGINES}/").partition("/")
        if not name.startswith(ENGINES) or name.endswith(".lock"):
            continue
        if folder.startswith("."):
            yield f"{name} was left behind"
        elif rest == "record.json":
            for file in json.loads(content)["files"]:
                found = after.get(f"{ENGINES}/{folder}/files/{file['path']}", b"")
                if hashlib.sha256(found).hexdigest() != file["sha256"]:
                    yield f"{folder} is not whole"
        elif f"{ENGINES}/{folder}/record.json" not in after:
            yield f"{folder} has no record"


def unsound_note(after):
    """That the rungs are to be measured in the background is noted whole; how far that has come is its own affair."""
    for name, content in after.items():
        if name == f"{STATE}/unasked.json" and json.loads(content)["tries"] != 1:
            yield f"{name} is not of one try"


def bring_a_strike(folder):
    strikes = folder / ".local" / "state" / "rung" / "strikes"
    strikes.mkdir(parents=True, mode=0o700)
    (strikes / "cuda-c0ffee.json").write_text('{"schema":1,"rung":"cuda","model":"c0ffee","fingerprint":"other","what":"build",'
                                              '"strikes":1,"time":1}')


def bring_numbers(folder):
    shutil.copy(folder / "photos" / "white.png", folder / "photos" / "7.png")


def bring_a_ladder(folder):
    (folder / "ladder.json").write_text('{"schema":1,"rungs":[{"rung":"second","like":"cuda","options":{"device_id":"1"}}]}')


OPERATIONS = [
    Operation("pack", "pack", "spec.json", "tiny.onnx", "-o", "out.rung", "--key", "key.pem",
              outputs=["out.rung"], change=bring_an_old_model),
    Operation("sign", "sign", "tiny.rung", "--key", "key.pem", outputs=["tiny.rung"]),
    Operation("keygen", "keygen", "a.pem", "a.pub.pem", outputs=["a.pem", "a.pub.pem"]),
    Operation("keygen without renameat2", "keygen", "a.pem", "a.pub.pem", outputs=["a.pem", "a.pub.pem"],
              standing="renameat2:ENOSYS"),
    Operation("verify", "verify", "tiny.rung", *TRUST),
    # A key in a folder that cannot be read is a warning, and what it signed is then not trusted.
    Operation("verify a folder's keys", "verify", "tiny.rung", "--trust", "trust", more_statuses=[4]),
    Operation("verify a private copy", "verify", "tiny.rung", *TRUST, change=let_others_write),
    Operation("digest", "digest", "unsigned.rung", "--public-key", "key.pub.pem", "--message", "message",
              outputs=["message"]),
    Operation("attach", "attach", "unsigned.rung", "signature", "--public-key", "key.pub.pem", "-o", "out.rung",
              outputs=["out.rung"]),
    Operation("pack a bundle", "pack", "bundle.json", "-o", "out.rung", "--key", "key.pem", outputs=["out.rung"]),
    Operation("verify a bundle", "verify", "bundle.rung", *TRUST),
    # It is admitted, into a private copy; that nothing here can run it is said afterwards.
    Operation("copy a bundle", "explain", "-m", "./bundle.rung", "--rung", "dummy", *TRUST, status=3, outputs=None),
    Operation("inspect", "inspect", "--json", "tiny.rung"),
    Operation("models", "models", *TRUST, ".", "more"),
    Operation("models --json", "models", "--json", *TRUST, ".", "more", result_line=True),
    # For completions: what cannot be looked at has no name to offer.
    Operation("models --names", "models", "--names", *TRUST, ".", "more", may_leave_out=True),
    Operation("inspect --spec", "inspect", "--spec", "tiny.rung"),
    Operation("detect a list", "detect", "-m", "./tiny.rung", "--json", "--runtime", RUNTIMES, *TRUST, "-",
              text="bitmap.bmp\n", result_line=True),
    Operation("embed -o", "embed", "-m", "./embedder.rung", "--json", "--near", "1", "-o", "out/a.npy", "--runtime",
              RUNTIMES, *TRUST, "photos", outputs=["out/a.npy", "out/a.jsonl"], result_line=True),
    Operation("embed --against", "embed", "-m", "./embedder.rung", "--json", "--near", "1", "--against", "stored.npy",
              "--runtime", RUNTIMES, *TRUST, "photos", result_line=True),
    Operation("segment -o", "segment", "-m", "./segmenter.rung", "--json", "-o", "out", "--overlay", "--runtime", RUNTIMES,
              *TRUST, "photos", outputs=["out/white.png.mask.png", "out/white.png.overlay.jpg"], result_line=True),
    Operation("detect -o", "detect", "-m", "./tiny.rung", "--json", "-o", "out", "--runtime", RUNTIMES, *TRUST,
              "photos", outputs=["out/white.png"], result_line=True),
    # A probe in the background that is not begun is no failure, and not even a warning.
    Operation("detect --probe", "detect", "-m", "./tiny.rung", "--json", "--probe", "first", "--runtime", RUNTIMES, *TRUST,
              "photos", result_line=True, may_leave=[STATE], unsound=unsound_note),
    Operation("detect --coco", "detect", "-m", "./tiny.rung", "--json", "--coco", "coco.json", "--runtime", RUNTIMES, *TRUST,
              "photos", outputs=["coco.json"], result_line=True),
    # Each library is loaded in a process of its own; where that cannot be, it is loaded here.
    Operation("explain the first time", "explain", "--json", "--runtime", RUNTIMES, change=forget_libraries,
              at_most=6, told=r'"id":"[a-z-]+"'),
    # Figures differ from run to run; where the verdict cannot be kept a warning says so.
    Operation("probe", "probe", "-m", "./tiny.rung", "--json", "--time-limit", "30", "--runtime", RUNTIMES, *TRUST,
              outputs=[".local/state/rung/verdict.json"], told=r'"rung":"[a-z-]+"', may_warn=True,
              more_statuses=[3], may_leave=[f"{STATE}/stages.json"]),  # where the helper program is not found
    # One frame of each source is one scene, whatever the time.
    Operation("watch", "watch", "-m", "./tiny.rung", "--json", "--runtime", RUNTIMES, *TRUST, "photos/*.png", told=r'"targets":\[[^]]*'),
    Operation("watch numbers", "watch", "-m", "./tiny.rung", "--json", "--rung", "dummy", *TRUST, "photos/%d.png", change=bring_numbers,
              told=r'"served":\d+'),
    Operation("watch raw", "watch", "-m", "./tiny.rung", "--json", "--rung", "dummy", "--raw", "gray8:2x2", *TRUST, "-", text="wild",
              told=r'"served":\d+'),
    # Whether there is a record is a matter of time; an implementation that a fault meets has none.
    Operation("validate", "validate", "-m", "./tiny.rung", "--json", "--threads", "2", "--rung", "dummy", *TRUST, "photos/white.png",
              told=r'"implementation":"[a-z0-9-]+"', more_statuses=[1], may_leave=[f"{STATE}/stages.json"]),
    Operation("bench", "bench", "-m", "./tiny.rung", "photos/white.png", "--iterations", "2", "--json", "--html", "bench.html", "--runtime",
              RUNTIMES, *TRUST, outputs=["bench.html"], told=r'"rung":"[a-z-]+"'),
    Operation("gate", "gate", "./embedder.rung", "--data", "photos", "--json", "-o", "gate.json", "--runtime", RUNTIMES, *TRUST,
              outputs=["gate.json"], status=1),  # one picture is too few to pass
    Operation("gate --labels", "gate", "./tiny.rung", "--data", "photos", "--labels", "labels.json", "--runtime", RUNTIMES, *TRUST,
              status=1),
    Operation("report", "report", "./tiny.rung", "photos/white.png", "--iterations", "2", "--json", "--runtime", RUNTIMES, *TRUST,
              told=r'"(?:rung":"[a-z-]+|done":\d+|imported":\d+)'),
    # What cannot be loaded or read is told as such; warnings say what of the state folder is of no use.
    Operation("explain", "explain", "--json", "--runtime", RUNTIMES, change=bring_a_strike, told='"schema":1', may_warn=True),
    Operation("explain --line", "explain", "--line", "--runtime", RUNTIMES, told="^Models run on", may_warn=True),
    Operation("plan", "plan", "--series", "--plan", "plan.json", "--json", told='"effective":"[^"]*"'),
    Operation("detect --plan", "detect", "-m", "./tiny.rung", "--json", "--plan", "plan.json", "--threads", "1", "--rung", "dummy", *TRUST,
              "photos", result_line=True, told='"targets":'),
    Operation("use", "use", "tract", outputs=[".local/state/rung/override.json"]),
    Operation("use --ladder", "use", "second", "--ladder", "ladder.json", outputs=[".local/state/rung/override.json"],
              change=bring_a_ladder),
    # A build that had no memory for itself is not remembered; one whose child was refused something is.
    Operation("engines build", "engines", "build", "--json", "--rung", "openvino-cpu", "--time-limit", "30", *TRUST,
              "./tiny.rung", variables=COMPILING, told=r'"state":"built"', more_statuses=[0, 3], may_leave=[STATE, ENGINES],
              unsound=unsound_engines, at_most=24),
    Operation("engines list", "engines", "list", "--json", change=bring_an_engine, told=r'"state":"\w+"'),
    Operation("engines verify", "engines", "verify", "--json", change=bring_a_damaged_engine, status=4,
              told=r'"state":"\w+"', may_remove=[ENGINES]),
    Operation("engines clear", "engines", "clear", "--json", *TRUST, change=bring_an_engine, may_remove=[ENGINES],
              told=r'"action":"\w+"', more_statuses=[0]),
    # On a device that could not be read there is no engine.
    Operation("engines export", "engines", "export", "./quantised.rung", "-o", "out.rung", "--key", "key.pem", "--rung", "qnn-htp", *TRUST,
              outputs=["out.rung"], change=bring_the_built_engine, more_statuses=[5], may_warn=True, may_leave=[STATE, ENGINES],
              may_remove=[ENGINES], at_most=24),
    Operation("verify an engine", "verify", "engine.rung", *TRUST, status=3, at_most=24),
    # One line is there, the beginning of another is cut off.
    Operation("detect --resume", "detect", "-m", "./tiny.rung", "--resume", "results.jsonl", "--runtime", RUNTIMES, *TRUST,
              "other.png", "photos", outputs=["results.jsonl"], change=bring_results),
]


def is_whole(path, content, expected):
    """True when an output that a run left is all there; signatures and keys differ from run to run."""
    if path.suffix == ".rung":
        return content[:-SIGNATURE_BYTES] == expected[:-SIGNATURE_BYTES] and len(content) == len(expected)
    if path.name == "results.jsonl":  # whole lines, of those sources and in that order, as many as were done
        sources = [json.loads(line)["source"] for line in content.decode().splitlines()]
        return content.endswith(b"\n") and sources in (["other.png"], ["other.png", "photos/white.png"], ["other.png", "photos"])
    if path.name == "coco.json" and content == b"[]\n":  # of a picture that could not be looked at
        return True
    if path.name == "bench.html":  # its figures differ from run to run
        return content.startswith(b"<!doctype html>") and content.endswith(b"</html>\n")
    if path.name == "verdict.json":
        return [rung["rung"] for rung in json.loads(content)["models"][0]["rungs"]][-3:] == ["ort-cpu", "tract", "dummy"]
    if path.suffix == ".pem":
        lines = content.decode().splitlines()
        return len(content) == len(expected) and lines[0].startswith("-----BEGIN ") and lines[-1].startswith("-----END ")
    if path.name == "a.npy":  # without the picture that failed
        return content == expected or numpy.load(io.BytesIO(content)).shape == (0, 12)
    if path.name == "a.jsonl":  # which says why
        lines = [json.loads(line) for line in content.splitlines()]
        return content == expected or ("error" in lines[1] and lines[2]["rows"] == 0)
    return content == expected


def make_bundle(folder):
    tiny.spec(folder / "bundle.json", kind="coreml", bundle="tiny.mlpackage", providers=None)
    (folder / "tiny.mlpackage" / "Data").mkdir(parents=True)
    (folder / "tiny.mlpackage" / "Manifest.json").write_text("{}")
    (folder / "tiny.mlpackage" / "Data" / "model").write_bytes(bytes(5000))


def make_roles(folder, run):
    """An embedder and a segmenter of the same graph's kind, and embeddings that were stored."""
    tiny.spec(folder / "embedder.json", name="embedder", role="embedder", head="none", selection=None, labels=None,
              embedding_length=12)
    run("pack", "embedder.json", "tiny.onnx", "-o", "embedder.rung", "--key", "key.pem")
    tiny.graph(folder / "wide.onnx", shape=(1, 3, 2, 6))
    tiny.spec(folder / "segmenter.json", name="segmenter", role="segmenter", head="none", labels=["dark", "bright"],
              canvas={"width": 6, "height": 2}, selection={"min_confidence": 0.5, "suppress": False},
              input={"name": "image", "dtype": "f32", "shape": [1, 3, 2, 6]})
    run("pack", "segmenter.json", "wide.onnx", "-o", "segmenter.rung", "--key", "key.pem")
    rows = numpy.arange(24, dtype=numpy.float32).reshape(2, 12)
    numpy.save(folder / "stored.npy", rows)
    checksum = 0xcbf29ce484222325
    for byte in rows.tobytes():
        checksum = (checksum ^ byte) * 0x100000001b3 % 2**64
    lines = [{"identity": "embedder"}, {"row": 0, "source": "a"}, {"row": 1, "source": "b"},
             {"rows": 2, "fnv1a64": f"{checksum:016x}"}]
    (folder / "stored.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def make_engine(folder, run):
    """A quantised model with the engine that this device would have built of it, and one of another device in a file."""
    tiny.spec(folder / "quantised.json", name="quantised", form="int8", precision={"text": "{}"})
    run("pack", "quantised.json", "tiny.onnx", "-o", "quantised.rung", "--key", "key.pem")
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    explained = subprocess.run([RUNG, "explain", "--json"], check=True, capture_output=True,
                               env={**kept, "HOME": str(folder), "RUNG_HARDWARE_ROOT": str(folder.parent / "machine")})
    lines = [line for line in json.loads(explained.stdout)["depends_on"] if not line.startswith("cpu.usable=")]
    write_engine(folder / "built" / "rung" / "engines", (folder / "tiny.onnx").read_bytes(), lines)
    other = {"schema": 1, "rung": "qnn-htp", "precision": "i8", "artifact": "a" * 64,
             "fingerprint": hashlib.sha256(b"a=1\n").hexdigest(), "depends_on": ["a=1"]}
    tiny.spec(folder / "engine.json", kind="engine", form="int8", precision={"text": "{}"}, device={"text": json.dumps(other)})
    run("pack", "engine.json", "tiny.onnx", "-o", "engine.rung", "--key", "key.pem")


def make(folder, run):
    """The files that the operations begin with."""
    tiny.graph(folder / "tiny.onnx")
    tiny.spec(folder / "spec.json", licence={"text": "Free to use.\n"}, gate={"text": '{"recall": 0.98}'})
    tiny.spec(folder / "other.json", name="other")
    run("keygen", "key.pem", "key.pub.pem")
    run("pack", "spec.json", "tiny.onnx", "-o", "tiny.rung", "--key", "key.pem")
    run("pack", "other.json", "tiny.onnx", "-o", "old.rung", "--key", "key.pem")
    run("pack", "spec.json", "tiny.onnx", "-o", "unsigned.rung")
    run("digest", "unsigned.rung", "--public-key", "key.pub.pem", "--message", "to-sign")
    subprocess.run(["openssl", "dgst", "-sha256", "-sign", "key.pem", "-out", "signature", "to-sign"], cwd=folder,
                   check=True)
    (folder / "plan.json").write_text('{"scheduler": "overlap-v1"}')
    make_bundle(folder)
    make_roles(folder, run)
    make_engine(folder, run)
    run("pack", "bundle.json", "-o", "bundle.rung", "--key", "key.pem")
    (folder / "more").mkdir()
    shutil.copy(folder / "tiny.rung", folder / "more")
    (folder / "trust").mkdir()
    shutil.copy(folder / "key.pub.pem", folder / "trust")
    (folder / "labels.json").write_text(json.dumps({
        "images": [{"id": 1, "file_name": "white.png"}], "categories": [{"id": 1, "name": "corner"}],
        "annotations": [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4]}]}))
    (folder / "photos").mkdir()
    Image.new("RGB", (16, 16), "white").save(folder / "photos" / "white.png")
    Image.new("RGB", (16, 16), "white").save(folder / "bitmap.bmp")
