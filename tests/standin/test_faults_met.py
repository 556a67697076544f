# SPDX-License-Identifier: Apache-2.0
"""What the product does with each fault of the stand-in at each place where it can come.

OUTCOMES has a row for each. What takes the process with it, and numbers that only a comparison tells from right ones, are met
by a probe: the floor, which serves before it, may be lost to them once."""

import re
import shutil
import subprocess

import numpy
import pytest
import tiny
import trees
from operations import make_roles
from PIL import Image
from standing_in import BUILT, ROOT, RUNG, calls, copy, environment, explain, json_lines, matrix, misused, results, run

SLOW_MS = 150
BRIGHTNESS = (250, 200, 150)

LEFT_OUT, ACCELERATOR_LEFT_OUT = "left out by a probe", "its rung left out by a probe"
UNBUILT, BUILT_ALL_THE_SAME = "its engine left unbuilt", "its engine built all the same"
PROBED = {  # words of what a probe finds
    "crash": "killed by signal 11", "abort": "killed by signal 6", "exit": "ended with status 7",
    "hang": "did not end in time and was killed",
}

# What becomes of it, and words of the reason where one is told.
OUTCOMES = {
    ("load", "refuse"): ("passed over", "OrtGetApiBase gives nothing"),
    ("load", "no-version"): ("passed over", "needs version 1.14 or newer"),
    ("load", "no-api"): ("passed over", "offers no API version"),
    ("load", "no-slots"): ("passed over", "does not behave"),
    ("load", "no-status"): ("passed over", "does not behave"),
    ("load", "other-status"): ("passed over", "does not behave"),
    ("load", "slow"): ("only slower", None),
    ("load", "crash"): ("passed over", "killed by signal 11"),
    ("load", "abort"): ("passed over", "killed by signal 6"),
    ("load", "exit"): ("passed over", "ended with status 7"),
    ("load", "hang"): ("passed over", "did not end in time"),
    ("environment", "refuse"): ("passed over", "the environment was refused (its log: the device of the environment"),
    ("environment", "no-memory"): ("passed over", "std::bad_alloc"),
    ("environment", "slow"): ("only slower", None),
    ("environment", "crash"): ("passed over", "killed by signal 11"),
    ("environment", "abort"): ("passed over", "killed by signal 6"),
    ("environment", "exit"): ("passed over", "ended with status 7"),
    ("environment", "hang"): ("passed over", "did not end in time"),
    ("session", "refuse"): ("one rung down", "the session was refused (its log: the device of the session"),
    ("session", "no-memory"): ("one rung down", "std::bad_alloc"),
    ("session", "slow"): ("only slower", None),
    ("run", "refuse"): ("that picture fails", "the run was refused (its log: the device of the run"),
    ("run", "no-memory"): ("that picture fails", "std::bad_alloc"),
    ("run", "lost"): ("the next rung goes on", "the device is lost: running the model"),
    ("run", "slow"): ("each picture slower", None),
    ("run", "nan"): ("not taken for numbers", "dark"),  # what a mask of them shows
    ("run", "inf"): ("not taken for numbers", "bright"),
    ("run", "wrong"): (LEFT_OUT, "is off from "),
    ("append", "refuse"): (ACCELERATOR_LEFT_OUT, "the append was refused (its log: the device of the append"),
    ("append", "no-memory"): (ACCELERATOR_LEFT_OUT, "std::bad_alloc"),
    ("append", "cpu"): (ACCELERATOR_LEFT_OUT, "takes none of the model's nodes"),
    ("append", "slow"): ("its rung chosen all the same", None),
    ("engine", "refuse"): (UNBUILT, "the engine was refused (its log: the device of the engine"),
    ("engine", "no-memory"): (UNBUILT, "std::bad_alloc"),
    ("engine", "unwritten"): (UNBUILT, "the provider left no engine"),
    ("engine", "slow"): (BUILT_ALL_THE_SAME, None),
    ("engine", "torn"): (BUILT_ALL_THE_SAME, None),  # which the provider tells when it finds it, and makes it again
}
for fault, words in PROBED.items():
    OUTCOMES.update({(place, fault): (LEFT_OUT, words) for place in ("session", "run")})
    OUTCOMES["append", fault] = (ACCELERATOR_LEFT_OUT, words)
    OUTCOMES["engine", fault] = (UNBUILT, words)


def golden():
    """What the model answers to a grey picture."""
    grey = numpy.full(192, 0.5, numpy.float32)
    rows = numpy.array([0.25, 0.25, 0.5, 0.5, 0.5, 0, 0, 0, 0.25, 0.25, 0.9, 1], numpy.float32)
    return {"input": {"hex": grey.tobytes().hex()}, "tolerance": 1e-3, "outputs": [{"hex": rows.tobytes().hex()}]}


