# SPDX-License-Identifier: Apache-2.0
"""What is promised of the ladder, as a model of few lines: what the tests expect comes from here, not from Rung.

Written after docs/ladder.md, for Linux on x86: the rungs best first, what a machine has, what a set of runtimes offers, and
what a probe makes of a fault."""

from dataclasses import dataclass

CPU = "CPUExecutionProvider"


@dataclass(frozen=True)
class Rung:
    id: str
    provider: str  # as it is offered
    needs: str  # of a machine
    device: str = ""  # of a provider that has several
    computes: str = "f32"  # a model in f32
    takes: str = "f32"  # which forms of a model
    compiles: bool = False

    @property
    def steered(self):
        """Its name in the steering of the stand-in, and in its trace."""
        return f"{self.provider}.{self.device}" if self.device else self.provider


RUNGS = [
    Rung("tensorrt", "TensorrtExecutionProvider", "nvidia", computes="f16", compiles=True),
    Rung("cuda", "CUDAExecutionProvider", "nvidia"),
    Rung("migraphx", "MIGraphXExecutionProvider", "rocm", computes="f16", compiles=True),
    Rung("openvino-gpu", "OpenVINOExecutionProvider", "intel gpu", "GPU", "f16", compiles=True),
    Rung("openvino-npu", "OpenVINOExecutionProvider", "intel npu", "NPU", "f16", compiles=True),
    Rung("qnn-htp", "QNNExecutionProvider", "hexagon", takes="int8", compiles=True),
    Rung("webgpu", "WebGpuExecutionProvider", "gpu"),
    Rung("openvino-cpu", "OpenVINOExecutionProvider", "x86", "CPU", compiles=True),
    Rung("ort-cpu", CPU, "x86", takes="f32 int8"),
]
FLOOR, LAST = RUNGS[-1], Rung("tract", "", "x86")

# A device counts when its node is there, and when it is no virtual one.
_NVIDIA, _AMD, _INTEL = {"nvidia", "gpu"}, {"rocm", "gpu"}, {"intel gpu", "gpu"}
MACHINES = {
    "none": set(), "nvidia": _NVIDIA, "nvidia-opencl": _NVIDIA, "nvidia-not-given": set(), "nvidia-no-driver": set(),
    "amd": _AMD, "amd-no-kfd": {"gpu"}, "amd-instinct": _AMD, "intel-gpu": _INTEL, "intel-npu": _INTEL | {"intel npu"},
    "laptop": _NVIDIA | _INTEL, "qualcomm-v73": {"hexagon", "gpu"}, "qualcomm-v66": {"gpu"}, "mali": {"gpu"},
    "mali-panfrost": {"gpu"}, "virtio": set(), "cgroup1-quota": set(), "cgroup1-cpuset": set(), "cgroup2-quota": set(),
    "cgroup2-cpuset": set(), "one-cpu": set(),
}

# What the libraries of a set offer beside the CPU, in the order in which they are found; behind them stands the real one, which
# offers nothing else. "stock" is the real one, and "none" is tract alone.
_ALL = "Tensorrt CUDA MIGraphX OpenVINO QNN WebGpu"
_OFFERED = {"stock": [], "none": [], "cuda": ["Tensorrt CUDA"], "migraphx": ["MIGraphX"], "openvino": ["OpenVINO"], "qnn": ["QNN"],
            "webgpu": ["WebGpu"], "all": [_ALL], "plain+all": ["", _ALL],
            "webgpu+cuda": ["WebGpu", "Tensorrt CUDA"], "cuda+openvino": ["Tensorrt CUDA", "OpenVINO"]}
LIBRARIES = {name: [[f"{provider}ExecutionProvider" for provider in offered.split()] for offered in libraries]
             for name, libraries in _OFFERED.items()}


def form(runtimes):
    """Of the model that is run: a Hexagon takes a quantised one only."""
    return "int8" if runtimes == "qnn" else "f32"


def present(machine, runtimes, first=0):
    """The rungs that a probe tries above the floor, best first, on the libraries from the first one on."""
    offered = sum(LIBRARIES[runtimes][first:], [])
    return [rung for rung in RUNGS[:-1] if rung.needs in MACHINES[machine] | {"x86"} and rung.provider in offered
            and form(runtimes) in rung.takes]


def floors(runtimes):
    """Those that can run the model."""
    return [rung for rung in (FLOOR, LAST) if form(runtimes) in rung.takes and (runtimes != "none" or rung == LAST)]


