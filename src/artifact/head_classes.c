/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/heads.h"

#include "base/error.h"

/* How many classes a model tells apart, as far as its tensors' shapes have it. */

/** Of a head: the dimension of an output that has them, and what else stands in it. */
struct place {
    uint32_t head;
    uint32_t purpose;
    uint32_t from_last; /**< the dimension, counted from the last one, 0 */
    uint32_t besides;
};

static const struct place places[] = {
    {RUNG_HEAD_YOLO, 0, 1, 4}, {RUNG_HEAD_YOLO_OBJ, 0, 0, 5},   {RUNG_HEAD_DETR, 0, 0, 0},
    {RUNG_HEAD_SSD, 0, 0, 1},  {RUNG_HEAD_FASTESTDET, 0, 2, 5},
};

static uint32_t classes_at(const struct rung__tensors *tensors, const struct place *place)
{
    const struct rung__tensor *output = rung__head_output(tensors, place->purpose);
    if (!output || output->rank <= place->from_last)
        return 0;
    const uint32_t all = output->dims[output->rank - 1 - place->from_last];
    return all > place->besides ? all - place->besides : 0;
}

static uint32_t classes_of_mask(const struct rung__header *header,
                                const struct rung__tensors *tensors)
{
    struct rung__mask_form form;
    if (rung__mask_form_read(header, tensors, &form) != RUNG_OK)
        return 0;
    return form.channels > 1 ? form.channels : 2; /* of one channel: it and what is not it */
}

uint32_t rung__head_classes(const struct rung__header *header, const struct rung__tensors *tensors)
{
    if (header->role == RUNG_ROLE_SEGMENTER)
        return classes_of_mask(header, tensors);
    if (header->head == RUNG_HEAD_CENTERNET || header->head == RUNG_HEAD_STRIDED)
        return 1;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].head == header->head)
            return classes_at(tensors, &places[i]);
    return 0;
}

rung_result rung__head_check_labels(const struct rung__header *header,
                                    const struct rung__tensors *tensors, uint32_t labels)
{
    const uint32_t classes = rung__head_classes(header, tensors);
    /* A model of queries may have one more, of no object. */
    const bool fewer = header->head == RUNG_HEAD_DETR && labels < classes;
    if (!labels || !classes || labels == classes || fewer)
        return RUNG_OK;
    return rung__fail(RUNG_INTEGRITY,
                      "there are %u labels, and by its tensors the model has %u class%s; give the "
                      "labels of this model, in the order of its classes",
                      labels, classes, classes == 1 ? "" : "es");
}
