/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of every resampler, format, type and layout. */
#include "check_operations.h"

#include <stdio.h>

#include "../pictures.h"
#include "kernel_check.h"

#define MARGIN 256u

/** One tensor to make, in pieces of rows as threads do. */
struct job {
    struct rung__canvas canvas;
    struct rung__placement placement;
    const struct rung__surface *surface;
    uint32_t piece; /**< rows at a time */
};

/** What one level needs for a job. */
struct maker {
    struct rung__resampler resampler;
    struct guarded tables, scratch;
};

static struct maker maker_new(const struct job *job, uint64_t flags)
{
    struct rung__preprocess_kernels kernels;
    rung__preprocess_init(&kernels, flags);
    const struct rung__resampler resampler = kernels.resamplers[job->canvas.resampler];
    const uint64_t tables = resampler.tables_bytes(&resampler, &job->canvas, &job->placement);
    const uint64_t scratch = resampler.scratch_bytes(&resampler, &job->canvas, &job->placement);
    return (struct maker){resampler, guard_bytes((size_t)tables, 0xa5),
                          guard_bytes((size_t)scratch, 0x5a)};
}

static void maker_run(const struct maker *maker, const struct job *job, void *tensor)
{
    const struct rung__preprocess_frame frame = {&job->canvas, &job->placement, job->surface,
                                                 maker->tables.bytes, tensor};
    maker->resampler.make_tables(&maker->resampler, &frame);
    for (uint32_t first = 0; first < job->canvas.height; first += job->piece) {
        const uint32_t rest = job->canvas.height - first;
        maker->resampler.rows(&maker->resampler, &frame, first,
                              first + (rest < job->piece ? rest : job->piece),
                              maker->scratch.bytes);
    }
}

static void maker_free(struct maker *maker)
{
    guard_free(&maker->scratch);
    guard_free(&maker->tables);
}

static void make_tensor(const struct job *job, uint64_t flags, void *tensor)
{
    struct maker maker = maker_new(job, flags);
    maker_run(&maker, job, tensor);
    maker_free(&maker);
}

/** The tensor ends at a guard page; what lies before its first byte must stay. */
static void compare(struct kernel_check *check, const struct job *job)
{
    const size_t size = (size_t)rung__tensor_bytes(&job->canvas);
    struct guarded actual = guard_bytes(size + MARGIN, 0xa5);
    struct guarded expected = guard_bytes(size + MARGIN, 0xa5);
    const struct rung__placement *placement = &job->placement;
    make_tensor(job, check->flags, actual.bytes + MARGIN);
    make_tensor(job, 0, expected.bytes + MARGIN);
    kernel_check_same(check, actual.bytes, expected.bytes, actual.size,
                      "format %u, crop %u x %u at %u, %u to %u x %u at %u, %u of %u x %u, "
                      "resampler %u, type %u, layout %u, order %u, %u rows at a time",
                      job->surface->format, placement->crop.width, placement->crop.height,
                      placement->crop.x, placement->crop.y, placement->width, placement->height,
                      placement->x, placement->y, job->canvas.width, job->canvas.height,
                      job->canvas.resampler, job->canvas.dtype, job->canvas.layout,
                      job->canvas.order, job->piece);
    guard_free(&expected);
    guard_free(&actual);
}

static void check_random(struct kernel_check *check, uint8_t resampler, uint32_t count,
                         uint32_t side)
{
    struct sweep *sweep = &check->sweep;
    for (uint32_t i = 0; i < count && !check->failed; i++) {
        const uint32_t width = sweep_range(sweep, 1, side), height = sweep_range(sweep, 1, side);
        const uint32_t format = sweep_range(sweep, RUNG_PIXEL_RGB8, RUNG_PIXEL_GRAY8);
        struct picture picture =
            picture_make(sweep, width, height, format, sweep_range(sweep, 0, 70));
        const struct rung__crop crop = picture_crop(sweep, width, height);
        struct job job = {.canvas = picture_canvas(sweep, side), .surface = &picture.surface};
        job.canvas.resampler = resampler;
        job.piece = sweep_range(sweep, 1, job.canvas.height);
        rung__fit(&job.canvas, &crop, &job.placement);
        compare(check, &job);
        picture_free(&picture);
    }
}

