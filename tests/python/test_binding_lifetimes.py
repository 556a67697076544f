# SPDX-License-Identifier: Apache-2.0
"""What the library made is ended once and in its order: by hand, by the collector, by threads, and when Python ends."""

import gc
import subprocess
import threading
import tracemalloc
import weakref

import pytest
from binding import environment, handles, picture, script  # noqa: F401, environment is for all

import rung
from rung import _handle


@pytest.fixture
def ended(monkeypatch):
    """The kinds of things in the order in which they are ended."""
    order = []

    def destroy(function, *arguments):
        order.append(function.__name__.split("_")[1])
        real(function, *arguments)

    real = _handle._destroy
    monkeypatch.setattr(_handle, "_destroy", destroy)
    yield order
    gc.collect()
    assert not handles()


def test_a_block_ends_everything_that_was_made_in_it(ended):
    with rung.Instance() as instance:
        model = instance.open("centerface")
        context = model.context()
        model.detect(picture())
    assert ended == ["context", "context", "model", "instance"]
    assert instance.closed and model.closed and context.closed


def test_closing_twice_does_nothing(ended):
    with rung.Instance() as instance, instance.open("centerface") as model, model.context() as context:
        for _ in range(2):
            context.close()
            model.close()
    assert ended == ["context", "model", "instance"]


def test_what_was_closed_says_so(ended):
    with rung.Instance() as instance:
        model, context = instance.open("centerface"), None
        context = model.context()
        context.close()
        with pytest.raises(rung.StateError, match="the context is closed"):
            context.detect(picture())
        with pytest.raises(rung.StateError, match="the context is closed"):
            context.metadata()
        model.close()
        for use in (lambda: model.detect(picture()), lambda: model.info, model.context):
            with pytest.raises(rung.StateError, match="the model is closed"):
                use()
    for use in (instance.explain, instance.summary, instance.models, lambda: instance.open("centerface"), lambda: instance.use(None)):
        with pytest.raises(rung.StateError, match="the instance is closed"):
            use()


def test_a_context_keeps_its_model_and_a_model_its_instance(ended):
    context = rung.Instance().open("centerface").context()
    gc.collect()
    assert ended == [] and len(context.detect(picture())) == 1
    del context
    assert ended == ["context", "model", "instance"]  # at once, without the collector


def test_a_failed_open_leaves_nothing(ended):
    instance = rung.Instance()
    with pytest.raises(rung.NotFoundError):
        instance.open("centerface", rung="none")
    with pytest.raises(rung.IdentityError):
        instance.open("centerface").context(identity="other")
    gc.collect()
    assert len(handles()) == 1


def test_garbage_that_holds_all_of_them_in_a_circle_is_ended_in_order(ended):
    class Holder:
        pass

    for _ in range(3):
        holder = Holder()
        holder.instance = rung.Instance()
        holder.model = holder.instance.open("centerface")
        holder.contexts = [holder.model.context(), holder.model.context()]
        holder.itself = holder
        gone = weakref.ref(holder)
        del holder
        gc.collect()
        assert gone() is None
        assert ended == ["context", "context", "model", "instance"]
        ended.clear()


def test_a_result_outlives_what_made_it():
    with rung.Instance() as instance:
        result = instance.open("centerface").detect(picture())
    assert result.labels == ["face"] and result.keypoints.shape == (1, 5, 2) and result.run.rung


def test_closing_waits_for_calls_that_are_under_way(ended):
    """A thread is inside the library nearly always, and each call either answers or is told that it came too late."""
    for _ in range(3):
        instance = rung.Instance()
        model = instance.open("centerface")
        expected, answers, begun = model.detect(picture()).packet, [], threading.Event()

        def work():
            try:
                while True:
                    answers.append(model.detect(picture()).packet == expected)
                    begun.set()
            except rung.StateError:
                pass

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        begun.wait(60)
        instance.close()
        assert ended[-2:] == ["model", "instance"]
        for thread in threads:
            thread.join(60)
        assert answers and all(answers)


