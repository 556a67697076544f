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

    @property
    def steered(self):
        """Its name in the steering of the stand-in, and in its trace."""
        return f"{self.provider}.{self.device}" if self.device else self.provider


RUNGS = [
    Rung("tensorrt", "TensorrtExecutionProvider", "nvidia", computes="f16"),
    Rung("cuda", "CUDAExecutionProvider", "nvidia"),
    Rung("migraphx", "MIGraphXExecutionProvider", "rocm", computes="f16"),
    Rung("openvino-gpu", "OpenVINOExecutionProvider", "intel gpu", "GPU", "f16"),
    Rung("openvino-npu", "OpenVINOExecutionProvider", "intel npu", "NPU", "f16"),
    Rung("qnn-htp", "QNNExecutionProvider", "hexagon", takes="int8"),
    Rung("webgpu", "WebGpuExecutionProvider", "gpu"),
    Rung("openvino-cpu", "OpenVINOExecutionProvider", "x86", "CPU"),
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

# What a set of runtimes offers beside the CPU, "stock" being the real library and "none" tract alone.
_OFFERED = {
    "stock": "", "none": "", "cuda": "Tensorrt CUDA", "migraphx": "MIGraphX", "openvino": "OpenVINO", "qnn": "QNN",
    "webgpu": "WebGpu", "all": "Tensorrt CUDA MIGraphX OpenVINO QNN WebGpu",
}
SETS = {name: [f"{provider}ExecutionProvider" for provider in offered.split()] for name, offered in _OFFERED.items()}


def form(runtimes):
    """Of the model that is run: a Hexagon takes a quantised one only."""
    return "int8" if runtimes == "qnn" else "f32"


def present(machine, runtimes):
    """The rungs that a probe tries above the floor, best first."""
    return [rung for rung in RUNGS[:-1] if rung.needs in MACHINES[machine] | {"x86"} and rung.provider in SETS[runtimes]
            and form(runtimes) in rung.takes]


def floors(runtimes):
    """Those that can run the model."""
    return [rung for rung in (FLOOR, LAST) if form(runtimes) in rung.takes and (runtimes != "none" or rung == LAST)]


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
IN_A_PROBE = [Fault(place, name) for place, names in _AT_PLACE.items() for name in names.split()]
# The second run is the first that is timed.
IN_A_PROBE += [Fault("run", name, at) for name, at in (("refuse", 2), ("crash", 2), ("abort", 3), ("exit", 3), ("hang", 4),
                                                       ("nan", 2), ("wrong", 3))]


def absence(rung, combination):
    """Of a rung that cannot run here: without a library nothing is asked; then its device comes first."""
    if combination.runtimes == "none" and rung != LAST:
        return "absent", "no ONNX Runtime could be loaded"
    if rung.needs not in MACHINES[combination.machine] | {"x86"}:
        return "absent", "and none was found"
    if rung.provider not in [*SETS[combination.runtimes], CPU, ""]:
        return "absent", f"does not offer {rung.provider}"
    return "absent", "it takes models in "


def outcome(fault):
    """Of the rung that it comes at, and words of its reason. A slow build takes nobody's place, a slow run does."""
    if fault.name == "slow":
        return ("slower", " ms against the ") if fault.place == "run" else ("chosen", " ms against the floor's ")
    kind, words = _ENDS[fault.name]
    return kind, words.format(place=fault.place)
