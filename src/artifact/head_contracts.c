/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/heads.h"

#include <string.h>

#include "artifact/tensors.h"
#include "base/error.h"

/* The heads of this version: one row each, and what each requires of its tensors. */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define KEY_POINTS  5u /* of each target, in the heads that have them */
#define POINT_BYTES sizeof(int32_t[2])

/** The dimension counted from the last one, 0; 0 when there is none. */
static uint32_t dim(const struct rung__tensor *tensor, uint32_t from_last)
{
    return tensor->rank > from_last ? tensor->dims[tensor->rank - 1 - from_last] : 0;
}

/** Value `i` of a u32 parameter, 0 when there is none. */
static uint32_t value(const struct rung__tensors *tensors, uint32_t key, uint32_t i)
{
    const struct rung__parameter *parameter = rung__head_parameter(tensors, key);
    return parameter && i < parameter->count ? rung__get_u32(parameter->values.data + 4 * (size_t)i)
                                             : 0;
}

static uint32_t count(const struct rung__tensors *tensors, uint32_t key)
{
    const struct rung__parameter *parameter = rung__head_parameter(tensors, key);
    return parameter ? parameter->count : 0;
}

/** [rows, columns] with `fixed` columns and 1..256 classes. */
static bool is_table(const struct rung__tensor *tensor, uint32_t rows, uint32_t columns,
                     uint32_t fixed)
{
    const uint32_t tail[] = {rows, columns};
    return rung__head_shape_ends_with(tensor, tail, COUNT(tail)) && columns > fixed &&
           columns - fixed <= RUNG__CLASSES_MAX;
}

static rung_result require_table(const struct rung__tensor *tensor, uint32_t rows, uint32_t columns)
{
    const uint32_t tail[] = {rows, columns};
    return rung__head_require_shape(tensor, tail, COUNT(tail));
}

/** The cells along a side of the canvas; none at a stride that is missing. */
static uint32_t cells_along(uint32_t side, uint32_t stride)
{
    return stride ? side / stride : 0;
}

static uint64_t cells(const struct rung__canvas *canvas, uint32_t stride)
{
    return (uint64_t)cells_along(canvas->width, stride) * cells_along(canvas->height, stride);
}

static rung_result require_one_stride(const char *head, const struct rung__tensors *tensors)
{
    const uint32_t strides = count(tensors, RUNG__PARAMETER_STRIDES);
    if (strides != 1)
        return rung__fail(RUNG_INTEGRITY, "head %s has one stride, not %u", head, strides);
    return RUNG_OK;
}

/* ---- rows and yolo ------------------------------------------------------------------------ */

/* [N,6]: N is the model's own. */
static rung_result check_rows(const struct rung__header *header,
                              const struct rung__tensors *tensors)
{
    (void)header;
    const struct rung__tensor *output = rung__head_output(tensors, 0);
    const uint32_t tail[] = {dim(output, 1), 6};
    if (!rung__head_shape_ends_with(output, tail, COUNT(tail)))
        return rung__head_refuse_shape(output, "[1,N,6] or [N,6]");
    return RUNG_OK;
}

static rung_result check_yolo(const struct rung__header *header,
                              const struct rung__tensors *tensors)
{
    (void)header;
    const struct rung__tensor *output = rung__head_output(tensors, 0);
    const uint32_t tail[] = {dim(output, 1), dim(output, 0)};
    if (!rung__head_shape_ends_with(output, tail, COUNT(tail)) || tail[0] <= 4 ||
        tail[0] - 4 > RUNG__CLASSES_MAX)
        return rung__head_refuse_shape(output, "[1,4+C,A] with 1..256 classes");
    return RUNG_OK;
}

static rung_result check_yolo_obj(const struct rung__header *header,
                                  const struct rung__tensors *tensors)
{
    const struct rung__tensor *output = rung__head_output(tensors, 0);
    const uint32_t strides = count(tensors, RUNG__PARAMETER_STRIDES);
    const bool raw = value(tensors, RUNG__PARAMETER_RAW, 0) != 0;
    uint64_t rows = 0;
    if (raw != (strides > 0))
        return rung__fail(RUNG_INTEGRITY,
                          "head yolo-obj has strides when it is raw, and only then");
    if (!is_table(output, dim(output, 1), dim(output, 0), 5))
        return rung__head_refuse_shape(output, "[1,A,5+C] with 1..256 classes");
    for (uint32_t i = 0; i < strides; i++)
        rows += cells(&header->canvas, value(tensors, RUNG__PARAMETER_STRIDES, i));
    if (raw && rows != dim(output, 1))
        return rung__fail(RUNG_INTEGRITY, "tensor \"%s\" has %u rows; the strides give %llu",
                          output->name, dim(output, 1), (unsigned long long)rows);
    return RUNG_OK;
}

