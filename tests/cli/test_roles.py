# SPDX-License-Identifier: Apache-2.0
"""rung embed and rung segment: the published results of the demo's models, on both runtimes, and what is written."""
import json
import shutil
import subprocess

import numpy
import onnx
import pytest
import tiny
from PIL import Image
from conftest import MODELS, PHOTOS, ROOT, json_lines, run, sentence
from onnx import TensorProto, helper

RUNGS = ("ort-cpu", "tract")
EMBED = ("embed", "-m", "effnet_lite0")
SEGMENT = ("segment", "-m", "selfie_seg")

# Of the models as published: the first numbers and the L2 norm on whole photographs.
PUBLISHED = {
    "astronaut.png": ([0.0, 0.03161, 0.0, 0.40675, 0.026, 0.0, 0.06106, 0.22172], 17.4943),
    "chelsea.png": ([0.14569, 0.01864, 0.0, 0.21155, 1.84587, 0.46617, 0.0, 0.0], 15.3444),
}
PROBE = ([2.30803, 0.0, 2.64741, 0.0, 0.0, 0.0, 0.0, 0.0754092], 18.58445)
COVERAGE = 0.54494  # a person's part of astronaut.png


@pytest.fixture(scope="module", autouse=True)
def demo():
    if not (MODELS / "effnet_lite0.rung").exists() or not (MODELS / "selfie_seg.rung").exists():
        pytest.skip("the demo's models are not made; scripts/demo-models makes them")


def vectors(*arguments):
    return numpy.array([line["embedding"] for line in json_lines(run(*EMBED, "--json", *arguments))], numpy.float32)


def norm(vector):
    return numpy.linalg.norm(vector.astype(numpy.float64))


def cosine(a, b):
    return float(a.astype(numpy.float64) @ b / norm(a) / norm(b))


def probe_picture(path, side):
    """Byte i of the interleaved RGB picture is (i × 2654435761 mod 2^32) >> 24."""
    index = numpy.arange(side * side * 3, dtype=numpy.uint64)
    pixels = ((index * 2654435761 & 0xFFFFFFFF) >> 24).astype(numpy.uint8).reshape(side, side, 3)
    Image.fromarray(pixels).save(path)
    return path


# ---- the published results ----------------------------------------------------------------------


@pytest.mark.parametrize("rung", RUNGS)
def test_embeddings_are_the_published_ones(rung, capsys):
    """Every first number within 0.01, the norm within 1 %."""
    for name, (first, length) in PUBLISHED.items():
        (vector,) = vectors("--rung", rung, PHOTOS / name)
        apart = numpy.abs(vector[:8] - first).max()
        with capsys.disabled():
            print(f"\n{rung} on {name}: first numbers at most {apart:.4f} apart, norm {norm(vector):.4f} for {length}", end="")
        assert vector.shape == (1280,)
        assert apart <= 0.01
        assert abs(norm(vector) - length) <= 0.01 * length


@pytest.mark.parametrize("rung", RUNGS)
def test_the_probe_picture_has_its_published_embedding(rung, tmp_path):
    """It has the canvas's size, so nothing is resampled: 1e-3 of the norm."""
    first, length = PROBE
    (vector,) = vectors("--rung", rung, probe_picture(tmp_path / "probe.png", 224))
    assert numpy.abs(vector[:8] - first).max() <= 1e-3 * length
    assert abs(norm(vector) - length) <= 1e-3 * length


def test_both_runtimes_give_the_same_directions():
    for one, other in zip(*(vectors("--rung", rung, PHOTOS) for rung in RUNGS)):
        assert cosine(one, other) > 0.999999


def person_of(line):
    return sum(entry["share"] for entry in line["coverage"] if entry["class"] == "person")


