/* SPDX-License-Identifier: Apache-2.0 */
/* What a model is run on when it is tried: the stored input of its golden sample, else a picture
 * that is the same everywhere. */
#include "ladder/trial_input.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/golden.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/preprocess.h"

/* Noise of single pixels is no picture: a segmenter answered nothing but zeros to it, of which
 * nothing can be told. Patches of a colour are something to see. */
#define PATCH 16u

static bool read_golden(const struct rung__artifact_view *view, struct rung__golden *golden)
{
    const struct rung__bytes section = view->sections[RUNG__SECTION_GOLDEN];
    return section.size && rung__golden_parse(section, &view->tensors, golden) == RUNG_OK;
}

/** Any level anywhere, in patches of so many pixels; in single ones it is the picture of
 * docs/artifact.md, section 4. */
static void paint(const struct rung__canvas *canvas, uint32_t patch, uint8_t *pixels)
{
    const uint32_t across = (canvas->width + patch - 1) / patch;
    for (uint32_t y = 0; y < canvas->height; y++)
        for (uint32_t x = 0; x < canvas->width; x++)
            for (uint32_t c = 0; c < 3; c++) {
                const uint32_t i = (y / patch * across + x / patch) * 3 + c;
                *pixels++ = (uint8_t)(i * 2654435761u >> 24);
            }
}

static rung_result preprocess(const struct rung__canvas *canvas, const uint8_t *pixels, void *to)
{
    const struct rung__crop whole = {0, 0, canvas->width, canvas->height};
    const struct rung__surface surface = {
        .pixels = pixels,
        .stride = (uint64_t)canvas->width * 3,
        .width = canvas->width,
        .height = canvas->height,
        .format = RUNG_PIXEL_RGB8,
    };
    struct rung__placement placement;
    struct rung__preprocess_kernels kernels;
    rung__fit(canvas, &whole, &placement);
    rung__preprocess_init(&kernels, 0);
    void *workspace = rung__memory_new(rung__preprocess_workspace(&kernels, canvas, &placement));
    if (!workspace)
        return rung__fail(RUNG_NO_MEMORY, "no memory for the picture of a trial");
    rung__preprocess(&kernels, canvas, &placement, &surface, workspace, to);
    free(workspace);
    return RUNG_OK;
}

rung_result rung__trial_fill_input(const struct rung__artifact_view *view,
                                   struct rung__model_memory *memory)
{
    const struct rung__canvas *canvas = &view->header.canvas;
    struct rung__golden golden;
    const bool has_golden = read_golden(view, &golden);
    if (has_golden && golden.input_kind == RUNG__GOLDEN_STORED) {
        memcpy(memory->input, golden.input.data, golden.input.size);
        return RUNG_OK;
    }
    uint8_t *pixels = malloc((size_t)canvas->width * canvas->height * 3);
    if (!pixels)
        return rung__fail(RUNG_NO_MEMORY, "no memory for the picture of a trial");
    paint(canvas, has_golden ? 1 : PATCH, pixels);
    rung_result result = preprocess(canvas, pixels, memory->input);
    free(pixels);
    return result;
}
