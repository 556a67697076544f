/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_FORMAT_H
#define RUNG__ARTIFACT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include <rung/types.h>

#include "base/bytes.h"
#include "base/sha256.h"

/* The model file as a program sees it; the bytes are in docs/artifact.md. */

#define RUNG__HEADER_BYTES     256u
#define RUNG__SIGNATURE_BYTES  64u
#define RUNG__KEY_ID_BYTES     8u
#define RUNG__NAME_BYTES       64u
#define RUNG__SIDE_MAX         16384u
#define RUNG__CAPACITY_MAX     65536u
#define RUNG__TARGETS_MAX      10000u
#define RUNG__CLASSES_MAX      256u
#define RUNG__SECTIONS_MAX     32u
#define RUNG__TENSOR_NAME_MAX  211u
#define RUNG__TENSOR_RANK_MAX  8u
#define RUNG__OUTPUTS_MAX      16u
#define RUNG__PARAMETERS_MAX   32u
#define RUNG__PARAMETER_VALUES 65536u

enum { RUNG__FLAG_SIGNED = 1u << 0, RUNG__FLAG_BUNDLE = 1u << 1 };

/** Bits of the provider compatibility that have a meaning here; rung__provider_names has all. */
enum {
    RUNG__PROVIDER_ORT = 1u << 0,
    RUNG__PROVIDER_TRACT = 1u << 1,
    RUNG__PROVIDER_COREML = 1u << 2
};

/** Section kinds. */
enum rung__section_kind {
    RUNG__SECTION_PAYLOAD = 1,
    RUNG__SECTION_TENSORS = 2,
    RUNG__SECTION_LABELS = 3,
    RUNG__SECTION_GOLDEN = 4,
    RUNG__SECTION_GATE = 5,
    RUNG__SECTION_PRECISION = 6,
    RUNG__SECTION_LICENCE = 7,
    RUNG__SECTION_CANONICAL = 8,
    RUNG__SECTION_CAPABILITIES = 9,
    RUNG__SECTION_DEVICE = 10,
    RUNG__SECTION_KNOWN = 11 /**< one past the last known kind */
};

/** What preprocessing is to make. Values are the enumerations of rung/types.h. */
struct rung__canvas {
    uint32_t width, height, channels;
    uint8_t dtype, layout, fit, rounding, resampler, order;
    uint8_t normalised; /**< embeddings are L2-normalised after the model */
    uint8_t fill[3];
    float scale[3], bias[3];
};

/** What targets.md calls thresholds and counts. */
struct rung__selection {
    uint16_t min_confidence, band_confidence, band_min, band_max, iou, flags;
    uint32_t capacity, considered, max_targets;
};

struct rung__header {
    uint32_t flags;
    uint64_t file_bytes;
    uint8_t digest[RUNG__SHA256_BYTES];
    char name[RUNG__NAME_BYTES + 1];
    uint32_t role, kind, form, head;
    struct rung__canvas canvas;
    struct rung__selection selection;
    uint32_t embedding_length;
    uint64_t max_output_bytes;
    uint64_t providers; /**< bits numbered by rung__provider_names (names.h) */
    uint32_t section_count;
    uint64_t signature_offset;
    uint8_t key_id[RUNG__KEY_ID_BYTES];
};

/** An input or output of the model as the file declares it (or as a loaded model reports it). */
struct rung__tensor {
    char name[RUNG__TENSOR_NAME_MAX + 1];
    uint32_t
        purpose; /**< index into the head's list of tensors (artifact/heads.h); 0 for the input */
    uint32_t dtype;
    uint32_t rank;
    uint32_t dims[RUNG__TENSOR_RANK_MAX];
};

/** A named list of numbers that a head needs, such as its strides. */
struct rung__parameter {
    uint32_t key;  /**< rung__parameter_key (artifact/heads.h) */
    uint32_t type; /**< 1: u32, 2: f32 */
    uint32_t count;
    struct rung__bytes values; /**< count × 4 bytes, little-endian, inside the section */
};

/** Section 2. */
struct rung__tensors {
    struct rung__tensor input;
    struct rung__tensor outputs[RUNG__OUTPUTS_MAX];
    uint32_t output_count;
    struct rung__parameter parameters[RUNG__PARAMETERS_MAX];
    uint32_t parameter_count;
};

/** A checked file in memory: everything points into `file`. */
struct rung__artifact_view {
    struct rung__bytes file;
    struct rung__header header;
    struct rung__bytes sections[RUNG__SECTION_KNOWN]; /**< by kind; size 0: absent */
    struct rung__tensors tensors;
};

#endif
