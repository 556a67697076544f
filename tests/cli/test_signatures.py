# SPDX-License-Identifier: Apache-2.0
"""Signatures made elsewhere: openssl signs what rung digest tells, and rung attach takes what is good, and only that."""
import hashlib
import shutil
import subprocess

import pytest
import tiny
from conftest import run, sentence

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="the openssl command is missing")


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


@pytest.fixture
def foreign_key(tmp_path):
    """A key that rung never saw: openssl made it."""
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", tmp_path / "foreign.pem")
    openssl("pkey", "-in", tmp_path / "foreign.pem", "-pubout", "-out", tmp_path / "foreign.pub.pem")
    return tmp_path / "foreign.pem"


@pytest.fixture(params=["unsigned", "signed"])
def model(request, tmp_path, keys):
    key = ["--key", keys / "other.pem"] if request.param == "signed" else []
    run("pack", tiny.spec(tmp_path / "spec.json"), tiny.graph(tmp_path / "tiny.onnx"), "-o", tmp_path / "tiny.rung",
        *key)
    return tmp_path / "tiny.rung"


def public(key):
    return key.with_suffix(".pub.pem")


def sign(model, key):
    """Signs elsewhere; gives the files of the DER and of r and s."""
    message, der, raw = (model.with_suffix(suffix) for suffix in (".message", ".der", ".raw"))
    digest = run("digest", model, "--public-key", public(key), "--message", message).out
    assert digest == hashlib.sha256(message.read_bytes()).hexdigest() + "\n"
    openssl("dgst", "-sha256", "-sign", key, "-out", der, message)
    content = der.read_bytes()
    middle = 4 + content[3]
    numbers = content[4:middle], content[middle + 2:]
    raw.write_bytes(b"".join(int.from_bytes(n, "big").to_bytes(32, "big") for n in numbers))
    return der, raw


@pytest.mark.parametrize("form", [0, 1], ids=["der", "raw"])
def test_a_signature_that_openssl_made_is_put_in_and_verifies(model, foreign_key, form):
    signature = sign(model, foreign_key)[form]
    run("attach", model, signature, "--public-key", public(foreign_key))
    run("verify", model, "--trust", public(foreign_key))
    openssl("pkeyutl", "-verify", "-pubin", "-inkey", public(foreign_key), "-sigfile", sign(model, foreign_key)[0],
            "-rawin", "-digest", "sha256", "-in", model.with_suffix(".message"))
    assert model.read_bytes()[:-64] == model.with_suffix(".message").read_bytes()


def test_attaching_gives_what_signing_gives(model, foreign_key, tmp_path):
    run("attach", model, sign(model, foreign_key)[0], "--public-key", public(foreign_key), "-o", tmp_path / "1.rung")
    run("sign", model, "--key", foreign_key, "-o", tmp_path / "2.rung")
    assert (tmp_path / "1.rung").read_bytes()[:-64] == (tmp_path / "2.rung").read_bytes()[:-64]
    run("verify", tmp_path / "1.rung", "--trust", public(foreign_key))


def test_many_signatures_of_all_lengths_are_taken(model, foreign_key):
    """The DER of a signature has 70 to 72 bytes, now and then less."""
    lengths = set()
    for _ in range(24):
        der, _ = sign(model, foreign_key)
        lengths.add(der.stat().st_size)
        run("attach", model, der, "--public-key", public(foreign_key), "-o", model.with_suffix(".out.rung"))
    assert len(lengths) > 1


def test_the_digest_is_for_one_key_and_leaves_the_model_alone(model, foreign_key, keys):
    before = model.read_bytes()
    mine = run("digest", model, "--public-key", public(foreign_key)).out
    assert mine == run("digest", model, "--public-key", public(foreign_key)).out
    assert mine != run("digest", model, "--public-key", keys / "key.pub.pem").out
    assert model.read_bytes() == before


def wrong_key(model, foreign_key, keys):
    return sign(model, foreign_key)[0], keys / "key.pub.pem"


def other_message(model, foreign_key, keys):
    der, _ = sign(model, foreign_key)
    openssl("dgst", "-sha256", "-sign", foreign_key, "-out", der, keys / "key.pub.pem")
    return der, public(foreign_key)


def flipped(model, foreign_key, keys):
    _, raw = sign(model, foreign_key)
    content = bytearray(raw.read_bytes())
    content[40] ^= 1
    raw.write_bytes(content)
    return raw, public(foreign_key)


def cut(model, foreign_key, keys):
    der, _ = sign(model, foreign_key)
    der.write_bytes(der.read_bytes()[:-1])
    return der, public(foreign_key)


def extended(model, foreign_key, keys):
    der, _ = sign(model, foreign_key)
    der.write_bytes(der.read_bytes() + b"\n")
    return der, public(foreign_key)


def empty(model, foreign_key, keys):
    _, raw = sign(model, foreign_key)
    raw.write_bytes(b"")
    return raw, public(foreign_key)


def zeros(model, foreign_key, keys):
    _, raw = sign(model, foreign_key)
    raw.write_bytes(bytes(64))
    return raw, public(foreign_key)


@pytest.mark.parametrize("make", [wrong_key, other_message, flipped, cut, extended, empty, zeros])
def test_a_wrong_signature_is_refused_and_nothing_is_written(model, foreign_key, keys, make):
    signature, key = make(model, foreign_key, keys)
    before, names = model.read_bytes(), sorted(model.parent.iterdir())
    assert str(signature) in sentence(run("attach", model, signature, "--public-key", key, status=4))
    assert "no signature" in sentence(run("attach", model, signature, "--public-key", key, "-o",
                                          model.with_suffix(".out.rung"), status=4))
    assert model.read_bytes() == before and sorted(model.parent.iterdir()) == names


def test_keys_of_another_kind_and_files_that_are_missing_are_sentences(model, foreign_key, tmp_path):
    openssl("ecparam", "-name", "secp384r1", "-genkey", "-noout", "-out", tmp_path / "p384.pem")
    openssl("pkey", "-in", tmp_path / "p384.pem", "-pubout", "-out", tmp_path / "p384.pub.pem")
    assert "P-256" in sentence(run("digest", model, "--public-key", tmp_path / "p384.pub.pem", status=2))
    assert "BEGIN PUBLIC KEY" in sentence(run("digest", model, "--public-key", foreign_key, status=2))
    for arguments in (["digest", tmp_path / "missing"], ["attach", tmp_path / "missing", model],
                      ["attach", model, tmp_path / "missing"]):
        assert "missing" in sentence(run(*arguments, "--public-key", public(foreign_key), status=5))


def test_a_damaged_model_is_neither_digested_nor_signed(model, foreign_key):
    der, _ = sign(model, foreign_key)
    content = bytearray(model.read_bytes())
    content[700] ^= 4
    model.write_bytes(content)
    assert "damaged" in sentence(run("digest", model, "--public-key", public(foreign_key), status=4))
    assert "damaged" in sentence(run("attach", model, der, "--public-key", public(foreign_key), status=4))


def test_without_the_public_key_it_says_what_it_is_for(model):
    assert "--public-key" in sentence(run("digest", model, status=2))
    assert "--public-key" in sentence(run("attach", model, model, status=2))
