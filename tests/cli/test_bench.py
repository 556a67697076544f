# SPDX-License-Identifier: Apache-2.0
"""rung bench: what it measures, its figures against the samples that they are of, and its page."""
import html.parser
import json
import math
import os
import pty
import re
import signal
import statistics
import subprocess
import sys

import pytest
import tiny
from conftest import ROOT, RUNG, clean_environment, run, sentence

sys.path.insert(0, str(ROOT / "tests" / "hardware"))
import trees  # noqa: E402

STAGES = ["preprocess", "run", "postprocess", "total"]


@pytest.fixture(scope="module")
def model(tmp_path_factory, keys):
    """A real model that takes no time, for ONNX Runtime and tract."""
    folder = tmp_path_factory.mktemp("bench")
    run("pack", tiny.spec(folder / "tiny.json"), tiny.graph(folder / "tiny.onnx"), "-o", folder / "tiny.rung",
        "--key", keys / "key.pem")
    return folder / "tiny.rung"


@pytest.fixture(scope="module")
def picture(tmp_path_factory):
    path = tmp_path_factory.mktemp("pictures") / "grey.bmp"
    width, height = 32, 16
    rows = bytes([90, 120, 150]) * width * height
    head = b"BM" + (54 + len(rows)).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little")
    info = (40).to_bytes(4, "little") + width.to_bytes(4, "little") + height.to_bytes(4, "little") + b"\1\0\x18\0" + bytes(24)
    path.write_bytes(head + info + rows)
    return path


@pytest.fixture
def bench(model, keys):
    def measure(*arguments, **options):
        return run("bench", "-m", model, "--trust", keys / "key.pub.pem", *arguments, **options)
    return measure


def report(result):
    return json.loads(result.out)


def nearest_rank(samples, part):
    return sorted(samples)[max(math.ceil(part * len(samples)), 1) - 1]


def test_the_figures_are_those_of_the_samples(bench):
    answer = report(bench("--json", "--iterations", "57", "--size", "64x48"))
    assert answer["schema"] == 1 and answer["model"] == "tiny" and not answer["interrupted"]
    assert answer["plan"] == {"warmup": 5, "iterations": 57, "duration_s": None, "contexts": 1, "series": False, "pictures": 0, "size": [64, 48]}
    result, = answer["results"]
    assert result["runs"] == 57 and list(result["ms"]) == STAGES and "ratios" not in answer
    assert list(result["samples_ns"]) == [*STAGES, "begin"]
    for stage, figures in result["ms"].items():
        samples = [ns / 1e6 for ns in result["samples_ns"][stage]]
        assert len(samples) == 57
        wanted = {"mean": statistics.mean(samples), "deviation": statistics.stdev(samples), "min": min(samples), "max": max(samples),
                  **{f"p{part}": nearest_rank(samples, part / 100) for part in (50, 90, 95, 99)}}
        assert figures == pytest.approx(wanted, rel=1e-6)


def test_the_total_holds_the_parts(bench):
    result, = report(bench("--json", "--iterations", "20"))["results"]
    samples = result["samples_ns"]
    for total, *parts in zip(samples["total"], *(samples[stage] for stage in STAGES[:-1])):
        assert total >= sum(parts) and min(parts) > 0
    assert samples["begin"][0] == 0 and samples["begin"] == sorted(samples["begin"])
    assert samples["begin"][-1] / 1e9 <= result["seconds"]
    assert result["per_second"] == pytest.approx(20 / result["seconds"], rel=1e-6)
    assert min(result["open_ms"], result["context_ms"], result["first_ms"]) > 0


