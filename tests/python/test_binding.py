# SPDX-License-Identifier: Apache-2.0
"""The binding answers what the command line answers, takes any array that holds a picture, and says why where it cannot."""

import dataclasses
import json
import pathlib
import pickle
import subprocess
import threading

import numpy as np
import pytest
from binding import COMMAND, FACES, MODELS, PHOTOS, environment, picture, settings  # noqa: F401, environment is for all

import rung
from rung import _abi, frame

PICTURES = [PHOTOS / name for name in ("astronaut.png", "chelsea.png", "coffee.png")]


@pytest.fixture(scope="module")
def instance():
    with rung.Instance() as instance:
        yield instance


@pytest.fixture(scope="module")
def opened(instance):
    models = {}
    return lambda name: models.get(name) or models.setdefault(name, instance.open(name))


@pytest.fixture(scope="module")
def faces(opened):
    return opened("centerface")


@pytest.fixture(scope="module")
def told(instance):
    """What the command line says about the same pixels."""
    def tell(command, model, path, *options):
        done = subprocess.run([COMMAND, command, "-m", model, "--json", *options, path], env=settings(), capture_output=True,
                              check=True, timeout=120)
        return json.loads(done.stdout)
    return tell


def same_run(result, line):
    assert (result.run.identity, result.run.artifact, result.run.rung, result.run.precision) == (
        line["identity"], line["artifact"], line["rung"], line["precision"])
    assert result.identity == line["identity"] and result.run.run_ns > 0


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
@pytest.mark.parametrize("model", ["centerface", "yunet_n_320", "fastestdet_352"])
def test_detect_finds_what_the_command_line_finds(opened, told, model, path):
    if not (MODELS / f"{model}.rung").exists():
        pytest.skip(f"{model} is made of test data: RUNG_TEST_DATA")
    result, line = opened(model).detect(picture(path)), told("detect", model, path)
    same_run(result, line)
    assert len(result) == len(line["targets"]) and result.incomplete == line["incomplete"]
    for one, expected in zip(result, line["targets"]):
        assert (one.label, one.class_id, round(one.score, 5)) == (expected["class"], expected["class_id"], expected["score"])
        assert one.box == pytest.approx(expected["box"], abs=0.006)
        assert one.keypoints.tolist() == [pytest.approx(point, abs=0.006) for point in expected["keypoints"]]


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_embed_gives_the_numbers_of_the_command_line(opened, told, path):
    result, line = opened("effnet_lite0").embed(picture(path)), told("embed", "effnet_lite0", path)
    same_run(result, line)
    assert result.vector.dtype == np.float32
    assert np.array_equal(result.vector, np.array(line["embedding"], np.float32))


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_segment_gives_the_classes_of_the_command_line(opened, told, path):
    result, line = opened("selfie_seg").segment(picture(path)), told("segment", "selfie_seg", path)
    same_run(result, line)
    ids, counts = np.unique(result.classes, return_counts=True)
    assert [(entry["class_id"], entry["class"]) for entry in line["coverage"]] == [(n, result.labels[n]) for n in ids]
    assert [entry["share"] for entry in line["coverage"]] == pytest.approx(counts / result.classes.size, abs=1e-4)
    height, width = picture(path).shape[:2]
    assert result.crop == (0, 0, width, height) and result.content[2:] == result.classes.shape[::-1]


def many(faces):
    """More targets than the model itself would answer."""
    return faces.context(min_confidence=0.1, iou=0.9, max_targets=2000, override_calibration=True).detect(picture())


def test_thresholds_are_those_of_the_command_line(faces, told):
    loose = many(faces)
    line = told("detect", "centerface", FACES, "--conf", "0.1", "--iou", "0.9", "--max-det", "2000", "--override-calibration")
    assert [round(float(score), 5) for score in loose.scores] == [target["score"] for target in line["targets"]]
    assert len(loose) > len(faces.detect(picture())) and loose.run.calibration_overridden