@pytest.mark.parametrize("rung", RUNGS)
def test_coverage_is_the_published_one(rung, capsys, tmp_path):
    (line,) = json_lines(run(*SEGMENT, "--json", "--rung", rung, PHOTOS / "astronaut.png"))
    with capsys.disabled():
        print(f"\n{rung}: {person_of(line):.5f} of astronaut.png is a person, published {COVERAGE}", end="")
    assert abs(person_of(line) - COVERAGE) <= 0.01
    assert sum(entry["share"] for entry in line["coverage"]) == pytest.approx(1)
    (line,) = json_lines(run(*SEGMENT, "--json", "--rung", rung, probe_picture(tmp_path / "probe.png", 256)))
    assert line["coverage"] == [{"class": "background", "class_id": 0, "share": 1.0}]


def test_both_runtimes_give_the_same_masks(tmp_path):
    for rung in RUNGS:
        run(*SEGMENT, "--rung", rung, "-o", tmp_path / rung, PHOTOS)
    for path in (tmp_path / "tract").iterdir():
        one, other = (numpy.asarray(Image.open(tmp_path / rung / path.name)) for rung in RUNGS)
        assert (one != other).mean() < 0.001, path.name


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("name", ("deeplab_v3_257", "road_segmentation_adas_0001"))
def test_masks_of_many_classes_have_the_coverage_of_the_card(name, rung, data, capsys):
    """Each share within 0.01."""
    subprocess.run([ROOT / "scripts/test-models", data, name], check=True, stdout=subprocess.DEVNULL)
    for reference in json.loads((data / "models" / f"{name}.json").read_text())["references"]:
        picture, published = data / reference["image"], reference["result"]["coverage"]
        (line,) = json_lines(run("segment", "-m", name, "--json", "--rung", rung, picture))
        shares = {entry["class"]: entry["share"] for entry in line["coverage"]}
        worst = max(abs(shares.get(label, 0) - published.get(label, 0)) for label in {*shares, *published})
        with capsys.disabled():
            print(f"\n{rung}, {name} on {picture.name}: shares at most {worst:.5f} from the card", end="")
        assert worst <= 0.01


# ---- embeddings in files ------------------------------------------------------------------------


def index_of(path):
    head, *rows, last = (json.loads(line) for line in path.read_text().splitlines())
    return head, rows, last


def test_the_array_and_its_index_say_what_json_says(tmp_path):
    (tmp_path / "broken.png").write_bytes((PHOTOS / "chelsea.png").read_bytes()[:2000])
    lines = json_lines(run(*EMBED, "--json", "-o", tmp_path / "out" / "a.npy", PHOTOS, tmp_path / "broken.png", status=5))
    array = numpy.load(tmp_path / "out" / "a.npy")
    good = [line for line in lines if "embedding" in line]
    assert array.dtype == numpy.float32 and array.shape == (len(good), 1280) and len(lines) == len(good) + 1
    assert (array == numpy.array([line["embedding"] for line in good], numpy.float32)).all()
    head, rows, last = index_of(tmp_path / "out" / "a.jsonl")
    assert head["identity"] == good[0]["identity"] == "effnet_lite0"
    assert head["artifact"] == good[0]["artifact"] and head["dimension"] == 1280 and head["normalised"] is False
    assert [row["source"] for row in rows if "row" in row] == [line["source"] for line in good]
    assert [row["row"] for row in rows if "row" in row] == list(range(len(good)))
    (failed,) = (row for row in rows if "row" not in row)
    assert failed["source"].endswith("broken.png") and failed["error"]["code"] == "TRUNCATED"
    assert last["rows"] == len(good)


def test_nothing_is_written_when_the_folder_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    assert "file" in sentence(run(*EMBED, "-o", tmp_path / "file" / "a.npy", PHOTOS / "chelsea.png", status=5))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_resumed_job_writes_every_row(tmp_path):
    run(*EMBED, "--resume", tmp_path / "results", PHOTOS / "chelsea.png", PHOTOS / "rocket.jpg")
    run(*EMBED, "--resume", tmp_path / "results", "-o", tmp_path / "a.npy", PHOTOS)
    array = numpy.load(tmp_path / "a.npy")
    _, rows, _ = index_of(tmp_path / "a.jsonl")
    assert len(array) == len(rows) == len(list(PHOTOS.glob("*.[jp][pn]g")))
    for vector, row in zip(array, rows):
        assert (vectors(row["source"])[0] == vector).all()


