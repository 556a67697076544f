/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scene at its rate: 16 sources at 30 Hz with a stand-in of 1.5 ms for the model, one reader at
 * 120 Hz, and beside it a loop that only wakes 120 times a second, so that the reader's lateness
 * can be told from the machine's. The rung is `dummy` with the model's real shapes; preprocessing,
 * decoding and the scene are the real ones.
 * usage: scene MODEL [seconds [milliseconds of the stand-in]]
 * Exit status: 0 the goals are met, 1 one was missed, 3 it was missed and the machine was not
 * quiet.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <rung/rung.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "session/context.h"

#define SOURCES   RUNG_SCENE_SOURCES_MAX
#define SIDE      320
#define SECOND_NS UINT64_C(1000000000)
#define PERIOD_NS UINT64_C(33333333)
#define READ_NS   UINT64_C(8333333)
#define SPIN_NS   UINT64_C(100000) /* more than a timer is late where nobody else wants the CPU */

#define MISSED_GOAL 1000u /* one period in so many */
#define QUIET       0.05  /* of all CPUs, used by others */

/** A loop that wakes at a steady rate. */
struct loop {
    pthread_t thread;
    rung_scene *scene; /* it reads; NULL: it only wakes */
    uint32_t random;
    struct rung__histogram lateness, reading;
    uint64_t scenes, targets; /* that were seen */
};

static atomic_bool ending;
static uint8_t pixels[SIDE * SIDE * 3];
static uint64_t stand_in_ns;
static struct rung__rung rung;
static struct rung__provider provider;

static void must(rung_result result)
{
    if (result == RUNG_OK)
        return;
    fprintf(stderr, "scene: %s\n", rung_last_error());
    exit(3);
}

