/* SPDX-License-Identifier: Apache-2.0 */
/* Masks of any shape, of any numbers. */
#include "check_operations.h"

#include <stdio.h>

#include "kernel/exact.h"
#include "kernel/mask.h"
#include "kernel_check.h"

#define MARGIN 64u

struct job {
    struct rung__canvas canvas;
    struct rung__placement placement;
    struct rung__mask_request request;
};

static void run_job(const struct job *job, uint64_t flags, uint8_t *to)
{
    struct rung__mask_kernels kernels;
    rung__mask_init(&kernels, flags);
    kernels.run(&job->request, to);
}

static size_t numbers_of(const struct job *job)
{
    return (size_t)job->canvas.width * job->canvas.height * job->request.form.channels;
}

/** The mask ends at a guard page; what lies before its first byte must stay. */
static void compare(struct kernel_check *check, const struct job *job)
{
    const struct rung__placement *placement = &job->placement;
    const struct rung__mask_form *form = &job->request.form;
    const size_t size = (size_t)placement->width * placement->height + MARGIN;
    struct guarded actual = guard_bytes(size, 0xa5), expected = guard_bytes(size, 0xa5);
    run_job(job, check->flags, actual.bytes + MARGIN);
    run_job(job, 0, expected.bytes + MARGIN);
    kernel_check_same(check, actual.bytes, expected.bytes, size,
                      "%u x %u at %u, %u of %u x %u, %u channels%s%s, confidence %u",
                      placement->width, placement->height, placement->x, placement->y,
                      job->canvas.width, job->canvas.height, form->channels,
                      form->interleaved ? " interleaved" : "", form->logits ? ", logits" : "",
                      job->request.min_confidence);
    guard_free(&expected);
    guard_free(&actual);
}

static float number(struct sweep *sweep, const struct rung__mask_request *request)
{
    static const uint32_t special[] = {
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x7f800000, 0xff800000, 0x7fc00000,
        0xffc00000, 0x7f800001, 0xff800001, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff,
    };
    const uint32_t choice = sweep_range(sweep, 0, 39);
    if (choice < sizeof special / sizeof *special)
        return rung__f32_from_bits(special[choice]);
    if (choice < 24)
        return (float)sweep_range(sweep, 0, 3) / 3.0f; /* ties */
    if (choice < 28)
        return rung__f32_from_bits(sweep_bits(sweep));
    /* Near the limit, which is at logit 0 for a half. */
    return request->form.logits
               ? ((float)sweep_range(sweep, 0, 2000) - 1000.0f) / 20000.0f
               : ((float)request->min_confidence - 2 + (float)sweep_range(sweep, 0, 400) / 100) /
                     65535.0f;
}

/** An end, something about a half, or any. */
static uint16_t some_confidence(struct sweep *sweep)
{
    static const uint16_t ends[] = {0, 1, 65534, 65535};
    switch (sweep_range(sweep, 0, 2)) {
    case 0:
        return ends[sweep_range(sweep, 0, sizeof ends / sizeof *ends - 1)];
    case 1:
        return (uint16_t)sweep_range(sweep, 32300, 33200);
    default:
        return (uint16_t)sweep_bits(sweep);
    }
}

static void check_some(struct kernel_check *check, uint32_t side, uint32_t channels_max)
{
    struct sweep *sweep = &check->sweep;
    struct job job = {
        .canvas = {.width = sweep_range(sweep, 1, side), .height = sweep_range(sweep, 1, 12)}};
    struct rung__placement *placement = &job.placement;
    placement->width = sweep_range(sweep, 1, job.canvas.width);
    placement->height = sweep_range(sweep, 1, job.canvas.height);
    placement->x = sweep_range(sweep, 0, job.canvas.width - placement->width);
    placement->y = sweep_range(sweep, 0, job.canvas.height - placement->height);
    struct rung__mask_request *request = &job.request;
    request->form.channels = sweep_range(sweep, 1, channels_max);
    request->form.interleaved = sweep_bits(sweep) & 1;
    request->form.logits = request->form.channels == 1 && sweep_bits(sweep) & 1;
    request->min_confidence = some_confidence(sweep);
    request->canvas = &job.canvas;
    request->placement = placement;
    struct guarded values = guard_bytes(numbers_of(&job) * sizeof(float), 0);
    for (size_t i = 0; i < numbers_of(&job); i++)
        ((float *)(void *)values.bytes)[i] = number(sweep, request);
    request->values = (const float *)(void *)values.bytes;
    compare(check, &job);
    guard_free(&values);
}

void check_mask(struct kernel_check *check)
{
    for (uint32_t i = 0; i < 1500 * check->effort && !check->failed; i++) {
        check_some(check, 80, 1);
        check_some(check, 70, 6);
        check_some(check, 20, i % 8 == 0 ? 256 : 40);
    }
}

/* ---- times ----------------------------------------------------------------------------------- */

struct timing {
    struct job job;
    struct guarded mask;
};

static void run_timing(void *user, uint64_t flags)
{
    const struct timing *timing = user;
    run_job(&timing->job, flags, timing->mask.bytes);
}

/** Noise of classes, or the smooth edge of one. */
static void time_shape(struct kernel_check *check, uint32_t width, uint32_t height,
                       struct rung__mask_form form)
{
    char what[80];
    struct sweep sweep = {1};
    struct timing timing = {.job = {.canvas = {.width = width, .height = height},
                                    .placement = {{0, 0, width, height}, width, height, 0, 0}}};
    struct rung__mask_request *request = &timing.job.request;
    request->form = form;
    request->min_confidence = 32768;
    request->canvas = &timing.job.canvas;
    request->placement = &timing.job.placement;
    struct guarded values = guard_bytes(numbers_of(&timing.job) * sizeof(float), 0);
    for (size_t i = 0; i < numbers_of(&timing.job); i++)
        ((float *)(void *)values.bytes)[i] =
            form.channels == 1 ? (float)i / (float)numbers_of(&timing.job) * 16 - 8
                               : (float)sweep_range(&sweep, 0, 20000) / 1000.0f - 10;
    request->values = (const float *)(void *)values.bytes;
    timing.mask = guard_bytes((size_t)width * height, 0);
    snprintf(what, sizeof what, "%u x %u, %u channels%s%s", width, height, form.channels,
             form.interleaved ? " interleaved" : "", form.logits ? ", logits" : "");
    kernel_check_time(check, what, run_timing, &timing);
    guard_free(&timing.mask);
    guard_free(&values);
}

void time_mask(struct kernel_check *check)
{
    time_shape(check, 513, 513, (struct rung__mask_form){.channels = 21});
    time_shape(check, 513, 513, (struct rung__mask_form){.channels = 21, .interleaved = true});
    time_shape(check, 896, 512, (struct rung__mask_form){.channels = 4});
    time_shape(check, 896, 512, (struct rung__mask_form){.channels = 4, .interleaved = true});
    time_shape(check, 256, 256, (struct rung__mask_form){.channels = 1, .logits = true});
    time_shape(check, 256, 256, (struct rung__mask_form){.channels = 1});
}
