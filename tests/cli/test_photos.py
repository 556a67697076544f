# SPDX-License-Identifier: Apache-2.0
"""Any photograph becomes upright 8-bit sRGB, or a reason why not."""
import hashlib
import io
import os
import struct
import subprocess
import zlib

import profiles
import pytest
from conftest import BUILD, clean_environment
from PIL import Image, ImageCms
from probe import PROBE, decode, distance, listing

ORIENTATIONS = {2: Image.FLIP_LEFT_RIGHT, 3: Image.ROTATE_180, 4: Image.FLIP_TOP_BOTTOM, 5: Image.TRANSPOSE,
                6: Image.ROTATE_90, 7: Image.TRANSVERSE, 8: Image.ROTATE_270}  # from upright to as stored
LOSSLESS = {"png": {}, "tif": {}, "webp": {"lossless": True, "exact": True}, "bmp": {}}


def scene(width=150, height=100, mode="RGB"):
    """A picture whose corners differ, and that no turn or mirror leaves as it was."""
    ramps = [Image.linear_gradient("L"), Image.linear_gradient("L").transpose(Image.ROTATE_90), Image.radial_gradient("L")]
    return Image.merge("RGB", ramps).resize((width, height)).convert(mode)


def saved(path, image, **options):
    image.save(path, **options)
    return path


def assert_is(line, image):
    """To the last bit."""
    assert line["status"] == "ok", line
    assert (line["width"], line["height"]) == image.size
    assert line["sha256"] == hashlib.sha256(image.convert("RGB").tobytes()).hexdigest()


@pytest.mark.parametrize("ending", ["png", "tif", "webp"])
@pytest.mark.parametrize("size", [(150, 100), (1, 7), (7, 1), (130, 65)], ids=str)
def test_each_orientation_is_turned_upright(tmp_path, ending, size):
    wanted = scene(*size)
    for orientation, turn in ORIENTATIONS.items():
        exif = Image.Exif()
        exif[274] = orientation
        wanted.transpose(turn).save(tmp_path / f"{orientation}.{ending}", exif=exif, **LOSSLESS[ending])
    for line in decode(*(tmp_path / f"{orientation}.{ending}" for orientation in ORIENTATIONS)):
        assert_is(line, wanted)


@pytest.mark.parametrize("orientation", [0, 1, 9, 60000])
def test_an_orientation_that_does_not_exist_turns_nothing(tmp_path, orientation):
    exif = Image.Exif()
    exif[274] = orientation
    scene().save(tmp_path / "a.png", exif=exif)
    assert_is(decode(tmp_path / "a.png")[0], scene())


@pytest.mark.parametrize("ending", LOSSLESS)
def test_a_format_is_told_by_its_content(tmp_path, ending):
    scene().save(tmp_path / f"a.{ending}", **LOSSLESS[ending])
    os.rename(tmp_path / f"a.{ending}", tmp_path / "a.jpg")
    assert_is(decode(tmp_path / "a.jpg")[0], scene())


@pytest.mark.parametrize("ending", ["jpg", "avif", "webp"])
def test_lossy_formats_come_close(tmp_path, ending):
    scene().save(tmp_path / f"a.{ending}", quality=95)
    (line,) = decode(tmp_path / f"a.{ending}")
    (lossless,) = decode(saved(tmp_path / "b.png", scene()))
    for part in ("mean", "topleft", "topright"):
        assert distance(line[part], lossless[part]) < 3


def test_grey_is_replicated_and_a_palette_expanded(tmp_path):
    grey, palette = scene(mode="L"), scene().quantize(16)
    bilevel = scene(mode="1")
    lines = decode(saved(tmp_path / "g.png", grey), saved(tmp_path / "g.tif", grey), saved(tmp_path / "p.png", palette),
                   saved(tmp_path / "p.gif", palette), saved(tmp_path / "b.png", bilevel), saved(tmp_path / "g.bmp", grey),
                   saved(tmp_path / "p.bmp", palette), saved(tmp_path / "b.bmp", bilevel), saved(tmp_path / "b.tif", bilevel))
    for line, wanted in zip(lines, (grey, grey, palette, palette, bilevel, grey, palette, bilevel, bilevel)):
        assert_is(line, wanted)


