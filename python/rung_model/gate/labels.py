# SPDX-License-Identifier: Apache-2.0
"""Labels in COCO's format for annotations, as far as they are about the photographs and classes at hand."""

import pathlib

from .. import Refusal
from ..specs import read_json

MOST_BYTES = 512 << 20
NAMED = 5  # classes in a message
MOST_SIDE = 1e9  # pixels, far beyond any photograph; JSON holds numbers of any length


def some(names):
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(map(str, names[:NAMED])) + more


def plain(name):
    return str(name).casefold()


def is_figure(value, most):
    return isinstance(value, (int, float)) and -most <= value <= most


class Labels:
    """`pictures` leads from the name of a file to its number, `classes` from a model's class to the labels' category."""

    def __init__(self, path, photographs, classes):
        self.path = path
        self.content = read_json(pathlib.Path(path), MOST_BYTES, "a file in COCO's format for annotations")
        for member in ("images", "categories", "annotations"):
            if not isinstance(self.content.get(member), list):
                raise Refusal(f"{path} has no list of {member}; name a file in COCO's format for annotations")
        self.pictures = self.find_pictures(photographs)
        self.classes, self.left_out = self.match_classes(classes)
        self.boxes = [box for box in map(self.box_of, self.content["annotations"]) if box]

    def refuse(self, what):
        raise Refusal(f"{self.path}: {what} is not as COCO has it; export the labels again")

    def find_pictures(self, photographs):
        names = [photograph.path.name for photograph in photographs]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise Refusal(f"{some(twice)}: more than one photograph has that name, and labels go by names; rename them")
        wanted, pictures, numbers = set(names), {}, set()
        for image in self.content["images"]:
            if not isinstance(image, dict) or not isinstance(image.get("id"), int) or not isinstance(image.get("file_name"), str):
                self.refuse("an image")
            name = image["file_name"].replace("\\", "/").rsplit("/", 1)[-1]
            if name in pictures:
                raise Refusal(f"{self.path} has two images of the name {name}, and labels go by names; rename one of them")
            if image["id"] in numbers:
                raise Refusal(f"{self.path} has two images of the id {image['id']}, and targets go by ids; give one of them another")
            numbers.add(image["id"])
            if name in wanted:
                pictures[name] = image["id"]
        if not pictures:
            raise Refusal(f"{self.path} labels none of the photographs; its file names are such as "
                          f"{some([image['file_name'] for image in self.content['images'][:1]])}")
        return pictures

    def match_classes(self, classes):
        """By their names; also those of the model that the labels do not have."""
        categories = {}
        for category in self.content["categories"]:
            if not isinstance(category, dict) or not isinstance(category.get("id"), int):
                self.refuse("a category")
            categories.setdefault(plain(category.get("name")), category["id"])
        found = {number: categories[plain(name)] for number, name in enumerate(classes) if plain(name) in categories}
        left_out = [name for number, name in enumerate(classes) if number not in found]
        if not found:
            names = [category.get("name") for category in self.content["categories"]]
            raise Refusal(f"{self.path} has no class of the model: the model has {some(classes)}, the file "
                          f"has {some(names)}; give the spec's \"labels\" or the file's \"categories\" the same names")
        return found, left_out

    def box_of(self, annotation):
        """As pycocotools takes it; None of another picture or category."""
        if not isinstance(annotation, dict):
            self.refuse("an annotation")
        if annotation.get("image_id") not in self.pictures.values() or annotation.get("category_id") not in self.classes.values():
            return None
        box = annotation.get("bbox")
        if not isinstance(box, list) or len(box) != 4 or not all(is_figure(side, MOST_SIDE) for side in box):
            self.refuse("a bbox")
        area = annotation.get("area")
        return {"image_id": annotation["image_id"], "category_id": annotation["category_id"], "bbox": box,
                "area": area if is_figure(area, MOST_SIDE**2) else box[2] * box[3], "iscrowd": int(annotation.get("iscrowd") == 1)}