/* Whole pictures on whole canvases where something ends: width and height of both. */
static const uint32_t forms[][4] = {
    {1, 1, 1, 1},   {1, 1, 50, 3},   {2, 1, 33, 1},     {2, 2, 400, 2},     {3, 2, 31, 4},
    {7, 1, 7, 1},   {8, 3, 16, 3},   {64, 6, 32, 3},    {96, 9, 32, 3},     {131, 4, 129, 5},
    {17, 1, 16, 1}, {333, 2, 65, 2}, {65535, 1, 77, 1}, {1, 65535, 3, 100}, {1, 3, 16384, 1},
};

static void check_form(struct kernel_check *check, uint8_t resampler, const uint32_t sizes[4],
                       uint32_t format, uint32_t layout, uint32_t dtype)
{
    const struct rung__crop crop = {0, 0, sizes[0], sizes[1]};
    struct picture picture = picture_make(&check->sweep, sizes[0], sizes[1], format, 1);
    struct job job = {.surface = &picture.surface, .piece = sizes[3]};
    do
        job.canvas = picture_canvas(&check->sweep, 1);
    while (job.canvas.dtype != dtype || job.canvas.layout != layout);
    job.canvas.width = sizes[2];
    job.canvas.height = sizes[3];
    job.canvas.fit = RUNG_FIT_STRETCH;
    job.canvas.resampler = resampler;
    rung__fit(&job.canvas, &crop, &job.placement);
    compare(check, &job);
    picture_free(&picture);
}

static void check_forms(struct kernel_check *check, uint8_t resampler)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (uint32_t format = RUNG_PIXEL_RGB8; format <= RUNG_PIXEL_GRAY8; format++)
            for (uint32_t dtype = RUNG_DTYPE_F32; dtype <= RUNG_DTYPE_U8; dtype++) {
                const uint32_t last =
                    dtype == RUNG_DTYPE_U8 ? RUNG_LAYOUT_BGRA : RUNG_LAYOUT_INTERLEAVED;
                for (uint32_t layout = RUNG_LAYOUT_PLANAR; layout <= last; layout++)
                    check_form(check, resampler, forms[i], format, layout, dtype);
            }
}

/** From the crop's sides to the content's. */
static const uint32_t extremes[][2][2] = {
    {{1, 1}, {1, 1}},       {{1, 1}, {300, 200}},  {{2, 2}, {16384, 1}},  {{3, 2}, {1, 16384}},
    {{65535, 1}, {1, 1}},   {{1, 65535}, {1, 1}},  {{65535, 5}, {70, 5}}, {{5, 65535}, {5, 70}},
    {{65535, 1}, {65, 1}},  {{37, 41}, {37, 41}},  {{37, 41}, {37, 20}},  {{37, 41}, {18, 41}},
    {{128, 96}, {64, 48}},  {{127, 95}, {64, 48}}, {{64, 48}, {63, 47}},  {{64, 48}, {65, 49}},
    {{400, 300}, {64, 48}}, {{640, 8}, {16, 8}},   {{1, 300}, {300, 1}},  {{300, 1}, {1, 300}},
};

/** Each black, white, a chequer of both, and noise: sums and roundings at their ends. */
static void check_extreme(struct kernel_check *check, uint8_t resampler, const uint32_t from[2],
                          const uint32_t to[2])
{
    struct sweep *sweep = &check->sweep;
    for (uint32_t kind = 0; kind < 4; kind++) {
        const uint32_t format = sweep_range(sweep, RUNG_PIXEL_RGB8, RUNG_PIXEL_GRAY8);
        struct picture picture = picture_make(sweep, from[0], from[1], format, 0);
        for (size_t i = 0; kind < 3 && i < picture.pixels.size; i++)
            picture.pixels.bytes[i] = kind == 0 || (kind == 2 && i & 1) ? 0 : 255;
        struct job job = {.canvas = picture_canvas(sweep, 1), .surface = &picture.surface};
        job.canvas.width = to[0];
        job.canvas.height = job.piece = to[1];
        job.canvas.fit = RUNG_FIT_STRETCH;
        job.canvas.resampler = resampler;
        rung__fit(&job.canvas, &(struct rung__crop){0, 0, from[0], from[1]}, &job.placement);
        compare(check, &job);
        picture_free(&picture);
    }
}

