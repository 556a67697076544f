# SPDX-License-Identifier: Apache-2.0
"""Models whose payload is a folder: what is in it is what was signed, or the model is refused with a sentence."""
import hashlib
import json
import os
import shutil
import socket
import stat
import struct
import subprocess

import pytest
import tiny
from conftest import BUILD, ROOT, clean_environment, json_lines, run, sentence

FILES = {"Manifest.json": b"{}", "Data/model.mlmodel": b"graph" * 100, "Data/weights/weight.bin": b"w" * 300_000,
         "Data/weights/empty": b"", "Data-2": b"sorts before Data/"}


def spec(path, **changes):
    return tiny.spec(path, kind="coreml", providers=None, **{"bundle": "models/tiny.mlpackage", **changes})


def expected_digest(files):
    """As docs/artifact.md says."""
    digest = hashlib.sha256()
    for path, content in sorted((name.encode(), content) for name, content in files.items()):
        digest.update(struct.pack("<I", len(path)) + path + struct.pack("<Q", len(content)) + content)
    return digest.hexdigest()


class Bundle:
    """A signed model, its bundle, and a cache that is this test's own."""

    def __init__(self, folder, keys):
        self.folder, self.keys = folder, keys
        self.root = folder / "models" / "tiny.mlpackage"
        for name, content in FILES.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_bytes(content)
        self.model = folder / "tiny.rung"
        self.cache = folder / "cache"
        self.copy = self.cache / "rung" / "bundles" / expected_digest(FILES)
        self.pack()

    def pack(self, status=0, **changes):
        return run("pack", spec(self.folder / "spec.json", **changes), "-o", self.model, "--key",
                   self.keys / "key.pem", status=status)

    def verify(self, status=0):
        return run("verify", self.model, "--trust", self.keys / "key.pub.pem", status=status)

    def load(self, status=3, **environment):
        """Nothing of this version takes a bundle, which is said once it is admitted: status 3."""
        return run("explain", "-m", self.model, "--trust", self.keys / "key.pub.pem", status=status,
                   environment=clean_environment(XDG_CACHE_HOME=str(self.cache), **environment))

    def copied(self):
        return {str(path.relative_to(self.copy)): path.read_bytes() for path in self.copy.rglob("*") if path.is_file()}

    def assert_refused(self, *words):
        """By every command that reads it, with 4 and a sentence; nothing comes into the cache."""
        told = sentence(self.verify(4))
        assert str(self.model) in told and all(word in told for word in words), told
        assert all(word in self.load(4).err for word in words)
        assert all(word in sentence(run("inspect", self.model, status=4)) for word in words)
        assert not self.copy.exists() and not list(self.copy.parent.glob(".part"))


@pytest.fixture
def bundle(tmp_path, keys):
    return Bundle(tmp_path, keys)


# ---- what is admitted


def test_a_signed_bundle_verifies_and_tells_what_it_is(bundle):
    bundle.verify()
    report = json.loads(run("inspect", "--json", bundle.model).out)
    assert report["kind"] == "coreml" and report["bundle"] == "models/tiny.mlpackage"
    assert report["digest"] == expected_digest(FILES)
    assert report["bundle_files"] == len(FILES) and report["bundle_bytes"] == sum(map(len, FILES.values()))
    assert report["providers"] == ["coreml"]


def test_the_header_says_bundle_and_the_payload_is_the_locator(bundle):
    content = bundle.model.read_bytes()
    assert struct.unpack_from("<I", content, 12) == (3,) and struct.unpack_from("<I", content, 124) == (2,)
    assert content[24:56].hex() == expected_digest(FILES)
    _, _, offset, size = struct.unpack_from("<IIQQ", content, 256)
    assert content[offset:offset + size] == b"models/tiny.mlpackage"


def test_no_rung_of_this_version_takes_it_and_that_is_said_after_admission(bundle):
    assert "no rung can run it" in bundle.load().err
    assert "no rung can run it" in run("explain", "-m", bundle.model, "--trust", bundle.keys / "key.pub.pem", "--rung",
                                       "dummy", status=3, environment=clean_environment(HOME=str(bundle.folder))).err
    assert bundle.copied() == FILES
    assert (bundle.folder / ".cache/rung/bundles").is_dir()


