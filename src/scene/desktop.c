/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/desktop.h"

#include "base/error.h"
#include "kernel/packet.h"

#define Q8 256

/** A box must be wider and higher than two pixels of the desktop, so that one on every side can be
 * taken off. */
#define ACTIONABLE_ABOVE (2 * Q8)

static bool is_in_range(const rung_desktop_rect *rect)
{
    return rect->w > 0 && rect->h > 0 && rect->x <= INT32_MAX - rect->w &&
           rect->y <= INT32_MAX - rect->h;
}

static rung_result check_rect(const rung_desktop_rect *rect, const char *name)
{
    if (is_in_range(rect))
        return RUNG_OK;
    return rung__fail(RUNG_INVALID_ARGUMENT,
                      "rung_scene_frame.%s is %d × %d at %d, %d; it must not be empty, and x + w "
                      "and y + h must fit into int32_t",
                      name, rect->w, rect->h, rect->x, rect->y);
}

static int32_t greater(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t less(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

rung_result rung__desktop_map_init(struct rung__desktop_map *map, const rung_scene_frame *frame,
                                   uint32_t width, uint32_t height)
{
    const rung_desktop_rect *place = &frame->placement, *visible = &frame->visible;
    if (!visible->x && !visible->y && !visible->w && !visible->h)
        visible = place;
    rung_result result = check_rect(place, "placement");
    if (result == RUNG_OK)
        result = check_rect(visible, "visible");
    if (result != RUNG_OK)
        return result;
    *map = (struct rung__desktop_map){
        .placement = *place,
        .width = width,
        .height = height,
        .left = greater(place->x, visible->x),
        .top = greater(place->y, visible->y),
        .right = less(place->x + place->w, visible->x + visible->w),
        .bottom = less(place->y + place->h, visible->y + visible->h),
    };
    return RUNG_OK;
}

/* start + ⌊(v·length + side·128) / (side·256)⌋. The greatest product is 65535·2^8·2^31 < 2^56, and
 * nothing is negative but `start`. */
static int32_t map_axis(int32_t v, int32_t start, int32_t length, uint32_t side)
{
    const int64_t whole = (int64_t)side * Q8;
    return start + (int32_t)(((int64_t)v * length + whole / 2) / whole);
}

int32_t rung__desktop_x(const struct rung__desktop_map *map, int32_t x)
{
    return map_axis(x, map->placement.x, map->placement.w, map->width);
}

int32_t rung__desktop_y(const struct rung__desktop_map *map, int32_t y)
{
    return map_axis(y, map->placement.y, map->placement.h, map->height);
}

static bool is_inside(const rung_target *target)
{
    return target->safe_x >= target->x && target->safe_x < target->x + target->w &&
           target->safe_y >= target->y && target->safe_y < target->y + target->h;
}

static void settle(rung_target *target)
{
    if (!is_inside(target)) {
        target->safe_x = target->x + target->w / 2;
        target->safe_y = target->y + target->h / 2;
    }
    if (target->w <= ACTIONABLE_ABOVE || target->h <= ACTIONABLE_ABOVE) {
        target->flags &= ~(uint32_t)RUNG_TARGET_ACTIONABLE;
        target->capabilities = 0;
    }
    target->target_id = rung__target_id(
        (const uint64_t[]){target->source_id, (uint64_t)(int64_t)target->x,
                           (uint64_t)(int64_t)target->y, (uint64_t)(int64_t)target->w,
                           (uint64_t)(int64_t)target->h, target->class_id, target->source_bits});
}

bool rung__desktop_target(const struct rung__desktop_map *map, const rung_target *source,
                          rung_target *out)
{
    const int32_t left = greater(rung__desktop_x(map, source->x), map->left);
    const int32_t top = greater(rung__desktop_y(map, source->y), map->top);
    const int32_t right = less(rung__desktop_x(map, source->x + source->w), map->right);
    const int32_t bottom = less(rung__desktop_y(map, source->y + source->h), map->bottom);
    if (right <= left || bottom <= top)
        return false;
    *out = *source;
    out->x = left;
    out->y = top;
    out->w = right - left; /* within the placement, whose sides fit */
    out->h = bottom - top;
    out->safe_x = rung__desktop_x(map, source->safe_x);
    out->safe_y = rung__desktop_y(map, source->safe_y);
    settle(out);
    return true;
}