/* Suppression is in the graph; ours would take away what it left on purpose. */
static rung_result check_yolo_e2e_selection(const struct rung__header *header,
                                            const struct rung__tensors *tensors)
{
    (void)tensors;
    if (header->selection.flags & RUNG_SUPPRESS)
        return rung__fail(RUNG_INTEGRITY,
                          "head yolo-e2e suppresses in the graph; the selection's suppress must be "
                          "false");
    return RUNG_OK;
}

/* ---- detr --------------------------------------------------------------------------------- */

enum { DETR_LOGITS, DETR_BOXES };

static rung_result check_detr(const struct rung__header *header,
                              const struct rung__tensors *tensors)
{
    (void)header;
    const struct rung__tensor *logits = rung__head_output(tensors, DETR_LOGITS);
    if (!is_table(logits, dim(logits, 1), dim(logits, 0), 0))
        return rung__head_refuse_shape(logits, "[1,Q,C] with 1..256 classes");
    return require_table(rung__head_output(tensors, DETR_BOXES), dim(logits, 1), 4);
}

static rung_result check_detr_selection(const struct rung__header *header,
                                        const struct rung__tensors *tensors)
{
    const uint32_t queries = dim(rung__head_output(tensors, DETR_LOGITS), 1);
    if (header->selection.considered != queries)
        return rung__fail(RUNG_INTEGRITY,
                          "considered is %u; head detr considers as many as it has queries, %u",
                          header->selection.considered, queries);
    return RUNG_OK;
}

/* ---- centernet ---------------------------------------------------------------------------- */

static rung_result check_centernet(const struct rung__header *header,
                                   const struct rung__tensors *tensors)
{
    static const uint32_t channels[] = {1, 2, 2, 2 * KEY_POINTS};
    rung_result result = require_one_stride("centernet", tensors);
    const uint32_t stride = value(tensors, RUNG__PARAMETER_STRIDES, 0);
    for (uint32_t i = 0; i < COUNT(channels) && result == RUNG_OK; i++) {
        const struct rung__tensor *output = rung__head_output(tensors, i);
        const uint32_t tail[] = {channels[i], cells_along(header->canvas.height, stride),
                                 cells_along(header->canvas.width, stride)};
        if (channels[i] == 1 && output->rank == 2 &&
            rung__head_shape_ends_with(output, tail + 1, COUNT(tail) - 1))
            continue;
        result = rung__head_require_shape(output, tail, COUNT(tail));
    }
    return result;
}

/* ---- strided ------------------------------------------------------------------------------ */

#define STRIDED_MAX (RUNG__OUTPUTS_MAX / RUNG__STRIDED_PARTS)

static const struct rung__tensor *strided_part(const struct rung__tensors *tensors, uint32_t level,
                                               uint32_t part)
{
    return rung__head_output(tensors, level * RUNG__STRIDED_PARTS + part);
}

/** The tables of one stride: those that the first stride has. */
static rung_result check_level(const struct rung__header *header,
                               const struct rung__tensors *tensors, uint32_t level)
{
    static const uint32_t columns[RUNG__STRIDED_PARTS] = {1, 1, 4, 2 * KEY_POINTS};
    static const char *const names[RUNG__STRIDED_PARTS] = {"score", "objectness", "box", "points"};
    const uint32_t anchors = value(tensors, RUNG__PARAMETER_ANCHORS, 0);
    const uint64_t rows = cells(&header->canvas, value(tensors, RUNG__PARAMETER_STRIDES, level)) *
                          (anchors ? anchors : 1);
    rung_result result = RUNG_OK;
    for (uint32_t part = 0; part < RUNG__STRIDED_PARTS && result == RUNG_OK; part++) {
        const struct rung__tensor *output = strided_part(tensors, level, part);
        const bool required = part == RUNG__STRIDED_SCORE || part == RUNG__STRIDED_BOX;
        if (!output != !(required || strided_part(tensors, 0, part)))
            return rung__fail(RUNG_INTEGRITY,
                              "head strided needs score and box for each stride, and objectness "
                              "and points for all strides or none; see %s%u",
                              names[part], level);
        if (rows > UINT32_MAX)
            return rung__fail(RUNG_INTEGRITY, "the strides give more rows than a tensor can have");
        if (output)
            result = require_table(output, (uint32_t)rows, columns[part]);
    }
    return result;
}

