# SPDX-License-Identifier: Apache-2.0
"""Every combination of a machine, a set of runtimes and a fault: who answers before the probe, what the probe finds, who
answers after it and at later starts, that the answers are right at every start, and that nobody tries again what failed."""

import concurrent.futures
import itertools
import signal

from dataclasses import dataclass

import pytest
import trees
from combinations import ALL, OFFERING, matrix
from design import FLOOR, IN_A_PROBE, IN_BUILDING, IN_LOADING, LAST, RUNGS, absence, below, built, floors, identity, outcome, passed_over
from walking import Bench, Walk

WORKERS = 6  # most of a walk is waiting
BUILD_FAILS = ("refuse", "no-memory", "cpu")


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="session")
def walked(request, bench, tmp_path_factory):
    """All that were selected are walked at once; what came of each is its own test's."""
    folder = tmp_path_factory.mktemp("walks")
    selected = [item.callspec.params["combination"] for item in request.session.items if hasattr(item, "callspec")]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        yield {each: pool.submit(CHECKS[each.when], Walk(bench, each, folder / str(number)))
               for number, each in enumerate(selected)}


# ---- what is promised of every start ------------------------------------------------------------


def answers_rightly(start, rung, walk, told=None):
    """All pictures, from one rung, as the real library alone answers; and nothing is said that is not to be told."""
    assert start.status == 0, start.err
    assert start.answers == walk.bench.right and start.answered_by == {answering(rung, walk)}, start.lines
    if told:
        assert all(words in start.err for words in told), start.err
    else:
        assert start.err == ""


def answering(rung, walk):
    return (rung.id, *identity(rung, walk.combination.runtimes))


def only_the_floor_is_touched(start):
    """Without a verdict nothing serves unproven, nor is it tried."""
    assert start.ran_on() <= {FLOOR.provider}


def finds(probe, expected):
    """Each rung of the table has the outcome that is expected of it, and its reason."""
    assert probe.status == 0, probe.err
    (report,) = probe.lines
    agrees({rung["rung"]: rung for rung in report["rungs"]}, expected)
    assert [rung["rung"] for rung in report["rungs"] if rung["outcome"] == "chosen"] == [chosen_of(expected).id]


def agrees(rungs, expected):
    for name, (kind, words) in expected.items():
        assert rungs[name]["outcome"] == kind and words in rungs[name]["reason"], rungs[name]


def chosen_of(expected):
    (name,) = (name for name, (kind, _) in expected.items() if kind == "chosen")
    return next(rung for rung in [*RUNGS, LAST] if rung.id == name)


def explains(start, expected, told=()):
    """The chosen one and why; of each other one what the probe found."""
    chosen = chosen_of(expected)
    assert start.status == 0 and bool(start.err) == bool(told) and all(words in start.err for words in told or ()), start.err
    (explained,) = start.lines
    model = explained["model"]
    assert explained["chosen"]["rung"] == model["rung"] == chosen.id
    assert model["why"].startswith("chosen by a probe on this device: ") and expected[chosen.id][1] in model["why"]
    agrees({rung["rung"]: rung for rung in explained["rungs"]}, expected)


def expect(combination, fault):
    """What a probe is to find of each rung, in which words."""
    here = combination.here
    able = [*here, *floors(combination.runtimes)]
    expected = {rung.id: absence(rung, combination.machine, combination.runtimes, combination.first) for rung in [*RUNGS, LAST] if rung not in able}
    expected |= {rung.id: ("slower", " ms against the ") for rung in able}
    if LAST in able:
        expected[LAST.id] = ("slower", "it is for where ort-cpu does not work")
    if combination.when == "floor":
        expected[FLOOR.id], able = outcome(fault), [LAST]
    elif fault and outcome(fault)[0] != "chosen":
        expected[here[0].id], able = outcome(fault), able[1:]
    is_floor = able[0] in (FLOOR, LAST)
    expected[able[0].id] = ("chosen", "it is the floor, and nothing here beats it" if is_floor else "ms against the floor's ")
    return expected


# ---- walks --------------------------------------------------------------------------------------


@dataclass
class Row:
    """Of the table at the end: what was found, and what the next start did."""

    expected: dict
    next_start: str

    def __str__(self):
        failed = [f"{name} {kind}" for name, (kind, _) in self.expected.items() if kind not in ("absent", "slower", "chosen")]
        return f"{', '.join(failed) or '-':<24} {chosen_of(self.expected).id:<13} {self.next_start}"


