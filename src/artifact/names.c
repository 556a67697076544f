/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/names.h"

#include <string.h>

#include <rung/types.h>

#include "artifact/format.h"
#include "base/text.h"

#define NAMES(name, what_text, ...)                                                                \
    static const struct rung__name name##_rows[] = {__VA_ARGS__};                                  \
    const struct rung__names rung__##name##_names = {what_text, name##_rows,                       \
                                                     sizeof name##_rows / sizeof name##_rows[0]}

/* clang-format off */
NAMES(role, "role",
    {RUNG_ROLE_DETECTOR, "detector"},
    {RUNG_ROLE_EMBEDDER, "embedder"},
    {RUNG_ROLE_SEGMENTER, "segmenter"});

NAMES(kind, "kind",
    {RUNG_ARTIFACT_ONNX, "onnx"},
    {RUNG_ARTIFACT_COREML, "coreml"},
    {RUNG_ARTIFACT_ENGINE, "engine"});

NAMES(form, "form",
    {RUNG_FORM_F32, "f32"},
    {RUNG_FORM_F16, "f16"},
    {RUNG_FORM_INT8, "int8"},
    {RUNG_FORM_A16W8, "a16w8"},
    {RUNG_FORM_A16W16, "a16w16"});

NAMES(head, "head",
    {RUNG_HEAD_NONE, "none"},
    {RUNG_HEAD_ROWS, "rows"},
    {RUNG_HEAD_YOLO, "yolo"},
    {RUNG_HEAD_YOLO_OBJ, "yolo-obj"},
    {RUNG_HEAD_YOLO_E2E, "yolo-e2e"},
    {RUNG_HEAD_DETR, "detr"},
    {RUNG_HEAD_CENTERNET, "centernet"},
    {RUNG_HEAD_STRIDED, "strided"},
    {RUNG_HEAD_SSD, "ssd"},
    {RUNG_HEAD_FASTESTDET, "fastestdet"});

NAMES(dtype, "dtype",
    {RUNG_DTYPE_F32, "f32"},
    {RUNG_DTYPE_F16, "f16"},
    {RUNG_DTYPE_I8, "i8"},
    {RUNG_DTYPE_U8, "u8"});

NAMES(layout, "layout",
    {RUNG_LAYOUT_PLANAR, "planar"},
    {RUNG_LAYOUT_INTERLEAVED, "interleaved"},
    {RUNG_LAYOUT_BGRA, "bgra"});

NAMES(fit, "fit",
    {RUNG_FIT_STRETCH, "stretch"},
    {RUNG_FIT_LETTERBOX, "letterbox"},
    {RUNG_FIT_LETTERBOX_TOPLEFT, "letterbox-topleft"},
    {RUNG_FIT_COVER, "cover"});

NAMES(rounding, "rounding",
    {RUNG_ROUNDING_FLOOR, "floor"},
    {RUNG_ROUNDING_NEAREST, "nearest"});

NAMES(resampler, "resampler",
    {RUNG_RESAMPLER_BILINEAR, "bilinear"},
    {RUNG_RESAMPLER_TRIANGLE, "triangle"},
    {RUNG_RESAMPLER_NEAREST, "nearest"});

NAMES(order, "order",
    {RUNG_CHANNEL_ORDER_RGB, "RGB"},
    {RUNG_CHANNEL_ORDER_BGR, "BGR"});

NAMES(provider, "provider",
    {0, "ort"},
    {1, "tract"},
    {2, "coreml"},
    {3, "directml"},
    {4, "qnn"},
    {5, "tensorrt"},
    {6, "migraphx"},
    {7, "openvino"});

NAMES(section, "section",
    {RUNG__SECTION_PAYLOAD, "payload"},
    {RUNG__SECTION_TENSORS, "tensors"},
    {RUNG__SECTION_LABELS, "labels"},
    {RUNG__SECTION_GOLDEN, "golden"},
    {RUNG__SECTION_GATE, "gate"},
    {RUNG__SECTION_PRECISION, "precision"},
    {RUNG__SECTION_LICENCE, "licence"},
    {RUNG__SECTION_CANONICAL, "canonical"},
    {RUNG__SECTION_CAPABILITIES, "capabilities"},
    {RUNG__SECTION_DEVICE, "device"});
/* clang-format on */

const char *rung__name_text(const struct rung__names *names, uint32_t value)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->rows[i].value == value)
            return names->rows[i].text;
    return NULL;
}

bool rung__name_value(const struct rung__names *names, const char *text, uint32_t *value)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->rows[i].text, text) == 0) {
            *value = names->rows[i].value;
            return true;
        }
    return false;
}

void rung__names_list(const struct rung__names *names, char *to, size_t size)
{
    size_t used = 0;
    to[0] = '\0';
    for (size_t i = 0; i < names->count; i++) {
        if (!rung__text_format(to + used, size - used, "%s%s", i ? ", " : "", names->rows[i].text))
            return;
        used += strlen(to + used);
    }
}
