# SPDX-License-Identifier: Apache-2.0
"""Pictures that are handed over are answered as others are, and given back exactly once, whatever becomes of their tickets.

A release of what was given back already would be an exception in a callback, which is an error here.
"""

import builtins
import gc
import shutil
import subprocess
import threading
import weakref

import numpy as np
import pytest
from binding import BUILD, ROOT, environment, picture, script  # noqa: F401, environment is for all

import rung
from rung import ticket

pytestmark = pytest.mark.filterwarnings("error")
STANDIN = BUILD / "tests" / "standin" / "libonnxruntime.so.1.99.0-standin"


@pytest.fixture(scope="module")
def instance():
    with rung.Instance() as instance:
        yield instance


@pytest.fixture(scope="module")
def faces(instance):
    return instance.open("centerface")


@pytest.fixture(scope="module")
def expected(faces):
    return faces.detect(picture()).packet


@pytest.fixture(autouse=True)
def every_array_is_given_back():
    yield
    gc.collect()
    assert ticket._pinned == {}


@pytest.mark.parametrize("model, call", [("centerface", "detect"), ("effnet_lite0", "embed"), ("selfie_seg", "segment")])
def test_a_ticket_comes_to_the_result_of_the_models_role(instance, model, call):
    opened = instance.open(model)
    with opened.context(depth=1) as context:
        result = context.submit(picture()).result()
    direct = getattr(opened, call)(picture())
    assert type(result) is type(direct) and result.packet == direct.packet and result.identity == model
    assert result.run.run_ns > 0 and result.run.rung == direct.run.rung


def test_as_many_tickets_live_as_the_depth_says_and_end_in_any_order(faces, expected):
    with faces.context(depth=3) as context:
        tickets = [context.submit(rung.Frame(pixels=picture(), frame_id=number)) for number in range(3)]
        with pytest.raises(rung.BusyError, match="3 tickets are alive"):
            context.submit(picture())
        assert [tickets[number].result().frame_id for number in (2, 0, 1)] == [2, 0, 1]
        assert context.submit(picture()).result().packet == expected


def test_a_result_may_be_asked_for_again(faces):
    with faces.context(depth=1) as context:
        one = context.submit(picture())
        first = one.result(timeout=60)
        assert one.result() is first and one.result(timeout=0) is first and one.state == "complete" and one.wait(0)
        assert one.cancel() and one.result() is first  # it came too late to matter
    assert one.result() is first  # and it outlives its context


def test_an_empty_result_may_be_asked_for_again_too(faces):
    with faces.context(depth=1) as context:
        one = context.submit(np.zeros((64, 64, 3), np.uint8))
        assert one.result() is one.result() and len(one.result()) == 0 and one.state == "complete"


def test_a_ticket_goes_through_its_states(faces):
    with faces.context(depth=8) as context:
        tickets = [context.submit(picture()) for _ in range(8)]
        last = tickets[-1]
        assert last.state == "queued" and not last.wait(0)
        with pytest.raises(rung.TimeoutError, match="not done within 0.001 seconds") as caught:
            last.result(timeout=0.001)
        assert isinstance(caught.value, builtins.TimeoutError)
        before = tickets[-2]
        seen = {before.state for _ in iter(lambda: before.wait(0.001), True)}
        assert seen == {"queued", "running"} and before.state == "complete"
        assert last.wait() and {one.state for one in tickets} == {"complete"} and last.wait(timeout=0)


