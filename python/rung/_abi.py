# SPDX-License-Identifier: Apache-2.0
"""What this package uses of the library's stable ABI, as include/rung/*.h declares it and under the same names.

tests/python/test_binding_abi.py holds every structure to abi/structures.txt, and constants and functions to the headers.
"""

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_float, c_int32, c_size_t, c_uint16, c_uint32,
                    c_uint64, c_void_p, sizeof)

RUNG_STRUCT_VERSION = 1

RUNG_INSTANCE_ALLOW_UNSIGNED = 1
RUNG_INSTANCE_NO_ENVIRONMENT = 2
RUNG_INSTANCE_NO_CHILDREN = 4
RUNG_MODEL_ANY_PRECISION = 1
RUNG_MODEL_LIST_UNVERIFIED = 1
RUNG_MODEL_FILE_FOLDER = 1
RUNG_CONTEXT_OVERRIDE_CALIBRATION = 1
RUNG_CONTEXT_STAY = 2
RUNG_CONTEXT_TICKETS = 8
RUNG_CONTEXT_REBUILD = 16
RUNG_PACKET_INCOMPLETE = 1
RUNG_PACKET_STALE = 4
RUNG_SPACE_EMBEDDING = 16
RUNG_SPACE_MASK = 17

# Numbers that go by a name in this package: the end of the constant's name, in lower case, with "-" for "_".
LOG_LEVELS = {"debug": 1, "info": 2, "warning": 3, "error": 4}
PROBE_POLICIES = {"default": 0, "off": 1, "first": 2, "all": 3}
ROLES = {"detector": 1, "embedder": 2, "segmenter": 3}
ARTIFACT_KINDS = {"onnx": 1, "coreml": 2, "engine": 3}
FORMS = {"f32": 1, "f16": 2, "int8": 3, "a16w8": 4, "a16w16": 5}
HEADS = {"none": 0, "rows": 1, "yolo": 2, "yolo-obj": 3, "yolo-e2e": 4, "detr": 5, "centernet": 6, "strided": 7,
         "ssd": 8, "fastestdet": 9}
TICKET_STATES = {"queued": 1, "running": 2, "complete": 3, "cancelled": 4, "failed": 5}
PIXELS = {"rgb8": 1, "bgr8": 2, "rgba8": 3, "bgra8": 4, "rgbx8": 5, "bgrx8": 6, "gray8": 7}

rung_log_callback = CFUNCTYPE(None, c_void_p, c_int32, c_char_p)
rung_release = CFUNCTYPE(None, c_void_p, c_void_p)


class Extensible(Structure):
    """A structure that begins with its size and version."""

    def __init__(self, **members):
        super().__init__(struct_size=sizeof(type(self)), version=RUNG_STRUCT_VERSION, **members)


