# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks rest on: turns, quiet rounds, the clock and the count of what matches."""
import argparse
import re
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))
import end_to_end  # noqa: E402
import harness  # noqa: E402


class Machine:
    """Stands for Load: gives the shares of others in turn, the last one for ever."""

    def __init__(self, *shares):
        self.shares = list(shares)

    def __call__(self, _cpus):
        return self

    def others(self):
        return self.shares.pop(0) if len(self.shares) > 1 else self.shares[0]


def turns(monkeypatch, machine, rounds):
    calls = []
    monkeypatch.setattr(harness, "Load", machine)

    def side(name):
        def call():
            calls.append(name)
            return f"{name}{len(calls)}"
        return call

    return *harness.take_turns([0], argparse.Namespace(rounds=rounds, wait=0), side("a"), side("b"), lambda *_: None), "".join(calls)


def test_the_two_swap_their_order_and_keep_their_places(monkeypatch):
    pairs, noisy, quiet, calls = turns(monkeypatch, Machine(0.0), 3)
    assert calls == "abbaab"
    assert pairs == [("a1", "b2"), ("a4", "b3"), ("a5", "b6")] and noisy == 0 and quiet


def test_a_noisy_round_does_not_count_and_is_made_up_for(monkeypatch):
    pairs, noisy, quiet, _ = turns(monkeypatch, Machine(0.0, 0.5, 0.0), 2)
    assert pairs == [("a1", "b2"), ("a5", "b6")] and noisy == 1 and quiet


def test_the_tries_end_and_the_result_says_that_it_was_not_quiet(monkeypatch):
    pairs, noisy, quiet, _ = turns(monkeypatch, Machine(0.0, 0.5), 2)
    assert len(pairs) == 2 * harness.TRIES_PER_ROUND and noisy == len(pairs) - 1 and not quiet


def test_lines_are_timed_as_they_come():
    program = "import time; print('a', flush=True); time.sleep(0.3); print('b'); block = bytearray(64 << 20)"
    timed = harness.run_timed([sys.executable, "-c", program])
    assert timed.lines == ["a", "b"] and timed.arrivals[1] - timed.arrivals[0] > 0.25
    assert timed.peak_bytes > 64 << 20


def test_a_program_that_fails_ends_the_benchmark():
    with pytest.raises(SystemExit):
        harness.run_timed([sys.executable, "-c", "raise SystemExit(3)"])


def test_the_rate_leaves_both_ends_out():
    edge = end_to_end.EDGE
    arrivals = [100 + i for i in range(edge)] + [200 + i / 10 for i in range(21)] + [900 + i for i in range(edge)]
    assert end_to_end.rate(harness.Timed([], arrivals, [], 0)) == pytest.approx(10)


def test_what_is_busy_is_the_share_of_all_cpus_between_the_ends():
    edge = end_to_end.EDGE
    arrivals = [0] * edge + [10 + i for i in range(11)] + [90] * edge
    used = [0] * edge + [5 + 1.5 * i for i in range(11)] + [80] * edge
    assert end_to_end.busy(harness.Timed([], arrivals, used, 0)) == pytest.approx(1.5 / harness.CPUS)


def test_the_time_of_a_process_is_that_of_all_its_threads():
    program = ("import hashlib, os, threading\nwork = lambda: hashlib.pbkdf2_hmac('sha256', b'', b'', 400_000)\n"
               "others = [threading.Thread(target=work) for _ in range(2)]\nfor each in others: each.start()\n"
               "for each in others: each.join()\nprint(sum(os.times()[:2]))")
    timed = harness.run_timed([sys.executable, "-c", program])
    assert timed.cpu_seconds[0] == pytest.approx(float(timed.lines[0]), abs=0.05)


def test_each_box_matches_once():
    box, near, far = [10, 10, 100, 100], [11, 10, 100, 100], [20, 20, 100, 100]
    assert end_to_end.count_matched([box], [near], 0.9) == 1
    assert end_to_end.count_matched([box, box], [near], 0.9) == 1
    assert end_to_end.count_matched([box], [far], 0.9) == 0
    assert end_to_end.count_matched([box], [far], 0.1) == 1
    assert end_to_end.count_matched([], [box], 0.9) == end_to_end.count_matched([box], [], 0.9) == 0


def test_the_peers_run_the_onnxruntime_that_rung_fetches():
    fetched = re.search(r"^onnxruntime\t(\S+)\t", (ROOT / "scripts/runtimes.tsv").read_text(), re.MULTILINE)[1]
    assert f"onnxruntime=={fetched} " in (ROOT / "scripts/requirements.txt").read_text()