@pytest.mark.parametrize("bits", [24, 32])
def test_a_bitmap_may_be_stored_top_first(tmp_path, bits):
    width, height = 5, 3
    image = scene(width, height)
    rows = b""
    for y in range(height):
        row = b"".join(bytes(image.getpixel((x, y))[::-1]) + bytes(bits // 8 - 3) for x in range(width))
        rows += row + bytes(-len(row) % 4)
    header = struct.pack("<2sIxxxxIIiiHHI24x", b"BM", 54 + len(rows), 54, 40, width, -height, 1, bits, 0)[:54]
    (tmp_path / "a.bmp").write_bytes(header + rows)
    (tmp_path / "packed.bmp").write_bytes(header[:30] + b"\x01" + header[31:] + rows)
    first, second = decode(tmp_path / "a.bmp", tmp_path / "packed.bmp")
    assert_is(first, image)
    assert second["code"] == "UNSUPPORTED"


def test_the_first_frame_counts(tmp_path):
    frames = [Image.new("RGB", (40, 30), colour) for colour in ("red", "lime", "blue")]
    for ending in ("gif", "tif", "webp", "png"):
        options = {"lossless": True} if ending == "webp" else {}
        frames[0].save(tmp_path / f"a.{ending}", save_all=True, append_images=frames[1:], **options)
        (line,) = decode(tmp_path / f"a.{ending}")
        assert line["mean"] == [255, 0, 0] and (line["width"], line["height"]) == (40, 30), ending


def test_alpha_is_left_aside(tmp_path):
    """Transparent or not, the colours are those that are stored."""
    image = scene(mode="RGBA")
    image.putalpha(Image.linear_gradient("L").resize(image.size))
    for name, options in (("a.png", {}), ("a.tif", {}), ("a.webp", LOSSLESS["webp"])):
        assert_is(decode(saved(tmp_path / name, image, **options))[0], scene())
    grey = scene(mode="LA")
    grey.putalpha(Image.linear_gradient("L").resize(image.size))
    assert_is(decode(saved(tmp_path / "g.png", grey))[0], scene(mode="L"))


def png(width, height, bits, colour, rows):
    """Pillow writes no 16-bit colour."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + chunk(b"IEND", b""))


@pytest.mark.parametrize("channels, colour", [(1, 0), (2, 4), (3, 2), (4, 6)])
def test_16_bits_are_scaled(tmp_path, channels, colour):
    """All values of 16 bits: the upper byte is the result."""
    values = [[(256 * y + x + 4711 * c) % 65536 for x in range(256) for c in range(channels)] for y in range(256)]
    rows = [struct.pack(f">{256 * channels}H", *row) for row in values]
    (tmp_path / "a.png").write_bytes(png(256, 256, 16, colour, rows))
    upper = [[value >> 8 for value in row] for row in values]
    used = 1 if channels < 3 else 3
    pixels = bytes(row[x * channels + c] for row in upper for x in range(256) for c in range(used))
    wanted = Image.frombytes("L" if used == 1 else "RGB", (256, 256), pixels)
    assert_is(decode(tmp_path / "a.png")[0], wanted)


def test_float_samples_are_refused_by_name(tmp_path):
    saved(tmp_path / "a.tif", Image.new("F", (8, 8), 0.5))
    (line,) = decode(tmp_path / "a.tif")
    assert line["code"] == "UNSUPPORTED" and "float" in line["message"]


def srgb_profile():
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


@pytest.mark.parametrize("name", ["DISPLAY_P3", "ADOBE_RGB"])
def test_a_profile_is_applied(tmp_path, name):
    profile = profiles.rgb(*getattr(profiles, name))
    image = scene()
    wanted = ImageCms.profileToProfile(image, io.BytesIO(profile), ImageCms.createProfile("sRGB"))
    lines = decode(saved(tmp_path / "a.png", image, icc_profile=profile), saved(tmp_path / "wanted.png", wanted),
                   saved(tmp_path / "a.tif", image, icc_profile=profile), saved(tmp_path / "plain.png", image))
    for part in ("mean", "topleft", "topright"):
        assert distance(lines[0][part], lines[1][part]) < 1.5
        assert distance(lines[0][part], lines[2][part]) == 0
    assert distance(lines[0]["topright"], lines[3]["topright"]) > 5


def test_a_profile_is_applied_with_alpha_and_orientation(tmp_path):
    profile = profiles.rgb(*profiles.ADOBE_RGB)
    exif = Image.Exif()
    exif[274] = 6
    turned = scene(mode="RGBA").transpose(ORIENTATIONS[6])
    lines = decode(saved(tmp_path / "a.png", turned, icc_profile=profile, exif=exif),
                   saved(tmp_path / "b.png", scene(), icc_profile=profile))
    assert lines[0]["sha256"] == lines[1]["sha256"]


def test_a_grey_profile_is_applied(tmp_path):
    (line,) = decode(saved(tmp_path / "a.png", Image.new("L", (40, 30), 100), icc_profile=profiles.grey(1.8)))
    assert distance(line["mean"], [119] * 3) <= 1  # 255 * srgb((100 / 255) ** 1.8)


@pytest.mark.parametrize("profile", [srgb_profile(), b"nonsense" * 40, srgb_profile()[:300], profiles.grey(1.8),
                                     profiles.rgb(*profiles.ADOBE_RGB)[:128] + bytes(400)],
                         ids=["sRGB", "nonsense", "cut", "grey", "empty"])
def test_a_profile_of_srgb_or_a_broken_one_changes_nothing(tmp_path, profile):
    assert_is(decode(saved(tmp_path / "a.png", scene(), icc_profile=profile))[0], scene())


def test_cmyk_without_a_profile_is_plain_ink(tmp_path):
    image = scene().convert("CMYK")
    for name, options in (("a.tif", {}), ("a.jpg", {"quality": 100, "subsampling": 0})):
        lines = decode(saved(tmp_path / name, image, **options), saved(tmp_path / "b.png", image.convert("RGB")))
        for part in ("mean", "topleft", "topright"):
            assert distance(lines[0][part], lines[1][part]) < 2, name
    misfit = saved(tmp_path / "c.tif", image, icc_profile=profiles.rgb(*profiles.ADOBE_RGB))
    assert decode(misfit)[0]["sha256"] == decode(tmp_path / "a.tif")[0]["sha256"]


CUT = {"jpg": {}, "progressive.jpg": {"progressive": True}, "png": {}, "webp": {}, "lossless.webp": {"lossless": True},
       "gif": {}, "tif": {}, "lzw.tif": {"compression": "tiff_lzw"}, "avif": {}, "bmp": {}}


@pytest.mark.parametrize("ending", CUT)
def test_a_file_that_ends_too_early_is_told_as_that(tmp_path, ending):
    whole = tmp_path / f"whole.{ending}"
    scene(301, 203).save(whole, **CUT[ending])
    content = whole.read_bytes()
    paths = []
    for percent in (3, 20, 50, 80, 97):
        paths.append(tmp_path / f"{percent}.{ending}")
        paths[-1].write_bytes(content[:len(content) * percent // 100])
    assert decode(whole)[0]["status"] == "ok"
    for path, line in zip(paths, decode(*paths)):
        assert line["status"] == "error" and line["code"] in ("TRUNCATED", "CORRUPT"), (path.name, line)
    assert decode(paths[2])[0]["code"] == "TRUNCATED", decode(paths[2])


def test_damage_is_no_picture(tmp_path):
    content = bytearray(saved(tmp_path / "a.png", scene()).read_bytes())
    content[len(content) // 2] ^= 0x55
    (tmp_path / "a.png").write_bytes(content)
    assert decode(tmp_path / "a.png")[0]["code"] == "CORRUPT"


def test_the_pixel_limit_holds_before_decoding(tmp_path):
    paths = [saved(tmp_path / name, scene(), **options) for name, options in
             (("a.jpg", {}), ("a.png", {}), ("a.webp", {}), ("a.tif", {}), ("a.gif", {}), ("a.avif", {}), ("a.bmp", {}))]
    for line in decode(*paths, options=("--max", 150 * 100 - 1)):
        assert line["code"] == "TOO_LARGE" and "150" in line["message"] and "14999" in line["message"]
    for line in decode(*paths, options=("--max", 150 * 100)):
        assert line["status"] == "ok"
    (tmp_path / "bomb.png").write_bytes(png(60000, 60000, 8, 2, [bytes(100)]))
    (line,) = decode(tmp_path / "bomb.png")
    assert line["code"] == "TOO_LARGE"


def test_a_side_is_limited_too(tmp_path):
    (tmp_path / "a.png").write_bytes(png(65536, 1, 8, 0, [bytes(65536)]))
    (tmp_path / "b.png").write_bytes(png(65535, 1, 8, 0, [bytes(65535)]))
    assert [line["status"] for line in decode(tmp_path / "a.png", tmp_path / "b.png")] == ["error", "ok"]


def test_what_is_no_picture_has_a_reason(tmp_path):
    (tmp_path / "text.jpg").write_text("this is no picture")
    (tmp_path / "empty.jpg").write_bytes(b"")
    (tmp_path / "folder.jpg").mkdir()
    (tmp_path / "drawing.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    os.mkfifo(tmp_path / "fifo.jpg")
    (tmp_path / "loop.jpg").symlink_to("loop.jpg")
    names = ("text.jpg", "empty.jpg", "folder.jpg", "drawing.svg", "fifo.jpg", "loop.jpg", "missing.jpg")
    lines = decode(*(tmp_path / name for name in names))
    assert [line["code"] for line in lines] == ["NOT_AN_IMAGE", "NOT_AN_IMAGE", "DIRECTORY", "UNSUPPORTED",
                                                "NOT_AN_IMAGE", "IO", "IO"]
    assert all(len(line["message"]) > 7 for line in lines)


def test_a_reused_buffer_leaves_nothing_behind(tmp_path):
    """Small after big, bad in between, bigger at the end: as each alone."""
    sizes = ((400, 300), (30, 20), (401, 299), (1, 1), (900, 700), (30, 20))
    paths = [saved(tmp_path / f"{i}.png", scene(*size)) for i, size in enumerate(sizes)]
    bad = tmp_path / "bad.png"
    bad.write_bytes(paths[4].read_bytes()[:5000])
    for line, size in zip(decode(*paths), sizes):
        assert_is(line, scene(*size))
    lines = decode(paths[0], bad, paths[1], bad, paths[4])
    assert [line["status"] for line in lines] == ["ok", "error", "ok", "error", "ok"]
    assert_is(lines[2], scene(*sizes[1]))
    assert_is(lines[4], scene(*sizes[4]))


def test_threads_get_what_one_gets(tmp_path):
    """Also the sentences of failures that meet."""
    paths = [saved(tmp_path / f"{i}.png", scene(90 + i, 60)) for i in range(6)]
    paths += [saved(tmp_path / "a.jpg", scene()), saved(tmp_path / "a.avif", scene()), saved(tmp_path / "a.webp", scene()),
              saved(tmp_path / "p3.png", scene(), icc_profile=profiles.rgb(*profiles.DISPLAY_P3))]
    bad = bytearray(paths[0].read_bytes())
    bad[len(bad) // 2] ^= 0x55
    for name, content in (("bad.png", bad), ("odd.tif", b"II*\0\x08\0\0\0\xff\xff" + bytes(50)),
                          ("odd.avif", paths[7].read_bytes()[:40] + bytes(4000))):
        (tmp_path / name).write_bytes(content)
        paths.append(tmp_path / name)
    paths *= 6
    alone, together = decode(*paths), decode(*paths, options=("--threads", 8))
    for line in alone + together:
        line.pop("ms", None)
    assert alone == together
    assert {line["status"] for line in alone} == {"ok", "error"}


def test_decoding_needs_one_picture_of_memory(tmp_path):
    """Not a second one for turning it: 20 megapixels are 60 MB."""
    if "asan" in BUILD.name:
        pytest.skip("a sanitizer has memory of its own")
    exif = Image.Exif()
    exif[274] = 6
    peaks = []
    for name, image in (("small.jpg", scene()), ("large.jpg", scene(5000, 4000))):
        image.save(tmp_path / name, exif=exif)
        process = subprocess.Popen([PROBE, tmp_path / name], stdout=subprocess.PIPE, env=clean_environment())
        process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        peaks.append(usage.ru_maxrss / 1024)
    assert peaks[1] - peaks[0] < 60 + 15, peaks


def test_names_may_hold_any_bytes(tmp_path):
    content = saved(tmp_path / "a.png", scene()).read_bytes()
    odd = [os.fsencode(tmp_path) + b"/" + name for name in (b"a b [page=7] \xff\n.png", b"-", b"%s,n=-1.gif", b"\xe7\x8c\xab")]
    for path in odd:
        with open(path, "wb") as file:
            file.write(content)
    for line in decode(*odd):
        assert_is(line, scene())


def test_a_folder_is_listed_in_order_without_loops(tmp_path):
    for name in ("b.jfif", "a.JPG", "deep/er/c.bmp", "notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "deep/up").symlink_to(tmp_path)
    (tmp_path / "self.png").symlink_to("self.png")
    root = os.fsencode(tmp_path)
    assert listing(tmp_path) == [(root + b"/" + name, name) for name in (b"a.JPG", b"b.jfif", b"deep/er/c.bmp", b"self.png")]


def test_standard_input_lists_names():
    names = [(b"a/x.jpg", b"x.jpg"), (b" b [1]\xff.png", b" b [1]\xff.png"), (b"-", b"-")]
    for end, options in ((b"\n", []), (b"\0", ["-0"])):
        text = end.join(path for path, _ in names)
        for ending in (b"", end, end + end):
            assert listing(*options, "-", text=text + ending) == names
    assert listing("-0", "-", text=b"two\nlines.jpg\0") == [(b"two\nlines.jpg", b"two\nlines.jpg")]
    assert listing("-", text=b"") == []
    assert listing("first.jpg", "-", "last.jpg", text=b"middle.jpg")[1][0] == b"middle.jpg"
    assert "-0" in listing("-", text=b"a.jpg\0b.jpg\n", status=1)


def test_a_folder_without_pictures_is_told(tmp_path):
    (tmp_path / "empty.jpg").mkdir()
    assert listing(tmp_path / "empty.jpg")[0][0] == os.fsencode(tmp_path / "empty.jpg")
    assert decode(tmp_path / "empty.jpg")[0]["code"] == "DIRECTORY"


def test_a_listed_folder_is_walked(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"")
    assert listing("-", text=os.fsencode(tmp_path)) == [(os.fsencode(tmp_path / "a.jpg"), b"a.jpg")]


def test_equal_names_get_places_of_their_own():
    assert [inside for _, inside in listing("a/x.jpg", "b/x.jpg", "c/x-2.jpg", "d/x.jpg", "e/y", "f/y")] == [
        b"x.jpg", b"x-3.jpg", b"x-2.jpg", b"x-4.jpg", b"y", b"y-2"]


def test_a_long_list_is_fast():
    """200,000 names, all equal: what is quadratic does not come to an end here."""
    listed = listing("-", text=b"\n".join(b"%d/x.jpg" % i for i in range(200000)))
    assert len({inside for _, inside in listed}) == 200000
