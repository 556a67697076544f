/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TYPES_H
#define RUNG_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The version that a caller writes into the `version` field of every extensible structure.
 *
 * Such a structure begins with `struct_size` (sizeof as the caller was compiled) and `version`, and
 * ends in reserved fields that must be zero. The library reads the smaller of its own and the
 * caller's size, takes what is missing as zero, and refuses another version with RUNG_VERSION.
 */
#define RUNG_STRUCT_VERSION 1u

/** Memory of the caller that a function fills. `data` may be NULL when `size` is 0. */
typedef struct rung_span {
    void *data;
    size_t size; /**< bytes */
} rung_span;

/** What a model answers. The numbers are those of the model file. */
typedef enum rung_role {
    RUNG_ROLE_DETECTOR = 1,
    RUNG_ROLE_EMBEDDER = 2,
    RUNG_ROLE_SEGMENTER = 3
} rung_role;

/** What the payload of a model file is. */
typedef enum rung_artifact_kind {
    RUNG_ARTIFACT_ONNX = 1,
    RUNG_ARTIFACT_COREML = 2,
    RUNG_ARTIFACT_ENGINE = 3 /**< precompiled for one device and runtime */
} rung_artifact_kind;

/** The numeric form of a model. */
typedef enum rung_form {
    RUNG_FORM_F32 = 1,
    RUNG_FORM_F16 = 2,
    RUNG_FORM_INT8 = 3, /**< 8-bit quantize/dequantize pairs */
    RUNG_FORM_A16W8 = 4,
    RUNG_FORM_A16W16 = 5
} rung_form;

/** How a detector's raw output is decoded (docs/heads.md). */
typedef enum rung_head {
    RUNG_HEAD_NONE = 0,
    RUNG_HEAD_ROWS = 1,
    RUNG_HEAD_YOLO = 2,
    RUNG_HEAD_YOLO_OBJ = 3,
    RUNG_HEAD_YOLO_E2E = 4,
    RUNG_HEAD_DETR = 5,
    RUNG_HEAD_CENTERNET = 6,
    RUNG_HEAD_STRIDED = 7,
    RUNG_HEAD_SSD = 8,
    RUNG_HEAD_FASTESTDET = 9
} rung_head;

/** How a detector thins out boxes that overlap. The bits are those of the model file. */
enum {
    RUNG_SUPPRESS = 1u << 0,             /**< at all; without it the other two mean nothing */
    RUNG_SUPPRESS_CONTAINMENT = 1u << 1, /**< also a box inside a better one */
    RUNG_SUPPRESS_PER_CLASS = 1u << 2    /**< only boxes of the same class */
};

/** Element type of a tensor. */
typedef enum rung_dtype {
    RUNG_DTYPE_F32 = 1,
    RUNG_DTYPE_F16 = 2,
    RUNG_DTYPE_I8 = 3,
    RUNG_DTYPE_U8 = 4
} rung_dtype;

/** Order of the input tensor in memory. */
typedef enum rung_layout {
    RUNG_LAYOUT_PLANAR = 1,      /**< channel, row, column (NCHW) */
    RUNG_LAYOUT_INTERLEAVED = 2, /**< row, column, channel (NHWC) */
    RUNG_LAYOUT_BGRA = 3         /**< B, G, R, 255 in 8 bits each */
} rung_layout;

/** How a picture is placed on the canvas of the model. */
typedef enum rung_fit {
    RUNG_FIT_STRETCH = 1,
    RUNG_FIT_LETTERBOX = 2,         /**< aspect kept, centred */
    RUNG_FIT_LETTERBOX_TOPLEFT = 3, /**< aspect kept, at the origin */
    RUNG_FIT_COVER = 4              /**< centred part with the aspect of the canvas */
} rung_fit;

/** How the free side of a letterbox becomes a whole number. */
typedef enum rung_rounding {
    RUNG_ROUNDING_FLOOR = 1,
    RUNG_ROUNDING_NEAREST = 2 /**< half to even */
} rung_rounding;

/** How pixels of the canvas are made from pixels of the picture. */
typedef enum rung_resampler {
    RUNG_RESAMPLER_BILINEAR = 1, /**< point sampled at half-pixel centres */
    RUNG_RESAMPLER_TRIANGLE = 2, /**< antialiased, Pillow's BILINEAR */
    RUNG_RESAMPLER_NEAREST = 3
} rung_resampler;

/** Order of the colour channels in the input tensor. */
typedef enum rung_channel_order {
    RUNG_CHANNEL_ORDER_RGB = 1,
    RUNG_CHANNEL_ORDER_BGR = 2
} rung_channel_order;

/** Pixels of a frame, 8 bits a channel, in memory order. A and X are ignored. */
typedef enum rung_pixel_format {
    RUNG_PIXEL_RGB8 = 1,
    RUNG_PIXEL_BGR8 = 2,
    RUNG_PIXEL_RGBA8 = 3,
    RUNG_PIXEL_BGRA8 = 4,
    RUNG_PIXEL_RGBX8 = 5,
    RUNG_PIXEL_BGRX8 = 6,
    RUNG_PIXEL_GRAY8 = 7 /**< replicated to three channels */
} rung_pixel_format;

#ifdef __cplusplus
}
#endif

#endif
