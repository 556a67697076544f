/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Once a context is made, a frame's way through it allocates nothing, takes no lock, opens no file
 * and reads no environment, from the first frame on. What the runtime does is counted apart.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "counting.h"
#include "subject.h"

static void count_frames(struct subject *subject, const struct form *form, const char *rung)
{
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    const rung_span span = {subject->packet, sizeof subject->packet};
    size_t needed;
    unsigned served = 0;
    subject_start(subject, form, rung, NULL, 0);
    counting_begin();
    for (unsigned i = 0; i < FRAMES; i++)
        served += form->answer(subject->context, &subject->frame, span, &needed, &info) == RUNG_OK;
    counting_end();
    assert_int_equal(served, FRAMES);
    require_nothing_of_ours(form->name, rung);
    subject_finish(subject);
}

typedef void count_fn(struct subject *subject, const struct form *form, const char *rung);

static void count_on_every_rung(struct subject *subject, count_fn *count)
{
    static const char *const rungs[] = {"dummy", "ort-cpu", "tract"};
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++)
        for (size_t f = 0; f < FORMS; f++)
            count(subject, &forms[f], rungs[r]);
}

static void a_frame_is_answered_without_any_of_it(void **state)
{
    count_on_every_rung(*state, count_frames);
}

static void note_release(void *user, const void *pixels)
{
    (void)pixels;
    ++*(unsigned *)user;
}

static void count_tickets(struct subject *subject, const struct form *form, const char *rung)
{
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    const rung_span span = {subject->packet, sizeof subject->packet};
    const rung_frame *const frames[] = {&subject->frame};
    const rung_request request = {.struct_size = sizeof request,
                                  .version = RUNG_STRUCT_VERSION,
                                  .frame_count = 1,
                                  .frames = frames};
    unsigned released = 0, served = 0;
    size_t needed;
    subject_start(subject, form, rung, NULL, RUNG_CONTEXT_TICKETS);
    subject->frame.release = note_release;
    subject->frame.release_user = &released;
    counting_begin();
    for (unsigned i = 0; i < FRAMES; i++) {
        rung_ticket ticket;
        rung_ticket_state state;
        rung_result result = rung_submit(subject->context, &request, &ticket);
        if (result == RUNG_OK && i % 2)
            result = rung_poll(subject->context, ticket, &state);
        if (result == RUNG_OK && i % 4 == 3)
            result = rung_wait(subject->context, ticket, RUNG_FOREVER, &state);
        if (result == RUNG_OK)
            result = rung_collect(subject->context, ticket, RUNG_FOREVER, span, &needed, &info);
        served += result == RUNG_OK;
    }
    counting_end();
    assert_int_equal(served, FRAMES);
    assert_int_equal(released, FRAMES);
    printf("by tickets: ");
    require_nothing_of_ours(form->name, rung);
    subject_finish(subject);
}

static void a_ticket_is_answered_without_any_of_it(void **state)
{
    count_on_every_rung(*state, count_tickets);
}

/** The next of numbers that look random, below a limit. */
static uint32_t next_number(uint32_t *seed, uint32_t limit)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % limit;
}

static void count_sizes(struct subject *subject, const struct form *form, const char *plan)
{
    const rung_span span = {subject->packet, sizeof subject->packet};
    uint32_t seed = 8;
    unsigned served = 0;
    subject_start(subject, form, "dummy", plan, 0);
    counting_begin();
    for (unsigned i = 0; i < FRAMES; i++) {
        rung_frame *frame = &subject->frame;
        frame->format = i % 2 ? RUNG_PIXEL_BGRA8 : RUNG_PIXEL_GRAY8;
        frame->width = 1 + next_number(&seed, SIDE);
        frame->height = 1 + next_number(&seed, SIDE);
        frame->crop = (rung_rect){0};
        if (i % 3 == 0) {
            frame->crop.x = next_number(&seed, frame->width);
            frame->crop.y = next_number(&seed, frame->height);
            frame->crop.width = 1 + next_number(&seed, frame->width - frame->crop.x);
            frame->crop.height = 1 + next_number(&seed, frame->height - frame->crop.y);
        }
        served += form->answer(subject->context, frame, span, NULL, NULL) == RUNG_OK;
    }
    counting_end();
    assert_int_equal(served, FRAMES);
    require_nothing_of_ours(form->name, plan);
    subject_finish(subject);
}

static void frames_of_every_size_up_to_the_largest_need_no_more(void **state)
{
    static const char *const plans[] = {
        "{\"preprocessor\":\"base\"}",
        "{\"preprocessor\":\"auto\"}",
        "{\"preprocessor\":\"threaded-exact-v1\"}",
    };
    for (size_t p = 0; p < sizeof plans / sizeof *plans; p++)
        for (size_t f = 0; f < FORMS; f++)
            count_sizes(*state, &forms[f], plans[p]);
}

