/* SPDX-License-Identifier: Apache-2.0 */
/* What a model is run on when it is tried: the stored input of its golden sample, else numbers that
 * are the same everywhere. */
#include <string.h>

#include "artifact/golden.h"
#include "artifact/tensors.h"
#include "input.h"

/** A linear congruential generator; the high bits are the good ones. */
static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static bool copy_golden(const struct rung__artifact_view *view, void *to)
{
    struct rung__golden golden;
    const struct rung__bytes section = view->sections[RUNG__SECTION_GOLDEN];
    if (!section.size || rung__golden_parse(section, &view->tensors, &golden) != RUNG_OK ||
        golden.input_kind != RUNG__GOLDEN_STORED)
        return false;
    memcpy(to, golden.input.data, golden.input.size);
    return true;
}

/** Levels of a picture as preprocessing would scale them, all of the first channel. */
static void fill_f32(const struct rung__canvas *canvas, uint8_t *to, uint64_t bytes)
{
    uint32_t state = 1;
    for (uint64_t at = 0; at + 4 <= bytes; at += 4)
        rung__put_f32(to + at, (float)(next(&state) & 255u) * canvas->scale[0] + canvas->bias[0]);
}

/** 0.25 <= value < 0.5: any mantissa, one exponent. */
static void fill_f16(uint8_t *to, uint64_t bytes)
{
    uint32_t state = 1;
    for (uint64_t at = 0; at + 2 <= bytes; at += 2)
        rung__put_u16(to + at, (uint16_t)(0x3400u | (next(&state) & 0x3ffu)));
}

static void fill_bytes(uint8_t *to, uint64_t bytes)
{
    uint32_t state = 1;
    for (uint64_t at = 0; at < bytes; at++)
        to[at] = (uint8_t)next(&state);
}

void fill_input(const struct rung__artifact_view *view, struct rung__model_memory *memory)
{
    if (copy_golden(view, memory->input))
        return;
    switch (view->tensors.input.dtype) {
    case RUNG_DTYPE_F32:
        fill_f32(&view->header.canvas, memory->input, memory->input_bytes);
        break;
    case RUNG_DTYPE_F16:
        fill_f16(memory->input, memory->input_bytes);
        break;
    default:
        fill_bytes(memory->input, memory->input_bytes);
    }
}
