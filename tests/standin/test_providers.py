# SPDX-License-Identifier: Apache-2.0
"""Providers that are not there, as a product would meet them: offered, appended, refused, with engines in a folder."""

import json
import signal
import subprocess
import sys
import time

import pytest
import tiny
from standing_in import HERE, LIBRARY, calls, environment

PROVIDERS = {  # the name to append with: the name as it is offered
    "CUDA": "CUDAExecutionProvider", "TensorRT": "TensorrtExecutionProvider", "OpenVINO": "OpenVINOExecutionProvider",
    "MIGraphX": "MIGraphXExecutionProvider", "QNN": "QNNExecutionProvider", "WebGPU": "WebGpuExecutionProvider",
    "DML": "DmlExecutionProvider", "CoreML": "CoreMLExecutionProvider",
}
CACHE = {"OpenVINO": "cache_dir", "TensorRT": "trt_engine_cache_path", "MIGraphX": "migraphx_model_cache_dir"}
CPU = "CPUExecutionProvider"
SLOW_MS = 400


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny.graph(tmp_path_factory.mktemp("model") / "tiny.onnx")


@pytest.fixture
def trace(tmp_path):
    return tmp_path / "trace"


def use(model, steering, status=0, **settings):
    """What came of it; of a process that ends otherwise only how."""
    result = subprocess.run([sys.executable, HERE / "appending.py", LIBRARY, model, json.dumps(settings)], capture_output=True,
                            timeout=60, check=False, env=environment(steering))
    assert result.returncode == status, result.stderr.decode()[-2000:]
    return None if status else json.loads(result.stdout)


@pytest.fixture(scope="module")
def right(model):
    return use(model, "")


def test_without_steering_there_are_the_real_providers(right):
    assert CPU in right["offered"] and right["placed"] == [CPU]


@pytest.mark.parametrize("name", PROVIDERS)
def test_an_offered_provider_is_appended_and_runs(model, right, trace, name):
    steering = f"providers={PROVIDERS[name]},{CPU};trace={trace}"
    used = use(model, steering, append=name, forbid_fallback=True)
    assert used["offered"] == [PROVIDERS[name], CPU]
    assert used["placed"] == [PROVIDERS[name]] and used["output"] == right["output"]
    assert calls(trace, "append") == ["-"] and calls(trace, "run") == ["-"]


@pytest.mark.parametrize("name", ["OpenVINO", "CUDA"])
def test_what_is_not_offered_is_left_to_the_real_library(model, name):
    assert "error" in use(model, "", append=name)


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_refused_provider_says_why_in_the_log_alone(model, name):
    used = use(model, f"providers={PROVIDERS[name]},{CPU};append=refuse", append=name)
    assert used["error"] == "the append was refused" and used["log"] == ["the device of the append is not available"]


def test_a_silent_fallback_is_seen_by_whoever_asks(model, right):
    """The provider is accepted and the numbers are right; only the placement tells, or the wish for an error."""
    steering = f"providers={PROVIDERS['CUDA']},{CPU};append=cpu"
    used = use(model, steering, append="CUDA")
    assert used["placed"] == [CPU] and used["output"] == right["output"]
    assert "fallback" in use(model, steering, append="CUDA", forbid_fallback=True)["error"].lower()


@pytest.mark.parametrize("place", ["append", "session", "engine", "run", "environment", "load"])
@pytest.mark.parametrize("fault, status", [("crash", -signal.SIGSEGV), ("abort", -signal.SIGABRT), ("exit", 7)])
def test_a_process_ends_where_it_is_told_to(model, trace, tmp_path, place, fault, status):
    """What the tests of the product leave to a child."""
    use(model, f"providers={PROVIDERS['OpenVINO']};{place}={fault};trace={trace}", status, append="OpenVINO",
        options={"cache_dir": str(tmp_path)})
    assert calls(trace, place) == [fault]


@pytest.mark.parametrize("place", ["append", "session", "engine", "run", "environment", "load"])
def test_a_process_stays_where_it_is_told_to(model, trace, tmp_path, place):
    steering = f"providers={PROVIDERS['OpenVINO']};{place}=hang;trace={trace}"
    settings = json.dumps({"append": "OpenVINO", "options": {"cache_dir": str(tmp_path)}})
    process = subprocess.Popen([sys.executable, HERE / "appending.py", LIBRARY, model, settings], env=environment(steering),
                               stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while not calls(trace, place) and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.02)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.2)
    process.kill()
    process.wait()
    assert calls(trace, place) == ["hang"]


@pytest.mark.parametrize("numbers, holds", [("nan", lambda n, _: n != n), ("inf", lambda n, _: n == float("inf")),
                                            ("wrong", lambda n, right: n == pytest.approx(right * 0.75 + 0.125))])
def test_numbers_become_others(model, right, numbers, holds):
    assert all(map(holds, use(model, f"run={numbers}")["output"], right["output"]))
    assert use(model, f"run={numbers}@2")["output"] == right["output"]