def settles(walk, fault, expected, told=None):
    """Starts after a probe: the chosen rung serves. One that compiles is waited for until its engine is built."""
    chosen, starts = chosen_of(expected), []
    if chosen.compiles:
        waiting = below(chosen, expected, walk.combination)
        starts.append((waiting, walk.detect(fault)))
        assert f"serves until the engine of {chosen.id} is built" in walk.explain(fault).lines[0]["model"]["why"]
        (engine,) = walk.build(fault).lines[0]["engines"]
        assert (engine["rung"], engine["state"]) == (chosen.id, "built"), engine
    starts.append((chosen, walk.detect(fault)))
    explained = walk.explain(fault)
    explains(explained, expected, told)
    for rung, start in starts:
        answers_rightly(start, rung, walk, told)
        assert start.ran_on() <= {rung.steered}
    assert explained.ran_on() <= {chosen.steered}
    return f"{starts[0][0].id}, {chosen.id} with its engine" if chosen.compiles else chosen.id


def fault_in_a_probe(walk):
    combination, fault = walk.combination, walk.combination.fault
    expected = expect(combination, fault)
    first = walk.detect(fault)
    if combination.runtimes == "none":
        answers_rightly(first, LAST, walk, ["runs on tract, the next rung down: ort-cpu: no ONNX Runtime could be loaded"])
    else:
        answers_rightly(first, FLOOR, walk)
    only_the_floor_is_touched(first)
    probe = walk.probe(fault)
    finds(probe, expected)
    assert not fault or probe.met_fault(fault), "the fault did not come"
    told = settles(walk, fault, expected)
    return Row(expected, told + (struck_out(walk, expected) if fault and fault.name == "abort" else ""))


def struck_out(walk, expected):
    """What died twice is not tried a third time."""
    fault = walk.combination.fault
    (dead,) = (rung for rung in RUNGS if expected.get(rung.id, ("",))[0] == "crashed")
    finds(walk.probe(fault), expected)
    third = walk.probe(fault)
    finds(third, expected | {dead.id: ("refused", "its process died twice in a row with this model")})
    assert not third.touched(dead)
    answers_rightly(walk.detect(fault), chosen_of(expected), walk)
    return f"; {dead.id} refused at the third probe"


def fault_at_loading(walk):
    """The library is passed over, and once is enough: later starts know it."""
    combination, fault = walk.combination, walk.combination.fault
    expected = expect(combination, None)
    words = passed_over(fault)
    told = ["runtime passed over: ", words] if words else None
    first = walk.detect(fault)
    assert first.met_fault(fault), "the fault did not come"
    answers_rightly(first, FLOOR, walk, told)
    only_the_floor_is_touched(first)
    finds(walk.probe(fault), expected)
    later = settles(walk, fault, expected, told)
    assert not words or not walk.detect(fault).met_fault(fault)
    return Row(expected, f"{later}{'; the library is passed over' if words else ''}")


def fault_at_the_floor(walk):
    """The next floor answers from the first start on."""
    combination, fault = walk.combination, walk.combination.fault
    expected = expect(combination, fault)
    first = walk.detect(fault)
    answers_rightly(first, LAST, walk, ["runs on tract, the next rung down: ort-cpu: ", outcome(fault)[1]])
    only_the_floor_is_touched(first)
    finds(walk.probe(fault), expected)
    later = walk.detect(fault)
    answers_rightly(later, LAST, walk)
    assert not later.touched(FLOOR)
    explains(walk.explain(fault), expected)
    return Row(expected, "tract, as at the first start")


def fault_in_serving(walk):
    """A rung that was well when it was probed, and is not at a later start; and is again."""
    combination, fault = walk.combination, walk.combination.fault
    expected = expect(combination, None)
    chosen = chosen_of(expected)
    answers_rightly(walk.detect(), FLOOR, walk)
    finds(walk.probe(), expected)
    settles(walk, None, expected)
    instead = below(chosen, expected, walk.combination)
    if fault.name in ("crash", "abort", "hang"):
        return Row(expected, deaths_in_serving(walk, chosen, instead, fault))
    struck = walk.detect(fault)
    assert struck.met_fault(fault), "the fault did not come"
    if fault.at > 1 and fault.name in BUILD_FAILS:
        told = one_picture_fails(struck, chosen, walk, fault)
    elif fault.name in BUILD_FAILS:
        words = [f"runs on {instead.id}, the next rung down: {chosen.id}: ", outcome(fault)[1]]
        answers_rightly(struck, instead, walk, words)
        told = f"{instead.id} while it lasts"
    else:
        answers_rightly(struck, chosen, walk)
        told = "only slower"
    answers_rightly(walk.detect(), chosen, walk)
    return Row(expected, f"{told}; {chosen.id} after it")


