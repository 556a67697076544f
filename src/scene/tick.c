/* SPDX-License-Identifier: Apache-2.0 */
/* One tick: the pending frames of all sources become one published scene. */
#include "base/imported.h"
#include "scene/scene.h"
#include "session/context.h"

void rung__scene_count(struct rung_scene *scene, enum rung__tick_count count, uint64_t number)
{
    atomic_fetch_add_explicit(&scene->counts[count], number, memory_order_relaxed);
}

/* ---- the frames of a tick ------------------------------------------------------------------ */

/** Where a source belongs among those before it, by its id. */
static struct rung__scene_entry *insert(struct rung_scene *scene, uint64_t id)
{
    uint32_t at = scene->entry_count++;
    rung_packet_header *packet = scene->entries[at].packet;
    for (; at && scene->entries[at - 1].state.source_id > id; at--)
        scene->entries[at] = scene->entries[at - 1];
    scene->entries[at].packet = packet;
    return &scene->entries[at];
}

static void note_frame(struct rung__scene_entry *entry)
{
    const struct rung__offered *offered = entry->offered;
    if (!offered)
        return;
    entry->map = offered->map;
    entry->captured_ns = offered->captured_ns;
    entry->state.display_id = offered->frame.display_id;
    entry->state.frame_id = offered->frame.frame_id;
    entry->state.status = RUNG_SCENE_SOURCE_FRESH;
}

/** Takes the pending frame of each source, in the order of their ids. */
static void take_frames(struct rung_scene *scene)
{
    scene->entry_count = 0;
    for (uint32_t i = 0; i < RUNG__SOURCE_PLACES; i++) {
        struct rung__source *source = &scene->sources.places[i];
        uint64_t id;
        if (scene->entry_count == RUNG_SCENE_SOURCES_MAX || !rung__source_enter(source, &id))
            continue;
        struct rung__scene_entry *entry = insert(scene, id);
        entry->source = source;
        entry->offered = rung__source_take(source);
        entry->state = (rung_scene_source){.source_id = id, .status = RUNG_SCENE_SOURCE_LATE};
        note_frame(entry);
    }
}

static void release_frame(struct rung__scene_entry *entry)
{
    rung__offered_release(entry->offered);
    entry->offered = NULL;
}

/** Only frames of the newest desktop stay. */
static void drop_stale(struct rung_scene *scene)
{
    for (uint32_t i = 0; i < scene->entry_count; i++) {
        const struct rung__offered *offered = scene->entries[i].offered;
        if (offered && rung__epoch_pair_is_newer(rung__offered_pair(offered), scene->newest))
            scene->newest = rung__offered_pair(offered);
    }
    for (uint32_t i = 0; i < scene->entry_count; i++) {
        struct rung__scene_entry *entry = &scene->entries[i];
        if (!entry->offered ||
            !rung__epoch_pair_is_newer(scene->newest, rung__offered_pair(entry->offered)))
            continue;
        entry->state.status = RUNG_SCENE_SOURCE_STALE;
        rung__source_count_one(entry->source, RUNG__FRAMES_STALE);
        release_frame(entry);
    }
}

static void put_back(struct rung__scene_entry *entry)
{
    if (entry->offered)
        rung__source_put_back(entry->source);
    entry->offered = NULL;
}

/** Frames whose pixels may not be read yet stay pending: no source waits for another one. */
static void leave_unready(struct rung_scene *scene)
{
    for (uint32_t i = 0; i < scene->entry_count; i++) {
        struct rung__scene_entry *entry = &scene->entries[i];
        const rung_frame *frame = entry->offered ? &entry->offered->frame : NULL;
        if (!frame || !(frame->flags & RUNG_FRAME_FENCE) ||
            rung__fence_wait(frame->fence, 0) != RUNG_TIMEOUT)
            continue;
        put_back(entry);
        entry->state = (rung_scene_source){.source_id = entry->state.source_id,
                                           .status = RUNG_SCENE_SOURCE_LATE};
    }
}