def test_what_ran_is_told(bench):
    answer = report(bench("--json", "--iterations", "1", "--warmup", "0", "--threads", "1"))
    result, = answer["results"]
    assert result["rung"] == "ort-cpu" and result["precision"] == "f32" and result["identity"] == "tiny"
    assert re.fullmatch(r"ONNX Runtime \d+\.\d+\.\d+", result["runtime"])
    assert result["threads"] == 1 and result["runs"] == 1 and len(result["artifact"]) == 64
    assert result["ms"]["total"]["deviation"] == 0
    assert answer["machine"]["peak_bytes"] > 1 << 20
    assert answer["machine"]["cpu"] and answer["machine"]["usable"] == len(os.sched_getaffinity(0))


def test_pictures_are_decoded_for_each_run(bench, picture):
    answer = report(bench("--json", "--iterations", "6", picture, picture))
    result, = answer["results"]
    assert answer["plan"]["pictures"] == 2 and "size" not in answer["plan"]
    assert list(result["ms"]) == ["decode", *STAGES]
    assert min(result["samples_ns"]["decode"]) > 0
    assert bench("--iterations", "2", picture.parent).out.count("\ndecode ") == 1


def test_contexts_run_side_by_side(bench):
    answer = report(bench("--json", "--iterations", "40", "--contexts", "3", "--threads", "1"))
    result, = answer["results"]
    assert answer["plan"]["contexts"] == 3 and result["runs"] == 40
    assert result["samples_ns"]["begin"] == sorted(result["samples_ns"]["begin"])


def test_it_measures_as_long_as_it_is_told(bench):
    answer = report(bench("--json", "--duration", "1"))
    result, = answer["results"]
    assert result["seconds"] == pytest.approx(1, abs=0.3) and result["runs"] > 100
    machine = answer["machine"]
    assert 0 < machine["own"] <= 1 and 0 <= machine["stolen"] <= 1
    assert 0 <= machine["others"] <= 1.02 - machine["own"]  # the system counts in hundredths of a second


def test_a_busy_machine_is_told(bench):
    text = bench("--duration", "1").out
    others = int(re.search(r"(\d+) % by others", text).group(1))
    assert others == 5 or ("\nbusy " in text) == (others > 5)  # 5 % is told from 5.1 % before it is rounded


def test_nothing_is_probed_behind_it(bench, tmp_path):
    asking = clean_environment(RUNG_PROBE="all", XDG_STATE_HOME=str(tmp_path))
    bench("--iterations", "5", environment=asking)
    assert not list(tmp_path.rglob("unasked.json"))


def test_two_rungs_take_turns_on_the_same_frames(bench):
    answer = report(bench("--json", "--iterations", "60", "--compare", "tract"))
    first, second = answer["results"]
    assert (first["rung"], second["rung"]) == ("ort-cpu", "tract") and second["runtime"].startswith("tract ")
    assert first["runs"] == second["runs"] == 60
    assert list(answer["ratios"]) == ["preprocess", "run", "postprocess", "answer", "elapsed"]
    ratio = answer["ratios"]["answer"]
    assert ratio["rounds"] == 20 and ratio["sorted"] == sorted(ratio["sorted"])
    # Of 20 throws of a coin, five or fewer heads have a probability of 2.1 %, and six of 5.8 %.
    assert (ratio["median"], ratio["from"], ratio["to"]) == tuple(ratio["sorted"][i] for i in (9, 5, 14))
    times = [sum(result["samples_ns"]["total"]) for result in (first, second)]
    assert min(ratio["sorted"]) <= times[1] / times[0] <= max(ratio["sorted"])


def effective(result):
    return {stage["stage"]: stage["effective"] for stage in result["stages"]}


def test_two_plans_are_told_apart_by_what_they_have(bench, tmp_path):
    (tmp_path / "plan.json").write_text('\n {"preprocessor": "base", "postprocessor": "base"}')
    plan = '{"preprocessor": "base", "postprocessor": "grid-exact-v1"}'
    arguments = "--iterations", "20", "--plan", plan, "--compare-plan", tmp_path / "plan.json"
    answer = report(bench("--json", *arguments))
    first, second = map(effective, answer["results"])
    assert first["preprocess"] == second["preprocess"] == second["postprocess"] == "base" == first["engine"]
    assert {result["rung"] for result in answer["results"]} == {"ort-cpu"}
    assert answer["ratios"]["postprocess"]["rounds"] == 20
    assert first["postprocess"] == "grid-exact-v1"
    told = "ort-cpu with postprocess base takes [0-9.]+ × the time of ort-cpu with postprocess grid-exact-v1 \\("
    assert re.search(told, bench(*arguments).out)


