# SPDX-License-Identifier: Apache-2.0
"""Networks that turn a picture into one vector. Those that classify look alike, so the person says what it is."""

from .candidate import Candidate, Family, NotThis, only_output

LEAST_LENGTH, MOST_LENGTH = 16, 65536
NORMALISES = {"LpNormalization", "Div"}
CUT = ("{} are the scores of a classifier, not an embedding; cut the graph at the average over the picture, before the "
       "classifier (onnx.utils.extract_model), and import that")


def recognise(graph, said):
    output = only_output(graph)
    sides = [side for side in output.shape if side != 1]
    if len(sides) != 1 or not LEAST_LENGTH <= sides[0] <= MOST_LENGTH:
        raise NotThis("its output is one vector")
    length = sides[0]
    ends = graph.ends(output.name)
    one = Candidate(None, [("output", output)], [f"output {output}: one vector of {length} numbers"], "embedder",
                    told={"embedding_length": length})
    if ends:
        one.by.append(f"computed by {'/'.join(sorted(ends))} last")
    if "Softmax" in ends or length == len(graph.class_names()):
        one.obstacles.append(CUT.format(output))
    if said.get("embedder.vector") == "classes":
        one.obstacles.append(CUT.format(output))
    one.open["embedder.vector"] = ("embedding: the vector is made to be compared; classes: it is a classifier's "
                                   "scores. Both look alike")
    one.open["tensor.normalised"] = "whether Rung shall divide embeddings by their length" + \
        (" (the graph seems to do it itself)" if ends and ends <= NORMALISES else "")
    return one


FAMILY = Family("embedder", "embedder (a network that classifies, without its classifier)", recognise)
