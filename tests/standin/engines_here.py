# SPDX-License-Identifier: Apache-2.0
"""A place of its own with small models and a runtime that compiles; the tests of engines share it."""

import json
import os
import subprocess

import pytest
import tiny
from PIL import Image
from standing_in import BUILD, LIBRARY, ROOT, RUNG, command_line, environment, run

PROVIDERS = "providers=OpenVINOExecutionProvider,CPUExecutionProvider"
RUNG_ID = "openvino-cpu"
OPENVINO = max(ROOT.glob("runtimes*/onnxruntime-openvino-*/libonnxruntime.so.*"), default=None)


def need_openvino():
    """Skips a test where the real one cannot run."""
    if not OPENVINO:
        pytest.skip("there is no OpenVINO build of ONNX Runtime; scripts/fetch-runtimes --tests brings it")
    if b"__asan_init" in (BUILD / "probe" / "rung-probe").read_bytes():
        pytest.skip("OpenVINO's libraries do not load in a program with the address sanitizer")


class Place:
    """Folders of its own. Without a library the stand-in compiles; steering is then its own."""

    def __init__(self, folder, models=1, library=None):
        self.folder, self.library = folder, library
        self.engines_folder = folder / "cache" / "rung" / "engines"
        self.trace = folder / "trace"
        self.here("keygen", "key.pem", "key.pub.pem")
        self.models = [self.pack(f"m{i}", corner_class=i % 2, corner=(0.0, 0.0, 0.25 + i / 64, 0.25)) for i in range(models)]
        Image.new("RGB", (16, 16), "white").save(folder / "white.png")

    def here(self, *arguments):
        subprocess.run([RUNG, *arguments], cwd=self.folder, check=True, capture_output=True)

    def pack(self, name, content=None, **changes):
        self.here("pack", tiny.spec(self.folder / f"{name}.json", name=name, **(content or {})), tiny.graph(self.folder / f"{name}.onnx", **changes),
                  "-o", f"{name}.rung", "--key", "key.pem")
        return self.folder / f"{name}.rung"

    def environment(self, steering="", **more):
        folders = {"XDG_STATE_HOME": str(self.folder / "state"), "XDG_CACHE_HOME": str(self.folder / "cache"), **more}
        if self.library:
            return command_line.clean_environment(RUNG_RUNTIME=str(self.library), **folders)
        orders = f";{steering}" if steering else ""
        return environment(f"{PROVIDERS};trace={self.trace}{orders}", RUNG_RUNTIME=str(LIBRARY), **folders)

    def command(self, action, *arguments):
        more = ["--rung", RUNG_ID, "--trust", self.folder / "key.pub.pem"] if action == "build" else []
        return [RUNG, "engines", action, "--json", *more, *arguments]

    def engines(self, action, *arguments, steering="", status=0, **more):
        """What the command reports of each engine."""
        result = run(*self.command(action, *arguments)[1:], environment=self.environment(steering, **more), status=status)
        return json.loads(result.out)["engines"] if result.out else None

    def build(self, *models, steering="", status=0, options=(), **more):
        return self.engines("build", *options, *(models or self.models), steering=steering, status=status, **more)

    def states(self, *models, **more):
        return [engine["state"] for engine in self.build(*models, **more)]

    def calls(self, place):
        lines = self.trace.read_text().splitlines() if self.trace.exists() else []
        return sum(line.startswith(f"{place} ") for line in lines)

    def compiled(self):
        """How often the stand-in wrote an engine."""
        return self.calls("engine")

    def sessions(self):
        return self.calls("session")

    def detect(self, steering="", rung=RUNG_ID, model=None):
        """The picture's line, and what was said."""
        result = run("detect", "-m", model or self.models[0], "--json", "--rung", rung, "--trust", self.folder / "key.pub.pem",
                     self.folder / "white.png", environment=self.environment(steering))
        return json.loads(result.out), result.err

    def files(self):
        """Those of all engines, without their records."""
        return sorted(path for path in self.engines_folder.glob("[!.]*/files/**/*") if path.is_file())

    def leftovers(self):
        """What dead processes left: not the locks."""
        return sorted(path.name for path in self.engines_folder.glob(".*") if path.name not in (".lock", ".build.lock"))

    def start(self, *command, steering="", variables=None, **more):
        return subprocess.Popen(command, env=self.environment(steering) | (variables or {}), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def number_of(variable, default):
    return int(os.environ.get(variable, default))


def flip_a_bit(path, random):
    content = bytearray(path.read_bytes())
    content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    path.chmod(0o600)
    path.write_bytes(content)
