/* SPDX-License-Identifier: Apache-2.0 */
/* Selection: the order, the numbers and what is left out. */
#include "check_operations.h"

#include <stdio.h>
#include <string.h>

#include "kernel/select.h"
#include "kernel_check.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NUMBERS      4u /* before the order: count, admitted, accepted, incomplete */

/** How the boxes of a case lie. */
enum crowd {
    CROWD_SPREAD,
    CROWD_CLUSTERED, /**< around a few objects, as detectors answer */
    CROWD_NESTED,
    CROWD_TOUCHING, /**< side by side, and equal */
    CROWD_EQUAL,
    CROWD_FEW_VALUES, /**< ties at every level of the key, and zeros */
    CROWD_EXTREME,    /**< of 16 bits, each of the four */
    CROWDS,
};

static const char *const crowd_names[] = {"spread", "clustered",  "nested", "touching",
                                          "equal",  "few values", "extreme"};

/** Where a crowd is. */
struct scene {
    enum crowd crowd;
    uint32_t side;    /**< of the picture */
    uint32_t largest; /**< box */
    uint32_t objects;
    uint32_t confidences; /**< different ones */
    uint64_t seed;        /**< of the objects */
};

static uint16_t extreme(struct sweep *sweep)
{
    static const uint16_t values[] = {0, 1, 2, 7, 8, 32767, 32768, 65534, 65535};
    return values[sweep_range(sweep, 0, COUNT(values) - 1)];
}

/** A box of the numbered object, which is the same for each candidate. */
static struct rung__candidate object_of(const struct scene *scene, uint32_t number)
{
    struct sweep sweep = {scene->seed + number};
    return (struct rung__candidate){
        .x = (uint16_t)sweep_range(&sweep, 0, scene->side),
        .y = (uint16_t)sweep_range(&sweep, 0, scene->side),
        .w = (uint16_t)sweep_range(&sweep, 8, scene->largest),
        .h = (uint16_t)sweep_range(&sweep, 8, scene->largest),
    };
}

static uint16_t near(struct sweep *sweep, uint32_t value, uint32_t size)
{
    const uint32_t away = size / 8, least = value > away ? value - away : 1;
    return (uint16_t)sweep_range(sweep, least, value + away);
}

static void place(struct sweep *sweep, const struct scene *scene, struct rung__candidate *out)
{
    const uint32_t side = scene->side, inset = sweep_range(sweep, 0, 3);
    *out = object_of(scene, sweep_range(sweep, 0, scene->objects - 1));
    switch (scene->crowd) {
    case CROWD_SPREAD:
        out->x = (uint16_t)sweep_range(sweep, 0, side);
        out->y = (uint16_t)sweep_range(sweep, 0, side);
        break;
    case CROWD_CLUSTERED:
        out->x = near(sweep, out->x, out->w);
        out->y = near(sweep, out->y, out->h);
        out->w = near(sweep, out->w, out->w);
        out->h = near(sweep, out->h, out->h);
        break;
    case CROWD_NESTED:
        out->x = (uint16_t)(out->x + inset);
        out->y = (uint16_t)(out->y + inset);
        out->w = (uint16_t)(out->w - 2 * inset);
        out->h = (uint16_t)(out->h - 2 * inset);
        break;
    case CROWD_TOUCHING:
        out->x = (uint16_t)(sweep_range(sweep, 0, 30) * 64);
        out->y = (uint16_t)(sweep_range(sweep, 0, 30) * 64);
        out->w = out->h = (uint16_t)(64 + inset / 3);
        break;
    case CROWD_EQUAL:
        *out = (struct rung__candidate){.x = 7, .y = 7, .w = 9, .h = 9};
        break;
    case CROWD_FEW_VALUES:
        *out = (struct rung__candidate){.x = (uint16_t)sweep_range(sweep, 0, 6),
                                        .y = (uint16_t)sweep_range(sweep, 0, 6),
                                        .w = (uint16_t)sweep_range(sweep, 0, 6),
                                        .h = (uint16_t)sweep_range(sweep, 0, 6)};
        break;
    default:
        *out = (struct rung__candidate){
            .x = extreme(sweep), .y = extreme(sweep), .w = extreme(sweep), .h = extreme(sweep)};
    }
}