static rung_result check_strided(const struct rung__header *header,
                                 const struct rung__tensors *tensors)
{
    const uint32_t strides = count(tensors, RUNG__PARAMETER_STRIDES);
    rung_result result = RUNG_OK;
    if (strides < 1 || strides > STRIDED_MAX)
        return rung__fail(RUNG_INTEGRITY, "head strided has 1..%zu strides, not %u",
                          (size_t)STRIDED_MAX, strides);
    for (uint32_t i = 0; i < tensors->output_count; i++)
        if (tensors->outputs[i].purpose >= strides * RUNG__STRIDED_PARTS)
            return rung__fail(RUNG_INTEGRITY, "output \"%s\" belongs to a stride that is not there",
                              tensors->outputs[i].name);
    for (uint32_t level = 0; level < strides && result == RUNG_OK; level++)
        result = check_level(header, tensors, level);
    return result;
}

/* ---- ssd ---------------------------------------------------------------------------------- */

enum { SSD_SCORES, SSD_BOXES };

/** The rows that the priors of the parameters give. */
static uint64_t prior_rows(const struct rung__tensors *tensors)
{
    const uint32_t maps = count(tensors, RUNG__PARAMETER_MAP_BOXES);
    uint64_t rows = 0;
    for (uint32_t i = 0; i < maps; i++)
        rows += (uint64_t)value(tensors, RUNG__PARAMETER_MAPS, 2 * i) *
                value(tensors, RUNG__PARAMETER_MAPS, 2 * i + 1) *
                value(tensors, RUNG__PARAMETER_MAP_BOXES, i);
    return rows;
}

/** Priors are described whole or not at all, and there is one for each row. */
static rung_result check_priors(const struct rung__tensors *tensors, uint32_t rows)
{
    const uint32_t maps = count(tensors, RUNG__PARAMETER_MAP_BOXES);
    const uint32_t sides = count(tensors, RUNG__PARAMETER_BOX_SIDES);
    const uint32_t variances = count(tensors, RUNG__PARAMETER_VARIANCES);
    uint32_t boxes = 0;
    for (uint32_t i = 0; i < maps; i++)
        boxes += value(tensors, RUNG__PARAMETER_MAP_BOXES, i);
    if (count(tensors, RUNG__PARAMETER_MAPS) != 2 * maps || sides != boxes ||
        variances != (maps ? 2 : 0))
        return rung__fail(RUNG_INTEGRITY,
                          "head ssd: maps has two numbers for each of map_boxes, box_sides as many "
                          "as map_boxes add up to, and variances two; or none of them is there");
    if (maps && prior_rows(tensors) != rows)
        return rung__fail(RUNG_INTEGRITY, "head ssd: the maps give %llu priors for %u rows",
                          (unsigned long long)prior_rows(tensors), rows);
    return RUNG_OK;
}

static rung_result check_ssd(const struct rung__header *header, const struct rung__tensors *tensors)
{
    (void)header;
    const struct rung__tensor *scores = rung__head_output(tensors, SSD_SCORES);
    const uint32_t rows = dim(scores, 1);
    if (!is_table(scores, rows, dim(scores, 0), 1))
        return rung__head_refuse_shape(scores, "[1,N,C+1] with 1..256 classes");
    rung_result result = require_table(rung__head_output(tensors, SSD_BOXES), rows, 4);
    return result == RUNG_OK ? check_priors(tensors, rows) : result;
}

/* ---- fastestdet --------------------------------------------------------------------------- */

static rung_result check_fastestdet(const struct rung__header *header,
                                    const struct rung__tensors *tensors)
{
    const struct rung__tensor *output = rung__head_output(tensors, 0);
    rung_result result = require_one_stride("fastestdet", tensors);
    if (result != RUNG_OK)
        return result;
    const uint32_t stride = value(tensors, RUNG__PARAMETER_STRIDES, 0);
    const uint32_t maps = dim(output, 2);
    const uint32_t tail[] = {maps, cells_along(header->canvas.height, stride),
                             cells_along(header->canvas.width, stride)};
    if (maps <= 5 || maps - 5 > RUNG__CLASSES_MAX)
        return rung__head_refuse_shape(output, "[1,5+C,h,w] with 1..256 classes");
    return rung__head_require_shape(output, tail, COUNT(tail));
}

/* ---- none --------------------------------------------------------------------------------- */

static rung_result check_embedding(const struct rung__header *header,
                                   const struct rung__tensors *tensors)
{
    const struct rung__tensor *output = rung__head_output(tensors, 0);
    if (tensors->parameter_count)
        return rung__fail(RUNG_INTEGRITY, "an embedder has no parameters");
    if (rung__tensor_elements(output) != header->embedding_length)
        return rung__fail(RUNG_INTEGRITY,
                          "tensor \"%s\" has %llu elements, but embedding_length is %u",
                          output->name, (unsigned long long)rung__tensor_elements(output),
                          header->embedding_length);
    return RUNG_OK;
}

