/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/preprocess.h"

#include "base/error.h"

uint32_t rung__pixel_bytes(uint32_t format)
{
    switch (format) {
    case RUNG_PIXEL_RGB8:
    case RUNG_PIXEL_BGR8:
        return 3;
    case RUNG_PIXEL_RGBA8:
    case RUNG_PIXEL_BGRA8:
    case RUNG_PIXEL_RGBX8:
    case RUNG_PIXEL_BGRX8:
        return 4;
    case RUNG_PIXEL_GRAY8:
        return 1;
    default:
        return 0;
    }
}

void rung__pixel_channels(const struct rung__canvas *canvas, const struct rung__surface *surface,
                          uint32_t offsets[3])
{
    static const uint32_t rgb[3] = {0, 1, 2}, bgr[3] = {2, 1, 0};
    const uint32_t format = surface->format;
    const bool source_is_bgr =
        format == RUNG_PIXEL_BGR8 || format == RUNG_PIXEL_BGRA8 || format == RUNG_PIXEL_BGRX8;
    const bool stored_is_bgr =
        canvas->order == RUNG_CHANNEL_ORDER_BGR || canvas->layout == RUNG_LAYOUT_BGRA;
    const uint32_t *order = source_is_bgr == stored_is_bgr ? rgb : bgr;
    for (uint32_t c = 0; c < 3; c++)
        offsets[c] = format == RUNG_PIXEL_GRAY8 ? 0 : order[c];
}

/** The address of the last byte must exist and be reachable by a signed offset. */
static bool is_addressable(const struct rung__surface *surface, uint64_t row_bytes)
{
    const uint64_t behind = UINTPTR_MAX - (uintptr_t)surface->pixels;
    const uint64_t limit = behind < PTRDIFF_MAX ? behind : PTRDIFF_MAX;
    if (row_bytes > limit)
        return false;
    return surface->height == 1 || surface->stride <= (limit - row_bytes) / (surface->height - 1);
}

static rung_result check_crop(const struct rung__surface *surface, const struct rung__crop *crop)
{
    if (crop->width == 0 || crop->height == 0)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "the crop is empty (%u x %u pixels); give it at least one pixel",
                          crop->width, crop->height);
    if (crop->x > surface->width || crop->width > surface->width - crop->x ||
        crop->y > surface->height || crop->height > surface->height - crop->y)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "the crop of %u x %u pixels at %u, %u leaves the surface of %u x %u",
                          crop->width, crop->height, crop->x, crop->y, surface->width,
                          surface->height);
    return RUNG_OK;
}

rung_result rung__surface_check(const struct rung__surface *surface, const struct rung__crop *crop)
{
    const uint32_t pixel_bytes = rung__pixel_bytes(surface->format);
    if (pixel_bytes == 0)
        return rung__fail(RUNG_INVALID_ARGUMENT, "unknown pixel format %u; see rung_pixel_format",
                          surface->format);
    if (surface->width < 1 || surface->width > RUNG__FRAME_SIDE_MAX || surface->height < 1 ||
        surface->height > RUNG__FRAME_SIDE_MAX)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "the surface is %u x %u pixels; each side must be 1..%u", surface->width,
                          surface->height, RUNG__FRAME_SIDE_MAX);
    if (!surface->pixels)
        return rung__fail(RUNG_INVALID_ARGUMENT, "the surface has no pixels (NULL)");
    const uint64_t row_bytes = (uint64_t)surface->width * pixel_bytes;
    if (surface->stride < row_bytes)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "the stride of %llu bytes is shorter than a row of %llu",
                          (unsigned long long)surface->stride, (unsigned long long)row_bytes);
    if (!is_addressable(surface, row_bytes))
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "%u rows of %llu bytes do not fit the address space; check the stride",
                          surface->height, (unsigned long long)surface->stride);
    return check_crop(surface, crop);
}