def deaths_in_serving(walk, rung, instead, fault):
    """Two starts are lost, no third one; one that hangs is killed by its user."""
    ends = {"crash": -signal.SIGSEGV, "abort": -signal.SIGABRT, "hang": -signal.SIGKILL}
    for _ in range(2):
        lost = walk.detect(fault, kill=fault.name == "hang")
        assert lost.status == ends[fault.name] and lost.met_fault(fault) and not lost.lines, lost
    for start in (walk.detect(fault), walk.detect()):
        answers_rightly(start, instead, walk, [f"the next rung down: {rung.id}: ", "died twice in a row"])
        assert not start.touched(rung)
    return f"lost twice; {instead.id} from the third on, {rung.id} refused"


def fault_at_its_engine(walk):
    """What cannot be built is served by the next rung down, and is not tried again."""
    combination, fault = walk.combination, walk.combination.fault
    expected = expect(combination, None)
    chosen = chosen_of(expected)
    finds(walk.probe(), expected)
    state, words = built(fault)
    result = walk.build(fault)
    assert result.met_fault(fault), "the fault did not come"
    (engine,) = result.lines[0]["engines"]
    assert (engine["rung"], engine["state"]) == (chosen.id, state) and words in engine["reason"], engine
    assert result.status == (0 if state == "built" else 3), result
    if state == "built":
        answers_rightly(walk.detect(), chosen, walk)
        return Row(expected, f"{chosen.id} with its engine")
    later, instead = walk.detect(), below(chosen, expected, walk.combination)
    answers_rightly(later, instead, walk, [f"the next rung down: {chosen.id}: its engine could not be built: ", words])
    assert not later.touched(chosen) and not walk.build(fault).touched(chosen)
    return Row(expected, f"{instead.id}, the engine of {chosen.id} {state}")


def one_picture_fails(start, rung, walk, fault):
    """It has an error and no numbers; the others have theirs."""
    failed = fault.at - 2
    assert start.status == 3 and start.lines[failed]["error"]["code"] == "BACKEND", start.lines
    assert outcome(fault)[1] in start.lines[failed]["error"]["message"]
    others = [answer for number, answer in enumerate(start.answers) if number != failed]
    assert others == [answer for number, answer in enumerate(walk.bench.right) if number != failed]
    assert start.answered_by == {answering(rung, walk)}
    return "that picture fails"


def provider_without_a_device(walk):
    """Nobody touches it, so that it does not crash."""
    combination = walk.combination
    expected = expect(combination, None)
    for start in (walk.detect(combination.fault), walk.probe(combination.fault), walk.detect(combination.fault)):
        if "rungs" in start.lines[0]:
            finds(start, expected)
        else:
            answers_rightly(start, FLOOR, walk)
        only_the_floor_is_touched(start)
    return Row(expected, "ort-cpu, as at every start")


CHECKS = {"probe": fault_in_a_probe, "floor": fault_at_the_floor, "serving": fault_in_serving, "never": provider_without_a_device,
          "loading": fault_at_loading, "outpaced": fault_in_serving, "building": fault_at_its_engine}


@pytest.mark.parametrize("combination", ALL, ids=lambda each: each.name)
def test_it_ends_up_on_what_works_and_answers_rightly(combination, walked):
    matrix[combination] = walked[combination].result()


def test_the_combinations_are_many_and_leave_no_pair_out():
    assert len(ALL) >= 250
    assert {(each.machine, each.runtimes) for each in ALL} >= set(itertools.product(trees.TREES, ["stock", "none", *OFFERING]))
    assert {(each.runtimes, each.fault) for each in ALL if each.when == "probe"} >= set(itertools.product(OFFERING, IN_A_PROBE))
    for when, faults in (("loading", IN_LOADING), ("building", IN_BUILDING)):
        assert {each.fault for each in ALL if each.when == when} == set(faults)