# ---- what is near -------------------------------------------------------------------------------


def near_by_numpy(array, names, query, skip, most):
    cosines = [(-cosine(row, query), number) for number, row in enumerate(array) if number != skip]
    return [(names[number], -negative) for negative, number in sorted(cosines)[:most]]


def entries(near):
    return [(entry["source"], pytest.approx(entry["cosine"], abs=1e-9)) for entry in near]


def test_each_lists_the_nearest_of_the_others(tmp_path):
    lines = json_lines(run(*EMBED, "--json", "--near", "2", "-o", tmp_path / "a.npy", PHOTOS))
    array, near = numpy.load(tmp_path / "a.npy"), [line for line in lines if "near" in line]
    names = [line["source"] for line in lines if "embedding" in line]
    assert [line["source"] for line in near] == names
    for number, line in enumerate(near):
        assert near_by_numpy(array, names, array[number], number, 2) == entries(line["near"])


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    run(*EMBED, "-o", folder / "a.npy", PHOTOS)
    return folder / "a.npy"


def test_stored_ones_are_compared_with(stored):
    (line,) = json_lines(run(*EMBED, "--json", "--near", "9", "--against", stored, PHOTOS / "chelsea.png"))
    _, rows, _ = index_of(stored.with_suffix(".jsonl"))
    names = [row["source"] for row in rows]
    expected = near_by_numpy(numpy.load(stored), names, numpy.array(line["embedding"], numpy.float32), None, 9)
    assert expected == entries(line["near"])
    assert expected[0] == (str(PHOTOS / "chelsea.png"), pytest.approx(1))


def test_a_list_for_people_names_picture_and_cosine(stored):
    lines = run(*EMBED, "--near", "1", "--against", stored, PHOTOS / "rocket.jpg").out.splitlines()
    assert lines == [str(PHOTOS / "rocket.jpg"), f"   1.0000  {PHOTOS / 'rocket.jpg'}"]


def against(path, word, status=5):
    assert word in sentence(run(*EMBED, "--near", "1", "--against", path, PHOTOS / "chelsea.png", status=status))


def test_files_that_do_not_belong_together_are_refused(stored, tmp_path):
    array, index = tmp_path / "a.npy", tmp_path / "a.jsonl"

    def start():
        shutil.copy(stored, array)
        shutil.copy(stored.with_suffix(".jsonl"), index)

    start()
    array.write_bytes(array.read_bytes()[:-1] + b"\1")
    against(array, "belongs to other numbers")
    start()
    array.write_bytes(array.read_bytes()[:-4])
    against(array, "another size")
    start()
    array.write_bytes(array.read_bytes()[:-4] + b"\0\0\xc0\x7f")
    against(array, "not finite")
    start()
    array.write_bytes(b"something else")
    against(array, "NumPy's format")
    start()
    index.write_text("".join(index.read_text().splitlines(keepends=True)[:-1]))
    against(array, "is not complete")
    start()
    index.write_text("[]\n")
    against(array, "no index")
    index.unlink()
    against(array, "cannot read")
    against(tmp_path / "none.npy", "cannot read")


def test_embeddings_of_another_identity_are_refused(tmp_path):
    run(*EMBED, "--per-target", "centerface", "-o", tmp_path / "faces.npy", PHOTOS)
    against(tmp_path / "faces.npy", "embeddings by centerface/effnet_lite0, which does not cover effnet_lite0:", status=4)


def rename(path, identity):
    """Says in an index that its embeddings have another identity."""
    lines = path.read_text().splitlines(keepends=True)
    head = json.loads(lines[0])
    path.write_text(json.dumps({**head, "identity": identity}) + "\n" + "".join(lines[1:]))