class rung_span(Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class rung_instance_options(Extensible):
    _fields_ = [
        ("struct_size", c_uint32), ("version", c_uint32), ("flags", c_uint32), ("log_level", c_int32),
        ("log", rung_log_callback), ("log_user", c_void_p), ("runtime_path", c_char_p), ("trust_path", c_char_p),
        ("helper_path", c_char_p), ("probe", c_int32), ("reserved_0", c_uint32), ("engine_cache_bytes", c_uint64),
        ("ladder_path", c_char_p), ("reserved", c_uint64 * 4),
    ]


class rung_model_options(Extensible):
    _fields_ = [
        ("struct_size", c_uint32), ("version", c_uint32), ("flags", c_uint32), ("threads", c_uint32), ("rung", c_char_p),
        ("reserved", c_uint64 * 6),
    ]


class rung_model_info(Extensible):
    _fields_ = [
        ("struct_size", c_uint32), ("version", c_uint32), ("name", c_char_p), ("identity", c_char_p), ("rung", c_char_p),
        ("reason", c_char_p), ("artifact", c_char_p), ("key_id", c_char_p), ("role", c_int32), ("form", c_int32),
        ("head", c_int32), ("canvas_width", c_uint32), ("canvas_height", c_uint32), ("max_targets", c_uint32),
        ("class_count", c_uint32), ("threads", c_uint32), ("max_output_bytes", c_uint64),
        ("embedding_length", c_uint32), ("normalised", c_uint32), ("mask_classes", c_uint32),
        ("min_confidence", c_uint32), ("iou", c_uint32), ("suppression", c_uint32), ("precision", c_char_p),
        ("canonical", c_char_p), ("reserved", c_uint64 * 3),
    ]


class rung_model_file(Extensible):
    _fields_ = [
        ("struct_size", c_uint32), ("version", c_uint32), ("flags", c_uint32), ("result", c_int32), ("reason", c_char_p),
        ("path", c_char_p), ("shadowed_by", c_char_p), ("name", c_char_p), ("artifact", c_char_p), ("key_id", c_char_p),
        ("key_path", c_char_p), ("bytes", c_uint64), ("role", c_int32), ("form", c_int32), ("canvas_width", c_uint32),
        ("canvas_height", c_uint32), ("kind", c_int32), ("reserved_0", c_uint32), ("reserved", c_uint64 * 7),
    ]


rung_model_file_callback = CFUNCTYPE(None, c_void_p, POINTER(rung_model_file))


class rung_context_options(Extensible):
    _fields_ = [
        ("struct_size", c_uint32), ("version", c_uint32), ("flags", c_uint32), ("max_frame_width", c_uint32),
        ("max_frame_height", c_uint32), ("min_confidence", c_uint32), ("iou", c_uint32), ("max_targets", c_uint32),
        ("identity", c_char_p), ("plan", c_char_p), ("depth", c_uint32), ("request_frames", c_uint32),
        ("reserved", c_uint64 * 2),
    ]


class rung_epochs(Extensible):
    _fields_ = [
        ("struct_size", c_uint32), ("version", c_uint32), ("session_epoch", c_uint64), ("transform_epoch", c_uint64),
        ("topology_epoch", c_uint64), ("reserved", c_uint64 * 4),
    ]


class rung_rect(Structure):
    _fields_ = [("x", c_uint32), ("y", c_uint32), ("width", c_uint32), ("height", c_uint32)]


class rung_frame(Extensible):
    _fields_ = [
        ("struct_size", c_uint32), ("version", c_uint32), ("pixels", c_void_p), ("stride", c_uint64), ("width", c_uint32),
        ("height", c_uint32), ("format", c_int32), ("flags", c_uint32), ("crop", rung_rect), ("source_id", c_uint64),
        ("display_id", c_uint64), ("frame_id", c_uint64), ("session_epoch", c_uint64), ("transform_epoch", c_uint64),
        ("topology_epoch", c_uint64), ("capture_ns", c_uint64), ("release", rung_release), ("release_user", c_void_p),
        ("surface", c_void_p), ("surface_offset", c_uint64), ("fence", c_int32), ("reserved_0", c_uint32),
        ("reserved", c_uint64 * 4),
    ]


class rung_request(Extensible):
    _fields_ = [
        ("struct_size", c_uint32), ("version", c_uint32), ("flags", c_uint32), ("frame_count", c_uint32),
        ("frames", POINTER(POINTER(rung_frame))), ("reserved", c_uint64 * 4),
    ]


class rung_run_info(Extensible):
    _fields_ = [
        ("struct_size", c_uint32), ("version", c_uint32), ("identity", c_char_p), ("rung", c_char_p),
        ("artifact", c_char_p), ("preprocess_ns", c_uint64), ("run_ns", c_uint64), ("postprocess_ns", c_uint64),
        ("role", c_int32), ("calibration_overridden", c_uint32), ("precision", c_char_p), ("reserved", c_uint64 * 6),
    ]


class rung_packet_header(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("version", c_uint32), ("count", c_uint32), ("stride", c_uint32), ("flags", c_uint32),
        ("space", c_uint32), ("scene_epoch", c_uint64), ("frame_id", c_uint64), ("model_epoch", c_uint64),
        ("session_epoch", c_uint64), ("transform_epoch", c_uint64), ("topology_epoch", c_uint64),
        ("source_id", c_uint64), ("targets_offset", c_uint64), ("total_size", c_uint64),
    ]


class rung_target(Structure):
    _fields_ = [
        ("target_id", c_uint64), ("parent_id", c_uint64), ("source_id", c_uint64), ("display_id", c_uint64),
        ("x", c_int32), ("y", c_int32), ("w", c_int32), ("h", c_int32), ("safe_x", c_int32), ("safe_y", c_int32),
        ("confidence", c_uint32), ("class_id", c_uint16), ("source_bits", c_uint16), ("capabilities", c_uint32),
        ("flags", c_uint32), ("order", c_uint32), ("attachment_offset", c_uint16), ("attachment_bytes", c_uint16),
    ]


class rung_mask(Structure):
    _fields_ = [
        ("crop_x", c_int32), ("crop_y", c_int32), ("crop_w", c_int32), ("crop_h", c_int32), ("content_x", c_int32),
        ("content_y", c_int32), ("content_w", c_int32), ("content_h", c_int32),
    ]


class rung_embedding(Extensible):
    _fields_ = [
        ("struct_size", c_uint32), ("version", c_uint32), ("identity", c_char_p), ("numbers", POINTER(c_float)),
        ("count", c_uint32), ("reserved32", c_uint32), ("reserved", c_uint64 * 4),
    ]


rung_result = c_int32
rung_ticket = c_uint64
rung_ticket_state = c_int32
_run = (rung_result, [c_void_p, POINTER(rung_frame), rung_span, POINTER(c_size_t), POINTER(rung_run_info)])
_text = (rung_result, [c_void_p, rung_span, POINTER(c_size_t)])

#: name: (what it returns, its arguments). Instances, models and contexts are void pointers.
FUNCTIONS = {
    "rung_version": (c_char_p, []),
    "rung_last_error": (c_char_p, []),
    "rung_result_name": (c_char_p, [rung_result]),
    "rung_instance_create": (rung_result, [POINTER(rung_instance_options), POINTER(c_void_p)]),
    "rung_instance_destroy": (None, [c_void_p]),
    "rung_instance_explain": _text,
    "rung_instance_summary": _text,
    "rung_instance_use": (rung_result, [c_void_p, c_char_p]),
    "rung_model_open": (rung_result, [c_void_p, c_char_p, POINTER(rung_model_options), POINTER(c_void_p)]),
    "rung_model_find": (rung_result, [c_void_p, c_char_p, rung_span, POINTER(c_size_t)]),
    "rung_model_list": (rung_result, [c_void_p, c_uint32, POINTER(c_char_p), c_uint32, rung_model_file_callback,
                                      c_void_p]),
    "rung_model_destroy": (None, [c_void_p]),
    "rung_model_get_info": (rung_result, [c_void_p, POINTER(rung_model_info)]),
    "rung_model_get_label": (rung_result, [c_void_p, c_uint32, POINTER(c_char_p)]),
    "rung_context_create": (rung_result, [c_void_p, POINTER(rung_context_options), POINTER(c_void_p)]),
    "rung_context_destroy": (None, [c_void_p]),
    "rung_context_get_max_output_bytes": (rung_result, [c_void_p, POINTER(c_uint64)]),
    "rung_context_metadata": _text,
    "rung_context_report": _text,
    "rung_context_restart_report": (rung_result, [c_void_p]),
    "rung_preprocess": (rung_result, [c_void_p, POINTER(rung_frame), rung_span, POINTER(c_size_t)]),
    "rung_detect": _run,
    "rung_embed": _run,
    "rung_segment": _run,
    "rung_context_rebuild": (rung_result, [c_void_p]),
    "rung_context_set_epochs": (rung_result, [c_void_p, POINTER(rung_epochs)]),
    "rung_context_reset": (rung_result, [c_void_p]),
    "rung_submit": (rung_result, [c_void_p, POINTER(rung_request), POINTER(rung_ticket)]),
    "rung_poll": (rung_result, [c_void_p, rung_ticket, POINTER(rung_ticket_state)]),
    "rung_wait": (rung_result, [c_void_p, rung_ticket, c_uint64, POINTER(rung_ticket_state)]),
    "rung_collect": (rung_result, [c_void_p, rung_ticket, c_uint64, rung_span, POINTER(c_size_t),
                                   POINTER(rung_run_info)]),
    "rung_cancel": (rung_result, [c_void_p, rung_ticket]),
    "rung_packet_check": (rung_result, [c_void_p, c_size_t]),
    "rung_embedding_cosine": (rung_result, [POINTER(rung_embedding), POINTER(rung_embedding), POINTER(c_double)]),
}
