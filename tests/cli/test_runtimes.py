# SPDX-License-Identifier: Apache-2.0
"""The inference libraries: what each is, how large, under which licence, and that real builds beside each other do not harm."""
import json
import re
import shutil

import pytest
from conftest import PHOTOS, ROOT, clean_environment, json_lines, run

FOLDERS = (ROOT / "runtimes", ROOT / "runtimes-tests")  # of scripts/fetch-runtimes, and with --tests
FACE = PHOTOS / "astronaut.png"


def explain(*arguments, **more):
    return json.loads(run("explain", "--json", *arguments, environment=clean_environment(**more)).out)


def library_of(name):
    """The library of a set that scripts/fetch-runtimes brings."""
    found = [library for folder in FOLDERS for library in sorted((folder / name).glob("libonnxruntime.so.*"))]
    if not found:
        pytest.skip(f"{name} is not there; scripts/fetch-runtimes --tests brings it")
    return found[0]


def sets_of(explained):
    return {path.rstrip("/").rsplit("/", 1)[1]: each["set"] for each in explained["runtimes"] + explained["plugins"]
            if "set" in each for path in [each["set"]["folder"]]}


def test_sizes_and_licences_are_those_of_the_folder_and_of_the_page():
    sets = sets_of(explain(RUNG_RUNTIME_PATH=str(FOLDERS[1])))
    rows = dict((name, (size, int(files))) for name, size, files in re.findall(
        r"^\| `([a-z-]+-[0-9.]+)` \|[^|]*\| ([0-9.]+ MB) \| ([0-9]+) \|", (ROOT / "docs" / "runtimes.md").read_text(), re.MULTILINE))
    assert len(rows) == 5
    there = [name for name in rows if name in sets]
    assert "onnxruntime-1.31.1" in there
    for name in there:
        (folder,) = (folder / name for folder in FOLDERS if (folder / name).is_dir())
        files = [path for path in folder.iterdir() if path.is_file()]
        assert sets[name]["bytes"] == sum(path.stat().st_size for path in files) and sets[name]["files"] == len(files)
        assert rows[name] == (f"{sets[name]['bytes'] / 1e6:.1f} MB", len(files))
        assert sets[name]["licences"] == sorted(path.name for path in files if re.search("licen|notice", path.name, re.IGNORECASE))


def test_a_library_of_the_systems_folder_is_no_set(tmp_path):
    for number in range(200):
        (tmp_path / f"{number:03}.so").write_bytes(b"x" * 1000)
    (tmp_path / "libonnxruntime.so").write_text("no library")
    (broken,) = (each for each in explain(RUNG_RUNTIME_PATH=str(tmp_path))["runtimes"] if each["origin"] == "RUNG_RUNTIME_PATH")
    assert broken["state"] == "refused" and (broken["set"]["bytes"], broken["set"]["files"]) == (len("no library"), 1)


def test_plugin_libraries_are_told_from_the_parts_of_a_build(tmp_path):
    """By what they export and need: the names of both stand in the file."""
    plugin, bridge = b"no library, CreateEpFactories\0", b"no library, CreateEpFactories\0Provider_GetHost\0"
    names = {"alone/libonnxruntime_providers_new.so": plugin, "alone/libonnxruntime_providers_shared.so": b"no library",
             "build/libonnxruntime.so.1": plugin, "build/libonnxruntime_providers_cuda.so": bridge,
             "build/libonnxruntime_providers_new_plugin.so": plugin, "alone/libother.so": plugin}
    for name, content in names.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    found = {each["path"] for each in explain(RUNG_RUNTIME_PATH=str(tmp_path))["plugins"] if each["origin"] == "RUNG_RUNTIME_PATH"}
    assert found == {str(tmp_path / name) for name, content in names.items() if content is plugin and "_providers_" in name}


def test_a_changed_library_is_named_by_its_digest():
    lines = [line for line in explain()["depends_on"] if "onnxruntime" in str(line)]
    stock = next(each for each in explain()["runtimes"] if each["path"].endswith("libonnxruntime.so.1.31.1"))
    assert any(stock["digest"] in str(line) for line in lines)


@pytest.mark.parametrize("name, provider", [("onnxruntime-openvino-1.24.1", "OpenVINOExecutionProvider"),
                                            ("onnxruntime-webgpu-1.27.0", "WebGpuExecutionProvider")])
def test_a_real_build_is_described_and_gives_the_same_detections(name, provider):
    library = library_of(name)
    (there,) = (each for each in explain(RUNG_RUNTIME=str(library))["runtimes"] if each["runtime"] == "onnxruntime")
    assert there["state"] == "loaded" and there["version"] == name.rsplit("-", 1)[1]
    assert provider in there["providers"] and "CPUExecutionProvider" in there["providers"]
    assert there["api"] == int(there["version"].split(".")[1])

    def targets(**more):
        (line,) = json_lines(run("detect", "-m", "centerface", "--json", FACE, environment=clean_environment(**more)))
        assert line["rung"] == "ort-cpu"
        return [(each["class"], [round(side) for side in each["box"]]) for each in line["targets"]]
    assert targets(RUNG_RUNTIME=str(library)) == targets()


def test_the_stock_build_stays_first_where_no_other_one_offers_a_device(tmp_path):
    """OpenVINO on the CPU alone is no reason to leave the order in which libraries are found."""
    builds = [library_of(name).parent for name in ("onnxruntime-1.31.1", "onnxruntime-openvino-1.24.1")]
    explained = explain(RUNG_HARDWARE_ROOT=str(tmp_path), RUNG_RUNTIME_PATH=":".join(map(str, builds)))
    (loaded,) = (each for each in explained["loaded"] if each["name"] == "onnxruntime")
    assert loaded["version"] == "1.31.1"


def test_what_a_library_loads_counts_as_a_part_of_it(tmp_path):
    """By name and size: it is not read. The library itself counts by its content, wherever it lies."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        shutil.copy(library_of("onnxruntime-1.31.1"), tmp_path / name)

    def depends_on(name):
        lines = explain(RUNG_RUNTIME=str(next((tmp_path / name).glob("libonnxruntime.so.*"))))["depends_on"]
        return [str(line) for line in lines if "onnxruntime" in str(line)]
    alone = depends_on("one")
    assert len(alone) == 1 and depends_on("two") == alone
    (tmp_path / "one" / "libonnxruntime_providers_new.so").write_text("a provider")
    with_part = depends_on("one")
    assert len(with_part) == 2
    (tmp_path / "one" / "README").write_text("no library")
    assert depends_on("one") == with_part
    (tmp_path / "one" / "libonnxruntime_providers_new.so").write_text("another provider")
    assert with_part[0] in depends_on("one") and depends_on("one") != with_part