static void sleep_until(uint64_t ns)
{
    const struct timespec at = {(time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
}

/* ---- the stand-in -------------------------------------------------------------------------- */

/* It waits, as for an accelerator, and spins to its end, so that it takes what it should. The
 * outputs stay what the first run made of them. */
static rung_result stand_in(void *running)
{
    const uint64_t end = rung__clock_now() + stand_in_ns;
    (void)running;
    if (stand_in_ns > SPIN_NS)
        sleep_until(end - SPIN_NS);
    while (rung__clock_now() < end)
        continue;
    return RUNG_OK;
}

static rung_frame frame_of(uint64_t source, uint64_t number)
{
    return (rung_frame){
        .struct_size = sizeof(rung_frame),
        .version = RUNG_STRUCT_VERSION,
        .pixels = pixels,
        .width = SIDE,
        .height = SIDE,
        .format = RUNG_PIXEL_RGB8,
        .source_id = source,
        .frame_id = number,
        .capture_ns = rung__clock_now(),
    };
}

/** One real run of the rung `dummy`, so that there are targets; then it is replaced. */
static void install_stand_in(rung_context *context)
{
    uint64_t bytes = 0;
    must(rung_context_get_max_output_bytes(context, &bytes));
    void *packet = aligned_alloc(64, (bytes + 63) / 64 * 64);
    const rung_frame frame = frame_of(1, 0);
    must(packet ? rung_detect(context, &frame, (rung_span){packet, bytes}, NULL, NULL)
                : RUNG_NO_MEMORY);
    free(packet);
    rung = *context->serving->rung;
    provider = *rung.provider;
    provider.run = stand_in;
    rung.provider = &provider;
    context->serving->rung = &rung;
}

/* ---- threads ------------------------------------------------------------------------------- */

static void offer(rung_scene *scene, uint64_t source, uint64_t number)
{
    const rung_frame frame = frame_of(source, number);
    const rung_scene_frame placed = {
        .struct_size = sizeof placed,
        .version = RUNG_STRUCT_VERSION,
        .frame = &frame,
        .placement = {(int32_t)(source % 4) * SIDE * 256, (int32_t)(source / 4) * SIDE * 256,
                      SIDE * 256, SIDE * 256},
    };
    must(rung_scene_offer(scene, &placed));
}

/** The cameras: each takes thirty pictures a second, one behind the other. */
static void *take_pictures(void *scene)
{
    const uint64_t start = rung__clock_now();
    for (uint64_t i = 0; !atomic_load(&ending); i++) {
        sleep_until(start + i * PERIOD_NS / SOURCES);
        offer(scene, i % SOURCES + 1, i / SOURCES + 1);
    }
    return NULL;
}

/** What an interaction thread does: a look at every target of the newest scene. */
static void read_newest(struct loop *loop, uint64_t *last)
{
    const rung_scene_view *view;
    const uint64_t began = rung__clock_now();
    if (rung_scene_acquire(loop->scene, &view) != RUNG_OK)
        return;
    const rung_target *targets = (const rung_target *)(view->packet + 1);
    for (uint32_t i = 0; i < view->packet->count; i++)
        loop->targets += (targets[i].flags & RUNG_TARGET_DISABLED) == 0;
    loop->scenes += view->sequence != *last;
    *last = view->sequence;
    must(rung_scene_release(loop->scene, view));
    rung__histogram_add(&loop->reading, rung__clock_now() - began);
}

/** Somewhere in the first half of the period, so that neither loop keeps a place of its own between
 * the ticks and the cameras. */
static uint64_t next_shift(struct loop *loop)
{
    loop->random = loop->random * 1664525u + 1013904223u;
    return (loop->random >> 8) % (READ_NS / 2);
}

static void *wake_on(void *pointer)
{
    struct loop *loop = pointer;
    uint64_t last = 0;
    for (uint64_t start = rung__clock_now(); !atomic_load(&ending); start += READ_NS) {
        const uint64_t due = start + next_shift(loop);
        sleep_until(due);
        const uint64_t now = rung__clock_now();
        rung__histogram_add(&loop->lateness, now > due ? now - due : 0);
        if (loop->scene)
            read_newest(loop, &last);
    }
    return NULL;
}

/* ---- who else used the machine ------------------------------------------------------------- */

/** Seconds that all CPUs together were busy: all of /proc/stat's first line but idle and waiting.
 */
static double busy_seconds(void)
{
    char line[256] = "";
    double ticks = 0;
    FILE *file = fopen("/proc/stat", "r");
    if (!file)
        return 0;
    const char *at = fgets(line, sizeof line, file) ? line + strcspn(line, " ") : line;
    fclose(file);
    for (int column = 0; column < 8; column++) {
        char *end;
        const double number = (double)strtoull(at, &end, 10);
        at = end;
        if (column != 3 && column != 4)
            ticks += number;
    }
    return ticks / (double)sysconf(_SC_CLK_TCK);
}

static double own_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/** Bytes of this process that are in memory. */
static uint64_t resident_bytes(void)
{
    char line[128] = "";
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    const char *at = fgets(line, sizeof line, file) ? line + strcspn(line, " ") : line;
    fclose(file);
    return strtoull(at, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- the figures --------------------------------------------------------------------------- */

static void print_times(const char *name, const struct rung__histogram *histogram)
{
    struct rung__histogram_summary times;
    rung__histogram_read(histogram, &times);
    printf("%-28s %8llu times, p50 %9.1f, p95 %9.1f, p99 %9.1f, at most %9.1f us\n", name,
           (unsigned long long)times.count, (double)times.p50 / 1e3, (double)times.p95 / 1e3,
           (double)times.p99 / 1e3, (double)times.max / 1e3);
}

static bool print_scene(const rung_scene_counters *all, double others)
{
    const uint64_t periods = all->ticks + all->missed_periods;
    const uint64_t bound = PERIOD_NS + all->batch.p95;
    printf("%llu ticks, %llu of %llu periods missed, others used %.1f %% of the CPUs\n",
           (unsigned long long)all->ticks, (unsigned long long)all->missed_periods,
           (unsigned long long)periods, others * 100);
    printf("batch: p50 %.2f, p95 %.2f, at most %.2f ms; oldest capture to commit: p50 %.2f, p95 "
           "%.2f (period + batch: %.2f), at most %.2f ms\n",
           (double)all->batch.p50 / 1e6, (double)all->batch.p95 / 1e6, (double)all->batch.max / 1e6,
           (double)all->oldest.p50 / 1e6, (double)all->oldest.p95 / 1e6, (double)bound / 1e6,
           (double)all->oldest.max / 1e6);
    return all->missed_periods * MISSED_GOAL <= periods && all->oldest.p95 <= bound;
}

static void print_sources(const rung_scene_counters *all)
{
    uint64_t offered = 0, replaced = 0, published = 0, oldest = 0;
    for (uint32_t i = 0; i < all->source_count; i++) {
        const rung_scene_source_counters *source = &all->sources[i];
        offered += source->offered;
        replaced += source->replaced;
        published += source->published;
        oldest = source->max_age_ns > oldest ? source->max_age_ns : oldest;
    }
    printf("%llu frames: %llu published, %llu replaced, %llu pending; ages at most %.1f ms\n",
           (unsigned long long)offered, (unsigned long long)published, (unsigned long long)replaced,
           (unsigned long long)(offered - published - replaced), (double)oldest / 1e6);
}

static bool run(rung_scene *scene, unsigned seconds)
{
    static struct loop reader, bare;
    pthread_t cameras;
    rung_scene_counters all = {.struct_size = sizeof all, .version = RUNG_STRUCT_VERSION};
    reader.scene = scene;
    reader.random = 1;
    bare.random = 2;
    const double busy = busy_seconds(), own = own_seconds();
    const uint64_t began = rung__clock_now();
    if (pthread_create(&cameras, NULL, take_pictures, scene) ||
        pthread_create(&reader.thread, NULL, wake_on, &reader) ||
        pthread_create(&bare.thread, NULL, wake_on, &bare))
        exit(3);
    must(rung_scene_start(scene));
    sleep_until(began + seconds * SECOND_NS / 10);
    const uint64_t bytes = resident_bytes();
    sleep_until(began + seconds * SECOND_NS);
    const uint64_t bytes_at_end = resident_bytes();
    must(rung_scene_stop(scene));
    const double span = (double)(rung__clock_now() - began) / 1e9;
    const double others = (busy_seconds() - busy - (own_seconds() - own)) /
                          (span * (double)sysconf(_SC_NPROCESSORS_ONLN));
    atomic_store(&ending, true);
    pthread_join(cameras, NULL);
    pthread_join(reader.thread, NULL);
    pthread_join(bare.thread, NULL);
    must(rung_scene_get_counters(scene, &all));
    const bool met = print_scene(&all, others);
    print_times("reader's lateness", &reader.lateness);
    print_times("lateness of a bare loop", &bare.lateness);
    print_times("a read, all targets", &reader.reading);
    printf(
        "%llu scenes and %llu targets read; memory %.2f MB after a tenth of the time, %.2f MB at "
        "the end\n",
        (unsigned long long)reader.scenes, (unsigned long long)reader.targets, (double)bytes / 1e6,
        (double)bytes_at_end / 1e6);
    print_sources(&all);
    if (!met && others > QUIET)
        exit(3);
    return met;
}

int main(int count, char **arguments)
{
    const rung_model_options model_options = {
        .struct_size = sizeof model_options, .version = RUNG_STRUCT_VERSION, .rung = "dummy"};
    const rung_context_options context_options = {.struct_size = sizeof context_options,
                                                  .version = RUNG_STRUCT_VERSION,
                                                  .max_frame_width = SIDE,
                                                  .max_frame_height = SIDE};
    rung_instance *instance = NULL;
    rung_model *model = NULL;
    rung_context *context = NULL;
    rung_scene *scene = NULL;
    const unsigned long seconds = count > 2 ? strtoul(arguments[2], NULL, 10) : 60;
    const double milliseconds = count > 3 ? strtod(arguments[3], NULL) : 1.5;
    if (count < 2 || seconds < 1 || seconds > 86400 || !(milliseconds > 0)) {
        fprintf(stderr, "usage: scene MODEL [seconds [milliseconds of the stand-in]]\n");
        return 2;
    }
    stand_in_ns = (uint64_t)(milliseconds * 1e6);
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 7 + i * i % 13);
    must(rung_instance_create(NULL, &instance));
    must(rung_model_open(instance, arguments[1], &model_options, &model));
    must(rung_context_create(model, &context_options, &context));
    install_stand_in(context);
    must(rung_scene_create(context, NULL, &scene));
    for (uint64_t id = 1; id <= SOURCES; id++)
        must(rung_scene_add_source(scene, id));
    const bool met = run(scene, (unsigned)seconds);
    rung_scene_destroy(scene);
    rung_context_destroy(context);
    rung_model_destroy(model);
    rung_instance_destroy(instance);
    return met ? 0 : 1;
}