def test_an_inspected_spec_packs_to_the_same_bytes(bundle):
    run("pack", spec(bundle.folder / "spec.json"), "-o", bundle.folder / "1.rung")
    (bundle.folder / "again.json").write_text(run("inspect", "--spec", bundle.folder / "1.rung").out)
    run("pack", bundle.folder / "again.json", "-o", bundle.folder / "2.rung")
    assert (bundle.folder / "1.rung").read_bytes() == (bundle.folder / "2.rung").read_bytes()


def test_the_order_of_creation_and_empty_folders_do_not_count(bundle):
    shutil.rmtree(bundle.root)
    for name in reversed(FILES):
        (bundle.root / name).parent.mkdir(parents=True, exist_ok=True)
        (bundle.root / name).write_bytes(FILES[name])
    (bundle.root / "Data" / "nothing here").mkdir()
    bundle.verify()
    bundle.load()
    assert bundle.copied() == FILES


def test_the_model_file_may_be_signed_again(bundle, keys):
    run("sign", bundle.model, "--key", keys / "other.pem", "-o", bundle.folder / "other.rung")
    run("verify", bundle.folder / "other.rung", "--trust", keys / "other.pub.pem")


# ---- the private copy


def test_the_copy_is_the_users_alone_and_marked_as_a_cache(bundle):
    old = os.umask(0)
    try:
        bundle.load()
    finally:
        os.umask(old)
    assert (bundle.cache / "rung/CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")
    for path in [bundle.cache / "rung", *(bundle.cache / "rung").rglob("*")]:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == 0o700 if path.is_dir() else mode in (0o400, 0o600), (path, oct(mode))
    assert bundle.copied() == FILES


def test_a_copy_that_is_there_is_used_again(bundle):
    bundle.load()
    before = {path: path.stat().st_ino for path in bundle.copy.rglob("*")}
    bundle.load()
    assert before == {path: path.stat().st_ino for path in bundle.copy.rglob("*")}


@pytest.mark.parametrize("damage", ["change", "remove", "add", "link", "empty"])
def test_a_damaged_copy_is_made_anew(bundle, damage):
    bundle.load()
    victim = bundle.copy / "Data/model.mlmodel"
    if damage == "change":
        victim.chmod(0o600)
        victim.write_bytes(b"graph" * 99 + b"grapf")
    elif damage == "add":
        (bundle.copy / "more").write_bytes(b"")
    elif damage == "empty":
        shutil.rmtree(bundle.copy)
        bundle.copy.mkdir()
    else:
        victim.unlink()
        if damage == "link":
            victim.symlink_to(bundle.root / "Data/model.mlmodel")
    bundle.load()
    assert bundle.copied() == FILES and not victim.is_symlink()


def test_what_a_dead_process_left_is_cleared_away(bundle):
    left = bundle.copy.parent / ".part" / "Data"
    bundle.load()
    shutil.rmtree(bundle.copy)
    left.mkdir(parents=True)
    (left / "half").write_bytes(b"x")
    (left / "away").symlink_to(bundle.root)
    bundle.load()
    assert bundle.copied() == FILES and not left.parent.exists()
    assert (bundle.root / "Data-2").exists()


@pytest.mark.parametrize("place", ["rung", "rung/bundles"])
def test_a_cache_in_which_others_may_write_is_refused(bundle, place):
    bundle.load()
    (bundle.cache / place).chmod(0o770)
    assert place in bundle.load(4).err


def test_a_cache_that_others_may_replace_is_refused(bundle):
    bundle.cache.mkdir()
    bundle.cache.chmod(0o777)
    assert "replace" in bundle.load(4).err
    bundle.cache.chmod(0o1777)
    bundle.load()


def test_a_cache_that_is_a_link_is_refused(bundle):
    bundle.cache.mkdir()
    (bundle.folder / "elsewhere").mkdir(mode=0o700)
    (bundle.cache / "rung").symlink_to(bundle.folder / "elsewhere")
    assert "symbolic link" in bundle.load(4).err