static rung_result check_mask(const struct rung__header *header,
                              const struct rung__tensors *tensors)
{
    struct rung__mask_form form;
    rung_result result = rung__mask_form_read(header, tensors, &form);
    if (result != RUNG_OK)
        return result;
    if (form.channels > 1 && form.logits)
        return rung__fail(RUNG_INTEGRITY, "logits is for masks of one channel, and this one has %u",
                          form.channels);
    if (form.channels == 1 && header->selection.min_confidence == 0)
        return rung__fail(RUNG_INTEGRITY,
                          "a mask of one channel is cut at min_confidence; it must be above 0");
    return RUNG_OK;
}

static rung_result check_no_head(const struct rung__header *header,
                                 const struct rung__tensors *tensors)
{
    switch (header->role) {
    case RUNG_ROLE_SEGMENTER:
        return check_mask(header, tensors);
    case RUNG_ROLE_EMBEDDER:
        return check_embedding(header, tensors);
    default: /* test vectors may name it where there is nothing to decode */
        return RUNG_OK;
    }
}

/* ---- the table ---------------------------------------------------------------------------- */

#define BIT(key)    (1u << (key))
#define STRIDES     BIT(RUNG__PARAMETER_STRIDES)
#define LOGITS      BIT(RUNG__PARAMETER_LOGITS)
#define ALL_OUTPUTS (BIT(RUNG__OUTPUTS_MAX) - 1)

/* clang-format off */
static const struct rung__head_contract contracts[] = {
    {.head = RUNG_HEAD_NONE, .name = "none", .tensors = {"output"},
     .parameters = LOGITS | BIT(RUNG__PARAMETER_INTERLEAVED),
     .check = check_no_head},
    {.head = RUNG_HEAD_ROWS, .name = "rows", .tensors = {"output"}, .check = check_rows},
    {.head = RUNG_HEAD_YOLO, .name = "yolo", .tensors = {"output"},
     .parameters = LOGITS,
     .check = check_yolo},
    {.head = RUNG_HEAD_YOLO_OBJ, .name = "yolo-obj", .tensors = {"output"},
     .parameters = LOGITS | STRIDES | BIT(RUNG__PARAMETER_RAW),
     .check = check_yolo_obj},
    {.head = RUNG_HEAD_YOLO_E2E, .name = "yolo-e2e", .tensors = {"output"},
     .parameters = LOGITS,
     .check = check_rows, .check_selection = check_yolo_e2e_selection},
    {.head = RUNG_HEAD_DETR, .name = "detr", .tensors = {"logits", "boxes"},
     .check = check_detr, .check_selection = check_detr_selection},
    {.head = RUNG_HEAD_CENTERNET, .name = "centernet",
     .tensors = {"heat", "scale", "offset", "landmarks"},
     .parameters = LOGITS | STRIDES, .required = STRIDES,
     .attachment_bytes = POINT_BYTES * KEY_POINTS,
     .check = check_centernet},
    {.head = RUNG_HEAD_STRIDED, .name = "strided",
     .tensors = {"score0", "objectness0", "box0", "points0",
                 "score1", "objectness1", "box1", "points1",
                 "score2", "objectness2", "box2", "points2",
                 "score3", "objectness3", "box3", "points3"},
     .optional = ALL_OUTPUTS,
     .parameters = LOGITS | STRIDES | BIT(RUNG__PARAMETER_ANCHORS) |
                   BIT(RUNG__PARAMETER_DISTANCES),
     .required = STRIDES,
     .attachment_bytes = POINT_BYTES * KEY_POINTS,
     .check = check_strided},
    {.head = RUNG_HEAD_SSD, .name = "ssd", .tensors = {"scores", "boxes"},
     .parameters = LOGITS | BIT(RUNG__PARAMETER_MAPS) | BIT(RUNG__PARAMETER_MAP_BOXES) |
                   BIT(RUNG__PARAMETER_BOX_SIDES) | BIT(RUNG__PARAMETER_VARIANCES),
     .check = check_ssd},
    {.head = RUNG_HEAD_FASTESTDET, .name = "fastestdet", .tensors = {"output"},
     .parameters = LOGITS | STRIDES, .required = STRIDES,
     .check = check_fastestdet},
};
/* clang-format on */

const struct rung__head_contract *rung__head_contract(uint32_t head)
{
    for (size_t i = 0; i < COUNT(contracts); i++)
        if (contracts[i].head == head)
            return &contracts[i];
    return NULL;
}

const struct rung__head_contract *rung__head_contract_named(const char *name)
{
    for (size_t i = 0; i < COUNT(contracts); i++)
        if (strcmp(contracts[i].name, name) == 0)
            return &contracts[i];
    return NULL;
}