static void check_resampler(struct kernel_check *check, uint8_t resampler)
{
    check_forms(check, resampler);
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes && !check->failed; i++)
        check_extreme(check, resampler, extremes[i][0], extremes[i][1]);
    check_random(check, resampler, 600 * check->effort, 40);
    check_random(check, resampler, 200 * check->effort, 300);
    check_random(check, resampler, 12 * check->effort, 2000);
}

void check_bilinear(struct kernel_check *check)
{
    check_resampler(check, RUNG_RESAMPLER_BILINEAR);
}

void check_triangle(struct kernel_check *check)
{
    check_resampler(check, RUNG_RESAMPLER_TRIANGLE);
}

void check_nearest(struct kernel_check *check)
{
    check_resampler(check, RUNG_RESAMPLER_NEAREST);
}

/* ---- times ----------------------------------------------------------------------------------- */

struct timing {
    struct job job;
    struct maker scalar, level;
    struct guarded tensor;
};

static void run_timing(void *user, uint64_t flags)
{
    const struct timing *timing = user;
    maker_run(flags ? &timing->level : &timing->scalar, &timing->job, timing->tensor.bytes);
}

/** RGB8 to a planar f32 tensor, the picture whole in the letterbox. */
static void time_size(struct kernel_check *check, uint8_t resampler, const uint32_t from[2],
                      const uint32_t to[2])
{
    char what[80];
    struct sweep sweep = {1};
    struct picture picture = picture_make(&sweep, from[0], from[1], RUNG_PIXEL_RGB8, 0);
    struct timing timing = {.job.surface = &picture.surface, .job.piece = to[1]};
    timing.job.canvas = (struct rung__canvas){
        .width = to[0],
        .height = to[1],
        .channels = 3,
        .dtype = RUNG_DTYPE_F32,
        .layout = RUNG_LAYOUT_PLANAR,
        .fit = RUNG_FIT_LETTERBOX,
        .rounding = RUNG_ROUNDING_NEAREST,
        .resampler = resampler,
        .order = RUNG_CHANNEL_ORDER_RGB,
        .scale = {1 / 255.0f, 1 / 255.0f, 1 / 255.0f},
        .fill = {114, 114, 114},
    };
    rung__fit(&timing.job.canvas, &(struct rung__crop){0, 0, from[0], from[1]},
              &timing.job.placement);
    timing.scalar = maker_new(&timing.job, 0);
    timing.level = maker_new(&timing.job, check->flags);
    timing.tensor = guard_bytes((size_t)rung__tensor_bytes(&timing.job.canvas), 0);
    snprintf(what, sizeof what, "%u x %u RGB8 to %u x %u f32", from[0], from[1], to[0], to[1]);
    kernel_check_time(check, what, run_timing, &timing);
    guard_free(&timing.tensor);
    maker_free(&timing.level);
    maker_free(&timing.scalar);
    picture_free(&picture);
}

static void time_resampler(struct kernel_check *check, uint8_t resampler)
{
    static const uint32_t sizes[][2][2] = {{{1280, 720}, {640, 640}},
                                           {{1920, 1080}, {640, 640}},
                                           {{1920, 1080}, {1280, 768}},
                                           {{4000, 3000}, {640, 640}}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        time_size(check, resampler, sizes[i][0], sizes[i][1]);
}

void time_bilinear(struct kernel_check *check)
{
    time_resampler(check, RUNG_RESAMPLER_BILINEAR);
}

void time_triangle(struct kernel_check *check)
{
    time_resampler(check, RUNG_RESAMPLER_TRIANGLE);
}

void time_nearest(struct kernel_check *check)
{
    time_resampler(check, RUNG_RESAMPLER_NEAREST);
}
