# SPDX-License-Identifier: Apache-2.0
"""What `rung explain` says about the device, on this machine and on those of tests/hardware/trees.py."""
import json
import re
import sys

import pytest
from conftest import ROOT, clean_environment, run

sys.path.insert(0, str(ROOT / "tests" / "hardware"))
import trees  # noqa: E402


def explain(tree, folder, text=False):
    """→ the explanation on another machine, a tree or the name of one."""
    root = trees.write(tree, folder / "machine")
    result = run("explain", *([] if text else ["--json"]), environment=clean_environment(RUNG_HARDWARE_ROOT=str(root)))
    return result.out if text else json.loads(result.out)


def test_this_machine_has_a_cpu_and_a_fingerprint():
    explained = json.loads(run("explain", "--json").out)
    cpu = explained["device"]["cpu"]
    assert 1 <= cpu["cores"] <= cpu["usable"]
    assert re.fullmatch("[0-9a-f]{64}", explained["fingerprint"])
    assert explained["fingerprint"] == json.loads(run("explain", "--json").out)["fingerprint"]
    assert f"fingerprint {explained['fingerprint'][:16]}" in run("explain").out


def test_each_machine_has_its_own_fingerprint(tmp_path):
    found = {name: explain(name, tmp_path)["fingerprint"] for name in trees.TREES}
    found.pop("cgroup1-quota")  # one CPU, however it is said
    assert len(set(found.values())) == len(found)


@pytest.mark.parametrize("tree, line", [
    ("nvidia", "gpu NVIDIA 10de:2684, driver nvidia 550.90.07"),
    ("nvidia-not-given", "gpu NVIDIA 10de:2684, driver nvidia 550.90.07, /dev/nvidiactl is missing"),
    ("nvidia-no-driver", "gpu NVIDIA 10de:2684, no driver"),
    ("amd", "gpu AMD 1002:744c, driver amdgpu 6.8.5"),
    ("amd-no-kfd", "/dev/kfd is missing, and ROCm needs it"),
    ("intel-npu", "npu Intel 8086:7d1d, driver intel_vpu 1.13.0"),
    ("qualcomm-v73", "chip SM8550, Hexagon V73"),
    ("mali", "gpu Arm Mali-G610 4 cores r0p0 0xA8670000, driver mali_kbase g18p0-01eac0"),
    ("nvidia-opencl", "opencl libnvidia-opencl.so.1, for NVIDIA"),
    ("virtio", "gpu virtio 1af4:1050, driver virtio-pci 1 (virtual)"),
    ("one-cpu", "cpu Processor of a PC @ 3.00GHz, family 6, model 183, stepping 1; 1 usable on 1 core"),
])
def test_people_read_what_the_device_is(tree, line, tmp_path):
    lines = [" ".join(found.split()) for found in explain(tree, tmp_path, text=True).splitlines()]
    assert line in lines, lines


def test_the_json_has_what_the_table_of_rungs_needs(tmp_path):
    device = explain("laptop", tmp_path)["device"]
    assert device["cpu"] == {"usable": 16, "cores": 8, "model": "Processor of a PC @ 3.00GHz, family 6, model 183, stepping 1",
                             "features": ["sse4_2", "avx", "f16c", "fma", "avx2", "avx_vnni"]}
    assert device["devices"][1] == {
        "kind": "gpu", "vendor": "NVIDIA", "id": "10de:2684", "virtual": False, "address": "0000:01:00.0",
        "driver": "nvidia", "version": "550.90.07", "node": "nvidiactl", "has_node": True}
    assert device["opencl"][0] == {"library": "libigdrcl.so", "vendor": "Intel"}
    assert device["kernel"] == "6.1.0-40-amd64" and not device["kfd"] and device["unread"] == 0
    assert explain("qualcomm-v66", tmp_path)["device"]["soc"]["hexagon"] == 66


def test_a_new_driver_is_another_fingerprint(tmp_path):
    old = explain("nvidia", tmp_path)["fingerprint"]
    new = explain(trees.TREES["nvidia"]() | trees.nvidia_driver("560.28.03"), tmp_path)["fingerprint"]
    assert old != new == explain(trees.TREES["nvidia"]() | trees.nvidia_driver("560.28.03"), tmp_path)["fingerprint"]


def test_a_quota_of_one_cpu_is_one_thread(tmp_path):
    environment = clean_environment(RUNG_HARDWARE_ROOT=str(trees.write("one-cpu", tmp_path / "machine")))
    if not (ROOT / "build" / "models").exists():
        pytest.skip("there are no models; scripts/demo-models makes them")
    explained = json.loads(run("explain", "--json", "-m", "centerface", environment=environment).out)
    assert explained["model"]["threads"] == 1


def test_a_root_that_is_not_there_is_an_unknown_machine(tmp_path):
    environment = clean_environment(RUNG_HARDWARE_ROOT=str(tmp_path / "missing"))
    explained = json.loads(run("explain", "--json", environment=environment).out)
    assert explained["device"]["devices"] == [] and "model" not in explained["device"]["cpu"]