static void make_candidates(struct sweep *sweep, const struct scene *scene, uint32_t count,
                            struct rung__candidate *candidates)
{
    for (uint32_t i = 0; i < count; i++) {
        place(sweep, scene, &candidates[i]);
        candidates[i].confidence =
            (uint16_t)(65535 - sweep_range(sweep, 0, scene->confidences - 1));
        candidates[i].class_id = (uint8_t)sweep_range(sweep, 0, 3);
        candidates[i].source_bits = (uint8_t)sweep_bits(sweep);
        candidates[i].flags = candidates[i].payload = (uint16_t)sweep_bits(sweep);
    }
}

/* ---- one case -------------------------------------------------------------------------------- */

struct job {
    struct scene scene;
    const struct rung__candidate *candidates;
    uint32_t count, k;
    struct rung__selection selection;
};

/** The numbers and the order; what lies behind the emitted ones must stay. */
static void run_job(const struct job *job, uint64_t flags, uint32_t *out)
{
    struct rung__select_kernels kernels;
    rung__select_init(&kernels, flags);
    struct guarded workspace =
        guard_bytes((size_t)kernels.workspace_bytes(&job->selection, job->count), 0xa5);
    struct rung__selected selected = {.order = out + NUMBERS};
    kernels.run(job->candidates, job->count, &job->selection, job->k, workspace.bytes, &selected);
    out[0] = selected.count;
    out[1] = selected.admitted;
    out[2] = selected.accepted;
    out[3] = selected.incomplete;
    guard_free(&workspace);
}

static void compare(struct kernel_check *check, const struct job *job)
{
    const struct rung__selection *selection = &job->selection;
    const size_t size = (NUMBERS + selection->max_targets) * sizeof(uint32_t);
    struct guarded actual = guard_bytes(size, 0xa5), expected = guard_bytes(size, 0xa5);
    run_job(job, check->flags, (uint32_t *)actual.bytes);
    run_job(job, 0, (uint32_t *)expected.bytes);
    kernel_check_same(check, actual.bytes, expected.bytes, size,
                      "%u candidates, %s in %u of up to %u around %u with %u confidences; k %u, "
                      "confidence %u, band %u..%u from %u, iou %u, flags %u, considered %u, "
                      "targets %u",
                      job->count, crowd_names[job->scene.crowd], job->scene.side,
                      job->scene.largest, job->scene.objects, job->scene.confidences, job->k,
                      selection->min_confidence, selection->band_min, selection->band_max,
                      selection->band_confidence, selection->iou, selection->flags,
                      selection->considered, selection->max_targets);
    guard_free(&expected);
    guard_free(&actual);
}

/** Moves an end of the band to the size of a candidate, which it has or just has not. */
static void touch_band(struct sweep *sweep, struct job *job)
{
    if (job->selection.band_confidence == 0 || job->count == 0)
        return;
    const struct rung__candidate *at = &job->candidates[sweep_range(sweep, 0, job->count - 1)];
    const uint32_t size = (uint32_t)(at->w < at->h ? at->w : at->h) << job->k;
    if (sweep_bits(sweep) & 1 && size < job->selection.band_max)
        job->selection.band_min = (uint16_t)size;
    else if (size > job->selection.band_min && size <= UINT16_MAX)
        job->selection.band_max = (uint16_t)size;
}

static void compare_made(struct kernel_check *check, struct job *job)
{
    struct guarded memory = guard_bytes(job->count * sizeof *job->candidates, 0);
    make_candidates(&check->sweep, &job->scene, job->count, (struct rung__candidate *)memory.bytes);
    job->candidates = (const struct rung__candidate *)memory.bytes;
    if (sweep_bits(&check->sweep) & 1)
        touch_band(&check->sweep, job);
    compare(check, job);
    guard_free(&memory);
}