def test_without_a_cache_bundles_are_not_loaded_but_verified(bundle):
    environment = clean_environment()
    del environment["HOME"]
    result = run("explain", "-m", bundle.model, "--trust", bundle.keys / "key.pub.pem", status=5,
                 environment=environment)
    assert "XDG_CACHE_HOME" in result.err
    run("verify", bundle.model, "--trust", bundle.keys / "key.pub.pem", environment=environment)


def test_looking_writes_nothing(bundle):
    environment = clean_environment(XDG_CACHE_HOME=str(bundle.cache))
    run("verify", bundle.model, "--trust", bundle.keys / "key.pub.pem", environment=environment)
    run("inspect", bundle.model, environment=environment)
    assert not bundle.cache.exists()


# ---- what is refused


def change(bundle):
    (bundle.root / "Data/model.mlmodel").write_bytes(b"graph" * 99 + b"grapf")


def add(bundle):
    (bundle.root / "Data/more").write_bytes(b"")


def remove(bundle):
    (bundle.root / "Data/weights/empty").unlink()


def rename(bundle):
    (bundle.root / "Data-2").rename(bundle.root / "Data-3")


def move_a_byte(bundle):
    """From the end of one file to the beginning of the next."""
    (bundle.root / "Data/model.mlmodel").write_bytes(b"graph" * 99 + b"grap")
    (bundle.root / "Data/weights/empty").write_bytes(b"h")


@pytest.mark.parametrize("damage", [change, add, remove, rename, move_a_byte])
def test_what_was_changed_after_signing_is_refused(bundle, damage):
    damage(bundle)
    bundle.assert_refused("changed, added, removed or renamed", "tiny.mlpackage")


@pytest.mark.parametrize("damage", [change, add, remove, rename, move_a_byte])
def test_a_good_copy_in_the_cache_does_not_hide_a_change(bundle, damage):
    bundle.load()
    damage(bundle)
    assert "changed, added, removed or renamed" in bundle.load(4).err
    assert bundle.copied() == FILES


def replace_by_link(bundle, path):
    path.rename(bundle.folder / "moved")
    path.symlink_to(bundle.folder / "moved")


def link_a_file(bundle):
    replace_by_link(bundle, bundle.root / "Manifest.json")


def link_a_folder(bundle):
    replace_by_link(bundle, bundle.root / "Data/weights")


def link_to_nothing(bundle):
    (bundle.root / "more").symlink_to("/nonexistent")


def link_the_bundle(bundle):
    replace_by_link(bundle, bundle.root)


def link_a_folder_above(bundle):
    replace_by_link(bundle, bundle.root.parent)


def link_hard(bundle):
    os.link(bundle.root / "Manifest.json", bundle.folder / "second name")


def make_fifo(bundle):
    (bundle.root / "Manifest.json").unlink()
    os.mkfifo(bundle.root / "Manifest.json")


def make_socket(bundle):
    here = os.getcwd()
    os.chdir(bundle.root)
    try:
        socket.socket(socket.AF_UNIX).bind("socket")
    finally:
        os.chdir(here)


@pytest.mark.parametrize("damage,words", [
    (link_a_file, ["Manifest.json", "symbolic link"]),
    (link_a_folder, ["Data/weights", "symbolic link"]),
    (link_to_nothing, ["more", "symbolic link"]),
    (link_the_bundle, ["tiny.mlpackage", "symbolic link"]),
    (link_a_folder_above, ["models", "symbolic link"]),
    (link_hard, ["Manifest.json", "hard link"]),
    (make_fifo, ["Manifest.json", "FIFO"]),
    (make_socket, ["socket"]),
])
def test_what_is_no_file_of_the_bundle_alone_is_refused(bundle, damage, words):
    damage(bundle)
    bundle.assert_refused(*words)
    bundle.pack(4)


