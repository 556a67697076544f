/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/heads.h"
#include "base/error.h"
#include "session/context.h"
#include "session/frame.h"
#include "session/structure.h"

#define PERIOD_DEFAULT  UINT64_C(33333333)
#define PERIOD_MIN      UINT64_C(100000)
#define READERS_DEFAULT 4u
#define READERS_MAX     64u
#define CONFIDENCE_MAX  65535u

uint64_t rung__scene_now(const struct rung_scene *scene)
{
    return scene->clock.now(scene->clock.user);
}

/* ---- options ------------------------------------------------------------------------------- */

static rung_result check_range(const char *name, uint64_t value, uint64_t least, uint64_t most)
{
    if (value >= least && value <= most)
        return RUNG_OK;
    return rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_options.%s is %llu, not %llu..%llu", name,
                      (unsigned long long)value, (unsigned long long)least,
                      (unsigned long long)most);
}

static void fill_defaults(const rung_context *context, rung_scene_options *options)
{
    const uint64_t all = (uint64_t)context->selection.max_targets * RUNG_SCENE_SOURCES_MAX;
    if (!options->period_ns)
        options->period_ns = PERIOD_DEFAULT;
    if (!options->max_targets)
        options->max_targets =
            all < RUNG_SCENE_TARGETS_MAX ? (uint32_t)all : RUNG_SCENE_TARGETS_MAX;
    if (!options->min_confidence)
        options->min_confidence = 1;
    if (!options->max_readers)
        options->max_readers = READERS_DEFAULT;
}

static rung_result read_options(const rung_context *context, const rung_scene_options *caller,
                                rung_scene_options *options)
{
    rung_result result =
        rung__structure_read(options, sizeof *options, caller, "rung_scene_options");
    if (result == RUNG_OK)
        result = rung__structure_check_flags(options->flags, 0, "rung_scene_options");
    if (result != RUNG_OK)
        return result;
    fill_defaults(context, options);
    result = check_range("policy", (uint64_t)options->policy, RUNG_SCENE_POLICY_DEFAULT,
                         RUNG_SCENE_POLICY_ABORT);
    if (result == RUNG_OK)
        result = check_range("period_ns", options->period_ns, PERIOD_MIN, INT64_MAX);
    if (result == RUNG_OK)
        result = check_range("max_targets", options->max_targets, 1, RUNG_SCENE_TARGETS_MAX);
    if (result == RUNG_OK)
        result = check_range("min_confidence", options->min_confidence, 1, CONFIDENCE_MAX);
    if (result == RUNG_OK)
        result = check_range("max_readers", options->max_readers, 1, READERS_MAX);
    return result;
}

static rung_result read_clock(struct rung_scene *scene, const rung_scene_clock *caller)
{
    scene->clock = rung__scene_system_clock(&scene->woken);
    if (!caller)
        return RUNG_OK;
    rung_result result =
        rung__structure_read(&scene->clock, sizeof scene->clock, caller, "rung_scene_clock");
    if (result == RUNG_OK && !scene->clock.now)
        result = rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_clock.now is NULL");
    return result;
}

/* ---- its life ------------------------------------------------------------------------------ */

/** A packet for each source of a tick, and the order of what is in them. */
static rung_result allocate_entries(struct rung_scene *scene)
{
    uint64_t bytes = 0;
    rung_result result = rung_context_get_max_output_bytes(scene->context, &bytes);
    if (result != RUNG_OK)
        return result;
    scene->packet_bytes = rung__align(bytes);
    scene->packets = rung__memory_new(scene->packet_bytes * RUNG_SCENE_SOURCES_MAX);
    scene->keys = rung__memory_new((uint64_t)scene->max_targets * sizeof *scene->keys);
    if (!scene->packets || !scene->keys)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a scene of packets of %llu bytes",
                          (unsigned long long)bytes);
    for (uint32_t i = 0; i < RUNG_SCENE_SOURCES_MAX; i++)
        scene->entries[i].packet = (rung_packet_header *)(scene->packets + i * scene->packet_bytes);
    return RUNG_OK;
}