class Bench:
    """The small models, three pictures, a copy of the stand-in, and what is right."""

    def __init__(self, folder):
        self.folder = folder
        tiny.graph(folder / "tiny.onnx")
        tiny.spec(folder / "spec.json", golden=golden())
        self.run("keygen", "key.pem", "key.pub.pem")
        self.run("pack", "spec.json", "tiny.onnx", "-o", "detector.rung", "--key", "key.pem")
        make_roles(folder, self.run)
        self.photos = [folder / f"{level}.png" for level in BRIGHTNESS]
        for level, path in zip(BRIGHTNESS, self.photos):
            Image.new("RGB", (16, 16), (level, level, level)).save(path)
        self.library = copy(folder / "standin")
        self.machine = trees.write("nvidia", folder / "machine")
        self.right = {command: json_lines(run(*self.command(command))) for command in ("detect", "embed", "segment")}
        assert all(line["rung"] == "ort-cpu" for lines in self.right.values() for line in lines)
        assert [len(line["targets"]) for line in self.right["detect"]] == [2, 2, 2]

    def run(self, *arguments):
        subprocess.run([RUNG, *arguments], cwd=self.folder, check=True, capture_output=True)

    def command(self, name):
        """One picture after the other."""
        model = {"detect": "detector", "embed": "embedder", "segment": "segmenter"}[name]
        return (name, "-m", self.folder / f"{model}.rung", "--trust", self.folder / "key.pub.pem", "--json", "--threads", "1",
                *self.photos)

    def probe(self, surroundings, hangs):
        """The outcomes of a probe, by rung; what is remembered of earlier ones is forgotten."""
        shutil.rmtree(surroundings["XDG_STATE_HOME"], ignore_errors=True)
        limit = ("--time-limit", "8") if hangs else ()
        probed = run("probe", "--rungs-only", *self.command("detect")[1:8], *limit, environment=surroundings)
        return {rung["rung"]: rung for rung in json_lines(probed)[0]["rungs"]}

    def trace(self):
        path = self.folder / "trace"
        path.unlink(missing_ok=True)
        return path

    def first_of_all(self, steering):
        """The stand-in is found first; after it comes what is installed."""
        return environment(steering, RUNG_RUNTIME_PATH=str(self.library.parent))

    def with_a_device(self, steering, provider="CUDAExecutionProvider"):
        """It offers a provider, on a machine with such a device, where that is the fastest."""
        steering = f"providers={provider},CPUExecutionProvider;run=slow:CPU;{steering}"
        return self.remembering(steering) | {"RUNG_HARDWARE_ROOT": str(self.machine), "XDG_CACHE_HOME": str(self.folder / "cache")}

    def engine(self, surroundings, status):
        """What comes of the detector's, on the rung that a probe chose."""
        shutil.rmtree(surroundings["XDG_CACHE_HOME"], ignore_errors=True)
        _, _, model, *options, _ = self.command("detect")[:8]
        built = run("engines", "build", "--time-limit", "8", model, *options, "1", environment=surroundings, status=status)
        return json_lines(built)[0]["engines"][0]

    def remembering(self, steering):
        return self.first_of_all(steering) | {"XDG_STATE_HOME": str(self.folder / "state"), "RUNG_PROBE": "off"}

    def only(self, steering):
        """There is no other ONNX Runtime."""
        return environment(steering, RUNG_RUNTIME=str(self.library))


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("bench"))


# ---- outcomes -----------------------------------------------------------------------------------


def passed_over(bench, steering, words, _met):
    """Its reason is told. The next library serves; where there is none, the next rung."""
    next_one = run(*bench.command("detect"), environment=bench.first_of_all(steering))
    assert "rung: warning: runtime passed over: " in next_one.err and words in next_one.err
    assert results(json_lines(next_one)) == results(bench.right["detect"])
    assert all(line["rung"] == "ort-cpu" for line in json_lines(next_one))
    floor = run(*bench.command("detect"), environment=bench.only(steering))
    assert words in floor.err
    assert results(json_lines(floor)) == results(bench.right["detect"])
    assert all(line["rung"] == "tract" for line in json_lines(floor))


def one_rung_down(bench, steering, words, _met):
    for command, right in bench.right.items():
        result = run(*bench.command(command), environment=bench.first_of_all(steering))
        assert "runs on tract, the next rung down: ort-cpu: " in result.err and words in result.err
        assert results(json_lines(result)) == results(right)
        assert all(line["rung"] == "tract" for line in json_lines(result))
    model = explain(steering, *bench.command("detect")[1:5], RUNG_RUNTIME_PATH=str(bench.library.parent))["model"]
    assert model["rung"] == "tract" and words in model["why"]