/** One of these, or a number of their range. */
static uint32_t some(struct sweep *sweep, uint32_t least, uint32_t most)
{
    const uint32_t which = sweep_range(sweep, 0, 7);
    return which == 0 ? least : which == 1 ? most : sweep_range(sweep, least, most);
}

static struct scene some_scene(struct sweep *sweep)
{
    static const uint32_t confidences[] = {1, 2, 300, 4000, 65536};
    return (struct scene){
        .crowd = (enum crowd)sweep_range(sweep, 0, CROWDS - 1),
        .side = 1u << sweep_range(sweep, 5, 15),
        .largest = 8u << sweep_range(sweep, 0, 11),
        .objects = some(sweep, 1, 300),
        .confidences = confidences[sweep_range(sweep, 0, COUNT(confidences) - 1)],
        .seed = sweep_bits(sweep),
    };
}

static struct rung__selection some_selection(struct sweep *sweep, uint32_t considered_max)
{
    struct rung__selection selection = {
        .min_confidence = (uint16_t)(sweep_bits(sweep) & 1 ? some(sweep, 0, 65535) : 1),
        .iou = (uint16_t)some(sweep, 0, 65535),
        .flags = (uint16_t)(sweep_range(sweep, 0, 7) | (sweep_bits(sweep) & 1)),
        .capacity = RUNG__CAPACITY_MAX,
        .considered = some(sweep, 1, considered_max),
    };
    selection.max_targets = some(sweep, 1, selection.considered);
    if (selection.min_confidence > 0 && sweep_bits(sweep) & 1) {
        selection.band_confidence = (uint16_t)some(sweep, 1, selection.min_confidence);
        selection.band_min = (uint16_t)sweep_range(sweep, 0, 5000);
        selection.band_max = (uint16_t)sweep_range(sweep, selection.band_min + 1u, 65535);
    }
    return selection;
}

static void check_random(struct kernel_check *check, uint32_t cases, uint32_t count_max,
                         uint32_t considered_max)
{
    for (uint32_t i = 0; i < cases && !check->failed; i++) {
        struct sweep *sweep = &check->sweep;
        struct job job = {
            .scene = some_scene(sweep),
            .count = some(sweep, count_max / 2, count_max),
            .k = sweep_range(sweep, 0, 4),
            .selection = some_selection(sweep, considered_max),
        };
        compare_made(check, &job);
    }
}

/** Around each number where a block, a vector or a limit ends. */
static void check_borders(struct kernel_check *check)
{
    static const uint32_t counts[] = {0,   1,   2,   7,    8,    9,    31,   32,   33,    255,
                                      256, 257, 777, 1000, 4095, 4096, 4097, 8400, 65535, 65536};
    for (size_t i = 0; i < COUNT(counts); i++)
        for (uint32_t less = 0; less <= 2 && !check->failed; less++) {
            struct job job = {.scene = some_scene(&check->sweep), .count = counts[i]};
            job.selection = some_selection(&check->sweep, 1);
            const uint32_t considered = counts[i] + 1 > less ? counts[i] + 1 - less : 1;
            job.selection.considered = considered < 1500 ? considered : 1500 - less;
            job.selection.max_targets =
                sweep_range(&check->sweep, 0, 1) && job.selection.considered > 1
                    ? job.selection.considered - 1
                    : job.selection.considered;
            compare_made(check, &job);
        }
}

/**
 * The implementation guesses from candidates at these places which confidence is needed. When the
 * best ones are all there, it guesses too high and has to begin again.
 */