def test_columns_agree_with_the_exact_records(faces):
    result = many(faces)
    count = len(result)
    assert count > 1 and result.targets.dtype.itemsize == 80 and result.targets["order"].tolist() == list(range(count))
    assert result.boxes_q8.dtype == np.int32 and result.boxes_q8.shape == (count, 4)
    assert result.boxes.dtype == np.float32 and np.array_equal(result.boxes * 256, result.boxes_q8)
    assert np.array_equal(result.corners[:, 2:], result.boxes[:, :2] + result.boxes[:, 2:])
    assert result.scores.dtype == np.float32 and (np.diff(result.scores) <= 0).all()
    assert result.keypoints.shape == (count, 5, 2) and np.isfinite(result.keypoints).all()
    inside = (result.safe_points >= result.corners[:, :2]) & (result.safe_points <= result.corners[:, 2:])
    assert inside.all() and result.labels == ["face"] * count
    assert result[-1].box == tuple(result.boxes[-1].tolist())
    with pytest.raises(IndexError):
        result[count]
    with pytest.raises(ValueError):
        result.targets["x"] = 0  # the packet stays as it came


def test_nothing_found_is_an_empty_result(faces):
    result = faces.detect(np.zeros((64, 64, 3), np.uint8))
    assert len(result) == 0 and list(result) == [] and result.labels == []
    assert result.boxes.shape == (0, 4) and result.keypoints.shape == (0, 0, 2) and result.scores.shape == (0,)


def test_key_points_that_a_capacity_left_out_are_no_numbers(faces):
    packet = bytearray(many(faces).packet)
    last = np.frombuffer(packet, rung.results.TARGET, 1, len(packet) - 40 * _count(packet) - 80)
    last["attachment_offset"] = last["attachment_bytes"] = 0
    header = _abi.rung_packet_header.from_buffer(packet)
    header.total_size -= 40
    header.flags = 2
    cut = rung.parse(packet[:-40])
    assert np.isnan(cut.keypoints[-1]).all() and np.isfinite(cut.keypoints[:-1]).all() and len(cut[-1].keypoints) == 0


def _count(packet):
    return _abi.rung_packet_header.from_buffer_copy(packet).count


@pytest.mark.parametrize("name, channels", [("rgb", (0, 1, 2)), ("bgr", (2, 1, 0)), ("rgba", (0, 1, 2, 1)),
                                            ("bgra", (2, 1, 0, 1)), ("rgbx", (0, 1, 2, 0)), ("bgrx", (2, 1, 0, 0))])
def test_every_format_gives_the_same_bytes(faces, name, channels):
    expected = faces.detect(picture()).packet
    assert faces.detect(np.ascontiguousarray(picture()[:, :, channels]), format=name).packet == expected


def test_formats_go_by_the_number_of_channels(faces):
    grey = picture()[:, :, 1]
    expected = faces.detect(np.stack([grey] * 3, axis=2)).packet
    assert faces.detect(grey).packet == faces.detect(grey[:, :, None]).packet == faces.detect(grey, "gray").packet == expected
    assert faces.detect(picture()[:, :, (0, 1, 2, 0)]).packet == faces.detect(picture()).packet