def test_a_series_overlaps_where_its_plan_says_so(bench, picture):
    answer = report(bench("--json", "--series", "--iterations", "40", "--contexts", "2", "--plan", '{"scheduler": "base"}',
                          "--compare-plan", '{"scheduler": "overlap-v1"}', picture))
    first, second = answer["results"]
    assert answer["plan"]["series"] and first["runs"] == second["runs"] == 40
    assert (effective(first)["schedule"], effective(second)["schedule"]) == ("base", "overlap-v1")
    assert min(second["samples_ns"]["decode"]) > 0 and answer["ratios"]["elapsed"]["rounds"] == 20


def test_side_by_side_the_time_of_a_turn_is_what_counts(bench):
    arguments = "--iterations", "40", "--compare", "ort-cpu", "--contexts", "2"
    text = bench(*arguments).out
    assert re.search(r"\nelapsed +([\d.]+) .*\n(.*\n)*\nratio +ort-cpu takes \1 × the time of ort-cpu", text)


@pytest.mark.parametrize("plan, status, says", [
    ('{"preprocessor": "warp"}', 2, "warp"), ('{"preprocessor": ', 2, "plan"), ("no-such.json", 5, "no-such.json"), ("/dev/zero", 5, "65535")])
def test_a_bad_plan_is_told(bench, plan, status, says):
    assert says in sentence(bench("--plan", plan, status=status))


def test_of_few_rounds_nothing_is_proven(bench):
    ratio = report(bench("--json", "--iterations", "5", "--compare", "ort-cpu"))["ratios"]["answer"]
    assert ratio["rounds"] == 5 and ratio["median"] > 0 and ratio["from"] is ratio["to"] is None
    assert "too few" in bench("--iterations", "5", "--compare", "ort-cpu").out


def test_an_interruption_tells_what_was_measured_so_far(model, keys):
    ours, its = pty.openpty()
    process = subprocess.Popen([RUNG, "bench", "-m", model, "--trust", keys / "key.pub.pem", "--json", "--duration", "600"],
                               stdout=subprocess.PIPE, stderr=its, env=clean_environment(TERM="xterm"))
    os.close(its)
    seen = b""
    while b"/s  " not in seen:  # the progress, which has a rate when there were runs
        seen += os.read(ours, 65536)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 130
    answer = json.loads(out)
    result, = answer["results"]
    assert answer["interrupted"] and result["runs"] == len(result["samples_ns"]["total"]) > 0


@pytest.mark.parametrize("arguments, says", [
    (("--iterations", "5", "--duration", "5"), "give one"),
    (("--size", "64x48", "picture.png"), "pictures have a size of their own"),
    (("--size", "64"), "1280x720"), (("--size", "64x"), "1280x720"), (("--size", "x64"), "1280x720"), (("--size", "0x64"), "1280x720"),
    (("--size", "70000x1"), "1280x720"), (("--size", "60000x60000"), "1280x720"), (("--size", "6 x8"), "1280x720"),
    (("--iterations", "0"), "from 1 to 1000000"),
])
def test_mistakes_are_told(bench, arguments, says):
    assert says in sentence(bench(*arguments, status=2))


def test_a_model_is_needed():
    assert "-m MODEL is missing" in sentence(run("bench", status=2))


def test_a_picture_that_cannot_be_read_ends_it_before_anything_is_measured(bench, tmp_path, picture):
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert "broken.png" in sentence(bench(picture, tmp_path / "broken.png", status=5))
    assert "no-such.png" in sentence(bench(tmp_path / "no-such.png", status=5))


