# SPDX-License-Identifier: Apache-2.0
"""Which of several good libraries is loaded: the one that offers most to this machine, of equals the first that is found."""

import concurrent.futures
import json
import shutil
import sys

import pytest
from standing_in import BUILD, MANY_AT_ONCE, PHOTOS, ROOT, calls, copy, environment, matrix, run
from standing_in import explain as explain_here

sys.path.insert(0, str(ROOT / "tests" / "hardware"))
import trees  # noqa: E402

CPU = "CPUExecutionProvider"
OFFERS = {"cpu": CPU, "cuda": f"CUDAExecutionProvider,{CPU}", "migraphx": f"MIGraphXExecutionProvider,{CPU}",
          "openvino": f"OpenVINOExecutionProvider,{CPU}", "qnn": f"QNNExecutionProvider,{CPU}",
          "webgpu": f"WebGpuExecutionProvider,{CPU}", "tensorrt": f"TensorrtExecutionProvider,{CPU}",
          "two": f"WebGpuExecutionProvider,OpenVINOExecutionProvider,{CPU}"}


class Place:
    """Copies of the stand-in, each in the folder of its name, and a machine."""

    def __init__(self, folder):
        self.folder, self.paths = folder, {}

    def steer(self, names, **more):
        """Copies that are not there yet are made. A name is a row of OFFERS, with "-2" for a second one of the kind."""
        for name in names:
            if name not in self.paths:
                self.paths[name] = copy(self.folder / name)
        return ";".join(f"for={name};providers={OFFERS[name.split('-')[0]]}" + "".join(more.get(name, ())) for name in self.paths)

    def machine(self, tree):
        return str(trees.write(tree, self.folder / "machine"))

    def search(self, names):
        return ":".join(str(self.paths[name].parent) for name in names)

    def states(self, explained):
        known = {str(path): name for name, path in self.paths.items()}
        return {known[each["path"]]: each["state"] for each in explained["runtimes"] if each["path"] in known}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """rung with its helper program as they are installed, without any runtime beside them."""
    folder = tmp_path_factory.mktemp("installed")
    (folder / "lib" / "here").mkdir(parents=True)
    (folder / "libexec").mkdir()
    shutil.copy(BUILD / "src" / "librung.so.0", folder / "lib" / "here")
    shutil.copy(BUILD / "probe" / "rung-probe", folder / "libexec")
    return folder


@pytest.fixture
def explain(installed):
    def ask(steering, **more):
        return explain_here(steering, LD_LIBRARY_PATH=ask.libraries, **more)
    ask.libraries = str(installed / "lib" / "here")
    return ask


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


@pytest.mark.parametrize("tree, names, chosen", [
    ("none", ["cpu", "cuda", "openvino", "webgpu"], "cpu"),
    ("none", ["openvino", "cpu"], "openvino"),  # OpenVINO on the CPU is no reason to leave the order
    ("nvidia", ["cpu", "cuda"], "cuda"), ("nvidia", ["cpu", "webgpu", "cuda"], "cuda"), ("nvidia", ["cpu", "webgpu"], "webgpu"),
    ("nvidia", ["cuda", "tensorrt"], "cuda"), ("nvidia", ["tensorrt", "cuda"], "tensorrt"),
    ("nvidia", ["cpu", "migraphx", "openvino"], "cpu"), ("nvidia-not-given", ["cpu", "cuda"], "cpu"),
    ("nvidia-no-driver", ["cpu", "cuda"], "cpu"),
    ("amd", ["cpu", "webgpu", "migraphx"], "migraphx"), ("amd-no-kfd", ["cpu", "migraphx", "webgpu"], "webgpu"),
    ("amd-no-kfd", ["cpu", "migraphx"], "cpu"), ("amd-instinct", ["cpu", "cuda", "migraphx"], "migraphx"),
    ("intel-gpu", ["cpu", "webgpu", "openvino"], "openvino"), ("intel-npu", ["cpu", "webgpu", "openvino"], "openvino"),
    ("intel-gpu", ["cpu", "two", "openvino"], "two"),
    ("laptop", ["cpu", "openvino", "cuda", "webgpu"], "cuda"), ("laptop", ["cpu", "webgpu", "openvino"], "openvino"),
    ("qualcomm-v73", ["cpu", "webgpu", "qnn"], "qnn"), ("qualcomm-v66", ["cpu", "qnn", "webgpu"], "webgpu"),
    ("mali", ["cpu", "openvino", "webgpu"], "webgpu"), ("virtio", ["cpu", "webgpu", "cuda"], "cpu"),
    ("cgroup2-quota", ["cpu", "cpu-2"], "cpu"), ("nvidia", ["cuda-2", "cuda"], "cuda-2"),
], ids=str)
def test_the_library_that_offers_most_to_the_machine_is_loaded(explain, place, tree, names, chosen):
    steering = place.steer(names)
    explained = explain(steering, RUNG_RUNTIME_PATH=place.search(names), RUNG_HARDWARE_ROOT=place.machine(tree))
    assert place.states(explained) == {name: "loaded" if name == chosen else "not tried" for name in names}
    matrix["choice", f"{tree}: {', '.join(names)}"] = chosen


