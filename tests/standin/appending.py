# SPDX-License-Identifier: Apache-2.0
"""Does with a library's C table what a product with providers would do, and prints what came of it as JSON.

Usage: appending.py LIBRARY MODEL BUILD_SETTINGS, where BUILD_SETTINGS is JSON: "append" (a provider's name), "options",
"forbid_fallback". The result has "offered", "placed" (providers that have nodes), "output", or "error"."""

import ctypes
import json
import sys

from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_int64, c_size_t, c_uint32, c_void_p

API = 29
TENSOR_FLOAT, WARNING, SHAPE = 1, 2, (1, 3, 8, 8)
LOGGER = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_char_p, c_char_p, c_char_p)

# Slots by what they do; facts of the ABI.
SLOTS = {
    "get_message": 2, "create_environment": 4, "create_session": 8, "run": 9, "create_options": 10, "create_tensor": 49,
    "get_data": 51, "create_memory": 69, "release_status": 93, "release_session": 95, "release_options": 100,
    "get_providers": 125, "release_providers": 126, "set_config": 130, "append_tensorrt": 170, "create_tensorrt": 171,
    "update_tensorrt": 172, "release_tensorrt": 174, "append_cuda": 204, "create_cuda": 205, "update_cuda": 206,
    "release_cuda": 208, "append": 216, "get_assignment": 407, "get_part_provider": 408,
}


class Refused(Exception):
    pass


class Library:
    def __init__(self, path):
        get_base = ctypes.CDLL(path).OrtGetApiBase
        get_base.restype = POINTER(c_void_p * 2)
        get_api = ctypes.CFUNCTYPE(c_void_p, c_uint32)(get_base().contents[0])
        self.table = ctypes.cast(get_api(API), POINTER(c_void_p))
        self.log = []
        self.logger = LOGGER(lambda _user, _severity, _category, _id, _where, message: self.log.append(message.decode()))

    def slot(self, name, result=c_void_p):
        return ctypes.CFUNCTYPE(result)(self.table[SLOTS[name]])

    def call(self, name, *arguments):
        """Python's whole numbers would be passed as int: those of other types are made by the caller."""
        status = self.slot(name)(*arguments)
        if status:
            raise Refused(self.slot("get_message", c_char_p)(c_void_p(status)).decode())

    def make(self, name, *arguments):
        made = c_void_p()
        self.call(name, *arguments, byref(made))
        return made


def offered(library):
    names, count = POINTER(c_char_p)(), c_int()
    library.call("get_providers", byref(names), byref(count))
    found = [names[i].decode() for i in range(count.value)]
    library.call("release_providers", names, count)
    return found


def texts(values):
    return (c_char_p * len(values))(*(value.encode() for value in values))


def append(library, options, provider, settings):
    pairs = (texts(settings), texts(settings.values()), c_size_t(len(settings)))
    if provider not in ("CUDA", "TensorRT"):
        library.call("append", options, c_char_p(provider.encode()), *pairs)
        return
    kind = provider.lower()
    own = library.make(f"create_{kind}")
    library.call(f"update_{kind}", own, *pairs)
    try:
        library.call(f"append_{kind}", options, own)
    finally:
        library.slot(f"release_{kind}", None)(own)


def placed(library, session):
    parts, count, name = POINTER(c_void_p)(), c_size_t(), c_char_p()
    library.call("get_assignment", session, byref(parts), byref(count))
    names = set()
    for i in range(count.value):
        library.call("get_part_provider", c_void_p(parts[i]), byref(name))
        names.add(name.value.decode())
    return sorted(names)


def run_once(library, session):
    numbers = (c_float * (SHAPE[1] * SHAPE[2] * SHAPE[3]))(*[0.5] * (SHAPE[1] * SHAPE[2] * SHAPE[3]))
    memory = library.make("create_memory", c_int(0), c_int(0))
    tensor = library.make("create_tensor", memory, numbers, c_size_t(ctypes.sizeof(numbers)), (c_int64 * 4)(*SHAPE), c_size_t(4),
                          c_int(TENSOR_FLOAT))
    output, data = (c_void_p * 1)(), POINTER(c_float)()
    library.call("run", session, None, texts(["image"]), (c_void_p * 1)(tensor), c_size_t(1), texts(["out"]), c_size_t(1), output)
    library.call("get_data", c_void_p(output[0]), byref(data))
    return data[:12]


def use(library, model, settings):
    environment = library.make("create_environment", library.logger, None, c_int(WARNING), c_char_p(b"appending"))
    result = {"offered": offered(library)}
    options = library.make("create_options")
    library.call("set_config", options, c_char_p(b"session.record_ep_graph_assignment_info"), c_char_p(b"1"))
    if settings.get("forbid_fallback"):
        library.call("set_config", options, c_char_p(b"session.disable_cpu_ep_fallback"), c_char_p(b"1"))
    if settings.get("append"):
        append(library, options, settings["append"], settings.get("options", {}))
    session = library.make("create_session", environment, c_char_p(model), c_size_t(len(model)), options)
    library.slot("release_options", None)(options)
    result.update(placed=placed(library, session), output=run_once(library, session))
    library.slot("release_session", None)(session)
    return result


def main():
    path, model, settings = sys.argv[1:]
    library = Library(path)
    with open(model, "rb") as file:
        content = file.read()
    try:
        result = use(library, content, json.loads(settings))
    except Refused as refused:
        result = {"error": str(refused)}
    print(json.dumps({**result, "log": library.log}))


if __name__ == "__main__":
    main()