@pytest.mark.parametrize("identity, status", [
    ("centerface/effnet_lite0", 0), ("centerface+i8/effnet_lite0", 4), ("centerface/effnet_lite0+f16", 4),
    ("yunet/effnet_lite0", 4), ("effnet_lite0", 4), ("effnet_lite0@centerface", 5), ("", 5)])
def test_an_index_of_targets_answers_for_what_it_covers(tmp_path, identity, status):
    faces = [*EMBED, "--per-target", "centerface"]
    run(*faces, "-o", tmp_path / "faces.npy", PHOTOS / "astronaut.png")
    rename(tmp_path / "faces.jsonl", identity)
    result = run(*faces, "--near", "1", "--against", tmp_path / "faces.npy", PHOTOS / "astronaut.png", status=status)
    if status == 4:
        assert f"by {identity}, which does not cover centerface/effnet_lite0:" in sentence(result)
    elif status:
        assert "does not tell what made its embeddings" in sentence(result)


def test_against_needs_to_know_how_many(stored):
    assert "--near" in sentence(run(*EMBED, "--against", stored, PHOTOS / "chelsea.png", status=2))


def test_only_an_embedder_embeds():
    assert "no embedder" in sentence(run("embed", "-m", "selfie_seg", PHOTOS / "chelsea.png", status=2))
    assert "no segmenter" in sentence(run("segment", "-m", "effnet_lite0", PHOTOS / "chelsea.png", status=2))
    assert "no detector" in sentence(run(*EMBED, "--per-target", "selfie_seg", PHOTOS / "chelsea.png", status=2))


# ---- targets ------------------------------------------------------------------------------------


