/* SPDX-License-Identifier: Apache-2.0 */
/* What a scene has done, as a structure and as JSON. */
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "scene/scene.h"
#include "session/structure.h"

static uint64_t get(const _Atomic uint64_t *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

static rung_scene_times read_times(const struct rung__histogram *histogram)
{
    struct rung__histogram_summary summary;
    rung__histogram_read(histogram, &summary);
    return (rung_scene_times){summary.count, summary.last, summary.total, summary.max,
                              summary.p50,   summary.p95,  summary.p99};
}

static rung_scene_source_counters read_source(const struct rung__source *source)
{
    return (rung_scene_source_counters){
        .source_id = get(&source->id),
        .offered = get(&source->counts[RUNG__FRAMES_OFFERED]),
        .replaced = get(&source->counts[RUNG__FRAMES_REPLACED]),
        .stale = get(&source->counts[RUNG__FRAMES_STALE]),
        .failed = get(&source->counts[RUNG__FRAMES_FAILED]),
        .discarded = get(&source->counts[RUNG__FRAMES_DISCARDED]),
        .published = get(&source->counts[RUNG__FRAMES_PUBLISHED]),
        .age_ns = get(&source->counts[RUNG__SOURCE_AGE]),
        .max_age_ns = get(&source->counts[RUNG__SOURCE_MAX_AGE]),
    };
}

/** Those that are added, by their ids. */
static uint32_t read_sources(const struct rung__sources *sources, rung_scene_source_counters *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < RUNG__SOURCE_PLACES; i++) {
        if (count == RUNG_SCENE_SOURCES_MAX || !atomic_load(&sources->places[i].active))
            continue;
        const rung_scene_source_counters counters = read_source(&sources->places[i]);
        uint32_t at = count++;
        for (; at && to[at - 1].source_id > counters.source_id; at--)
            to[at] = to[at - 1];
        to[at] = counters;
    }
    return count;
}

static void read_counters(const struct rung_scene *scene, rung_scene_counters *to)
{
    *to = (rung_scene_counters){
        .published = get(&scene->counts[RUNG__TICKS_PUBLISHED]),
        .idle = get(&scene->counts[RUNG__TICKS_IDLE]),
        .aborted = get(&scene->counts[RUNG__TICKS_ABORTED]),
        .dropped = get(&scene->counts[RUNG__TICKS_DROPPED]),
        .missed_periods = get(&scene->counts[RUNG__PERIODS_MISSED]),
        .batch = read_times(&scene->batch),
        .oldest = read_times(&scene->oldest),
    };
    to->ticks = to->published + to->idle + to->aborted + to->dropped;
    to->source_count = read_sources(&scene->sources, to->sources);
}

rung_result rung_scene_get_counters(rung_scene *scene, rung_scene_counters *counters)
{
    rung_scene_counters ours;
    if (!scene)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_get_counters: scene is NULL");
    read_counters(scene, &ours);
    return rung__structure_write(counters, &ours, sizeof ours, "rung_scene_counters");
}

/* ---- JSON ---------------------------------------------------------------------------------- */

/** Pairs of a bucket's greatest length and how many are in it, without those that are empty. */
static json_t *describe_buckets(const struct rung__histogram *histogram, bool *failed)
{
    json_t *buckets = json_array();
    for (uint32_t i = 0; i < RUNG__HISTOGRAM_BUCKETS; i++) {
        const uint64_t count = get(&histogram->buckets[i]);
        if (count)
            rung__json_append(
                buckets,
                json_pack("[I,I]", (json_int_t)rung__histogram_bound(i), (json_int_t)count),
                failed);
    }
    return buckets;
}

static json_t *describe_times(const rung_scene_times *times,
                              const struct rung__histogram *histogram, bool *failed)
{
    json_t *object =
        json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "count", (json_int_t)times->count, "last_ns",
                  (json_int_t)times->last, "total_ns", (json_int_t)times->total, "max_ns",
                  (json_int_t)times->max, "p50_ns", (json_int_t)times->p50, "p95_ns",
                  (json_int_t)times->p95, "p99_ns", (json_int_t)times->p99);
    rung__json_set(object, "histogram", describe_buckets(histogram, failed), failed);
    return object;
}

/** JSON's integers end at 2^63 here: an id beyond is told as a text. */
static json_t *describe_id(uint64_t id)
{
    char text[24];
    if (id <= INT64_MAX)
        return json_integer((json_int_t)id);
    (void)rung__text_format(text, sizeof text, "%llu", (unsigned long long)id);
    return json_string(text);
}

static json_t *describe_source(const rung_scene_source_counters *source)
{
    return json_pack(
        "{s:o,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "source_id", describe_id(source->source_id),
        "offered", (json_int_t)source->offered, "replaced", (json_int_t)source->replaced, "stale",
        (json_int_t)source->stale, "failed", (json_int_t)source->failed, "discarded",
        (json_int_t)source->discarded, "published", (json_int_t)source->published, "age_ns",
        (json_int_t)source->age_ns, "max_age_ns", (json_int_t)source->max_age_ns);
}

static json_t *describe(const struct rung_scene *scene, bool *failed)
{
    rung_scene_counters counters;
    read_counters(scene, &counters);
    json_t *sources = json_array();
    for (uint32_t i = 0; i < counters.source_count; i++)
        rung__json_append(sources, describe_source(&counters.sources[i]), failed);
    json_t *object =
        json_pack("{s:i,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "schema", 1, "period_ns",
                  (json_int_t)scene->schedule.period, "ticks", (json_int_t)counters.ticks,
                  "published", (json_int_t)counters.published, "idle", (json_int_t)counters.idle,
                  "aborted", (json_int_t)counters.aborted, "dropped", (json_int_t)counters.dropped,
                  "missed_periods", (json_int_t)counters.missed_periods);
    rung__json_set(object, "batch", describe_times(&counters.batch, &scene->batch, failed), failed);
    rung__json_set(object, "oldest", describe_times(&counters.oldest, &scene->oldest, failed),
                   failed);
    rung__json_set(object, "sources", sources, failed);
    return object;
}

rung_result rung_scene_describe(rung_scene *scene, rung_span json, size_t *needed)
{
    bool failed = false;
    if (!scene || (!json.data && json.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_describe: an argument is NULL");
    json_t *object = describe(scene, &failed);
    rung_result result = failed || !object ? rung__fail(RUNG_NO_MEMORY, "no memory for JSON")
                                           : rung__json_write(object, json, needed);
    json_decref(object);
    return result;
}
