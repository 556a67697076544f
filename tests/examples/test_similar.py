# SPDX-License-Identifier: Apache-2.0
"""examples/similar: the cosine of two embeddings, and none between what cannot be compared."""
import pytest
from command_line import MODELS, PHOTOS
from conftest import EMBEDDER, ppm, run, sentence
from PIL import Image


@pytest.fixture(scope="session")
def embedder(models):
    return models.pack("embedder", **EMBEDDER)


def cosine(result):
    number, by, identity = result.stdout.split()
    assert by == "by"
    return float(number), identity


def test_a_picture_is_like_itself_and_less_like_another(tmp_path):
    if not (MODELS / "effnet_lite0.rung").exists():
        pytest.skip("scripts/demo-models has not made effnet_lite0")
    for name in ("chelsea", "coffee"):
        Image.open(PHOTOS / f"{name}.png").convert("RGB").save(tmp_path / f"{name}.ppm")
    model, cat, cup = MODELS / "effnet_lite0.rung", tmp_path / "chelsea.ppm", tmp_path / "coffee.ppm"
    assert cosine(run("similar", model, cat, cat)) == (1.0, "effnet_lite0")
    assert cosine(run("similar", model, cat, cup))[0] < 0.5


def test_two_models_cannot_be_compared(models, embedder, tmp_path):
    picture = ppm(tmp_path / "a.ppm")
    assert cosine(run("similar", embedder, picture, picture, environment=models.trust)) == (1.0, "embedder")
    other = models.pack("other", **EMBEDDER)
    told = sentence(run("similar", embedder, picture, picture, other, status=1, environment=models.trust))
    assert told.startswith("IDENTITY: ") and "embedder" in told and "other" in told


def test_what_cannot_be_embedded_is_told(models, embedder, detector, tmp_path):
    picture = ppm(tmp_path / "a.ppm")
    assert "no embedder" in sentence(run("similar", detector, picture, picture, status=1, environment=models.trust))
    assert "b.ppm" in sentence(run("similar", embedder, picture, tmp_path / "b.ppm", status=1, environment=models.trust))
    assert sentence(run("similar", embedder, picture, status=2)).startswith("usage: similar ")