def test_a_target_is_embedded_as_its_part_of_the_picture_would_be(tmp_path):
    """The part is the box in whole pixels, rounded outwards."""
    picture = PHOTOS / "astronaut.png"
    (line,) = json_lines(run(*EMBED, "--json", "--per-target", "centerface", "-o", tmp_path / "a.npy", picture))
    assert line["identity"] == "centerface/effnet_lite0" and line["targets"]
    head, rows, _ = index_of(tmp_path / "a.jsonl")
    for key in ("identity", "rung", "precision", "artifact", "detector_rung", "detector_precision", "detector_artifact"):
        assert head[key] == line[key]
    assert line["precision"] == line["detector_precision"] == "f32" and line["artifact"] != line["detector_artifact"]
    for number, target in enumerate(line["targets"]):
        x, y, width, height = target["box"]
        box = [int(x), int(y), -int(-(x + width) // 1), -int(-(y + height) // 1)]
        Image.open(picture).convert("RGB").crop(box).save(tmp_path / "part.png")
        assert (vectors(tmp_path / "part.png")[0] == numpy.array(target["embedding"], numpy.float32)).all()
        assert rows[number]["target"] == number and rows[number]["box"] == target["box"]
        assert (numpy.load(tmp_path / "a.npy")[number] == numpy.array(target["embedding"], numpy.float32)).all()


def test_a_picture_without_targets_has_no_rows(tmp_path):
    (line,) = json_lines(run(*EMBED, "--json", "--per-target", "centerface", "-o", tmp_path / "a.npy", PHOTOS / "chelsea.png"))
    assert line["targets"] == []
    assert numpy.load(tmp_path / "a.npy").shape == (0, 1280)


# ---- masks --------------------------------------------------------------------------------------


def colour_model(folder, keys, interleaved, width=6, height=4, fit="stretch"):
    """A segmenter whose three classes are a pixel's strongest colour: its output is its input."""
    shape, layout = ([1, height, width, 3], "interleaved") if interleaved else ([1, 3, height, width], "planar")
    graph = helper.make_graph([helper.make_node("Identity", ["image"], ["out"])], "colours",
                              *[[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)] for name in ("image", "out")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "colours.onnx")
    tiny.spec(folder / "colours.json", name="colours", role="segmenter", head="none", fit=fit, selection=None,
              canvas={"width": width, "height": height}, tensor={"dtype": "f32", "layout": layout}, resampler="nearest",
              input={"name": "image", "dtype": "f32", "shape": shape}, labels=["red", "green", "blue"],
              outputs=[{"purpose": "output", "name": "out", "dtype": "f32", "shape": shape}])
    run("pack", folder / "colours.json", folder / "colours.onnx", "-o", folder / "colours.rung", "--key", keys / "key.pem")
    return "-m", folder / "colours.rung", "--trust", keys / "key.pub.pem"


COLOURS = numpy.array([[200, 10, 20], [0, 180, 100], [30, 40, 250]], numpy.uint8)


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("interleaved", (False, True))
def test_a_mask_has_the_class_of_each_pixel_at_the_pictures_size(rung, interleaved, keys, tmp_path):
    classes = numpy.array([[0, 0, 1, 1, 2, 2], [2, 1, 0, 2, 1, 0], [1] * 6, [2, 2, 2, 0, 0, 0]], numpy.uint8)
    large = classes.repeat(5, 0).repeat(3, 1)
    Image.fromarray(COLOURS[large]).save(tmp_path / "a.png")
    model = colour_model(tmp_path, keys, interleaved)
    (line,) = json_lines(run("segment", *model, "--rung", rung, "--json", "-o", tmp_path / "out", "--overlay", tmp_path / "a.png"))
    mask = Image.open(tmp_path / "out" / "a.png.mask.png")
    assert mask.mode == "L" and (numpy.asarray(mask) == large).all()
    assert line["coverage"] == [{"class": name, "class_id": number, "share": pytest.approx((classes == number).sum() / classes.size)}
                                for number, name in enumerate(("red", "green", "blue"))]
    overlay = numpy.asarray(Image.open(tmp_path / "out" / "a.png.overlay.jpg").convert("RGB"))
    assert overlay.shape == (*large.shape, 3)


def test_what_the_model_did_not_see_is_of_class_0(keys, tmp_path):
    """`cover` shows it the middle alone."""
    Image.fromarray(COLOURS[numpy.full((4, 12), 2)]).save(tmp_path / "a.png")
    model = colour_model(tmp_path, keys, False, fit="cover")
    run("segment", *model, "-o", tmp_path / "out", tmp_path / "a.png")
    mask = numpy.asarray(Image.open(tmp_path / "out" / "a.png.mask.png"))
    assert (mask[:, 3:9] == 2).all() and (mask[:, :3] == 0).all() and (mask[:, 9:] == 0).all()


def test_letterboxes_are_no_part_of_a_mask(keys, tmp_path):
    Image.fromarray(COLOURS[numpy.full((8, 4), 1)]).save(tmp_path / "a.png")
    model = colour_model(tmp_path, keys, False, fit="letterbox")
    (line,) = json_lines(run("segment", *model, "--json", "-o", tmp_path / "out", tmp_path / "a.png"))
    assert line["coverage"] == [{"class": "green", "class_id": 1, "share": 1.0}]
    assert (numpy.asarray(Image.open(tmp_path / "out" / "a.png.mask.png")) == 1).all()


def test_a_mask_of_one_class_is_black_and_white(tmp_path):
    run(*SEGMENT, "-o", tmp_path, "--overlay", PHOTOS / "astronaut.png")
    mask = Image.open(tmp_path / "astronaut.png.mask.png")
    assert mask.size == (512, 512) and {value for _, value in mask.getcolors()} == {0, 255}
    person = numpy.asarray(mask) == 255
    assert abs(person.mean() - COVERAGE) <= 0.01
    before = numpy.asarray(Image.open(PHOTOS / "astronaut.png").convert("RGB"), numpy.int16)
    after = numpy.asarray(Image.open(tmp_path / "astronaut.png.overlay.jpg").convert("RGB"), numpy.int16)
    change = numpy.abs(after - before).mean(axis=2)
    assert change[person].mean() > 20 > 4 > change[~person].mean()


def test_an_overlay_needs_a_folder():
    assert "-o DIR" in sentence(run(*SEGMENT, "--overlay", PHOTOS / "chelsea.png", status=2))