def test_a_rung_that_cannot_serve_is_told(bench):
    assert "CUDAExecutionProvider" in sentence(bench("--compare", "cuda", "--iterations", "5", status=3))
    assert 'no rung "warp"' in sentence(bench("--rung", "warp", "--iterations", "5", status=5))


# ---- the page ------------------------------------------------------------------------------------------------------------------------

class Page(html.parser.HTMLParser):
    """Its tags, which must be closed as they were opened, and what it says."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def page_of(path):
    text = path.read_text(encoding="utf-8")
    assert "://" not in text and "<script" not in text and not re.search(r"\b-?(nan|inf)\b", text)
    return Page(text)


def test_the_page_has_a_plot_of_everything_and_asks_for_nothing(bench, tmp_path, picture):
    path = tmp_path / "new" / "bench.html"
    bench("--iterations", "30", "--compare", "tract", "--html", path, picture)
    page = page_of(path)
    plots = [svg for svg in page.all("svg") if svg.get("role") == "img"]
    assert len(plots) == 2 * (1 + 5) + 1 + 1  # shares and distributions of both, the ratio, and all runs over time
    ids = [tag["id"] for _, tag in page.tags if "id" in tag]
    assert len(ids) == len(set(ids))
    for plot in plots:
        assert set(plot["aria-labelledby"].split()) <= set(ids)
    assert not [tag for _, tag in page.tags if tag.keys() & {"src", "href", "onclick", "onload"}]
    assert len(page.all("table")) == 3 and "tiny on ort-cpu and tract" in page.text


def test_the_bars_of_a_distribution_hold_every_run(bench, tmp_path):
    path = tmp_path / "bench.html"
    samples = report(bench("--json", "--iterations", "200", "--html", path))["results"][0]["samples_ns"]
    text = path.read_text(encoding="utf-8")
    page_of(path)
    for stage in STAGES:
        plot = re.search(rf'<svg [^>]*><title[^>]*>Distribution of {stage} on .*?</svg>', text, re.DOTALL).group(0)
        counted = sum(map(int, re.findall(r"<title>(\d+) runs? from", plot)))
        beyond = re.search(r"ms; (\d+) runs? further right, up to ([\d.]+)", plot)
        assert counted + (int(beyond.group(1)) if beyond else 0) == 200
        if beyond:
            assert float(beyond.group(2)) == pytest.approx(max(samples[stage]) / 1e6, rel=0.01)
    assert text.count("<circle") == 200


def test_many_runs_are_drawn_as_columns(bench, tmp_path):
    path = tmp_path / "bench.html"
    bench("--iterations", "3000", "--size", "8x8", "--html", path)
    text = path.read_text(encoding="utf-8")
    page_of(path)
    assert "<circle" not in text and len(text) < 200_000


def test_a_page_of_one_run_is_sound(bench, tmp_path):
    bench("--iterations", "1", "--html", tmp_path / "bench.html")
    assert page_of(tmp_path / "bench.html").all("svg")


def test_what_the_machine_calls_itself_is_text_on_the_page(bench, tmp_path):
    name = """<img src=x> "Fast" & 'small'"""
    root = trees.write(trees.pc() | trees.cpuinfo_x86(name, 6, 183, 1, "sse4_2 avx f16c fma avx2", 2), tmp_path / "machine")
    bench("--iterations", "2", "--html", tmp_path / "bench.html", environment=clean_environment(RUNG_HARDWARE_ROOT=str(root)))
    page = page_of(tmp_path / "bench.html")
    assert name in page.text and not page.all("img")


def test_a_page_that_cannot_be_written_is_told(bench, tmp_path):
    (tmp_path / "file").write_text("")
    assert "file" in sentence(bench("--json", "--iterations", "2", "--html", tmp_path / "file" / "bench.html", status=5))
