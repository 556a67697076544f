# SPDX-License-Identifier: Apache-2.0
"""The command `card`."""

import json
import pathlib

from .. import Refusal, files
from . import __doc__ as about
from . import forms, here, page

SCHEMA = 1
MOST_BYTES = 64 << 10


def read_about(place):
    """What a person wrote about the model; it goes into the page as it is. A pipe will do."""
    path = pathlib.Path(place)
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Refusal(f"{place} cannot be read: {error.strerror}; name a text about the model, or leave --about away")
    if len(data) > MOST_BYTES:
        raise Refusal(f"{place} has more than {MOST_BYTES} bytes; say it shorter")
    try:
        return data.decode().strip()
    except UnicodeDecodeError as error:
        raise Refusal(f"{place} is no UTF-8 at byte {error.start}; save it as UTF-8")


def say(all_forms, arguments):
    name = all_forms[0].info["name"]
    if not arguments.json:
        print(f"{arguments.output}: {name} in {', '.join(form.name for form in all_forms)}")
        return
    rows = [{"file": str(form.path), "form": form.name, "artifact": form.digest, "verdict": form.info["gated"]["verdict"]}
            for form in all_forms]
    print(json.dumps({"schema": SCHEMA, "output": arguments.output, "name": name, "forms": rows}))


def run(arguments):
    told = read_about(arguments.about) if arguments.about else None
    files.must_be_writable(arguments.output)
    files.must_spare(arguments.output, [*arguments.files, arguments.about])
    all_forms = forms.read(arguments.files)
    options = [*(("--trust", arguments.trust) if arguments.trust else ()),
               *(("--allow-unsigned",) if arguments.allow_unsigned else ())]
    measured = here.look(all_forms, options) if arguments.time else None
    files.write_whole(page.page(all_forms, told, measured).encode(), arguments.output)
    say(all_forms, arguments)


def add(commands):
    one = commands.add_parser("card", help="a page about one model with all its forms", description=about)
    one.add_argument("files", metavar="FILE.rung", nargs="+", help="the model files, f32 and the forms made from it")
    one.add_argument("-o", "--output", required=True, metavar="CARD.md", help="the page to write")
    one.add_argument("--about", metavar="TEXT.md", help="where the model comes from, by whom and for what: Markdown for the page")
    one.add_argument("--time", action="store_true", help="tell what serves on this device, and measure each form against f32")
    one.add_argument("--trust", metavar="PATH", help="with --time: trust this public key, or the keys in this folder")
    one.add_argument("--allow-unsigned", action="store_true", help="with --time: run unsigned files, too")
    one.add_argument("--json", action="store_true", help="what was written as one JSON object")
    one.set_defaults(run=run)