def test_many_threads_may_wait_for_one_ticket(faces, expected):
    results = []
    with faces.context(depth=1) as context:
        one = context.submit(picture())
        threads = [threading.Thread(target=lambda: results.append(one.result(timeout=60))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(results) == 4 and set(map(id, results)) == {id(one.result())} and results[0].packet == expected


def test_many_threads_may_submit(faces, expected):
    """Who finds every place taken waits for one of his own, and nobody gets another's result."""
    wrong = []

    def work(number):
        for _ in range(4):
            while True:
                try:
                    result = context.submit(rung.Frame(pixels=picture(), frame_id=number)).result()
                    break
                except rung.BusyError:
                    threading.Event().wait(0.002)
            if result.frame_id != number or len(result) != 1:
                wrong.append(result)

    with faces.context(depth=2) as context:
        threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_a_cancelled_ticket_has_no_result(faces):
    with faces.context(depth=2) as context:
        running, queued = context.submit(picture()), context.submit(picture())
        assert queued.cancel() and queued.cancel() and queued.state == "cancelled" and queued.wait()
        while running.state == "queued":
            threading.Event().wait(0.001)
        running.cancel()
        for one in (running, queued):
            with pytest.raises(rung.CancelledError, match="cancelled"):
                one.result(timeout=60)
            with pytest.raises(rung.CancelledError):
                one.result()
        assert running.state == "cancelled" and running.cancel()
        assert len(context.submit(picture()).result()) == 1


def test_a_ticket_that_nothing_refers_to_is_cancelled(faces):
    with faces.context(depth=3) as context:
        for _ in range(4):
            kept, left = context.submit(picture()), context.submit(picture())
            assert len(kept.result()) == 1
            del kept, left
            gc.collect()
            assert len(ticket._pinned) <= 1  # one that is being worked on is given back by a later submit
        context.reset()
        tickets = [context.submit(picture()) for _ in range(3)]
        assert all(len(one.result()) == 1 for one in tickets)


def test_a_reset_takes_all_tickets_away(faces):
    with faces.context(depth=2) as context:
        tickets = [context.submit(picture()) for _ in range(2)]
        context.reset()
        assert ticket._pinned == {}
        for one in tickets:
            assert one.state == "gone" and one.wait(timeout=0)
            with pytest.raises(rung.StaleError):
                one.result()
            assert one.state == "gone"
        assert len(context.submit(picture()).result()) == 1


@pytest.mark.parametrize("end", ["context", "model", "instance", "collector"])
def test_what_is_closed_gives_the_pictures_of_its_tickets_back(end):
    instance = rung.Instance()
    model = instance.open("centerface")
    context = model.context(depth=3)
    tickets = [context.submit(picture()) for _ in range(3)]
    if end == "collector":
        del tickets, context, model, instance
        gc.collect()
    else:
        {"context": context, "model": model, "instance": instance}[end].close()
        assert repr(tickets[0]) == "<rung.Ticket: closed>"
        for one in tickets:
            for use in (one.result, one.wait, one.cancel, lambda: one.state):
                with pytest.raises(rung.StateError, match="the context is closed"):
                    use()
    assert ticket._pinned == {}


def test_an_array_lives_until_it_is_given_back_and_no_longer(faces):
    with faces.context(depth=1) as context:
        array = picture().copy()
        gone = weakref.ref(array)
        one = context.submit(array[10:])
        del array
        gc.collect()
        assert gone() is not None
        one.result()
        assert gone() is None


def test_an_array_that_must_be_copied_is_free_at_once(faces, expected):
    with faces.context(depth=1) as context:
        array = picture()[:, ::-1].copy()
        one = context.submit(array[:, ::-1])
        array[:] = 0
        assert one.result().packet == expected


@pytest.mark.parametrize("frame, kind", [
    (rung.Frame(pixels=np.zeros((8, 8, 3), np.uint8), crop=(4, 4, 5, 1)), rung.InvalidArgumentError),
    (np.zeros((8, 8, 3), np.float32), TypeError)])
def test_a_picture_that_is_refused_is_not_kept(faces, frame, kind):
    with faces.context(depth=1) as context:
        for _ in range(3):
            with pytest.raises(kind):
                context.submit(frame)
            assert ticket._pinned == {}
        assert len(context.submit(picture()).result()) == 1


def test_a_context_without_depth_takes_no_tickets(faces):
    with faces.context() as context:
        with pytest.raises(rung.UnsupportedError):
            context.submit(picture())
        with pytest.raises(rung.UnsupportedError):
            context.reset()
    with pytest.raises(rung.InvalidArgumentError, match="depth"):
        faces.context(depth=17)
    with pytest.raises(ValueError, match="depth"):
        faces.context(depth=-1)


def test_results_of_other_epochs_are_stale(faces):
    with faces.context(depth=2) as context:
        context.set_epochs(session=5, transform=7)
        current = rung.Frame(pixels=picture(), session_epoch=5, transform_epoch=7)
        old = rung.Frame(pixels=picture(), session_epoch=4, transform_epoch=7)
        assert not context.submit(current).result().stale and not context.detect(current).stale
        for result in (context.submit(old).result(), context.detect(old)):
            assert result.stale and result.targets["flags"].tolist() == [0] and rung.parse(result.packet).stale
        with pytest.raises(ValueError, match="session"):
            context.set_epochs(session=-1)


def test_a_report_counts_what_its_context_did(faces):
    with faces.context(depth=1) as context:
        context.detect(picture())
        context.submit(picture()).result()
        report = context.report()
        context.restart_report()
        again = context.report()
    assert (report["rung"], report["threads"]["owned"]) == (faces.info.rung, 1)
    assert (report["frames"]["done"], report["frames"]["hand_overs"], report["steady_ns"]["whole"]["count"]) == (2, 1, 1)
    assert report["memory_bytes"]["host_packets"] > 0 and again["frames"]["done"] == 0


def test_nothing_is_rebuilt_where_nothing_is_lost(faces):
    with faces.context(rebuild=True) as context:
        with pytest.raises(rung.StateError):
            context.rebuild()


def standing_in(text, steering, tmp_path):
    """A program whose ONNX Runtime is the stand-in, steered to fail."""
    real = next((ROOT / "runtimes").glob("onnxruntime-[0-9]*/libonnxruntime.so.*"))
    shutil.copy(STANDIN, tmp_path / STANDIN.name)
    options = script(text)
    options["env"].update(RUNG_RUNTIME=str(tmp_path / STANDIN.name), RUNG_STANDIN=steering, RUNG_STANDIN_REAL=str(real))
    return subprocess.run(**options)


FAILING = """
import time, numpy, rung
pixels = numpy.zeros((480, 640, 3), numpy.uint8)

def tell():
    ticket = context.submit(pixels)
    ticket.wait()
    state = ticket.state
    try:
        result = ticket.result()
        print(state, result.run.rung, result.model_epoch, ticket.state)
    except rung.Error as error:
        print(state, error.name, ticket.state)
        try:
            ticket.result()
        except rung.Error as again:
            assert type(again) is type(error) and str(again) == str(error) and len(str(error)) > 40

instance = rung.Instance(log=lambda level, line: None)
model = instance.open("centerface")
context = model.context(depth=2)
tell()
tell()
"""


def test_a_run_that_fails_is_the_exception_of_its_ticket_and_the_next_goes_on(tmp_path):
    done = standing_in(FAILING + "tell()", "run=refuse@2", tmp_path)
    assert done.stdout.splitlines() == ["complete ort-cpu 0 complete", "failed BACKEND failed", "complete ort-cpu 0 complete"]
    assert (done.returncode, done.stderr) == (0, "")


def test_a_context_whose_device_is_lost_goes_on_where_it_is_rebuilt(tmp_path):
    done = standing_in(FAILING + """
for use in (context.submit, context.detect):
    try:
        use(pixels)
    except rung.DeviceLostError as error:
        print(error.name)
context.rebuild()
tell()
print(len(rung.ticket._pinned))
""", "run=lost@2", tmp_path)
    assert done.stdout.splitlines() == ["complete ort-cpu 0 complete", "failed DEVICE_LOST failed", "DEVICE_LOST", "DEVICE_LOST",
                                        "complete tract 1 complete", "0"]
    assert (done.returncode, done.stderr) == (0, "")


def test_a_model_goes_on_by_itself_after_its_device_was_lost(tmp_path):
    done = standing_in("""
import time, numpy, rung
with rung.Instance(log=lambda level, line: None) as instance, instance.open("centerface") as model:
    lost, end = 0, time.monotonic() + 60
    while time.monotonic() < end:
        try:
            result = model.detect(numpy.zeros((480, 640, 3), numpy.uint8))
            print(result.run.rung, result.model_epoch)
            if result.model_epoch:
                break
        except rung.DeviceLostError:
            lost += 1
            time.sleep(0.02)
assert lost > 0
""", "run=lost@2", tmp_path)
    assert done.stdout.splitlines() == ["ort-cpu 0", "tract 1"] and (done.returncode, done.stderr) == (0, "")


def test_tickets_under_way_do_not_hold_up_the_end_of_python():
    done = subprocess.run(**script("""
import threading, numpy, rung
instance = rung.Instance()
context = instance.open("centerface").context(depth=3)
tickets = [context.submit(numpy.zeros((640, 640, 3), numpy.uint8)) for _ in range(3)]
threading.Thread(target=tickets[2].result, daemon=True).start()
"""))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_ctrl_c_ends_a_wait():
    """The signal comes while the main thread waits in the library for a ticket that takes long."""
    done = subprocess.run(**script("""
import os, signal, threading, numpy, rung
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background job ignores
with rung.Instance() as instance, instance.open("centerface") as model, model.context(depth=16) as context:
    tickets = [context.submit(numpy.zeros((640, 640, 3), numpy.uint8)) for _ in range(16)]
    try:
        threading.Timer(0.05, os.kill, [os.getpid(), signal.SIGINT]).start()
        tickets[-1].result()
    except KeyboardInterrupt:
        print(tickets[-1].state)
"""))
    assert (done.returncode, done.stdout, done.stderr) == (0, "queued\n", "")
