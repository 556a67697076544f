/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a tick: what was found in its frames is one packet, and published. */
#include "scene/scene.h"

/** Whether a frame of a newer desktop came meanwhile. */
static bool is_outdated(const struct rung_scene *scene)
{
    for (uint32_t i = 0; i < RUNG__SOURCE_PLACES; i++)
        if (atomic_load(&scene->sources.places[i].active) &&
            rung__source_is_ahead(&scene->sources.places[i], scene->newest))
            return true;
    return false;
}

/** The parts of the fresh sources, and the epochs of all. */
static void gather(struct rung_scene *scene, struct rung__composition *composition)
{
    composition->header = (rung_packet_header){
        .scene_epoch = scene->sequence + 1,
        .topology_epoch = scene->newest.topology,
        .transform_epoch = scene->newest.transform,
    };
    for (uint32_t i = 0; i < scene->entry_count; i++) {
        const struct rung__scene_entry *entry = &scene->entries[i];
        rung_packet_header *header = &composition->header;
        if (entry->state.status != RUNG_SCENE_SOURCE_FRESH)
            continue;
        composition->parts[composition->part_count++] =
            (struct rung__scene_part){.map = &entry->map, .packet = entry->packet};
        if (entry->packet->model_epoch > header->model_epoch)
            header->model_epoch = entry->packet->model_epoch;
        if (entry->packet->session_epoch > header->session_epoch)
            header->session_epoch = entry->packet->session_epoch;
    }
}

static void note_targets(struct rung_scene *scene, const struct rung__composition *composition)
{
    uint32_t part = 0;
    for (uint32_t i = 0; i < scene->entry_count; i++)
        if (scene->entries[i].state.status == RUNG_SCENE_SOURCE_FRESH)
            scene->entries[i].state.targets = composition->parts[part++].targets;
}

/** The packet of the scene and its flags. */
static void compose(struct rung_scene *scene, struct rung__published_view *to)
{
    struct rung__scene_part parts[RUNG_SCENE_SOURCES_MAX];
    const bool incomplete = !rung__scene_is_complete(scene);
    struct rung__composition composition = {
        .parts = parts,
        .min_confidence = scene->min_confidence,
        .outdated = is_outdated(scene),
        .incomplete = incomplete,
        .keys = scene->keys,
        .max_targets = scene->max_targets,
    };
    gather(scene, &composition);
    to->view.packet_bytes = rung__compose(&composition, to->packet);
    to->view.flags = (incomplete ? (uint32_t)RUNG_SCENE_INCOMPLETE : 0) |
                     (composition.left_out ? (uint32_t)RUNG_SCENE_TRUNCATED : 0) |
                     (composition.outdated ? (uint32_t)RUNG_SCENE_STALE : 0);
    note_targets(scene, &composition);
}

/** 0 for what was captured later than now, by a clock that is not ours. */
static uint64_t age_of(uint64_t captured_ns, uint64_t committed_ns)
{
    return captured_ns < committed_ns ? committed_ns - captured_ns : 0;
}

/** The ages of all sources, and the oldest capture that is fresh. */
static void note_sources(struct rung_scene *scene, rung_scene_view *view)
{
    uint64_t oldest = UINT64_MAX;
    for (uint32_t i = 0; i < scene->entry_count; i++) {
        struct rung__scene_entry *entry = &scene->entries[i];
        struct rung__source *source = entry->source;
        if (entry->state.status == RUNG_SCENE_SOURCE_FRESH) {
            source->published_ns = entry->captured_ns;
            oldest = entry->captured_ns < oldest ? entry->captured_ns : oldest;
        }
        entry->state.captured_ns = source->published_ns;
        if (source->published_ns)
            entry->state.age_ns = age_of(source->published_ns, view->committed_ns);
        view->sources[i] = entry->state;
    }
    view->source_count = scene->entry_count;
    view->oldest_capture_ns = oldest == UINT64_MAX ? 0 : oldest;
}

static void set_count(struct rung__source *source, enum rung__source_count count, uint64_t number)
{
    atomic_store_explicit(&source->counts[count], number, memory_order_relaxed);
}

static void count_published(struct rung_scene *scene, const rung_scene_view *view)
{
    rung__scene_count(scene, RUNG__TICKS_PUBLISHED, 1);
    rung__histogram_add(&scene->batch, view->committed_ns - view->began_ns);
    if (view->oldest_capture_ns)
        rung__histogram_add(&scene->oldest, age_of(view->oldest_capture_ns, view->committed_ns));
    for (uint32_t i = 0; i < scene->entry_count; i++) {
        const struct rung__scene_entry *entry = &scene->entries[i];
        struct rung__source *source = entry->source;
        if (entry->state.status == RUNG_SCENE_SOURCE_FRESH)
            rung__source_count_one(source, RUNG__FRAMES_PUBLISHED);
        set_count(source, RUNG__SOURCE_AGE, entry->state.age_ns);
        if (entry->state.age_ns > atomic_load(&source->counts[RUNG__SOURCE_MAX_AGE]))
            set_count(source, RUNG__SOURCE_MAX_AGE, entry->state.age_ns);
    }
}

void rung__scene_commit(struct rung_scene *scene, struct rung__published_view *to, uint64_t due,
                        uint64_t began)
{
    to->view = (rung_scene_view){
        .struct_size = sizeof to->view,
        .version = RUNG_STRUCT_VERSION,
        .sequence = scene->sequence + 1,
        .topology_epoch = scene->newest.topology,
        .transform_epoch = scene->newest.transform,
        .due_ns = due,
        .began_ns = began,
        .packet = to->packet,
    };
    compose(scene, to);
    to->view.committed_ns = rung__scene_now(scene);
    note_sources(scene, &to->view);
    scene->sequence++;
    rung__publication_commit(&scene->publication, to);
    count_published(scene, &to->view);
}
