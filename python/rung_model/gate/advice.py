# SPDX-License-Identifier: Apache-2.0
"""What to do about a check that was missed."""

FLOAT = "keep the operations that lose most in float (quantize --float-worst), or take 16 bits for activations (--form a16w8)"
BY_NAME = (
    ("outputs are finite", "an output has numbers that are none: quantize again, with other calibration photographs or the "
     "node before that output in float"),
    ("targets of 40 px and more", "the photographs have too little of what the model detects: name more of them"),
    ("found of 40 px and more", "targets are lost: where the confidence of what was lost lies just above the threshold, "
     "--suggest-threshold finds a lower one for the form; else " + FLOAT),
    ("found of", "one band of sizes loses more than the rest: keep the outputs of the stride that finds such sizes in float"),
    ("pictures", "too few photographs: name 30 or more"),
    ("cosines above", "embeddings have moved, and an embedder in this form is not served: " + FLOAT),
    ("interval of the match threshold", "the threshold of a match has moved, so that stored decisions would change: " + FLOAT),
    ("classes", "only one class is on the photographs: name such as have what the model tells apart"),
    ("mean IoU", "masks differ: " + FLOAT),
)


def of(entry):
    """One sentence for each kind of check that was missed."""
    told = []
    for check in entry["checks"]:
        sentence = next((text for name, text in BY_NAME if check["name"].startswith(name)), None)
        if not check["passed"] and sentence and sentence not in told:
            told.append(sentence)
    return told