static void check_misleading(struct kernel_check *check)
{
    const uint32_t count = 8192, sampled = 1024;
    struct guarded memory = guard_bytes(count * sizeof(struct rung__candidate), 0);
    struct rung__candidate *candidates = (struct rung__candidate *)memory.bytes;
    const struct scene scene = {CROWD_SPREAD, 10000, 300, 50, 20000, 1};
    make_candidates(&check->sweep, &scene, count, candidates);
    for (uint32_t i = 0; i < count; i++)
        candidates[i].confidence /= 2;
    for (uint32_t i = 0; i < sampled; i++)
        candidates[(uint64_t)(uint32_t)(i * 0x9e3779b1u) * count >> 32].confidence |= 0x8000;
    for (uint32_t considered = 64; considered <= 4096; considered *= 2) {
        const struct job job = {.scene = scene,
                                .candidates = candidates,
                                .count = count,
                                .selection = {.min_confidence = 1,
                                              .iou = 30000,
                                              .flags = RUNG_SUPPRESS,
                                              .capacity = RUNG__CAPACITY_MAX,
                                              .considered = considered,
                                              .max_targets = considered}};
        compare(check, &job);
    }
    guard_free(&memory);
}

/** Ten million candidates a level. */
void check_select(struct kernel_check *check)
{
    check_borders(check);
    check_misleading(check);
    check_random(check, 3000 * check->effort, 60, 60);
    check_random(check, 2000 * check->effort, 1300, 1300);
    check_random(check, 250 * check->effort, 8400, 2000);
    check_random(check, 140 * check->effort, 65536, 1000);
    check_random(check, 4 * check->effort, 65536, 12000);
}

/* ---- times ----------------------------------------------------------------------------------- */

struct timing {
    struct job job;
    struct guarded candidates, order, workspace;
};

static void run_timing(void *user, uint64_t flags)
{
    struct timing *timing = user;
    const struct job *job = &timing->job;
    struct rung__select_kernels kernels;
    struct rung__selected selected = {.order = (uint32_t *)timing->order.bytes};
    rung__select_init(&kernels, flags);
    kernels.run(job->candidates, job->count, &job->selection, job->k, timing->workspace.bytes,
                &selected);
}

/** As general detectors: no containment, the same class for all, IoU 0.45. */
static void time_crowd(struct kernel_check *check, enum crowd crowd, uint32_t count,
                       uint32_t considered)
{
    char what[80];
    struct sweep sweep = {1};
    struct rung__select_kernels kernels;
    struct timing timing = {.job = {.count = count}};
    struct job *job = &timing.job;
    job->scene = (struct scene){crowd, 1280 * 8, 100 * 8, count < 8000 ? count / 8 : 900, 65536, 1};
    job->selection = (struct rung__selection){.min_confidence = 1,
                                              .iou = 29491,
                                              .flags = RUNG_SUPPRESS,
                                              .capacity = RUNG__CAPACITY_MAX,
                                              .considered = considered,
                                              .max_targets = considered};
    rung__select_init(&kernels, check->flags);
    timing.candidates = guard_bytes(count * sizeof *job->candidates, 0);
    timing.order = guard_bytes(considered * sizeof(uint32_t), 0);
    const uint64_t scalar = rung__select_workspace_c(&job->selection, count);
    const uint64_t level = kernels.workspace_bytes(&job->selection, count);
    timing.workspace = guard_bytes((size_t)(scalar > level ? scalar : level), 0);
    make_candidates(&sweep, &job->scene, count, (struct rung__candidate *)timing.candidates.bytes);
    job->candidates = (const struct rung__candidate *)timing.candidates.bytes;
    run_timing(&timing, check->flags); /* the workspace is in the processor's caches */
    snprintf(what, sizeof what, "%u %s, the first %u", count, crowd_names[crowd], considered);
    kernel_check_time(check, what, run_timing, &timing);
    guard_free(&timing.workspace);
    guard_free(&timing.order);
    guard_free(&timing.candidates);
}

void time_select(struct kernel_check *check)
{
    static const uint32_t counts[] = {300, 1000, 1024, 4096, 8400, 16384, 65536};
    static const uint32_t considered[] = {1024, 10000};
    for (size_t k = 0; k < COUNT(considered); k++)
        for (size_t n = 0; n < COUNT(counts); n++) {
            time_crowd(check, CROWD_CLUSTERED, counts[n], considered[k]);
            time_crowd(check, CROWD_SPREAD, counts[n], considered[k]);
        }
}
