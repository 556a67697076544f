# SPDX-License-Identifier: Apache-2.0
"""Small ONNX graphs with the tensors of published models: the shapes and names are theirs, the numbers are none."""

import onnx
from onnx import TensorProto, helper

F32, F16 = TensorProto.FLOAT, TensorProto.FLOAT16


def value(name, shape, kind=F32):
    return helper.make_tensor_value_info(name, kind, shape)


def chain(output, kinds):
    """Nodes from the picture to an output, the last kinds as given; shapes do not have to follow."""
    nodes, before = [], "picture"
    for index, kind in enumerate(kinds):
        after = output if index == len(kinds) - 1 else f"{output}.{index}"
        nodes.append(helper.make_node(kind, [before], [after]))
        before = after
    return nodes


def joined(output, *branches):
    """An output that Concat makes of branches, each of them the kinds of its last nodes."""
    names = [f"{output}.branch{index}" for index in range(len(branches))]
    nodes = [node for name, kinds in zip(names, branches) for node in chain(name, kinds)]
    return [*nodes, helper.make_node("Concat", names, [output], axis=1)]


def model(shape, outputs, nodes, opset=17, kind=F32, metadata=None, weights=()):
    graph = helper.make_graph(nodes, "graph", [value("picture", shape, kind)],
                              [value(name, sides, kind) for name, sides in outputs.items()], list(weights))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    helper.set_model_props(made, metadata or {})
    return made


def save(made, path):
    path.write_bytes(made.SerializeToString())
    return path


def names_of(classes):
    return {"names": "{" + ", ".join(f"{index}: 'class {index}'" for index in range(classes)) + "}", "task": "detect"}


def yolov8(classes=80, metadata=None):
    return model([1, 3, 640, 640], {"output0": [1, 4 + classes, 8400]},
                 joined("output0", ["Conv", "Mul"], ["Conv", "Sigmoid"]), metadata=metadata)


def yolov5(classes=80):
    return model([1, 3, 640, 640], {"output0": [1, 25200, 5 + classes]},
                 joined("output0", ["Conv", "Sigmoid", "Mul"], ["Conv", "Sigmoid", "Slice", "Reshape"]))


def yolo_e2e(chosen=True):
    ends = ["Conv", "Sigmoid", "TopK", "Gather"] if chosen else ["Loop"]
    return model([1, 3, 640, 640], {"output0": [1, 300, 6]}, chain("output0", ends))


def yolox(decoded=False, classes=80):
    box = ["Conv", "Exp", "Mul"] if decoded else ["Conv"]
    return model([1, 3, 416, 416], {"output": [1, 3549, 5 + classes]},
                 joined("output", box, ["Conv", "Sigmoid"]) + [])


def detr(names=("dets", "labels"), last="Gemm"):
    boxes, logits = names
    return model([1, 3, 560, 560], {boxes: [1, 300, 4], logits: [1, 300, 91]},
                 chain(boxes, ["MatMul", "Sigmoid"]) + chain(logits, [last]))


def centerface(names=("537", "538", "539", "540"), planes=(1, 2, 2, 10)):
    nodes = [node for name, count in zip(names, planes)
             for node in chain(name, ["Conv", "Sigmoid"] if count == 1 else ["Conv"])]
    return model([1, 3, 640, 640], {name: [1, count, 160, 160] for name, count in zip(names, planes)}, nodes)


def scrfd(points=True, canvas=640):
    """Named by numbers in the order scores, boxes, points, as its exporter does; the batch is gone."""
    outputs, nodes, name = {}, [], 440
    for columns in (1, 4, 10) if points else (1, 4):
        for stride in (8, 16, 32):
            name += 3
            outputs[str(name)] = [2 * (canvas // stride) ** 2, columns]
            nodes += chain(str(name), ["Conv", "Transpose", "Reshape"] + ["Sigmoid"] * (columns == 1))
    return model([1, 3, canvas, canvas], outputs, nodes)


def yunet(rename=lambda name: name):
    outputs, nodes = {}, []
    for word, columns in (("cls", 1), ("obj", 1), ("bbox", 4), ("kps", 10)):
        for stride in (8, 16, 32):
            name = rename(f"{word}_{stride}")
            outputs[name] = [1, (320 // stride) ** 2, columns]
            nodes += chain(name, ["Conv", "Reshape"] + ["Sigmoid"] * (columns == 1))
    return model([1, 3, 320, 320], outputs, nodes)


def ultraface(names=("scores", "boxes"), decoded=False):
    scores, boxes = names
    return model([1, 3, 240, 320], {scores: [1, 4420, 2], boxes: [1, 4420, 4]},
                 chain(scores, ["Conv", "Softmax"]) + chain(boxes, ["Conv", "Exp"] if decoded else ["Conv", "Reshape"]))


def fastestdet(classes=80):
    return model([1, 3, 352, 352], {"758": [1, 5 + classes, 22, 22]},
                 joined("758", ["Conv", "Sigmoid"], ["Conv"], ["Conv", "Softmax"]))


def embedder(length=512, last="BatchNormalization"):
    return model([1, 3, 112, 112], {"embedding": [1, length]}, chain("embedding", ["Conv", "Flatten", last]))


def segmenter(shape=(1, 21, 64, 96), last="Conv"):
    return model([1, 3, 64, 96], {"mask": list(shape)}, chain("mask", ["Conv", last]))


def with_weights(made, count=3):
    for index in range(count):
        made.graph.initializer.append(helper.make_tensor(f"weight{index}", F32, [2], [1.0, 2.0]))
    return made


def external(made, location="../elsewhere/weights"):
    weight = made.graph.initializer.add(name="far", data_type=F32, dims=[4], data_location=onnx.TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value=location)
    return made
