/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/mask_rows.h"

#include <math.h>
#include <string.h>

#include "kernel/decode_scan.h"

/** Numbers whose side of the least confidence is sure without its rule. */
struct cut {
    float least, enough;
};

static struct cut make_cut(const struct rung__mask_request *request)
{
    /* rung__decode_range leaves as much room below the number with that confidence. */
    const bool logits = request->form.logits;
    const float room = logits ? 4 * 0x1p-7f : 1.5f / 65535;
    const float least = rung__decode_range(request->min_confidence, logits).least;
    return (struct cut){request->min_confidence > 0 ? least : -INFINITY, least + room};
}

static void ask(const struct rung__mask_request *request, const float *values, uint32_t count,
                uint8_t *to)
{
    uint8_t *const end = to + count, *at = to;
    while ((at = memchr(at, RUNG__MASK_ASK, (size_t)(end - at))))
        *at = rung__mask_class(request, &values[at - to], 1);
}

static bool suits_vectors(const struct rung__mask_request *request)
{
    const struct rung__mask_form *form = &request->form;
    const bool is_table = form->interleaved && form->channels > 1;
    return is_table ? form->channels >= RUNG__MASK_CLASSES_MIN
                    : request->placement->width >= RUNG__MASK_WIDTH_MIN;
}

static void make_row(const struct rung__mask_parts *parts, const struct rung__mask_request *request,
                     struct cut cut, const float *scores, uint8_t *to)
{
    const uint32_t width = request->placement->width, classes = request->form.channels;
    const size_t pixels = (size_t)request->canvas->width * request->canvas->height;
    if (classes == 1) {
        parts->cut(scores, width, cut.least, cut.enough, to);
        ask(request, scores, width, to);
    } else if (request->form.interleaved)
        parts->best_of_table(scores, classes, width, to);
    else
        parts->best_of_planes(scores, pixels, classes, width, to);
}

void rung__mask_rows(const struct rung__mask_parts *parts, const struct rung__mask_request *request,
                     uint8_t *to)
{
    if (!suits_vectors(request)) {
        rung__mask_c(request, to);
        return;
    }
    const struct rung__placement *placement = request->placement;
    const struct cut cut = make_cut(request);
    const size_t to_next = request->form.interleaved ? request->form.channels : 1;
    for (uint32_t y = 0; y < placement->height; y++) {
        const size_t first = (size_t)(placement->y + y) * request->canvas->width + placement->x;
        make_row(parts, request, cut, request->values + first * to_next, to);
        to += placement->width;
    }
}