@pytest.mark.parametrize("place", ["append", "session", "engine", "run"])
def test_a_fault_of_one_provider_spares_the_others(model, right, tmp_path, place):
    """So that each rung of a ladder has its own."""
    steering = f"providers={PROVIDERS['TensorRT']},{PROVIDERS['OpenVINO']},{CPU};{place}=refuse:TensorRT"
    for name in ("TensorRT", "OpenVINO"):
        used = use(model, steering, append=name, options={CACHE[name]: str(tmp_path)})
        assert used.get("error") == (f"the {place} was refused" if name == "TensorRT" else None)
    assert use(model, steering)["output"] == right["output"]
    assert "error" in use(model, "session=refuse:CPU")


def test_calls_are_counted_for_each_provider(model, trace):
    steering = f"providers={PROVIDERS['OpenVINO']};run=nan:OpenVINO@1,refuse:CPU@1;trace={trace}"
    assert use(model, steering)["error"] == "the run was refused"
    assert use(model, steering, append="OpenVINO")["output"][0] != use(model, "")["output"][0]
    assert trace.read_text().splitlines()[-1] == f"run 1 nan {PROVIDERS['OpenVINO']}"


def test_a_device_of_a_provider_has_its_own_faults_and_is_traced(model, trace):
    steering = f"providers={PROVIDERS['OpenVINO']};session=refuse:OpenVINO.NPU;trace={trace}"
    assert use(model, steering, append="OpenVINO", options={"device_type": "NPU"})["error"] == "the session was refused"
    assert "output" in use(model, steering, append="OpenVINO", options={"device_type": "GPU"})
    assert "output" in use(model, steering, append="OpenVINO")
    appended = [line.split()[-1] for line in trace.read_text().splitlines() if line.startswith("append")]
    assert appended == [PROVIDERS["OpenVINO"] + device for device in (".NPU", ".GPU", "")]
    everywhere = f"providers={PROVIDERS['OpenVINO']};session=refuse:OpenVINO"
    assert "error" in use(model, everywhere, append="OpenVINO", options={"device_type": "GPU"})


@pytest.mark.parametrize("provider, times", [("CUDA", f"60000,{SLOW_MS}:CUDA"), ("", f"{SLOW_MS},60000:CUDA")])
def test_a_provider_is_slow_in_its_own_way(model, provider, times):
    start = time.monotonic()
    use(model, f"providers={PROVIDERS['CUDA']};run=slow;slow-ms={times}", append=provider)  # not for a minute
    assert time.monotonic() - start >= SLOW_MS / 1000


# ---- engines ------------------------------------------------------------------------------------


class Compiling:
    """A provider that compiles, with its folder."""

    def __init__(self, model, folder, trace, name="OpenVINO"):
        self.model, self.folder, self.trace, self.name = model, folder, trace, name
        folder.mkdir()

    def use(self, engine="", status=0):
        """A use; second, whether an engine was compiled in it."""
        self.trace.unlink(missing_ok=True)
        orders = f";engine={engine}" if engine else ""
        used = use(self.model, f"providers={PROVIDERS[self.name]};slow-ms={SLOW_MS};trace={self.trace}{orders}", status,
                   append=self.name, options={CACHE[self.name]: str(self.folder)})
        return used, bool(calls(self.trace, "engine"))

    def engines(self):
        return list(self.folder.iterdir())


@pytest.fixture
def compiling(model, tmp_path, trace):
    return Compiling(model, tmp_path / "cache", trace)


@pytest.mark.parametrize("name", CACHE)
def test_an_engine_is_written_once_and_found_again(model, right, tmp_path, trace, name):
    compiling = Compiling(model, tmp_path / "cache", trace, name)
    assert compiling.use() == ({**right, "offered": [PROVIDERS[name]], "placed": [PROVIDERS[name]]}, True)
    (engine,) = compiling.engines()
    content = engine.read_bytes()
    used, compiled = compiling.use()
    assert not compiled and used["output"] == right["output"] and engine.read_bytes() == content


def test_models_and_providers_do_not_share_an_engine(compiling, tmp_path):
    compiling.use()
    other = Compiling(tiny.graph(tmp_path / "other.onnx", corner_class=0), tmp_path / "unused", compiling.trace)
    other.folder = compiling.folder
    assert other.use()[1] and len(compiling.engines()) == 2


def test_compiling_takes_its_time(compiling):
    start = time.monotonic()
    assert compiling.use("slow")[1]
    assert time.monotonic() - start >= SLOW_MS / 1000


def test_a_folder_that_takes_nothing_is_told(compiling):
    compiling.folder.rmdir()
    assert "cannot write" in compiling.use()[0]["error"]


def test_an_engine_that_is_refused_or_torn_is_made_again(compiling, right):
    assert compiling.use("refuse")[0]["error"] == "the engine was refused"
    for engine in ("torn", "unwritten"):
        used, compiled = compiling.use(engine)
        assert compiled and used["output"] == right["output"]
    compiling.use("crash", status=-signal.SIGSEGV)
    (half,) = compiling.engines()
    assert half.stat().st_size == 2048
    assert compiling.use()[1] and half.stat().st_size == 4096


def test_a_changed_engine_gives_wrong_numbers_and_no_error(compiling, right):
    """As real ones do: only a digest of one's own tells."""
    compiling.use()
    (engine,) = compiling.engines()
    content = bytearray(engine.read_bytes())
    content[1000] ^= 1
    engine.write_bytes(content)
    used, compiled = compiling.use()
    assert not compiled and used["output"] != right["output"]
