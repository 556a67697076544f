/* SPDX-License-Identifier: Apache-2.0 */
#include "session/frame.h"

#include <stdlib.h>

#include "base/error.h"
#include "session/structure.h"

static bool is_zero(const rung_rect *rect)
{
    return !rect->x && !rect->y && !rect->width && !rect->height;
}

/** Where the pixels of an imported frame are, which must not end before its last row does. */
static rung_result find_imported(const rung_frame *frame, struct rung__surface *surface)
{
    const struct rung__imported *memory = &frame->surface->memory;
    if (frame->pixels)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_frame: both pixels and a surface are set; one of them counts");
    if (frame->surface_offset >= memory->size)
        return rung__fail(
            RUNG_INVALID_ARGUMENT, "rung_frame.surface_offset is %llu; the surface has %llu bytes",
            (unsigned long long)frame->surface_offset, (unsigned long long)memory->size);
    surface->pixels = memory->data + frame->surface_offset;
    return RUNG_OK;
}

/** Of a surface that was checked, so that nothing overflows. */
static rung_result check_end(const rung_frame *frame, const struct rung__surface *surface)
{
    const uint64_t row = (uint64_t)surface->width * rung__pixel_bytes(surface->format);
    const uint64_t size = surface->stride * (surface->height - 1) + row;
    const uint64_t room = frame->surface->memory.size - frame->surface_offset;
    if (size <= room)
        return RUNG_OK;
    return rung__fail(RUNG_INVALID_ARGUMENT,
                      "the frame takes %llu bytes of its surface, which has %llu behind the offset",
                      (unsigned long long)size, (unsigned long long)room);
}

rung_result rung__frame_read(const rung_frame *callers, rung_frame *frame,
                             struct rung__surface *surface, struct rung__crop *crop)
{
    rung_result result = rung__structure_read(frame, sizeof *frame, callers, "rung_frame");
    if (result == RUNG_OK)
        result = rung__structure_check_flags(frame->flags, RUNG_FRAME_FENCE, "rung_frame");
    if (result == RUNG_OK && frame->flags & RUNG_FRAME_FENCE && frame->fence < 0)
        result = rung__fail(RUNG_INVALID_ARGUMENT,
                            "rung_frame.fence is %d, which is no file descriptor; without a fence "
                            "leave RUNG_FRAME_FENCE out",
                            (int)frame->fence);
    if (result != RUNG_OK)
        return result;
    *surface = (struct rung__surface){
        .pixels = frame->pixels,
        .stride = frame->stride,
        .width = frame->width,
        .height = frame->height,
        .format = (uint32_t)frame->format,
    };
    if (surface->stride == 0)
        surface->stride = (uint64_t)frame->width * rung__pixel_bytes(surface->format);
    *crop = is_zero(&frame->crop) ? (struct rung__crop){0, 0, frame->width, frame->height}
                                  : (struct rung__crop){frame->crop.x, frame->crop.y,
                                                        frame->crop.width, frame->crop.height};
    if (frame->surface)
        result = find_imported(frame, surface);
    if (result == RUNG_OK)
        result = rung__surface_check(surface, crop);
    return result == RUNG_OK && frame->surface ? check_end(frame, surface) : result;
}

rung_result rung__frame_begin_read(const rung_frame *frame, uint32_t fence_ms)
{
    rung_result result = RUNG_OK;
    if (frame->flags & RUNG_FRAME_FENCE)
        result = rung__fence_wait(frame->fence, fence_ms);
    if (result == RUNG_OK && frame->surface)
        result = rung__imported_begin_read(&frame->surface->memory);
    return result;
}

void rung__frame_end_read(const rung_frame *frame)
{
    if (frame->surface)
        rung__imported_end_read(&frame->surface->memory);
}

rung_result rung_surface_import(const rung_surface_options *caller_options, rung_surface **out)
{
    rung_surface_options options;
    if (!caller_options || !out)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_surface_import: an argument is NULL");
    *out = NULL;
    rung_result result =
        rung__structure_read(&options, sizeof options, caller_options, "rung_surface_options");
    if (result == RUNG_OK)
        result = rung__structure_check_flags(options.flags, 0, "rung_surface_options");
    if (result != RUNG_OK)
        return result;
    struct rung_surface *surface = malloc(sizeof *surface);
    if (!surface)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a surface");
    result = rung__imported_open(options.fd, options.bytes, &surface->memory);
    if (result != RUNG_OK) {
        free(surface);
        return result;
    }
    *out = surface;
    return RUNG_OK;
}

void rung_surface_destroy(rung_surface *surface)
{
    if (!surface)
        return;
    rung__imported_close(&surface->memory);
    free(surface);
}