def test_the_one_that_is_named_outright_is_the_only_one(explain, place):
    steering = place.steer(["cpu", "cuda"])
    explained = explain(steering, RUNG_RUNTIME=str(place.paths["cpu"]), RUNG_RUNTIME_PATH=place.search(["cuda"]),
                        RUNG_HARDWARE_ROOT=place.machine("nvidia"))
    assert place.states(explained) == {"cpu": "loaded"}


@pytest.mark.parametrize("fault", ["crash", "exit", "hang"])
def test_the_best_one_that_does_not_load_makes_way(explain, place, fault):
    steering = place.steer(["cpu", "cuda"], cuda=[f";load={fault}"])
    explained = explain(steering, RUNG_RUNTIME_PATH=place.search(["cpu", "cuda"]), RUNG_HARDWARE_ROOT=place.machine("nvidia"))
    assert place.states(explained) == {"cpu": "loaded", "cuda": "refused"}


def test_the_library_that_a_probe_chose_is_loaded_before_others(explain, place, tmp_path):
    """Whatever the others offer."""
    steering, machine = place.steer(["cpu", "cuda"]), place.machine("nvidia")
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "RUNG_HARDWARE_ROOT": machine,
             "RUNG_RUNTIME_PATH": place.search(["cpu", "cuda"])}

    def probe():
        run("probe", "-m", "centerface", environment=environment(steering, **state, LD_LIBRARY_PATH=explain.libraries))
        return json.loads((tmp_path / "state" / "rung" / "verdict.json").read_text())
    stored = probe()
    ran_on = {rung["rung"]: rung["library"] for rung in stored["models"][0]["rungs"]}
    explained = explain(steering, **state)
    digests = {each["path"]: each["digest"] for each in explained["runtimes"] if "digest" in each}
    assert place.states(explained)["cuda"] == "loaded" and ran_on["ort-cpu"] == digests[str(place.paths["cuda"])]
    other = place.paths["cpu"]
    other.write_bytes(other.read_bytes() + b" ")  # copies are one library: another content is another one
    stored = probe()
    digests = {each["path"]: each["digest"] for each in explain(steering, **state)["runtimes"] if "digest" in each}
    for rung in stored["models"][0]["rungs"]:
        rung["library"] = digests[str(other)] if rung["library"] else ""
    (tmp_path / "state" / "rung" / "verdict.json").write_text(json.dumps(stored))
    assert place.states(explain(steering, **state)) == {"cpu": "loaded", "cuda": "not tried"}


# ---- what is remembered -------------------------------------------------------------------------