static bool any_frame_is_left(const struct rung_scene *scene)
{
    for (uint32_t i = 0; i < scene->entry_count; i++)
        if (scene->entries[i].offered)
            return true;
    return false;
}

bool rung__scene_is_complete(const struct rung_scene *scene)
{
    for (uint32_t i = 0; i < scene->entry_count; i++)
        if (scene->entries[i].state.status != RUNG_SCENE_SOURCE_FRESH)
            return false;
    return true;
}

/* ---- running them -------------------------------------------------------------------------- */

/** The first of a row of failures of a source is told, not each of thirty a second. */
static void note_failure(struct rung_scene *scene, struct rung__scene_entry *entry)
{
    const rung_scene_source *state = &entry->state;
    if (!entry->source->failing)
        rung__log_write(&scene->context->model->instance->log, RUNG_LOG_WARNING,
                        "scene: frame %llu of source %llu: %s", (unsigned long long)state->frame_id,
                        (unsigned long long)state->source_id, rung_last_error());
    entry->source->failing = true;
    entry->state.status = RUNG_SCENE_SOURCE_FAILED;
    rung__source_count_one(entry->source, RUNG__FRAMES_FAILED);
}

static void run_frame(struct rung_scene *scene, struct rung__scene_entry *entry)
{
    const rung_span packet = {entry->packet, (size_t)scene->packet_bytes};
    entry->state.result = rung_detect(scene->context, &entry->offered->frame, packet, NULL, NULL);
    if (entry->state.result == RUNG_OK)
        entry->source->failing = false;
    else
        note_failure(scene, entry);
    release_frame(entry);
}

/** False: one failed, and the policy is to abort. */
static bool run_frames(struct rung_scene *scene)
{
    for (uint32_t i = 0; i < scene->entry_count; i++) {
        struct rung__scene_entry *entry = &scene->entries[i];
        if (!entry->offered)
            continue;
        run_frame(scene, entry);
        if (scene->aborts && entry->state.status == RUNG_SCENE_SOURCE_FAILED)
            return false;
    }
    return true;
}

/* ---- the tick -------------------------------------------------------------------------------- */

/** The results of frames that ran well are not published. */
static void discard(struct rung_scene *scene, enum rung__tick_count why)
{
    rung__scene_count(scene, why, 1);
    for (uint32_t i = 0; i < scene->entry_count; i++) {
        const struct rung__scene_entry *entry = &scene->entries[i];
        if (entry->state.status == RUNG_SCENE_SOURCE_FRESH && !entry->offered)
            rung__source_count_one(entry->source, RUNG__FRAMES_DISCARDED);
    }
}

static void run_and_publish(struct rung_scene *scene, uint64_t due)
{
    const uint64_t began = rung__scene_now(scene);
    const bool complete = run_frames(scene);
    struct rung__published_view *view =
        complete ? rung__publication_begin(&scene->publication) : NULL;
    if (view)
        rung__scene_commit(scene, view, due, began);
    else
        discard(scene, complete ? RUNG__TICKS_DROPPED : RUNG__TICKS_ABORTED);
}

void rung__scene_tick(struct rung_scene *scene, const struct rung__due *due)
{
    rung__scene_count(scene, RUNG__PERIODS_MISSED, due->missed);
    take_frames(scene);
    drop_stale(scene);
    leave_unready(scene);
    if (!any_frame_is_left(scene))
        rung__scene_count(scene, RUNG__TICKS_IDLE, 1);
    else if (scene->aborts && !rung__scene_is_complete(scene))
        rung__scene_count(scene, RUNG__TICKS_ABORTED, 1);
    else
        run_and_publish(scene, due->at);
    for (uint32_t i = 0; i < scene->entry_count; i++) {
        put_back(&scene->entries[i]); /* what did not run */
        rung__source_leave(scene->entries[i].source);
    }
}
