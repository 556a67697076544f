# SPDX-License-Identifier: Apache-2.0
"""How a model file has pictures made into its input and answers into results: all that a measurement rests on besides the
graph. What is shipped is to be handled as what was measured."""

import hashlib
import json

from . import program

# Of a spec what changes neither.
LEFT_OUT = frozenset(("name", "kind", "form", "labels", "capabilities", "licence", "gate", "precision", "canonical", "golden", "graph",
                      "device", "providers", "max_output_bytes"))


def digest(packed):
    """SHA-256 of what the spec of a packed file says of it."""
    spec = program.read("inspect", "--spec", packed)
    kept = {member: value for member, value in spec.items() if member not in LEFT_OUT}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
