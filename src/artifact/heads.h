/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_HEADS_H
#define RUNG__ARTIFACT_HEADS_H

#include "artifact/format.h"

/*
 * What a head requires of a model file: its tensors, their shapes, its parameters. How it decodes
 * is in kernel/ (decode.h); the same numbers index both tables.
 */

enum rung__parameter_key {
    RUNG__PARAMETER_STRIDES =
        1, /**< u32, 1..8 of them, each 1..16384 and dividing both canvas sides */
    RUNG__PARAMETER_LOGITS = 2,      /**< u32 0 or 1: scores go through the sigmoid */
    RUNG__PARAMETER_RAW = 3,         /**< u32 0 or 1: boxes are on the grids of the strides */
    RUNG__PARAMETER_ANCHORS = 4,     /**< u32, 1..64: boxes of each cell; without it 1 */
    RUNG__PARAMETER_DISTANCES = 5,   /**< u32 0 or 1: boxes are distances from their cell */
    RUNG__PARAMETER_MAPS = 6,        /**< u32, up to 8 pairs: width, height of the priors' grids */
    RUNG__PARAMETER_MAP_BOXES = 7,   /**< u32 for each of those: priors of a cell */
    RUNG__PARAMETER_BOX_SIDES = 8,   /**< u32 for each prior: its side in canvas pixels */
    RUNG__PARAMETER_VARIANCES = 9,   /**< f32, 2 of them, above 0, at most 1: of centre and size */
    RUNG__PARAMETER_INTERLEAVED = 10 /**< u32 0 or 1: channels are a mask's last dimension */
};

enum { RUNG__PARAMETER_U32 = 1, RUNG__PARAMETER_F32 = 2 };

/** The most values that a parameter of the table below has. */
#define RUNG__PARAMETER_COUNT_MAX 32u

/** What a parameter is, whatever the head. */
struct rung__parameter_kind {
    uint32_t key;
    const char *name;   /**< as in a spec file */
    uint32_t type;      /**< RUNG__PARAMETER_U32 or _F32 */
    uint32_t count_max; /**< 1: a single value */
    uint32_t low, high; /**< of each value; f32 ones are above `low` */
    bool is_flag;       /**< true and false in a spec file */
};

extern const struct rung__parameter_kind rung__parameter_kinds[];
extern const size_t rung__parameter_kind_count;

/** The row of a key, NULL when it is unknown. */
const struct rung__parameter_kind *rung__parameter_kind_of(uint32_t key);

/** Is this a value of that kind? */
bool rung__parameter_takes(const struct rung__parameter_kind *kind, double value);

/** The outputs of `strided`: for each stride, at purpose stride · PARTS + part. */
enum {
    RUNG__STRIDED_SCORE,
    RUNG__STRIDED_OBJECTNESS,
    RUNG__STRIDED_BOX,
    RUNG__STRIDED_POINTS,
    RUNG__STRIDED_PARTS
};

struct rung__head_contract {
    uint32_t head;                              /**< rung_head */
    const char *name;                           /**< as in a spec file */
    const char *tensors[RUNG__OUTPUTS_MAX + 1]; /**< purposes in order, NULL-ended */
    uint32_t optional;   /**< purposes that may be missing, bit 1 << purpose; `check` says when */
    uint32_t parameters; /**< allowed ones, bit 1 << key */
    uint32_t required;   /**< those that must be there */
    uint32_t attachment_bytes; /**< of each target in a packet */
    /** Checks tensor shapes and parameters against the canvas; INTEGRITY with a sentence. */
    rung_result (*check)(const struct rung__header *, const struct rung__tensors *);
    /** What the head asks of the header's selection, or NULL; INTEGRITY with a sentence. */
    rung_result (*check_selection)(const struct rung__header *, const struct rung__tensors *);
};

/** The contract of a head by number or by name; NULL when this version has none. */
const struct rung__head_contract *rung__head_contract(uint32_t head);
const struct rung__head_contract *rung__head_contract_named(const char *name);

/** The parameter of a key, or NULL. */
const struct rung__parameter *rung__head_parameter(const struct rung__tensors *tensors,
                                                   uint32_t key);

/** The output that serves a purpose, or NULL. */
const struct rung__tensor *rung__head_output(const struct rung__tensors *tensors, uint32_t purpose);

/** True for [1,…,1, tail]: batches and other leading dimensions of one are all the same to us. */
bool rung__head_shape_ends_with(const struct rung__tensor *tensor, const uint32_t *tail,
                                uint32_t count);

/** INTEGRITY: the tensor's shape is not what is `wanted`. */
rung_result rung__head_refuse_shape(const struct rung__tensor *tensor, const char *wanted);

/** OK when the shape ends with the tail, else INTEGRITY. */
rung_result rung__head_require_shape(const struct rung__tensor *tensor, const uint32_t *tail,
                                     uint32_t count);

/** How a segmenter's output is laid out. */
struct rung__mask_form {
    uint32_t channels; /**< 1..256; 1: how sure the only class is */
    bool interleaved;  /**< [h,w,channels], else [channels,h,w], h and w those of the canvas */
    bool logits;       /**< of one channel: it goes through the sigmoid */
};

/** Tells it from the declared shape. Results: OK, INTEGRITY (no mask, or ambiguous). */
rung_result rung__mask_form_read(const struct rung__header *header,
                                 const struct rung__tensors *tensors, struct rung__mask_form *out);

/**
 * Everything that a head, and the canvas, require of section 2. Results: OK, INTEGRITY, UNSUPPORTED
 * (this version has no decoder for the head).
 */
rung_result rung__head_check(const struct rung__header *header,
                             const struct rung__tensors *tensors);

/** How many classes the model tells apart; 0 where the shapes of its tensors do not tell. */
uint32_t rung__head_classes(const struct rung__header *header, const struct rung__tensors *tensors);

/** INTEGRITY when there are labels, and not as many as classes. It is asked of what is packed:
 * labels of files that are there already stay what they are. */
rung_result rung__head_check_labels(const struct rung__header *header,
                                    const struct rung__tensors *tensors, uint32_t labels);

/** The bytes of the largest packet that a model of this header can give. */
uint64_t rung__head_packet_bytes(const struct rung__header *header);

#endif
