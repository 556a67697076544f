/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stage/pre/pre.h"

void rung__framer_init(struct rung__framer *framer, const struct rung__stage_context *context,
                       uint64_t cpu_flags, uint32_t workers)
{
    *framer = (struct rung__framer){.ledger = context->ledger, .workers = workers};
    rung__preprocess_init(&framer->kernels, cpu_flags);
}

void rung__framer_finish(struct rung__framer *framer)
{
    free(framer->tables);
    free(framer->scratch);
    rung__ledger_freed(framer->ledger,
                       framer->tables_bytes + framer->workers * framer->scratch_bytes);
}

/** Every resampler gives a content of the crop's size its very pixels; `nearest` is the fastest. */
static const struct rung__resampler *resampler_of(const struct rung__framer *framer,
                                                  const struct rung__canvas *canvas,
                                                  const struct rung__placement *placement)
{
    const bool same =
        placement->width == placement->crop.width && placement->height == placement->crop.height;
    return &framer->kernels.resamplers[same ? RUNG_RESAMPLER_NEAREST : canvas->resampler];
}

/** Grows memory whose content is not kept. */
static bool grow(struct rung__ledger *ledger, uint8_t **memory, uint64_t *held, uint64_t wanted,
                 uint32_t times)
{
    if (wanted <= *held)
        return true;
    void *larger = wanted <= UINT64_MAX / times ? rung__memory_new(wanted * times) : NULL;
    if (!larger)
        return false;
    free(*memory);
    rung__ledger_allocated(ledger, *held * times, wanted * times);
    *memory = larger;
    *held = wanted;
    return true;
}

static rung_result make_room(struct rung__framer *framer, const struct rung__resampler *resampler,
                             const struct rung__pre_request *request)
{
    const struct rung__placement *placement = request->placement;
    const uint64_t tables = resampler->tables_bytes(resampler, request->canvas, placement);
    const uint64_t scratch = resampler->scratch_bytes(resampler, request->canvas, placement);
    if (tables > framer->tables_bytes)
        framer->format = 0; /* those that are there go */
    if (grow(framer->ledger, &framer->tables, &framer->tables_bytes, tables, 1) &&
        grow(framer->ledger, &framer->scratch, &framer->scratch_bytes, scratch, framer->workers))
        return RUNG_OK;
    return rung__fail(RUNG_NO_MEMORY, "no memory to preprocess a frame of %u × %u pixels",
                      placement->crop.width, placement->crop.height);
}

rung_result rung__framer_reserve(struct rung__framer *framer,
                                 const struct rung__pre_request *request)
{
    const struct rung__resampler *resamplers = framer->kernels.resamplers;
    rung_result result = make_room(framer, &resamplers[request->canvas->resampler], request);
    return result == RUNG_OK ? make_room(framer, &resamplers[RUNG_RESAMPLER_NEAREST], request)
                             : result;
}

rung_result rung__framer_begin(struct rung__framer *framer, const struct rung__pre_request *request,
                               struct rung__preprocess_frame *out)
{
    const struct rung__resampler *resampler =
        resampler_of(framer, request->canvas, request->placement);
    rung_result result = make_room(framer, resampler, request);
    if (result != RUNG_OK)
        return result;
    *out = (struct rung__preprocess_frame){request->canvas, request->placement, request->surface,
                                           framer->tables, request->tensor};
    const uint32_t format = request->surface->format;
    if (framer->format != format ||
        memcmp(&framer->placement, request->placement, sizeof framer->placement) != 0) {
        resampler->make_tables(resampler, out);
        framer->placement = *request->placement;
        framer->format = format;
    }
    return RUNG_OK;
}

void rung__framer_rows(const struct rung__framer *framer,
                       const struct rung__preprocess_frame *frame, uint32_t worker, uint32_t first,
                       uint32_t end)
{
    const struct rung__resampler *resampler = resampler_of(framer, frame->canvas, frame->placement);
    resampler->rows(resampler, frame, first, end,
                    framer->scratch + (size_t)(worker * framer->scratch_bytes));
}

/* ---- one thread ------------------------------------------------------------------------------ */

rung_result rung__framer_create(const struct rung__stage_context *context, uint64_t cpu_flags,
                                void **object)
{
    struct rung__framer *framer = malloc(sizeof *framer);
    if (!framer)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a context");
    rung__framer_init(framer, context, cpu_flags, 1);
    rung__ledger_allocated(framer->ledger, 0, sizeof *framer);
    *object = framer;
    return RUNG_OK;
}

rung_result rung__pre_reserve(void *object, const void *request)
{
    return rung__framer_reserve(object, request);
}

rung_result rung__pre_run(void *object, void *data)
{
    struct rung__framer *framer = object;
    const struct rung__pre_request *request = data;
    struct rung__preprocess_frame frame;
    rung_result result = rung__framer_begin(framer, request, &frame);
    if (result == RUNG_OK)
        rung__framer_rows(framer, &frame, 0, 0, request->canvas->height);
    return result;
}

void rung__pre_destroy(void *object)
{
    struct rung__framer *framer = object;
    if (!framer)
        return;
    rung__framer_finish(framer);
    rung__ledger_freed(framer->ledger, sizeof *framer);
    free(framer);
}
