# SPDX-License-Identifier: Apache-2.0
"""The gate record of a form: which photographs it was calibrated on, and what its gates measured. It goes into the
model file as it is."""

import json

from .. import Refusal, files
from ..specs import beside, parse, read_json

SCHEMA = 1
MOST_BYTES = 256 << 10  # of a model file's section
NAMED = 3  # photographs in a message
DIGITS = 5


def rounded(value):
    """Figures with as many digits as mean something, so that the record stays small."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return value


def is_list_of_objects(value):
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def check(content, where):
    calibration = content.get("calibration", {})
    if content.get("schema") != SCHEMA or not is_list_of_objects(content.get("gates")):
        raise Refusal(f'{where} is no gate record: it has "schema": {SCHEMA} and a list of "gates"; make it anew by quantizing')
    if not isinstance(calibration, dict) or not is_list_of_objects(calibration.get("photographs", [])):
        raise Refusal(f'{where}: "calibration" has no list of photographs; make the record anew by quantizing')


def parsed(text, where):
    size = len(text.encode(errors="surrogatepass"))
    if size > MOST_BYTES:
        raise Refusal(f"{where} has {size} bytes, and a model file takes {MOST_BYTES}; make it anew by quantizing")
    content = parse(text, where, "make it anew by quantizing")
    check(content, where)
    return content


class Record:
    """Of a spec the file that it names as its gate record, or the text that it holds as one; of a model file what is in it,
    which stays as it is signed. Only a file is written."""

    def __init__(self, model):
        self.path, self.content = None, {"schema": SCHEMA, "gates": []}
        if model.spec is None:
            self.content = model.info.get("gate") or self.content
            check(self.content, f"the gate record in {model.place}")
            return
        match model.spec.get("gate"):
            case {"file": str(name), **others} if not others:
                self.path = beside(model.place, name)
                self.content = self.read()
            case {"text": str(text), **others} if not others:
                self.content = parsed(text, f"the gate record in {model.place}")
            case None:
                pass
            case _:
                raise Refusal(f'{model.place}: "gate" is neither {{"file": …}} nor {{"text": …}}; name the record that quantizing '
                              "wrote")

    def read(self):
        content = read_json(self.path, MOST_BYTES, "the gate record that quantizing wrote")
        check(content, self.path)
        return content

    def calibrated_on(self):
        photographs = self.content.get("calibration", {}).get("photographs", [])
        return {one["sha256"].lower() for one in photographs if isinstance(one.get("sha256"), str)}

    def must_be_disjoint_from(self, photographs):
        known = self.calibrated_on()
        same = [photograph.path.name for photograph in photographs if photograph.digest in known]
        if same:
            more = f" and {len(same) - NAMED} more" if len(same) > NAMED else ""
            raise Refusal(f"{len(same)} of {len(photographs)} photographs are among those that the form was calibrated on: "
                          f"{', '.join(same[:NAMED])}{more}; measure it on others")

    def append(self, entry):
        """In place of one of the same rung and payload. What others have written meanwhile stays."""
        content = self.read()
        place = (entry["rung"], entry["artifact"])
        kept = [gate for gate in content["gates"] if (gate.get("rung"), gate.get("artifact")) != place]
        content["gates"] = [*kept, entry]
        text = json.dumps(content, indent=1)
        if len(text.encode()) > MOST_BYTES:
            text = json.dumps(content, separators=(",", ":"))
        if len(text.encode()) > MOST_BYTES:
            raise Refusal(f"{self.path} would have {len(text.encode())} bytes, and a model file takes {MOST_BYTES}; "
                          "take gates of former payloads out of it")
        files.write_whole((text + "\n").encode(), self.path)
