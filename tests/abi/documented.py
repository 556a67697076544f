# SPDX-License-Identifier: Apache-2.0
"""Every type and function of the public headers has a comment, and a function's tells on which threads it may be called and what
it can give: itself, by naming a function that it is like, or once for the whole header."""
import pathlib
import re
import sys

FUNCTION = re.compile(r"^RUNG_API (?P<gives>[^;(]*?)\b(?P<name>rung_\w+)\(", re.MULTILINE)
LIKE_ANOTHER = re.compile(r"\b(as|like|form of) rung_\w+|\bThe same\b")


def paragraphs(text):
    """What stands between empty lines, of which a comment has none: a comment with what it is about."""
    return re.split(r"\n\n+", text)


def complaints(text):
    general = " ".join(part for part in paragraphs(text) if part.startswith("/*\n"))
    for part in paragraphs(text):
        comment = " ".join(part[:part.find("*/")].replace("\n *", " ").split()) if part.startswith("/**") else ""
        if re.search("^typedef ", part, re.MULTILINE) and not comment:
            yield part.splitlines()[0] + " has no comment"
        for function in FUNCTION.finditer(part):
            name = function["name"]
            if not comment:
                yield f"{name} has no comment"
                continue
            if "thread" not in comment + general and not LIKE_ANOTHER.search(comment):
                yield f"{name} does not tell on which threads it may be called"
            if "rung_result" in function["gives"] and "esults: " not in comment:
                yield f"{name} does not tell its results"


def main(*headers):
    found = [f"{path.name}: {complaint}" for path in map(pathlib.Path, headers) for complaint in complaints(path.read_text(encoding="utf-8"))]
    print("\n".join(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