static void a_frame_that_is_refused_costs_none_either(void **state)
{
    struct subject *subject = *state;
    const rung_span none = {subject->packet, 8};
    unsigned refused = 0;
    subject_start(subject, &forms[0], "dummy", NULL, 0);
    counting_begin();
    for (unsigned i = 0; i < FRAMES; i++) {
        subject->frame.width = i % 2 ? SIDE : 0; /* no room in the span, or no frame */
        refused += rung_detect(subject->context, &subject->frame, none, NULL, NULL) != RUNG_OK;
    }
    counting_end();
    assert_int_equal(refused, FRAMES);
    require_nothing_of_ours("refused frames", "dummy");
    subject_finish(subject);
}

static void cancelled_tickets_cost_none_either(void **state)
{
    struct subject *subject = *state;
    const rung_frame *const frames[] = {&subject->frame};
    const rung_request request = {.struct_size = sizeof request,
                                  .version = RUNG_STRUCT_VERSION,
                                  .frame_count = 1,
                                  .frames = frames};
    const rung_span span = {subject->packet, sizeof subject->packet};
    unsigned released = 0, cancelled = 0;
    subject_start(subject, &forms[0], "dummy", NULL, RUNG_CONTEXT_TICKETS);
    subject->frame.release = note_release;
    subject->frame.release_user = &released;
    counting_begin();
    for (unsigned i = 0; i < FRAMES; i++) {
        rung_ticket ticket;
        rung_result result = rung_submit(subject->context, &request, &ticket);
        if (result == RUNG_OK && i % 16 == 0)
            result = rung_context_reset(subject->context);
        else if (result == RUNG_OK)
            result = rung_cancel(subject->context, ticket);
        if (result == RUNG_BUSY) /* it runs */
            result = rung_collect(subject->context, ticket, RUNG_FOREVER, span, NULL, NULL);
        cancelled += result == RUNG_OK || result == RUNG_CANCELLED;
    }
    counting_end();
    assert_int_equal(cancelled, FRAMES);
    assert_int_equal(released, FRAMES);
    require_nothing_of_ours("cancelled tickets", "dummy");
    subject_finish(subject);
}

static void steps_that_are_composed_by_hand_cost_none_either(void **state)
{
    static _Alignas(64) uint8_t tensor[sizeof(float) * 3 * CANVAS_WIDTH * CANVAS_HEIGHT];
    struct subject *subject = *state;
    const rung_span span = {subject->packet, sizeof subject->packet};
    unsigned served = 0;
    subject_start(subject, &forms[0], "dummy", NULL, 0);
    counting_begin();
    for (unsigned i = 0; i < FRAMES; i++) {
        rung_result result = rung_preprocess(subject->context, &subject->frame,
                                             (rung_span){tensor, sizeof tensor}, NULL);
        if (result == RUNG_OK)
            result = rung_run(subject->context, tensor, sizeof tensor);
        if (result == RUNG_OK)
            result = rung_postprocess(subject->context, &subject->frame, span, NULL);
        served += result == RUNG_OK;
    }
    counting_end();
    assert_int_equal(served, FRAMES);
    require_nothing_of_ours("composed steps", "dummy");
    subject_finish(subject);
}

/* ---- threads of ours --------------------------------------------------------------------- */

struct series {
    struct subject *subject;
    unsigned fetched, done;
};

/** Counts from the second frame on: a series itself allocates its packet. */
static int next(void *user, rung_frame *frame, void **mark)
{
    struct series *series = user;
    (void)mark;
    *frame = series->subject->frame;
    if (++series->fetched == 2)
        counting_begin();
    if (series->fetched == FRAMES)
        counting_end();
    return series->fetched < FRAMES;
}

static void done(void *user, void *mark, rung_result result, const void *packet, size_t size,
                 const rung_run_info *info)
{
    struct series *series = user;
    (void)mark, (void)packet, (void)size, (void)info;
    series->done += result == RUNG_OK;
}

static void threads_that_share_a_frame_or_overlap_frames_take_no_lock(void **state)
{
    struct series series = {.subject = *state};
    const rung_series calls = {
        .struct_size = sizeof calls,
        .version = RUNG_STRUCT_VERSION,
        .user = &series,
        .next = next,
        .done = done,
    };
    subject_start(series.subject, &forms[0], "dummy",
                  "{\"preprocessor\":\"threaded-exact-v1\",\"scheduler\":\"overlap-v1\","
                  "\"buffer\":\"ring-v1\",\"allow_compatibility_fallback\":false}",
                  RUNG_CONTEXT_SERIES);
    must(rung_run_series(series.subject->context, &calls));
    assert_int_equal(series.done, FRAMES - 1);
    require_nothing_of_ours("a series on threads", "dummy");
    subject_finish(series.subject);
}

int main(void)
{
    struct subject subject = {0};
    struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_answered_without_any_of_it),
        cmocka_unit_test(a_ticket_is_answered_without_any_of_it),
        cmocka_unit_test(frames_of_every_size_up_to_the_largest_need_no_more),
        cmocka_unit_test(a_frame_that_is_refused_costs_none_either),
        cmocka_unit_test(cancelled_tickets_cost_none_either),
        cmocka_unit_test(steps_that_are_composed_by_hand_cost_none_either),
        cmocka_unit_test(threads_that_share_a_frame_or_overlap_frames_take_no_lock),
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tests[i].initial_state = &subject;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