VIEWS = {
    "rows of a larger picture": (lambda a: a[20:400, 30:420], True),
    "every second row": (lambda a: a[::2], True),
    "one row": (lambda a: a[7:8, 3:200], True),
    "one column": (lambda a: a[:300, 8:9], True),
    "every second column": (lambda a: a[:, ::2], False),
    "upside down": (lambda a: a[::-1], False),
    "mirrored": (lambda a: a[:, ::-1], False),
    "turned": (lambda a: a.transpose(1, 0, 2), False),
    "channels turned": (lambda a: a[:, :, ::-1], False),
    "planes": (lambda a: np.ascontiguousarray(a.transpose(2, 0, 1)).transpose(1, 2, 0), False),
    "one row again and again": (lambda a: np.broadcast_to(a[:1], a.shape), False),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_read_in_place_where_that_is_possible_and_else_copied(faces, name):
    cut, borrowed = VIEWS[name]
    view = cut(picture())
    assert np.shares_memory(frame.pixels_of(view), view) == borrowed
    assert faces.detect(view).packet == faces.detect(np.ascontiguousarray(view)).packet


def test_what_holds_an_array_is_an_array(faces):
    from PIL import Image

    expected = faces.detect(picture()).packet
    assert faces.detect(Image.fromarray(picture())).packet == expected
    assert faces.detect(memoryview(picture())).packet == expected


def test_a_frame_carries_its_numbers_into_the_result(faces):
    numbers = {"frame_id": 7, "source_id": 2**64 - 1, "session_epoch": 3, "transform_epoch": 4, "topology_epoch": 5}
    result = faces.detect(rung.Frame(pixels=picture(), display_id=9, **numbers))
    assert {name: getattr(result, name) for name in numbers} == numbers and result.model_epoch == 0
    assert set(result.targets["display_id"].tolist()) == {9}


def test_a_crop_is_the_part_that_counts(faces):
    crop = (150, 40, 200, 180)
    x, y, width, height = crop
    inside = faces.detect(rung.Frame(pixels=picture(), crop=crop))
    alone = faces.detect(picture()[y:y + height, x:x + width])
    assert len(inside) == 1 and np.array_equal(inside.boxes - np.float32([x, y, 0, 0]), alone.boxes)


@pytest.mark.parametrize("pixels, options, kind, sentence", [
    (np.zeros((8, 8, 3), np.float32), {}, TypeError, "uint8; this array is of float32"),
    (np.zeros((8, 8, 3), np.int8), {}, TypeError, "int8"),
    ("photo.jpg", {}, TypeError, "uint8"),
    (np.zeros(8, np.uint8), {}, ValueError, "1 dimensions"),
    (np.zeros((1, 8, 8, 3), np.uint8), {}, ValueError, "4 dimensions"),
    (np.zeros((8, 8, 2), np.uint8), {}, ValueError, "1, 3 or 4 channels, not 2"),
    (np.zeros((0, 8, 3), np.uint8), {}, ValueError, "1 to 65535"),
    (np.zeros((65536, 1), np.uint8), {}, ValueError, "1 to 65535"),
    (np.zeros((8, 8, 3), np.uint8), {"format": "yuv"}, ValueError, "there are rgb, bgr"),
    (np.zeros((8, 8, 3), np.uint8), {"format": "rgba"}, ValueError, "does not have 3 channels"),
    (np.zeros((8, 8, 3), np.uint8), {"format": "gray"}, ValueError, "does not have 3 channels"),
    (rung.Frame(pixels=np.zeros((8, 8, 3), np.uint8)), {"format": "bgr"}, ValueError, "leave format away"),
    (rung.Frame(pixels=np.zeros((8, 8, 3), np.uint8), frame_id=-1), {}, ValueError, "frame_id is -1"),
    (rung.Frame(pixels=np.zeros((8, 8, 3), np.uint8), source_id=2**64), {}, ValueError, "source_id"),
    (rung.Frame(pixels=np.zeros((8, 8, 3), np.uint8), crop=(0, 0, 1, 2**32)), {}, ValueError, "crop"),
    (rung.Frame(pixels=np.zeros((8, 8, 3), np.uint8), crop=(4, 4, 5, 1)), {}, rung.InvalidArgumentError, "crop"),
])
def test_what_is_no_picture_is_refused_with_a_sentence(faces, pixels, options, kind, sentence):
    with pytest.raises(kind, match=sentence):
        faces.detect(pixels, **options)
    assert len(faces.detect(picture())) == 1  # and the model goes on


@pytest.mark.parametrize("model, wrong, sentence", [("centerface", "embed", "no embedder"), ("centerface", "segment", "no segmenter"),
                                                    ("effnet_lite0", "detect", "no detector")])
def test_a_model_of_another_role_is_refused(opened, model, wrong, sentence):
    with pytest.raises(rung.InvalidArgumentError, match=sentence) as caught:
        getattr(opened(model), wrong)(picture())
    assert isinstance(caught.value, ValueError) and caught.value.name == "INVALID_ARGUMENT" and caught.value.code == -1


def _damaged(folder):
    path = folder / "damaged.rung"
    content = bytearray((MODELS / "centerface.rung").read_bytes())
    content[-1000] ^= 1
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("open_one, kind", [
    (lambda instance, folder: instance.open(folder / "missing.rung"), rung.IoError),
    (lambda instance, folder: instance.open("no-such-model"), rung.NotFoundError),
    (lambda instance, folder: instance.open("No Name"), rung.InvalidArgumentError),
    (lambda instance, folder: instance.open(_damaged(folder)), rung.IntegrityError),
    (lambda instance, folder: instance.open("centerface", rung="no-such-rung"), rung.NotFoundError),
    (lambda instance, folder: rung.Instance(environment=False).open(MODELS / "centerface.rung"), rung.PermissionError),
    (lambda instance, folder: rung.Instance(ladder_path=folder / "missing.json"), rung.IoError),
    (lambda instance, folder: instance.use("no-such-rung"), rung.NotFoundError),
    (lambda instance, folder: instance.open("centerface").context(min_confidence=0.1), rung.InvalidArgumentError),
    (lambda instance, folder: instance.open("centerface").context(identity="other"), rung.IdentityError),
    (lambda instance, folder: instance.open("centerface").context(plan={"buffer": "none"}), rung.InvalidArgumentError),
    (lambda instance, folder: rung.parse(b""), rung.IntegrityError),
    (lambda instance, folder: rung.parse(bytes(96)), rung.VersionError),
])
def test_the_librarys_results_are_exceptions_with_its_sentence(instance, tmp_path, open_one, kind):
    with pytest.raises(kind) as caught:
        open_one(instance, tmp_path)
    assert isinstance(caught.value, rung.Error) and len(str(caught.value)) > 15 and caught.value.code < 0


@pytest.mark.parametrize("wrong, kind", [
    (lambda: rung.Instance(log_level="loud"), ValueError), (lambda: rung.Instance(probe="sometimes"), ValueError),
    (lambda: rung.Instance(trust_path="a\0b"), ValueError), (lambda: rung.Instance(engine_cache_bytes=-1), ValueError),
])
def test_a_wrong_option_is_refused_with_a_sentence(wrong, kind):
    with pytest.raises(kind):
        wrong()


@pytest.mark.parametrize("options", [{"min_confidence": 1.5}, {"iou": -0.1}, {"max_targets": -1}, {"max_size": (1, 2**32)},
                                     {"min_confidence": float("nan")}])
def test_a_wrong_wish_for_a_context_is_refused_with_a_sentence(faces, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        faces.context(**options)


@pytest.mark.parametrize("model, call", [("centerface", "detect"), ("effnet_lite0", "embed"), ("selfie_seg", "segment")])
def test_a_stored_packet_is_the_same_result(opened, model, call):
    result = getattr(opened(model), call)(picture())
    again = rung.parse(result.packet, labels=opened(model).info.labels, identity=result.identity)
    assert type(again) is type(result) and again.packet == result.packet and again.identity == model and again.run is None
    for name in ("boxes", "keypoints", "vector", "classes", "labels", "crop"):
        assert np.array_equal(getattr(again, name, None), getattr(result, name, None))
    other = pickle.loads(pickle.dumps(result))
    assert other.packet == result.packet and other.run == result.run
    with pytest.raises((rung.IntegrityError, rung.VersionError)):
        rung.parse(result.packet[:-1])


def test_embeddings_are_near_themselves_and_no_number_is_made_of_others(opened):
    model = opened("effnet_lite0")
    one, other = (model.embed(picture(path)) for path in PICTURES[:2])
    assert one.cosine(one) == pytest.approx(1) and one.cosine(other) == other.cosine(one) < 0.9
    expected = one.vector @ other.vector / np.linalg.norm(one.vector) / np.linalg.norm(other.vector)
    assert one.cosine(other) == pytest.approx(float(expected), abs=1e-5)
    assert np.array_equal(np.asarray(one), one.vector) and np.asarray(one, float).dtype == float
    with pytest.raises(rung.IdentityError):
        one.cosine(rung.parse(other.packet, identity="another"))
    with pytest.raises(ValueError, match="without its identity"):
        one.cosine(rung.parse(other.packet))


def test_arrays_are_the_callers_own(opened):
    vector, mask = opened("effnet_lite0").embed(picture()), opened("selfie_seg").segment(picture())
    before = vector.packet, mask.packet
    vector.vector[:] = 0
    mask.classes[:] = 9
    assert (vector.packet, mask.packet) == before


def test_info_tells_what_a_model_is(opened):
    faces, vectors, masks = (opened(name).info for name in ("centerface", "effnet_lite0", "selfie_seg"))
    assert (faces.role, vectors.role, masks.role) == ("detector", "embedder", "segmenter")
    assert (faces.name, faces.head, faces.form, faces.precision) == ("centerface", "centernet", "f32", "f32")
    assert faces.canvas == (640, 640) and faces.labels == ("face",) and faces.min_confidence == pytest.approx(0.5, abs=1e-4)
    assert vectors.embedding_length == len(opened("effnet_lite0").embed(picture())) == 1280
    assert masks.mask_classes == 2 and masks.head == "none" and masks.reason
    with pytest.raises(dataclasses.FrozenInstanceError):
        faces.name = "other"


def test_models_tells_what_became_of_each_file(instance, tmp_path):
    found = {file.name: file for file in instance.models()}
    assert {"centerface", "effnet_lite0", "selfie_seg"} <= found.keys()
    assert found["centerface"].error is None and found["centerface"].key_path.name == "demo.pub.pem"
    assert found["centerface"].path == pathlib.Path(instance.find("centerface")) == MODELS / "centerface.rung"
    path = _damaged(tmp_path)
    (damaged, folder), (unproved, _) = (instance.models(tmp_path, tmp_path / "none", verify=verify) for verify in (True, False))
    assert damaged.path == path and isinstance(damaged.error, rung.IntegrityError) and "damaged" in str(damaged.error)
    assert folder.folder and isinstance(folder.error, rung.Error) and folder.role is None
    assert unproved.error is None and unproved.role == "detector" and unproved.kind == "onnx"


def test_explain_is_the_command_lines(instance):
    done = subprocess.run([COMMAND, "explain", "--json"], env=settings(), capture_output=True, check=True, timeout=120)
    told = json.loads(done.stdout)
    assert rung.explain().keys() <= told.keys() and instance.explain()["chosen"] == told["chosen"]
    assert [row["rung"] for row in rung.explain()["rungs"]] == [row["rung"] for row in told["rungs"]]
    assert told["chosen"]["rung"] in instance.summary()


def test_a_context_has_the_plan_that_was_asked_for(faces):
    for plan in ({"preprocessor": "base"}, '{"preprocessor": "base"}'):
        with faces.context(plan=plan, max_size=(640, 640)) as context:
            assert context.detect(picture()).packet == faces.detect(picture()).packet
            stages = context.metadata()["stages"]
        assert "base" in json.dumps(stages)


def test_the_log_goes_to_logging_or_to_a_function_of_the_callers(caplog, tmp_path):
    keys = [tmp_path / name for name in ("one", "two")]  # folders, where a key that is none is passed over
    for folder in keys:
        folder.mkdir()
        (folder / "key.pem").write_text("no key")
    lines = []
    with rung.Instance(log=lambda level, line: lines.append((level, line)), trust_path=keys):
        assert [level for level, _ in lines] == ["warning"] * 2 and str(keys[1]) in lines[1][1]
        assert not caplog.records
    with rung.Instance(trust_path=keys):
        assert [(record.name, record.levelname, record.message) for record in caplog.records] == [
            ("rung", level.upper(), line) for level, line in lines]
    with rung.Instance(log_level="error", trust_path=keys):
        assert len(caplog.records) == 2


def test_threads_get_the_same_bytes_from_one_model(faces):
    expected, wrong = faces.detect(picture()).packet, []

    def work():
        for _ in range(3):
            if faces.detect(picture()).packet != expected:
                wrong.append(threading.current_thread())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(faces._idle) <= 4


def test_preprocess_gives_the_tensor_of_the_model(opened):
    context = opened("effnet_lite0").context()
    square = picture()[:448, :448]
    tensor = context.preprocess(square).view(np.float32).reshape(3, 224, 224)
    means = square.reshape(224, 2, 224, 2, 3).mean(axis=(1, 3)).transpose(2, 0, 1)  # half the size: of four pixels the mean
    assert tensor.ctypes.data % 64 == 0 and np.abs(tensor * 128 + 127 - means).max() <= 0.51


def test_other_threads_run_while_the_library_works(faces):
    """The counter would stand still for a whole run of the model if the interpreter were held."""
    context, counted, done = faces.context(), [0], threading.Event()

    def count():
        while not done.wait(0.001):
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before, result = counted[0], context.detect(picture())
    after = counted[0]
    done.set()
    thread.join()
    assert result.run.run_ns < 10_000_000 or after > before
