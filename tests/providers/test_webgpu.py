# SPDX-License-Identifier: Apache-2.0
"""WebGPU really computes, on a Vulkan driver that is software: its numbers are the floor's."""
import os

import numpy
import pytest
import tiny
from PIL import Image
from real import CACHE, MODELS, PHOTOS, command_line, explain, found, json_lines, machine, probe, rung_of, run

PHOTO = PHOTOS / "astronaut.png"


@pytest.fixture(scope="module")
def runtime():
    return found("onnxruntime-webgpu-*/libonnxruntime.so.*", "scripts/fetch-runtimes --tests")


@pytest.fixture(scope="module")
def plain(runtime, tmp_path_factory):
    """This machine with WebGPU's runtime, as it is."""
    CACHE.mkdir(parents=True, exist_ok=True)
    return {"RUNG_RUNTIME": str(runtime), "XDG_STATE_HOME": str(tmp_path_factory.mktemp("state")), "RUNG_PROBE": "off",
            "XDG_CACHE_HOME": str(CACHE)}


@pytest.fixture(scope="module")
def driven(plain):
    """The same with the driver, which has no device in sysfs."""
    driver = found("vulkan-*/usr/share/vulkan/icd.d/lvp_icd*.json", "scripts/fetch-vulkan")
    libraries = driver.parents[3] / "lib" / "x86_64-linux-gnu"
    before = os.environ.get("LD_LIBRARY_PATH")
    return plain | {"VK_ICD_FILENAMES": str(driver),
                    "LD_LIBRARY_PATH": f"{libraries}:{before}" if before else str(libraries)}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    run("pack", tiny.spec(folder / "spec.json"), tiny.graph(folder / "graph.onnx"), "-o", folder / "tiny.rung")
    return folder / "tiny.rung"


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Bright ones and dark ones: each answer depends on its own picture."""
    folder = tmp_path_factory.mktemp("pictures")
    for level in (0, 60, 150, 180, 255):
        Image.new("RGB", (8, 8), (level, level, level)).save(folder / f"{level:03}.png")
    return folder


def environment(of, **more):
    return command_line.clean_environment(**of, **more)


def detect(env, model, *arguments):
    return json_lines(run("detect", "--json", "-m", model, *arguments, environment=env))


def without_times(lines):
    return [{key: value for key, value in line.items() if key not in ("ms", "rung")} for line in lines]


def test_without_a_gpu_in_the_machine_the_rung_is_absent(driven, tmp_path):
    rung = rung_of(explain(environment(driven, RUNG_HARDWARE_ROOT=machine(tmp_path, "none"))), "webgpu")
    assert rung["outcome"] == "absent" and rung["reason"] == "it needs a GPU, and none was found"


def test_without_a_driver_the_rung_fails_with_the_librarys_reason(plain, model, tmp_path):
    env = environment(plain, RUNG_HARDWARE_ROOT=machine(tmp_path, "amd"), VK_ICD_FILENAMES=str(tmp_path / "none.json"))
    rungs = probe(env, "-m", model, "--allow-unsigned")
    assert rungs["webgpu"]["outcome"] == "failed" and "adapter" in rungs["webgpu"]["reason"]
    assert rungs["ort-cpu"]["outcome"] == "chosen"


def test_the_rung_is_probed_and_computes_what_the_floor_does(driven, tmp_path):
    """A real model: all of it on the GPU, and numbers within 1e-3 of the floor's, which is what `slower` says as well."""
    env = environment(driven, RUNG_HARDWARE_ROOT=machine(tmp_path, "amd"))
    rungs = probe(env, "-m", "selfie_seg", "--time-limit", "300")
    webgpu = rungs["webgpu"]
    assert webgpu["outcome"] in ("slower", "chosen"), webgpu
    assert webgpu["executed_by"] == "WebGpuExecutionProvider" and webgpu["runs"] >= 3
    assert rungs["ort-cpu"]["outcome"] in ("slower", "chosen")


def test_named_outright_it_serves_without_a_gpu_in_sysfs(driven, model, pictures):
    lines = detect(environment(driven), model, "--allow-unsigned", "--rung", "webgpu", pictures)
    floor = detect(environment(driven), model, "--allow-unsigned", "--rung", "ort-cpu", pictures)
    assert [line["rung"] for line in lines] == ["webgpu"] * 5 and lines[0]["identity"] == "tiny"
    assert [len(line["targets"]) for line in lines] == [1, 1, 2, 2, 2]
    assert without_times(lines) == without_times(floor)


def test_masks_are_those_of_the_floor(driven, tmp_path):
    masks = {}
    for rung in ("webgpu", "ort-cpu"):
        run("segment", "-m", "selfie_seg", "--rung", rung, "-o", tmp_path / rung, PHOTO, environment=environment(driven))
        (mask,) = (tmp_path / rung).glob("*.png")
        masks[rung] = numpy.asarray(Image.open(mask))
    assert masks["webgpu"].shape == masks["ort-cpu"].shape and len(numpy.unique(masks["ort-cpu"])) > 1
    assert numpy.mean(masks["webgpu"] != masks["ort-cpu"]) < 1e-3


def test_faces_are_those_of_the_floor(driven):
    if not (MODELS / "yunet_n_320.rung").exists():
        pytest.skip("there is no yunet_n_320; scripts/test-models makes it of further test data")
    (line,) = detect(environment(driven), "yunet_n_320", "--rung", "webgpu", PHOTO)
    (floor,) = detect(environment(driven), "yunet_n_320", "--rung", "ort-cpu", PHOTO)
    assert line["rung"] == "webgpu" and len(line["targets"]) == len(floor["targets"]) > 0
    for one, other in zip(line["targets"], floor["targets"]):
        assert one["class"] == other["class"]
        assert numpy.allclose(one["score"], other["score"], atol=1e-3) and numpy.allclose(one["box"], other["box"], atol=0.5)