def test_more_than_4096_files_are_refused(bundle):
    for i in range(4097 - len(FILES)):
        (bundle.root / f"{i}").touch()
    bundle.assert_refused("more than 4096 files")
    assert "4096" in sentence(bundle.pack(4))
    (bundle.root / "0").unlink()
    bundle.pack()
    bundle.verify()


def test_more_than_4096_folders_are_refused(bundle):
    for i in range(4097 - 2):
        (bundle.root / f"{i}").mkdir()
    bundle.assert_refused("more than 4096 folders")


def test_paths_above_1024_bytes_are_refused(bundle):
    folder = bundle.root
    for _ in range(4):
        folder /= "d" * 250
    folder.mkdir(parents=True)
    (folder / ("f" * 20)).touch()  # 4 × 251 + 20
    assert len(str((folder / ("f" * 20)).relative_to(bundle.root))) == 1024
    bundle.pack()
    bundle.verify()
    (folder / ("f" * 20)).rename(folder / ("f" * 21))
    bundle.assert_refused("1024")


def test_more_than_4_gib_are_refused(bundle):
    with open(bundle.root / "large", "wb") as file:
        file.truncate((4 << 30) - sum(map(len, FILES.values())) + 1)
    bundle.assert_refused("more than 4 GiB")


@pytest.mark.parametrize("folders", [[], ["a/b"]])
def test_a_bundle_without_files_is_refused(bundle, folders):
    shutil.rmtree(bundle.root)
    for folder in ["", *folders]:
        (bundle.root / folder).mkdir(parents=True)
    bundle.assert_refused("no file")
    bundle.pack(4)


def test_a_missing_bundle_is_refused(bundle):
    shutil.rmtree(bundle.root)
    bundle.assert_refused("missing", "tiny.mlpackage")
    assert "tiny.mlpackage" in sentence(bundle.pack(5))


def test_a_file_in_the_bundles_place_is_refused(bundle):
    shutil.rmtree(bundle.root)
    bundle.root.write_bytes(b"")
    bundle.assert_refused("tiny.mlpackage", "regular file")


def test_a_model_that_is_no_file_at_all_stays_an_io_error(bundle):
    bundle.model.unlink()
    bundle.model.mkdir()
    sentence(bundle.verify(5))


BAD_LOCATORS = ["..", ".", "../tiny.mlpackage", "models/../models/tiny.mlpackage", "models/./tiny.mlpackage", "/tmp",
                "/", "models/tiny.mlpackage/", "models//tiny.mlpackage", "", "a b", "a\\b", "C:x", "h\u00e9", "a/" * 128 + "b"]


@pytest.mark.parametrize("locator", BAD_LOCATORS)
def test_a_spec_whose_locator_leads_elsewhere_is_refused(bundle, locator):
    bundle.model.unlink()
    assert "locator" in sentence(bundle.pack(2, bundle=locator))
    assert not bundle.model.exists()


def forge(bundle, locator):
    """The packed file with another locator, signed by a trusted key all the same."""
    content = bundle.model.read_bytes()
    head, rest = bytearray(content[:-64]), locator.encode()
    _, _, offset, size = struct.unpack_from("<IIQQ", head, 256)
    after = struct.unpack_from("<IIQQ", head, 280)[2]
    assert len(rest) <= after - offset
    head[offset:after] = rest.ljust(after - offset, b"\0")
    struct.pack_into("<Q", head, 256 + 16, len(rest))
    message, signature = bundle.folder / "message", bundle.folder / "signature"
    message.write_bytes(head)
    subprocess.run(["openssl", "dgst", "-sha256", "-sign", bundle.keys / "key.pem", "-out", signature, message],
                   check=True)
    bundle.model.write_bytes(bytes(head) + raw_signature(signature.read_bytes()))


def raw_signature(der):
    size = der[3]
    r, s = der[4:4 + size], der[6 + size:]
    return b"".join(int.from_bytes(part, "big").to_bytes(32, "big") for part in (r, s))


@pytest.mark.parametrize("locator", ["..", ".", "../tiny.mlpackage", "models/../models", "/tmp", "/etc/passwd", "a//b",
                                     "a b", "a/", "a\0b"])