@pytest.fixture
def remembering(explain, place, tmp_path):
    """→ how often the library was started, in this process and in others, while rung explained itself once more."""
    steering = place.steer(["cuda"])
    trace = tmp_path / "trace"

    def start(**more):
        trace.unlink(missing_ok=True)
        explained = explain(f"trace={trace};{steering}", XDG_STATE_HOME=str(tmp_path / "state"),
                            RUNG_RUNTIME_PATH=place.search(["cuda"]), **more)
        assert place.states(explained) == {"cuda": "loaded"}
        return len(calls(trace, "environment"))
    start.file = tmp_path / "state" / "rung" / "libraries.json"
    start.library = place.paths["cuda"]
    return start


def test_a_library_is_described_once(remembering):
    assert [remembering() for _ in range(3)] == [2, 1, 1]
    (entry,) = (each for each in json.loads(remembering.file.read_text())["libraries"] if each["path"] == str(remembering.library))
    assert entry["providers"] == OFFERS["cuda"].split(",") and len(entry["digest"]) == 64 and entry["outcome"] == "loads"


def test_a_job_finds_out_no_more_than_it_needs(explain, place, tmp_path):
    """Not what tract is while ONNX Runtime serves, nor a digest without a verdict that depends on it."""
    steering, record = place.steer(["cuda"]), tmp_path / "state" / "rung" / "libraries.json"
    more = {"XDG_STATE_HOME": str(tmp_path / "state"), "RUNG_RUNTIME_PATH": f"{place.search(['cuda'])}:{ROOT / 'runtimes'}"}

    def remembered(runtime):
        return [each for each in json.loads(record.read_text())["libraries"] if each["runtime"] == runtime]
    run("detect", "-m", "centerface", PHOTOS / "astronaut.png",
        environment=environment(steering, **more, RUNG_PROBE="off", LD_LIBRARY_PATH=explain.libraries))
    assert str(place.paths["cuda"]) in [each["path"] for each in remembered("onnxruntime")]
    assert not any(each["digest"] for each in remembered("onnxruntime")) and not remembered("tract")
    explain(steering, **more)
    assert all(each["digest"] for each in remembered("onnxruntime") + remembered("tract") if each["outcome"] == "loads")


def test_a_library_that_was_written_is_described_again(remembering):
    remembering()
    remembering.library.write_bytes(remembering.library.read_bytes())
    assert [remembering(), remembering()] == [2, 1]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\0" * 100, b'{"schema":9}', b"x" * 2_000_000], ids=lambda each: each[:12])
def test_a_damaged_record_is_a_missing_one(remembering, content):
    remembering()
    remembering.file.write_bytes(content)
    assert [remembering(), remembering()] == [2, 1]


def test_without_a_folder_it_is_described_each_time(remembering, tmp_path):
    (tmp_path / "state").write_text("no folder")
    assert [remembering(), remembering()] == [2, 2]


def test_what_holds_its_process_is_not_waited_for_again(explain, place, tmp_path):
    steering = place.steer(["cuda"], cuda=[f";trace={tmp_path / 'trace'};load=hang"])
    for started in (1, 0):
        (tmp_path / "trace").unlink(missing_ok=True)
        explained = explain(steering, XDG_STATE_HOME=str(tmp_path / "state"), RUNG_RUNTIME_PATH=place.search(["cuda"]))
        assert place.states(explained) == {"cuda": "refused"}
        assert len(calls(tmp_path / "trace", "load")) == started


def test_many_starts_at_once_remember_all(explain, place, tmp_path):
    names = [f"cpu-{number}" for number in range(6)]
    steering = place.steer(names)

    def start(name):
        return explain(steering, XDG_STATE_HOME=str(tmp_path / "state"), RUNG_RUNTIME_PATH=place.search([name]), **MANY_AT_ONCE)
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert all(place.states(each) for each in pool.map(start, names))
    remembered = {each["path"] for each in json.loads((tmp_path / "state" / "rung" / "libraries.json").read_text())["libraries"]}
    assert remembered >= {str(place.paths[name]) for name in names}
