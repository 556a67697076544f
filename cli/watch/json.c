/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Lines (docs/watch.md): one at the start, one a scene, one at the end. */
#include <time.h>

#include <glib.h>

#include "report.h"
#include "targets.h"
#include "watch.h"

static json_t *text_json(const char *text)
{
    char *valid = g_utf8_make_valid(text, -1);
    json_t *json = json_string(valid);
    g_free(valid);
    return json;
}

static json_t *count_json(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *new_line(const char *type, bool *complete)
{
    json_t *line = json_object();
    set_member(line, "schema", json_integer(1), complete);
    set_member(line, "type", json_string(type), complete);
    return line;
}

/** An exit status. */
static int print_line(json_t *line, bool complete)
{
    if (!report_print_line(line, complete))
        return fail_memory();
    return ferror(stdout) ? EXIT_IO : EXIT_DONE; /* main says why */
}

/* ---- the start ---------------------------------------------------------------------------- */

static json_t *place_json(const rung_desktop_rect *place, bool *complete)
{
    const int32_t sides[] = {place->x, place->y, place->w, place->h};
    json_t *json = json_array();
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        append_item(json, json_integer(sides[i] / 256), complete);
    return json;
}

static json_t *declared_json(const struct watched *source, bool *complete)
{
    json_t *json = json_object();
    set_member(json, "id", count_json(source->feed.id), complete);
    set_member(json, "source", text_json(source->feed.name), complete);
    set_member(json, "kind", json_string(source->feed.kind->name), complete);
    set_member(json, "width", json_integer(source->report.width), complete);
    set_member(json, "height", json_integer(source->report.height), complete);
    set_member(json, "place", place_json(&source->place, complete), complete);
    return json;
}

static uint64_t unix_now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int begin(const struct watch *watch)
{
    bool complete = true;
    json_t *line = new_line("start", &complete), *sources = json_array();
    set_member(line, "model",
               role_settings(&watch->detector, watch->detector.info.identity, &complete),
               &complete);
    thresholds_report(watch->thresholds, &watch->filter, &watch->options, line, &complete);
    set_member(line, "rate", json_integer(watch->rate), &complete);
    set_member(line, "policy", json_string(watch->policy), &complete);
    set_member(line, "now_ns", count_json(watch->begin_ns), &complete);
    set_member(line, "unix_ns", count_json(unix_now_ns()), &complete);
    for (size_t i = 0; i < watch->count; i++)
        append_item(sources, declared_json(&watch->sources[i], &complete), &complete);
    set_member(line, "sources", sources, &complete);
    return print_line(line, complete);
}

/* ---- a scene ------------------------------------------------------------------------------ */

static const char *status_name(rung_scene_status status)
{
    switch (status) {
    case RUNG_SCENE_SOURCE_FRESH:
        return "fresh";
    case RUNG_SCENE_SOURCE_FAILED:
        return "failed";
    case RUNG_SCENE_SOURCE_STALE:
        return "stale";
    default:
        return "late";
    }
}

/** What became of a source's frames so far. */
static void add_counters(json_t *json, const struct watched *source, bool *complete)
{
    const rung_scene_source_counters *counters = &source->counters;
    set_member(json, "offered", count_json(counters->offered), complete);
    set_member(json, "served", count_json(counters->published), complete);
    set_member(json, "replaced", count_json(counters->replaced), complete);
    set_member(json, "stale", count_json(counters->stale), complete);
    set_member(json, "failed", count_json(counters->failed), complete);
    set_member(json, "discarded", count_json(counters->discarded), complete);
    set_member(json, "broken", count_json(source->report.broken), complete);
    set_member(json, "late", count_json(source->late), complete);
}

static json_t *source_json(const struct watched *source, bool *complete)
{
    const rung_scene_source *shown = &source->in_scene;
    json_t *json = json_object();
    set_member(json, "id", count_json(source->feed.id), complete);
    set_member(json, "state", json_string(feed_state_name(source->report.state)), complete);
    /* One that was taken out of the scene has no part in it. */
    if (shown->source_id) {
        const bool is_fresh = shown->status == RUNG_SCENE_SOURCE_FRESH;
        set_member(json, "status", json_string(status_name(shown->status)), complete);
        if (is_fresh)
            set_member(json, "frame", count_json(shown->frame_id), complete);
        if (shown->captured_ns) {
            set_member(json, "captured_ns", count_json(shown->captured_ns), complete);
            set_member(json, "age_ns", count_json(shown->age_ns), complete);
        }
        if (shown->status == RUNG_SCENE_SOURCE_FAILED)
            set_member(json, "error", json_string(rung_result_name(shown->result)), complete);
    }
    set_member(json, "targets", json_integer(source->targets), complete);
    add_counters(json, source, complete);
    return json;
}

static json_t *sources_json(const struct watch *watch,
                            json_t *(*one)(const struct watched *, bool *), bool *complete)
{
    json_t *json = json_array();
    for (size_t i = 0; i < watch->count; i++)
        append_item(json, one(&watch->sources[i], complete), complete);
    return json;
}

static json_t *targets_json(const struct watch *watch, bool *complete)
{
    const rung_target *records = targets_of(watch->packet);
    json_t *json = json_array();
    for (uint32_t i = 0; i < watch->packet->count; i++) {
        json_t *target = report_target(watch->packet, &records[i], watch->detector.model, complete);
        set_member(target, "source", count_json(records[i].source_id), complete);
        append_item(json, target, complete);
    }
    return json;
}

static int publish(const struct watch *watch)
{
    const rung_scene_view *view = &watch->view;
    bool complete = true;
    json_t *line = new_line("scene", &complete);
    set_member(line, "sequence", count_json(view->sequence), &complete);
    set_member(line, "due_ns", count_json(view->due_ns), &complete);
    set_member(line, "began_ns", count_json(view->began_ns), &complete);
    set_member(line, "committed_ns", count_json(view->committed_ns), &complete);
    if (view->oldest_capture_ns)
        set_member(line, "oldest_capture_ns", count_json(view->oldest_capture_ns), &complete);
    set_member(line, "incomplete", json_boolean(view->flags & RUNG_SCENE_INCOMPLETE), &complete);
    set_member(line, "truncated", json_boolean(view->flags & RUNG_SCENE_TRUNCATED), &complete);
    set_member(line, "stale", json_boolean(view->flags & RUNG_SCENE_STALE), &complete);
    set_member(line, "missed", count_json(watch->counters.missed_periods), &complete);
    set_member(line, "sources", sources_json(watch, source_json, &complete), &complete);
    set_member(line, "targets", targets_json(watch, &complete), &complete);
    return print_line(line, complete);
}

/* ---- the end ------------------------------------------------------------------------------ */

static json_t *times_json(const rung_scene_times *times, bool *complete)
{
    json_t *json = json_object();
    set_member(json, "p50", count_json(times->p50), complete);
    set_member(json, "p95", count_json(times->p95), complete);
    set_member(json, "p99", count_json(times->p99), complete);
    set_member(json, "max", count_json(times->max), complete);
    return json;
}

static json_t *final_json(const struct watched *source, bool *complete)
{
    json_t *json = json_object();
    set_member(json, "id", count_json(source->feed.id), complete);
    set_member(json, "source", text_json(source->feed.name), complete);
    set_member(json, "state", json_string(feed_state_name(source->report.state)), complete);
    if (*source->said)
        set_member(json, "message", text_json(source->said), complete);
    add_counters(json, source, complete);
    set_member(json, "max_age_ns", count_json(source->counters.max_age_ns), complete);
    return json;
}

static int finish(const struct watch *watch)
{
    const rung_scene_counters *counters = &watch->counters;
    bool complete = true;
    json_t *line = new_line("summary", &complete);
    set_member(line, "duration_ns", count_json(watch->now_ns - watch->begin_ns), &complete);
    set_member(line, "ticks", count_json(counters->ticks), &complete);
    set_member(line, "published", count_json(counters->published), &complete);
    set_member(line, "idle", count_json(counters->idle), &complete);
    set_member(line, "aborted", count_json(counters->aborted), &complete);
    set_member(line, "dropped", count_json(counters->dropped), &complete);
    set_member(line, "missed", count_json(counters->missed_periods), &complete);
    set_member(line, "targets", count_json(watch->targets), &complete);
    set_member(line, "batch_ns", times_json(&counters->batch, &complete), &complete);
    set_member(line, "oldest_ns", times_json(&counters->oldest, &complete), &complete);
    set_member(line, "sources", sources_json(watch, final_json, &complete), &complete);
    return print_line(line, complete);
}

const struct watch_output watch_json = {
    .begin = begin,
    .publish = publish,
    .tell = watch_tell,
    .finish = finish,
};