static rung_result init(struct rung_scene *scene, const rung_scene_options *options)
{
    const uint32_t points = rung__head_points(scene->context->model->artifact.view.header.head);
    scene->schedule.period = options->period_ns;
    scene->aborts = options->policy == RUNG_SCENE_POLICY_ABORT;
    scene->min_confidence = options->min_confidence;
    scene->max_targets = options->max_targets;
    rung_result result = read_clock(scene, options->clock);
    if (result == RUNG_OK)
        result = allocate_entries(scene);
    if (result == RUNG_OK)
        result = rung__publication_init(&scene->publication, options->max_readers + 2,
                                        rung__compose_bytes(options->max_targets, points));
    return result;
}

static rung_result check_context(const rung_context *context)
{
    const struct rung__header *header = &context->model->artifact.view.header;
    if (header->role == RUNG_ROLE_DETECTOR)
        return RUNG_OK;
    return rung__fail(RUNG_INVALID_ARGUMENT,
                      "rung_scene_create: %s is no detector, and a scene is made of targets",
                      header->name);
}

rung_result rung_scene_create(rung_context *context, const rung_scene_options *caller_options,
                              rung_scene **out)
{
    rung_scene_options options;
    if (!context || !out)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_create: an argument is NULL");
    *out = NULL;
    rung_result result = check_context(context);
    if (result == RUNG_OK)
        result = read_options(context, caller_options, &options);
    if (result != RUNG_OK)
        return result;
    struct rung_scene *scene = rung__memory_new(sizeof *scene);
    if (!scene)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a scene");
    memset(scene, 0, sizeof *scene);
    scene->context = context;
    rung__sources_init(&scene->sources);
    result = init(scene, &options);
    if (result != RUNG_OK) {
        rung_scene_destroy(scene);
        return result;
    }
    *out = scene;
    return RUNG_OK;
}

void rung_scene_destroy(rung_scene *scene)
{
    if (!scene)
        return;
    (void)rung_scene_stop(scene);
    rung__sources_finish(&scene->sources);
    rung__publication_finish(&scene->publication);
    free(scene->packets);
    free(scene->keys);
    free(scene);
}

/* ---- sources ------------------------------------------------------------------------------- */

rung_result rung_scene_add_source(rung_scene *scene, uint64_t source_id)
{
    if (!scene)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_add_source: scene is NULL");
    return rung__sources_add(&scene->sources, source_id);
}

rung_result rung_scene_remove_source(rung_scene *scene, uint64_t source_id)
{
    if (!scene)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_remove_source: scene is NULL");
    return rung__sources_remove(&scene->sources, source_id);
}

/** Both structures, checked. */
static rung_result read_frame(const rung_scene_frame *caller_frame, struct rung__offered *offered)
{
    rung_scene_frame frame;
    struct rung__surface surface;
    struct rung__crop crop;
    rung_result result =
        rung__structure_read(&frame, sizeof frame, caller_frame, "rung_scene_frame");
    if (result == RUNG_OK && !frame.frame)
        result = rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_frame.frame is NULL");
    if (result == RUNG_OK)
        result = rung__frame_read(frame.frame, &offered->frame, &surface, &crop);
    if (result == RUNG_OK)
        result = rung__desktop_map_init(&offered->map, &frame, offered->frame.width,
                                        offered->frame.height);
    return result;
}

rung_result rung_scene_offer(rung_scene *scene, const rung_scene_frame *caller_frame)
{
    struct rung__offered offered;
    if (!scene || !caller_frame)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_offer: an argument is NULL");
    const rung_result result = read_frame(caller_frame, &offered);
    if (result != RUNG_OK)
        return result;
    offered.captured_ns =
        offered.frame.capture_ns ? offered.frame.capture_ns : rung__scene_now(scene);
    return rung__sources_offer(&scene->sources, &offered);
}
