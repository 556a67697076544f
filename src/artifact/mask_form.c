/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "artifact/heads.h"
#include "base/error.h"
#include "base/text.h"

/* How a segmenter's output is laid out: told once from what the model file declares. */

#define TAIL 3u /* channels and both sides, in one order or the other */

/** A flag of the model file; false when it is missing. */
static bool flag(const struct rung__tensors *tensors, uint32_t key)
{
    const struct rung__parameter *parameter = rung__head_parameter(tensors, key);
    return parameter && rung__get_u32(parameter->values.data) != 0;
}

/** The last three dimensions, with ones before those that there are. */
static void read_tail(const struct rung__tensor *output, uint32_t tail[TAIL])
{
    for (uint32_t i = 0; i < TAIL; i++)
        tail[i] = output->rank + i >= TAIL ? output->dims[output->rank + i - TAIL] : 1;
}

/** [1,…,1, tail]? */
static bool has_one_picture(const struct rung__tensor *output)
{
    for (uint32_t i = 0; i + TAIL < output->rank; i++)
        if (output->dims[i] != 1)
            return false;
    return true;
}

static rung_result refuse(const struct rung__canvas *canvas, const struct rung__tensor *output)
{
    char wanted[160];
    (void)rung__text_format(wanted, sizeof wanted,
                            "[1,C,h,w] or [1,h,w,C] with 1..256 classes, h and w those of the "
                            "canvas, %u and %u,",
                            canvas->height, canvas->width);
    return rung__head_refuse_shape(output, wanted);
}

rung_result rung__mask_form_read(const struct rung__header *header,
                                 const struct rung__tensors *tensors, struct rung__mask_form *out)
{
    const struct rung__tensor *output = rung__head_output(tensors, 0);
    const uint32_t h = header->canvas.height, w = header->canvas.width;
    const bool told = rung__head_parameter(tensors, RUNG__PARAMETER_INTERLEAVED) != NULL;
    const bool interleaved = flag(tensors, RUNG__PARAMETER_INTERLEAVED);
    uint32_t tail[TAIL];
    read_tail(output, tail);
    const bool one = has_one_picture(output);
    const bool fits_planar = one && tail[1] == h && tail[2] == w && !(told && interleaved);
    const bool fits_interleaved = one && tail[0] == h && tail[1] == w && !(told && !interleaved);
    if (!fits_planar && !fits_interleaved)
        return refuse(&header->canvas, output);
    const uint32_t channels = fits_planar ? tail[0] : tail[2];
    if (channels > RUNG__CLASSES_MAX)
        return refuse(&header->canvas, output);
    /* A single number is the same in both. */
    if (fits_planar && fits_interleaved && channels > 1)
        return rung__fail(RUNG_INTEGRITY,
                          "tensor \"%s\" could be [1,C,h,w] as well as [1,h,w,C]; the parameter "
                          "interleaved must say which",
                          output->name);
    *out = (struct rung__mask_form){
        .channels = channels,
        .interleaved = !fits_planar,
        .logits = flag(tensors, RUNG__PARAMETER_LOGITS),
    };
    return RUNG_OK;
}