def only_slower(bench, steering, _words, _met):
    for command, right in bench.right.items():
        lines = json_lines(run(*bench.command(command), environment=bench.first_of_all(steering)))
        assert results(lines) == results(right) and all(line["rung"] == "ort-cpu" for line in lines)


def each_picture_slower(bench, steering, _words, _met):
    only_slower(bench, steering, None, None)
    lines = json_lines(run(*bench.command("detect"), environment=bench.first_of_all(steering)))
    assert all(line["ms"]["run"] >= SLOW_MS for line in lines)


def that_picture_fails(bench, steering, words, met):
    """The others' results stay, whatever the command."""
    for command, right in bench.right.items():
        result = run(*bench.command(command), environment=bench.first_of_all(steering), status=3)
        lines = json_lines(result)
        assert [line["source"] for line in lines] == [line["source"] for line in right]
        for number, (line, expected) in enumerate(zip(lines, right)):
            if number in met:
                assert line["error"]["code"] == "BACKEND" and words in line["error"]["message"]
            else:
                assert results([line]) == results([expected])


def the_next_rung_goes_on(bench, steering, words, met):
    """From the picture on that lost the device: no result is lost with it."""
    for command, right in bench.right.items():
        result = run(*bench.command(command), environment=bench.first_of_all(steering))
        lines = json_lines(result)
        assert words in result.err and "goes on on tract" in result.err
        assert results(lines) == results(right)
        assert [line["rung"] for line in lines] == ["ort-cpu" if number < min(met) else "tract" for number in range(len(lines))]


def not_taken_for_numbers(bench, steering, shade, met):
    """A detector's rows of them are no targets; an embedding of them is an error; a mask has one class (docs/packets.md)."""
    lines = json_lines(run(*bench.command("detect"), environment=bench.first_of_all(steering)))
    for number, (line, expected) in enumerate(zip(lines, bench.right["detect"])):
        assert line["targets"] == ([] if number in met else expected["targets"])
    lines = json_lines(run(*bench.command("embed"), environment=bench.first_of_all(steering), status=3))
    for number, (line, expected) in enumerate(zip(lines, bench.right["embed"])):
        if number in met:
            assert line["error"]["code"] == "BACKEND" and "is not finite" in line["error"]["message"]
        else:
            assert results([line]) == results([expected])
    lines = json_lines(run(*bench.command("segment"), environment=bench.first_of_all(steering)))
    for number, (line, expected) in enumerate(zip(lines, bench.right["segment"])):
        classes = [(entry["class"], entry["share"]) for entry in line["coverage"]]
        assert classes == [(shade, 1)] if number in met else results([line]) == results([expected])


def left_out_by_a_probe(bench, steering, words, _met):
    """It tells what the floor does, and from then on the next floor answers."""
    surroundings = bench.remembering(steering)
    probed = bench.probe(surroundings, "hang" in steering)
    assert words in probed["ort-cpu"]["reason"] and probed["tract"]["outcome"] == "chosen"
    serves(bench, surroundings, "tract")


def its_rung_left_out_by_a_probe(bench, steering, words, _met):
    surroundings = bench.with_a_device(steering)
    probed = bench.probe(surroundings, "hang" in steering)
    assert words in probed["cuda"]["reason"] and probed["ort-cpu"]["outcome"] == "chosen"
    serves(bench, surroundings, "ort-cpu")


def its_rung_chosen_all_the_same(bench, steering, _words, _met):
    surroundings = bench.with_a_device(steering)
    assert bench.probe(surroundings, False)["cuda"]["outcome"] == "chosen"
    serves(bench, surroundings, "cuda")


def its_engine_left_unbuilt(bench, steering, words, _met):
    """The next rung down serves."""
    surroundings = bench.with_a_device(steering, "TensorrtExecutionProvider")
    assert bench.probe(surroundings, False)["tensorrt"]["outcome"] == "chosen"
    built = bench.engine(surroundings, 3)
    assert built["state"] == "failed" and words in built["reason"]
    result = run(*bench.command("detect"), environment=surroundings)
    assert "runs on ort-cpu, the next rung down: tensorrt: its engine could not be built: " in result.err and words in result.err
    assert results(json_lines(result)) == results(bench.right["detect"])


def its_engine_built_all_the_same(bench, steering, _words, _met):
    surroundings = bench.with_a_device(steering, "TensorrtExecutionProvider")
    assert bench.probe(surroundings, False)["tensorrt"]["outcome"] == "chosen"
    assert bench.engine(surroundings, 0)["state"] == "built"
    lines = json_lines(run(*bench.command("detect"), environment=surroundings))
    assert [line["targets"] for line in lines] == [line["targets"] for line in bench.right["detect"]]
    assert all(line["rung"] == "tensorrt" for line in lines)


