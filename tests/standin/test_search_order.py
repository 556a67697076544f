# SPDX-License-Identifier: Apache-2.0
"""Libraries that are broken beside one that is not: the good one serves, in whatever order they are found."""

import itertools

import pytest
from standing_in import BUILT, LIBRARY, copy, explain, matrix

# Library, how it is steered, words of its reason.
BROKEN = {
    "no-entry": (BUILT / "no-entry-point.so", "", "it has no OrtGetApiBase"),
    "needs-more": (BUILT / "needs-more.so", "", "undefined symbol"),
    "refuses": (LIBRARY, "load=refuse", "OrtGetApiBase gives nothing"),
    "old": (LIBRARY, "version=1.3.0", "needs version 1.14"),
    "empty": (LIBRARY, "load=no-slots", "does not behave"),
    "asleep": (LIBRARY, "environment=refuse", "the environment was refused"),
}
GOOD = (LIBRARY, "version=1.98.0", None)


@pytest.mark.parametrize("pair", list(itertools.combinations(BROKEN, 2)), ids=" and ".join)
def test_the_good_one_of_three_serves_in_every_order(pair, tmp_path):
    libraries = {name: BROKEN[name] for name in pair} | {"good": GOOD}
    paths = {name: copy(tmp_path / name, built) for name, (built, _, _) in libraries.items()}
    steering = ";".join(f"for={name};{orders}".rstrip(";") for name, (_, orders, _) in libraries.items())
    for order in itertools.permutations(libraries):
        explained = explain(steering, RUNG_RUNTIME_PATH=":".join(str(paths[name].parent) for name in order))
        states = {each["path"]: each for each in explained["runtimes"]}
        for name in order[:order.index("good")]:
            assert states[str(paths[name])]["state"] == "refused" and libraries[name][2] in states[str(paths[name])]["reason"]
        for name in order[order.index("good") + 1:]:
            assert states[str(paths[name])]["state"] == "refused"  # found out in a process of its own
        assert states[str(paths["good"])]["state"] == "loaded" and explained["chosen"]["rung"] == "ort-cpu"
        assert [each["version"] for each in explained["loaded"] if each["name"] == "onnxruntime"] == ["1.98.0"]
    matrix["search", " and ".join(pair)] = "the good one serves, in each of 6 orders"