def below(rung, expected, combination):
    """Who serves where a rung does not, after a probe: under TensorRT it is CUDA, if that was right and faster than the floor."""
    is_worth_it = expected.get("cuda", ("",))[0] == "slower" and combination.when != "outpaced"
    return RUNGS[1] if rung.id == "tensorrt" and is_worth_it else FLOOR


def identity(rung, runtimes):
    """Where a model computes in another precision than f32, its results say so."""
    numbers = "i8" if form(runtimes) == "int8" else rung.computes
    return ("tiny" if numbers == "f32" else f"tiny+{numbers}"), numbers


@dataclass(frozen=True)
class Fault:
    place: str
    name: str
    at: int = 0  # the call of its place; 0: each

    def __str__(self):
        return f"{self.place} {self.name}" + (f"@{self.at}" if self.at else "")

    def steering(self, rung):
        return f"{self.name}:{rung.steered}" + (f"@{self.at}" if self.at else "")


# What a probe makes of it, and words of the reason; the chosen one is told by its times.
_ENDS = {
    "refuse": ("failed", "the {place} was refused (its log: the device of the {place} is not available)"),
    "no-memory": ("failed", "std::bad_alloc"), "cpu": ("failed", "takes none of the model's nodes"),
    "exit": ("failed", "ended with status 7"), "crash": ("crashed", "killed by signal 11"),
    "abort": ("crashed", "killed by signal 6"), "hang": ("timeout", "did not end in time and was killed"),
    "nan": ("wrong", "numbers that are not finite"), "inf": ("wrong", "numbers that are not finite"),
    "wrong": ("wrong", "is off from the floor's by"),
}
_AT_PLACE = {
    "append": "refuse no-memory cpu exit crash abort hang slow", "session": "refuse no-memory exit crash abort hang slow",
    "run": "refuse no-memory exit crash abort hang slow nan inf wrong",
}
_AT_LOADING = {
    "load": "refuse no-version no-api no-slots no-status other-status exit crash abort hang slow",
    "environment": "refuse no-memory exit crash abort hang slow",
}
IN_A_PROBE = [Fault(place, name) for place, names in _AT_PLACE.items() for name in names.split()]
# The second run is the first that is timed.
IN_A_PROBE += [Fault("run", name, at) for name, at in (("refuse", 2), ("crash", 2), ("abort", 3), ("exit", 3), ("hang", 4),
                                                       ("nan", 2), ("wrong", 3))]

IN_BUILDING = [Fault("engine", name) for name in "refuse no-memory exit crash abort hang slow unwritten torn".split()]
IN_LOADING = [Fault(place, name) for place, names in _AT_LOADING.items() for name in names.split()]


def absence(rung, machine, runtimes, first=0):
    """Of a rung that cannot run here: without a library nothing is asked; then its device comes first."""
    if runtimes == "none" and rung != LAST:
        return "absent", "no ONNX Runtime could be loaded"
    if rung.needs not in MACHINES[machine] | {"x86"}:
        return "absent", "and none was found"
    if rung.provider not in [*sum(LIBRARIES[runtimes][first:], []), CPU, ""]:
        return "absent", f"does not offer {rung.provider}"
    return "absent", "it takes models in "


_LOADING_WORDS = {
    "refuse": "OrtGetApiBase gives nothing", "no-version": "needs version 1.14 or newer", "no-api": "offers no API version",
    "no-slots": "does not behave", "no-status": "does not behave", "other-status": "does not behave",
}


def passed_over(fault):
    """Words of the reason why a library is passed over; None: it is not."""
    if fault.name == "slow":
        return None
    return _LOADING_WORDS.get(fault.name) if fault.place == "load" and fault.name in _LOADING_WORDS else outcome(fault)[1]


def built(fault):
    """The state of an engine, and words of the reason. Half an engine is one: the provider makes it again when it finds it."""
    if fault.name in ("slow", "torn"):
        return "built", ""
    return "failed", "the provider left no engine" if fault.name == "unwritten" else outcome(fault)[1]


def outcome(fault):
    """Of the rung that it comes at, and words of its reason. A slow build takes nobody's place, a slow run does."""
    if fault.name == "slow":
        return ("slower", " ms against the ") if fault.place == "run" else ("chosen", " ms against the floor's ")
    kind, words = _ENDS[fault.name]
    return kind, words.format(place=fault.place)