def serves(bench, surroundings, rung):
    for command, right in bench.right.items():
        result = run(*bench.command(command), environment=surroundings)
        assert not result.err and results(json_lines(result)) == results(right)
        assert all(line["rung"] == rung for line in json_lines(result))


CHECKS = {check.__name__.replace("_", " "): check
          for check in (passed_over, one_rung_down, only_slower, each_picture_slower, that_picture_fails,
                        the_next_rung_goes_on, not_taken_for_numbers, left_out_by_a_probe,
                        its_rung_left_out_by_a_probe, its_rung_chosen_all_the_same,
                        its_engine_left_unbuilt, its_engine_built_all_the_same)}


def pictures_that_meet(place, at):
    """Their numbers; only a run belongs to a picture."""
    return {at - 1} if at else set(range(len(BRIGHTNESS))) if place == "run" else set()


# A process makes one session of a model; it is run again and again.
CASES = [(*case, None) for case in OUTCOMES] + [(*case, 2) for case in OUTCOMES if case[0] == "run"]


@pytest.mark.parametrize("place, fault, at", CASES, ids=lambda value: value and str(value))
def test_what_becomes_of_a_fault(bench, place, fault, at):
    outcome, words = OUTCOMES[place, fault]
    if at and outcome == "each picture slower":
        outcome = "only slower"
    order = f"{fault}@{at}" if at else fault
    trace = bench.trace()
    CHECKS[outcome](bench, f"{place}={order};slow-ms={SLOW_MS};trace={trace}", words, pictures_that_meet(place, at))
    assert fault in calls(trace, place), "the fault did not come"
    matrix[place, order] = outcome


def test_one_failed_run_is_one_picture_on_any_thread(bench):
    command = [*bench.command("detect"), "--hint", "throughput", "--threads", "3"]
    lines = json_lines(run(*command, environment=bench.first_of_all("run=refuse@2"), status=3))
    failed = [number for number, line in enumerate(lines) if "error" in line]
    assert len(failed) == 1 and len(lines) == len(BRIGHTNESS)
    assert results(lines[:failed[0]] + lines[failed[0] + 1:]) == results(
        bench.right["detect"][:failed[0]] + bench.right["detect"][failed[0] + 1:])


def test_every_fault_has_its_outcome(bench):
    """The stand-in lists what it can do when it is asked for what it cannot."""
    known = set()
    for place in ("load", "environment", "append", "session", "engine", "run"):
        told = misused(f"{place}=nothing", RUNG_RUNTIME_PATH=str(bench.library.parent))
        known |= {(place, fault) for fault in told.split("there are")[1].split()}
    assert known == set(OUTCOMES)


def test_libraries_that_are_none_are_passed_over(bench, tmp_path):
    for built, words in ((BUILT / "no-entry-point.so", "it has no OrtGetApiBase"), (BUILT / "needs-more.so", "undefined symbol")):
        folder = copy(tmp_path / built.name, built).parent
        result = run(*bench.command("detect"), environment=environment("", RUNG_RUNTIME_PATH=str(folder)))
        assert words in result.err and results(json_lines(result)) == results(bench.right["detect"])
        matrix["load", built.stem] = "passed over"


@pytest.mark.parametrize("version, words", [("1.13.9", "needs version 1.14"), ("2.0.0", "needs version"), ("", "needs version"),
                                            ("1.x", "needs version"), ("1.99999.0", "needs version")])
def test_versions_that_are_none_are_passed_over(bench, version, words):
    passed_over(bench, f"version={version}", words, None)
    matrix["load", f"version {version!r}"] = "passed over"


@pytest.mark.parametrize("version", ["1.14.0", "1.24.1", "1.99.0"])
def test_a_library_is_asked_for_a_table_that_both_know(bench, version):
    (loaded,) = (each for each in explain(f"version={version}", RUNG_RUNTIME=str(bench.library))["loaded"] if each.get("api"))
    assert loaded["version"] == version and loaded["api"] == min(int(version.split(".")[1]), 29)
    assert loaded["path"] == str(bench.library)


def used_slots():
    declared = (ROOT / "src/runtime/ort/abi.h").read_text()
    return sorted(map(int, re.findall(r"^ +X\((\d+), ", declared, re.MULTILINE)))


def test_a_table_that_lacks_one_function_is_passed_over(bench):
    """Each of those that the product calls."""
    slots = used_slots()
    assert len(slots) > 35
    for slot in slots:
        explained = explain(f"null={slot}", RUNG_RUNTIME=str(bench.library))
        assert explained["runtimes"][0]["state"] == "refused" and "does not behave" in explained["runtimes"][0]["reason"], slot
        assert explained["chosen"]["rung"] == "tract", slot
    matrix["load", f"{len(slots)} × a NULL"] = "passed over"