def test_a_signed_locator_that_leads_elsewhere_is_refused_too(bundle, locator):
    forge(bundle, "models/tiny.mlpackage")
    bundle.verify()
    forge(bundle, locator)
    bundle.assert_refused("locator")


def test_a_bundle_of_another_kind_and_a_kind_without_its_bundle_are_refused(bundle):
    for offset, value in ((12, 1), (124, 1), (124, 3)):
        content = bytearray(bundle.model.read_bytes())
        struct.pack_into("<I", content, offset, value)
        (bundle.folder / "other.rung").write_bytes(content)
        assert "bundle" in sentence(run("inspect", bundle.folder / "other.rung", status=4))


def test_a_spec_names_either_a_graph_or_a_bundle(bundle):
    graph = tiny.graph(bundle.folder / "tiny.onnx")
    assert "bundle" in sentence(bundle.pack(2, bundle=None))
    assert "graph" in sentence(bundle.pack(2, graph="tiny.onnx"))
    assert "graph" in sentence(run("pack", spec(bundle.folder / "s.json"), graph, "-o", bundle.model, status=2))
    assert "coreml" in sentence(run("pack", tiny.spec(bundle.folder / "s.json", bundle="models/tiny.mlpackage"), graph,
                                    "-o", bundle.model, status=2))


def test_nothing_of_the_bundle_is_read_before_the_signature_is_good(bundle):
    """A bundle that would be refused for itself shows whether it was looked at."""
    make_fifo(bundle)
    content = bytearray(bundle.model.read_bytes())
    content[-1] ^= 1
    bundle.model.write_bytes(content)
    assert "signature" in sentence(bundle.verify(4))


# ---- races


def swapping(bundle, moment, **more):
    """The environment of a rung in which a preloaded library swaps a file of the bundle at a moment."""
    shim = bundle.folder / "shim.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", shim, ROOT / "tests/cli/swap_in_bundle.c"],
                   check=True)
    preload = [str(shim)]
    if BUILD.name.endswith("asan"):
        asan = subprocess.run(["cc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
        preload.insert(0, asan.stdout.strip())
    (bundle.folder / "evil").write_bytes(b"evil!" * 100)
    return dict(LD_PRELOAD=":".join(preload), SWAP_MOMENT=moment, SWAP_FROM=str(bundle.folder / "evil"),
                SWAP_TO=str(bundle.root / "Data/model.mlmodel"), **more)


def test_a_file_that_is_swapped_before_it_is_read_is_refused(bundle):
    assert "changed, added, removed or renamed" in bundle.load(4, **swapping(bundle, "open")).err
    assert not bundle.copy.exists() and not (bundle.copy.parent / ".part").exists()


def test_a_file_that_is_swapped_for_a_link_before_it_is_read_is_refused(bundle):
    (bundle.folder / "link").symlink_to(bundle.folder / "evil")
    environment = swapping(bundle, "open")
    environment["SWAP_FROM"] = str(bundle.folder / "link")
    result = bundle.load(4, **environment)
    assert "symbolic link" in result.err
    assert not bundle.copy.exists()


def test_a_file_that_is_swapped_after_it_was_verified_is_not_what_is_loaded(bundle):
    """What is loaded is the copy, and that is what was verified."""
    assert "no rung can run it" in bundle.load(3, **swapping(bundle, "rename")).err
    assert (bundle.root / "Data/model.mlmodel").read_bytes().startswith(b"evil!")
    assert bundle.copied() == FILES


def test_many_at_once_make_one_good_copy(bundle):
    environment = clean_environment(XDG_CACHE_HOME=str(bundle.cache))
    command = [BUILD / "cli" / "rung", "explain", "-m", bundle.model, "--trust", bundle.keys / "key.pub.pem"]
    started = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
               for _ in range(8)]
    for process in started:
        assert b"no rung can run it" in process.communicate(timeout=120)[1]
    assert bundle.copied() == FILES
    assert sorted(path.name for path in bundle.copy.parent.iterdir()) == [".lock", bundle.copy.name]