def test_many_threads_may_open_and_close(ended):
    wrong = []

    def work():
        try:
            for _ in range(3):
                with rung.Instance() as instance, instance.open("centerface") as model:
                    assert len(model.detect(picture())) == 1
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and sorted(ended) == ["context"] * 12 + ["instance"] * 12 + ["model"] * 12


def test_memory_stays_as_it_is_over_many_pictures():
    pixels = picture()[:64, 64::-1][:, :64]  # which is copied each time
    with rung.Instance() as instance, instance.open("centerface", rung="dummy") as model, model.context(depth=2) as context:

        def work(times):
            for _ in range(times):
                model.detect(pixels)
                context.submit(pixels).result()
                context.submit(pixels).cancel()
                context.submit(pixels)
            context.reset()
            gc.collect()
            return tracemalloc.get_traced_memory()[0]

        work(5)
        tracemalloc.start()
        try:
            before = work(10)
            assert work(40) - before < 8000  # bytes; a single copy that is not given back has 12288
        finally:
            tracemalloc.stop()


LOUD_END = """
import gc, os, sys, threading, numpy, rung
from rung._library import library
for kind in ("context", "model", "instance"):
    def loud(pointer, kind=kind, destroy=getattr(library(), f"rung_{kind}_destroy")):
        print(kind, flush=True)
        destroy(pointer)
    setattr(library(), f"rung_{kind}_destroy", loud)
pixels = numpy.zeros((640, 640, 3), numpy.uint8)
instance = rung.Instance()
model = instance.open("centerface")
model.detect(pixels)
"""


@pytest.mark.parametrize("end, status", [("", 0), ("sys.exit(3)", 3), ("raise SystemError", 1),
                                         ("class A: pass\na = A(); a.a = a; a.all = instance, model; del instance, model; gc.disable()", 0)])
def test_the_end_of_python_ends_what_is_left_in_order(end, status):
    done = subprocess.run(**script(LOUD_END + end))
    assert done.returncode == status and done.stdout.split() == ["context", "model", "instance"]
    assert done.stderr == "" or status == 1


def test_daemon_threads_inside_the_library_are_waited_for_and_then_stopped_without_a_word():
    done = subprocess.run(**script(LOUD_END + """
def work():
    while True:
        model.detect(pixels)
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
"""))
    assert done.returncode == 0 and done.stderr == "" and done.stdout.split()[-2:] == ["model", "instance"]


def test_a_forked_process_ends_without_ending_what_is_not_its_own():
    done = subprocess.run(**script(LOUD_END + """
child = os.fork()
if child:
    assert os.waitpid(child, 0)[1] == 0
    print("parent", flush=True)
    assert len(model.detect(pixels)) == 0
"""))
    assert done.returncode == 0 and done.stdout.split() == ["parent", "context", "model", "instance"]


@pytest.mark.parametrize("setting, sentence", [
    ("/nonexistent/librung.so.0", "/nonexistent/librung.so.0 cannot be loaded"),
    ("libc.so.6", "has no rung_version: it is older than this package, or no Rung")])
def test_a_missing_library_is_told_when_it_is_first_needed(setting, sentence):
    options = script("import rung\ntry:\n    rung.Instance()\nexcept ImportError as error:\n    print(type(error).__name__, error)")
    options["env"]["RUNG_LIBRARY"] = setting
    done = subprocess.run(**options)
    assert done.returncode == 0 and done.stdout.startswith("LibraryError") and sentence in done.stdout
    assert "RUNG_LIBRARY" in done.stdout or "install" in done.stdout


def test_importing_loads_no_library_and_reads_nothing_but_the_package():
    options = script("import rung, sys; print(rung.library_path()); print([n for n in sys.modules if n in ('PIL', 'onnx')])")
    options["env"]["RUNG_LIBRARY"] = ""
    done = subprocess.run(**options)
    assert done.returncode == 0 and done.stdout.split("\n")[:2] == ["librung.so.0", "[]"]
