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

static void make_tensor(const struct job *job, uint64_t flags, uint8_t *tensor)
{
    struct rung__preprocess_kernels kernels;
    rung__preprocess_init(&kernels, flags);
    const struct rung__resampler *resampler = &kernels.resamplers[job->canvas.resampler];
    struct guarded tables =
        guard_bytes((size_t)resampler->tables_bytes(&job->canvas, &job->placement), 0xa5);
    struct guarded scratch =
        guard_bytes((size_t)resampler->scratch_bytes(&job->canvas, &job->placement), 0x5a);
    const struct rung__preprocess_frame frame = {&job->canvas, &job->placement, job->surface,
                                                 tables.bytes, tensor};
    resampler->make_tables(&frame);
    for (uint32_t first = 0; first < job->canvas.height; first += job->piece) {
        const uint32_t rest = job->canvas.height - first;
        resampler->rows(&frame, first, first + (rest < job->piece ? rest : job->piece),
                        scratch.bytes);
    }
    guard_free(&scratch);
    guard_free(&tables);
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

static void check_resampler(struct kernel_check *check, uint8_t resampler)
{
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
    struct guarded tensor;
};

static void run_timing(void *user, uint64_t flags)
{
    const struct timing *timing = user;
    make_tensor(&timing->job, flags, timing->tensor.bytes);
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
    timing.tensor = guard_bytes((size_t)rung__tensor_bytes(&timing.job.canvas), 0);
    snprintf(what, sizeof what, "%u x %u RGB8 to %u x %u f32", from[0], from[1], to[0], to[1]);
    kernel_check_time(check, what, run_timing, &timing);
    guard_free(&timing.tensor);
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
