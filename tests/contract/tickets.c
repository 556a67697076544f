/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/wait.h"
#include "session/instance.h"

struct gate gate;

static void change(atomic_uint *number, uint32_t value)
{
    atomic_store(number, value);
    rung__wake_all(number);
}

void gate_close(void)
{
    change(&gate.permits, 0);
    change(&gate.arrived, 0);
    atomic_store(&gate.failing, 0);
    atomic_store(&gate.lingering, 0);
    atomic_store(&gate.losing, 0);
}

void gate_let_pass(uint32_t count)
{
    atomic_fetch_add(&gate.permits, count);
    rung__wake_all(&gate.permits);
}

void gate_wait_for(uint32_t count)
{
    uint32_t seen;
    while ((seen = atomic_load(&gate.arrived)) < count)
        (void)rung__wait(&gate.arrived, seen, RUNG__CLOCK_NEVER);
}

/** True when the number was above 0. */
static bool take_one(atomic_uint *number)
{
    uint32_t seen = atomic_load(number);
    while (seen > 0)
        if (seen >= OPEN || atomic_compare_exchange_weak(number, &seen, seen - 1))
            return true;
    return false;
}

static void linger(void)
{
    const uint64_t end = rung__clock_now() + MS / 10;
    atomic_uint never = 0;
    while (rung__clock_now() < end)
        (void)rung__wait(&never, 0, end);
}

static rung_result pass(const struct rung__provider *real, void *context)
{
    atomic_fetch_add(&gate.arrived, 1);
    rung__wake_all(&gate.arrived);
    while (!take_one(&gate.permits))
        (void)rung__wait(&gate.permits, 0, RUNG__CLOCK_NEVER);
    if (take_one(&gate.lingering))
        linger();
    if (take_one(&gate.losing))
        return rung__fail(RUNG_DEVICE_LOST, "the test took the device away");
    if (take_one(&gate.failing))
        return rung__fail(RUNG_BACKEND, "the test has the run fail");
    return real->run(context);
}

static rung_result run_ort(void *context)
{
    return pass(&rung__provider_ort, context);
}

static rung_result run_tract(void *context)
{
    return pass(&rung__provider_tract, context);
}

static rung_result run_dummy(void *context)
{
    return pass(&rung__provider_dummy, context);
}

/** The library's providers behind the gate. */
static const struct rung__provider *behind_gate(const struct rung__provider *real)
{
    static struct rung__provider gated[3];
    static const struct {
        const struct rung__provider *real;
        rung_result (*run)(void *context);
    } providers[] = {
        {&rung__provider_ort, run_ort},
        {&rung__provider_tract, run_tract},
        {&rung__provider_dummy, run_dummy},
    };
    for (size_t i = 0; i < sizeof providers / sizeof *providers; i++)
        if (providers[i].real == real) {
            gated[i] = *real;
            gated[i].run = providers[i].run;
            return &gated[i];
        }
    return real;
}

static int put_gate_into(struct subject *subject)
{
    struct rung__table *table = &subject->instance->table;
    subject->rungs = calloc(table->count, sizeof *subject->rungs);
    if (!subject->rungs)
        return -1;
    for (uint32_t i = 0; i < table->count; i++) {
        subject->rungs[i] = table->rungs[i];
        subject->rungs[i].provider = behind_gate(table->rungs[i].provider);
    }
    table->rungs = subject->rungs;
    return 0;
}

/** Counts; and submits the last frame where that is wanted, once. */
static void note_release(void *user, const void *pixels)
{
    struct subject *subject = user;
    const size_t frame = (size_t)((const uint8_t *)pixels - subject->pixels);
    atomic_fetch_add(&subject->released[frame], 1);
    if (subject->again && frame != FRAMES - 1) {
        subject->again_result =
            tickets_submit(subject, subject->again, FRAMES - 1, &subject->again_ticket);
        subject->again = NULL;
    }
}

/** The pixels of a frame begin where its number says, which is how a release knows it. */
static void fill_frames(struct subject *subject)
{
    for (size_t i = 0; i < sizeof subject->pixels; i++)
        subject->pixels[i] = (uint8_t)(i * 7);
    for (uint32_t i = 0; i < FRAMES; i++) {
        atomic_store(&subject->released[i], 0);
        subject->frames[i] = (rung_frame){
            .struct_size = sizeof subject->frames[i],
            .version = RUNG_STRUCT_VERSION,
            .pixels = subject->pixels + i,
            .width = SIDE - 1,
            .height = SIDE - 1,
            .format = RUNG_PIXEL_RGB8,
            .frame_id = i + 1,
            .session_epoch = 5,
            .release = note_release,
            .release_user = subject,
        };
    }
}

int tickets_set_up(struct subject *subject, const char *folder)
{
    artifact_fixture_make(&subject->files, folder);
    if (artifact_fixture_pack(&subject->files, true) != RUNG_OK)
        return -1;
    const rung_instance_options instance =
        artifact_fixture_instance(&subject->files, RUNG_INSTANCE_NO_ENVIRONMENT, RUNG_PROBE_OFF);
    const rung_model_options model = {
        .struct_size = sizeof model,
        .version = RUNG_STRUCT_VERSION,
        .threads = 1,
        .rung = subject->rung,
    };
    fill_frames(subject);
    subject->again = NULL;
    gate_close();
    if (rung_instance_create(&instance, &subject->instance) != RUNG_OK ||
        put_gate_into(subject) != 0 ||
        rung_model_open(subject->instance, subject->files.model, &model, &subject->model) !=
            RUNG_OK) {
        print_error("%s\n", rung_last_error());
        return -1;
    }
    return 0;
}

void tickets_tear_down(struct subject *subject)
{
    rung_model_destroy(subject->model);
    rung_instance_destroy(subject->instance);
    free(subject->rungs);
    subject->model = NULL;
    subject->instance = NULL;
    subject->rungs = NULL;
}

rung_context *tickets_context(struct subject *subject, uint32_t depth, uint32_t request_frames,
                              uint32_t flags)
{
    const rung_context_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .flags = RUNG_CONTEXT_TICKETS | flags,
        .depth = depth,
        .request_frames = request_frames,
    };
    rung_context *context = NULL;
    assert_int_equal(rung_context_create(subject->model, &options, &context), RUNG_OK);
    return context;
}

rung_result tickets_submit(struct subject *subject, rung_context *context, uint32_t frame,
                           rung_ticket *ticket)
{
    const rung_frame *frames[] = {&subject->frames[frame]};
    const rung_request request = {
        .struct_size = sizeof request,
        .version = RUNG_STRUCT_VERSION,
        .frame_count = 1,
        .frames = frames,
    };
    return rung_submit(context, &request, ticket);
}
