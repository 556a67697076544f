/* SPDX-License-Identifier: Apache-2.0 */
/* What is known after a tick. */
#include "look.h"

#include <stdio.h>
#include <stdlib.h>

#include "targets.h"

#define RATE_NS 1000000000u /* over which a rate is taken */

/* ---- the published scene ------------------------------------------------------------------ */

/** Copies the newest scene, in memory that grows with it. */
static rung_result copy_scene(struct watch *watch)
{
    for (;;) {
        size_t needed = 0;
        watch->view =
            (rung_scene_view){.struct_size = sizeof watch->view, .version = RUNG_STRUCT_VERSION};
        const rung_result result = rung_scene_copy(
            watch->scene, (rung_span){watch->packet, watch->packet_bytes}, &needed, &watch->view);
        if (result != RUNG_CAPACITY)
            return result == RUNG_OK ? rung_packet_check(watch->packet, needed) : result;
        void *packet = realloc(watch->packet, needed);
        if (!packet)
            return RUNG_NO_MEMORY;
        watch->packet = packet;
        watch->packet_bytes = needed;
    }
}

static struct watched *find(struct watch *watch, uint64_t source_id)
{
    return &watch->sources[source_id - 1]; /* as they are numbered here */
}

static void share_targets(struct watch *watch)
{
    const rung_target *records = targets_of(watch->packet);
    for (size_t i = 0; i < watch->count; i++)
        watch->sources[i].targets = 0;
    for (uint32_t i = 0; i < watch->packet->count; i++)
        find(watch, records[i].source_id)->targets++;
    watch->targets += watch->packet->count;
}

static void share_sources(struct watch *watch)
{
    for (size_t i = 0; i < watch->count; i++)
        watch->sources[i].in_scene = (rung_scene_source){0};
    for (uint32_t i = 0; i < watch->view.source_count; i++) {
        const rung_scene_source *shown = &watch->view.sources[i];
        struct watched *source = find(watch, shown->source_id);
        source->in_scene = *shown;
        source->late += shown->status == RUNG_SCENE_SOURCE_LATE;
    }
}

/* ---- counters ----------------------------------------------------------------------------- */

static rung_result read_counters(struct watch *watch)
{
    watch->counters = (rung_scene_counters){.struct_size = sizeof watch->counters,
                                            .version = RUNG_STRUCT_VERSION};
    const rung_result result = rung_scene_get_counters(watch->scene, &watch->counters);
    if (result != RUNG_OK)
        return result;
    for (uint32_t i = 0; i < watch->counters.source_count; i++)
        find(watch, watch->counters.sources[i].source_id)->counters = watch->counters.sources[i];
    return RUNG_OK;
}

static bool is_done(const struct watched *source)
{
    return source->report.state == FEED_ENDED || source->report.state == FEED_FAILED;
}

static uint64_t pending_of(const struct watched *source)
{
    const rung_scene_source_counters *counters = &source->counters;
    return counters->offered - counters->replaced - counters->stale - counters->failed -
           counters->discarded - counters->published;
}

/** A source that came to its end is no reason to call a scene incomplete. It stays where the scene
 * is just at it, until the next tick. */
void look_remove_ended(struct watch *watch)
{
    for (size_t i = 0; i < watch->count; i++) {
        struct watched *source = &watch->sources[i];
        if (source->report.state == FEED_ENDED && !source->is_removed &&
            source->report.frames == source->counters.offered && pending_of(source) == 0)
            source->is_removed = rung_scene_remove_source(watch->scene, source->feed.id) == RUNG_OK;
    }
}

bool look_is_over(const struct watch *watch, uint64_t aborted_before)
{
    bool is_drained = true;
    for (size_t i = 0; i < watch->count; i++) {
        const struct watched *source = &watch->sources[i];
        if (!is_done(source))
            return false;
        is_drained = is_drained && (source->is_removed || pending_of(source) == 0);
    }
    /* Where one failed and the policy is to abort, what the others have stays pending for ever. */
    return is_drained || watch->counters.aborted > aborted_before;
}

/* ---- rates -------------------------------------------------------------------------------- */

static void take_rates(struct watch *watch)
{
    const uint64_t passed_ns = watch->now_ns - watch->rated_ns;
    if (passed_ns < RATE_NS)
        return;
    for (size_t i = 0; i < watch->count; i++) {
        struct watched *source = &watch->sources[i];
        const uint64_t served = source->counters.published;
        source->rate = (double)(served - source->rated) * 1e9 / (double)passed_ns;
        source->rated = served;
    }
    watch->rated_ns = watch->now_ns;
}

void look_at_end(struct watch *watch)
{
    watch->now_ns = now_ns();
    for (size_t i = 0; i < watch->count; i++)
        watch->sources[i].rate = (double)watch->sources[i].counters.published * 1e9 /
                                 (double)(watch->now_ns - watch->begin_ns + 1);
}

/* ---- what is said ------------------------------------------------------------------------- */

static void say(const struct watch_output *output, struct watched *source, const char *sentence)
{
    snprintf(source->said, sizeof source->said, "%s", sentence);
    if (output->tell)
        output->tell(source, sentence);
}

/** Each thing once, and a stall whenever it begins: a camera that fails thirty times a second is
 * one sentence, and a counter. */
static void tell_source(const struct watch_output *output, struct watched *source)
{
    const struct feed_report *report = &source->report;
    const rung_scene_source *shown = &source->in_scene;
    char sentence[256];
    if (report->broken && !source->told_broken && !is_done(source))
        say(output, source, report->sentence);
    source->told_broken = source->told_broken || report->broken;
    if (shown->status == RUNG_SCENE_SOURCE_FAILED && !source->told_failed) {
        snprintf(sentence, sizeof sentence, "the model failed on frame %llu: %s",
                 (unsigned long long)shown->frame_id, rung_result_text(shown->result));
        say(output, source, sentence);
        source->told_failed = true;
    }
    if (report->state == source->told)
        return;
    if (is_done(source))
        say(output, source, report->sentence);
    else if (report->state == FEED_STALLED)
        say(output, source, "no frame has come for a while");
    else if (source->told == FEED_STALLED)
        say(output, source, "frames come again");
    source->told = report->state;
}

/* ------------------------------------------------------------------------------------------- */

static void look_at_feeds(struct watch *watch)
{
    watch->now_ns = now_ns();
    for (size_t i = 0; i < watch->count; i++)
        watch->sources[i].report = feed_look(&watch->sources[i].feed, watch->now_ns);
}

rung_result look(struct watch *watch, const struct watch_output *output, bool *is_published)
{
    const uint64_t published = watch->counters.published;
    look_at_feeds(watch); /* before the counters: what has ended by now has offered all it will */
    rung_result result = read_counters(watch);
    *is_published = result == RUNG_OK && watch->counters.published > published;
    if (*is_published)
        result = copy_scene(watch);
    if (result != RUNG_OK)
        return result;
    if (*is_published) {
        filter_packet(&watch->filter, watch->packet);
        share_sources(watch);
        share_targets(watch);
    }
    take_rates(watch);
    for (size_t i = 0; i < watch->count; i++)
        tell_source(output, &watch->sources[i]);
    return RUNG_OK;
}
