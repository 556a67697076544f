/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what was published. */
#include <string.h>

#include "base/error.h"
#include "kernel/packet.h"
#include "scene/scene.h"
#include "session/structure.h"

rung_result rung_scene_acquire(rung_scene *scene, const rung_scene_view **view)
{
    if (!scene || !view)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_acquire: an argument is NULL");
    *view = rung__publication_pin(&scene->publication);
    return *view ? RUNG_OK : rung__fail(RUNG_NOT_FOUND, "no scene was published yet");
}

rung_result rung_scene_release(rung_scene *scene, const rung_scene_view *view)
{
    if (!scene)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_release: scene is NULL");
    if (view && !rung__publication_unpin(&scene->publication, view))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_release: it is no view of this scene");
    return RUNG_OK;
}

static rung_result copy(const rung_scene_view *view, rung_span packet, rung_scene_view *to)
{
    rung_scene_view copied = *view;
    copied.packet = packet.data;
    rung_result result = rung__packet_check_room(packet.size, (size_t)view->packet_bytes);
    if (result == RUNG_OK && to)
        result = rung__structure_write(to, &copied, sizeof copied, "rung_scene_view");
    if (result == RUNG_OK)
        memcpy(packet.data, view->packet, (size_t)view->packet_bytes);
    return result;
}

rung_result rung_scene_copy(rung_scene *scene, rung_span packet, size_t *needed,
                            rung_scene_view *view)
{
    const rung_scene_view *newest;
    if (!scene || (!packet.data && packet.size) || (uintptr_t)packet.data % 8)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_scene_copy: an argument is NULL, or the packet not 8-byte aligned");
    rung_result result = rung_scene_acquire(scene, &newest);
    if (result != RUNG_OK)
        return result;
    if (needed)
        *needed = (size_t)newest->packet_bytes;
    result = copy(newest, packet, view);
    (void)rung__publication_unpin(&scene->publication, newest);
    return result;
}
