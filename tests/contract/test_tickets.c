/* SPDX-License-Identifier: Apache-2.0 */
/* What rung/ticket.h, and what is beside it in frame.h and context.h, promise, on every rung. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/folder_fixture.h"
#include "base/thread.h"
#include "session/tickets.h"
#include "tickets.h"

static const rung_span nothing;

static int set_up(void **state)
{
    return make_test_folder(state) ? -1 : tickets_set_up(*state, test_folder);
}

static int tear_down(void **state)
{
    tickets_tear_down(*state);
    return remove_test_folder(state);
}

static uint64_t packet[16384 / 8];

static rung_result collect(rung_context *context, rung_ticket ticket, uint64_t timeout_ns)
{
    return rung_collect(context, ticket, timeout_ns, (rung_span){packet, sizeof packet}, NULL,
                        NULL);
}

static rung_ticket submit(struct subject *subject, rung_context *context, uint32_t frame)
{
    rung_ticket ticket = 0;
    assert_int_equal(tickets_submit(subject, context, frame, &ticket), RUNG_OK);
    assert_int_not_equal(ticket, 0);
    return ticket;
}

static rung_ticket_state state_of(rung_context *context, rung_ticket ticket)
{
    rung_ticket_state state;
    assert_int_equal(rung_poll(context, ticket, &state), RUNG_OK);
    return state;
}

static rung_ticket_state wait_for(rung_context *context, rung_ticket ticket)
{
    rung_ticket_state state;
    assert_int_equal(rung_wait(context, ticket, RUNG_FOREVER, &state), RUNG_OK);
    return state;
}

static void expect_released(struct subject *subject, uint32_t from, uint32_t to, uint32_t times)
{
    for (uint32_t i = from; i < to; i++)
        assert_int_equal(atomic_load(&subject->released[i]), times);
}

static void expect_gone(rung_context *context, rung_ticket ticket)
{
    rung_ticket_state state;
    assert_int_equal(rung_poll(context, ticket, &state), RUNG_STALE);
    assert_int_equal(rung_wait(context, ticket, RUNG_FOREVER, NULL), RUNG_STALE);
    assert_int_equal(collect(context, ticket, RUNG_FOREVER), RUNG_STALE);
    assert_int_equal(collect(context, ticket, 0), RUNG_STALE);
    assert_int_equal(rung_cancel(context, ticket), RUNG_STALE);
    assert_string_not_equal(rung_last_error(), "");
}

/* ---- from submit to collect ------------------------------------------------------------------ */

static void a_ticket_is_queued_running_complete_and_gone(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 2, 1, 0);
    rung_ticket_state now = 0;
    const rung_ticket first = submit(subject, context, 0), second = submit(subject, context, 1);
    gate_wait_for(1);
    assert_int_equal(state_of(context, first), RUNG_TICKET_RUNNING);
    assert_int_equal(state_of(context, second), RUNG_TICKET_QUEUED);
    assert_int_equal(rung_wait(context, first, 0, &now), RUNG_TIMEOUT);
    assert_int_equal(now, RUNG_TICKET_RUNNING);
    assert_int_equal(rung_wait(context, second, MS, &now), RUNG_TIMEOUT);
    assert_int_equal(now, RUNG_TICKET_QUEUED);
    assert_int_equal(collect(context, first, 0), RUNG_BUSY);
    assert_int_equal(collect(context, second, MS), RUNG_TIMEOUT);
    expect_released(subject, 0, 2, 0);

    gate_let_pass(1);
    assert_int_equal(wait_for(context, first), RUNG_TICKET_COMPLETE);
    assert_int_equal(rung_wait(context, first, 0, NULL), RUNG_OK);
    assert_int_equal(collect(context, first, 0), RUNG_OK);
    assert_int_equal(rung_packet_check(packet, sizeof packet), RUNG_OK);
    assert_int_equal(((const rung_packet_header *)packet)->frame_id, 1);
    expect_gone(context, first);
    expect_released(subject, 0, 1, 1);
    expect_released(subject, 1, 2, 0);

    gate_let_pass(1);
    assert_int_equal(collect(context, second, RUNG_FOREVER), RUNG_OK);
    assert_int_equal(((const rung_packet_header *)packet)->frame_id, 2);
    expect_gone(context, second);
    rung_context_destroy(context);
    expect_released(subject, 0, 2, 1);
}

static void a_ticket_comes_to_what_detect_does(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 1, 0);
    uint64_t same[sizeof packet / 8];
    size_t size = 0, needed = 0;
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    gate_let_pass(OPEN);
    assert_int_equal(
        rung_detect(context, &subject->frames[0], (rung_span){same, sizeof same}, &size, NULL),
        RUNG_OK);
    const rung_ticket ticket = submit(subject, context, 0);
    assert_int_equal(rung_collect(context, ticket, RUNG_FOREVER, (rung_span){packet, sizeof packet},
                                  &needed, &info),
                     RUNG_OK);
    assert_int_equal(needed, size);
    assert_memory_equal(packet, same, size);
    assert_string_equal(info.rung, subject->rung);
    assert_true(info.run_ns > 0);
    rung_context_destroy(context);
    expect_released(subject, 0, 1, 1); /* detect borrows */
}

static void without_room_a_ticket_stays_and_nothing_is_written(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 1, 0);
    size_t needed = 0;
    gate_let_pass(OPEN);
    const rung_ticket ticket = submit(subject, context, 0);
    assert_int_equal(rung_collect(context, ticket, RUNG_FOREVER, nothing, &needed, NULL),
                     RUNG_CAPACITY);
    assert_in_range(needed, sizeof(rung_packet_header), sizeof packet);
    memset(packet, 0x5a, sizeof packet);
    const size_t size = needed;
    assert_int_equal(rung_collect(context, ticket, 0, (rung_span){packet, size - 1}, &needed, NULL),
                     RUNG_CAPACITY);
    for (size_t i = 0; i < sizeof packet / 8; i++)
        assert_int_equal(packet[i], 0x5a5a5a5a5a5a5a5aull);
    assert_int_equal(state_of(context, ticket), RUNG_TICKET_COMPLETE);
    expect_released(subject, 0, 1, 0);
    assert_int_equal(rung_collect(context, ticket, 0, (rung_span){packet, size}, NULL, NULL),
                     RUNG_OK);
    expect_released(subject, 0, 1, 1);
    rung_context_destroy(context);
}

static void a_request_of_frames_is_a_packet_of_each_in_order(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 4, 0);
    const rung_frame *frames[] = {&subject->frames[2], &subject->frames[0], &subject->frames[3]};
    const rung_request request = {.struct_size = sizeof request,
                                  .version = RUNG_STRUCT_VERSION,
                                  .frame_count = 3,
                                  .frames = frames};
    static const uint64_t ids[] = {3, 1, 4};
    rung_ticket ticket;
    size_t needed = 0, at = 0;
    assert_int_equal(rung_submit(context, &request, &ticket), RUNG_OK);
    gate_let_pass(OPEN);
    assert_int_equal(rung_collect(context, ticket, RUNG_FOREVER, (rung_span){packet, sizeof packet},
                                  &needed, NULL),
                     RUNG_OK);
    for (size_t i = 0; i < 3; i++) {
        const rung_packet_header *header = (const rung_packet_header *)&packet[at / 8];
        assert_int_equal(rung_packet_check(header, needed - at), RUNG_OK);
        assert_int_equal(header->frame_id, ids[i]);
        at += (size_t)((header->total_size + 7) / 8 * 8);
    }
    assert_in_range(needed, at - 7, at);
    rung_context_destroy(context);
    expect_released(subject, 0, 1, 1);
    expect_released(subject, 1, 2, 0);
    expect_released(subject, 2, 4, 1);
}

static void tickets_run_in_the_order_of_their_submission(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 3, 1, 0);
    rung_ticket tickets[9];
    for (uint32_t i = 0; i < 3; i++)
        tickets[i] = submit(subject, context, i);
    for (uint32_t i = 0; i < 9; i++) { /* slots are taken again in another order than this */
        gate_wait_for(i + 1);
        for (uint32_t later = i + 1; later < i + 3 && later < 9; later++)
            assert_int_equal(state_of(context, tickets[later]), RUNG_TICKET_QUEUED);
        gate_let_pass(1);
        assert_int_equal(collect(context, tickets[i], RUNG_FOREVER), RUNG_OK);
        if (i + 3 < 9)
            tickets[i + 3] = submit(subject, context, i + 3);
    }
    rung_context_destroy(context);
    expect_released(subject, 0, 9, 1);
}

static void one_more_than_the_depth_is_busy_and_stays_the_callers(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 2, 1, 0);
    rung_ticket third = 99;
    const rung_ticket first = submit(subject, context, 0);
    (void)submit(subject, context, 1);
    assert_int_equal(tickets_submit(subject, context, 2, &third), RUNG_BUSY);
    assert_int_equal(third, 0);
    gate_let_pass(OPEN);
    assert_int_equal(wait_for(context, first), RUNG_TICKET_COMPLETE);
    assert_int_equal(tickets_submit(subject, context, 2, &third), RUNG_BUSY);
    assert_int_equal(collect(context, first, 0), RUNG_OK);
    assert_int_equal(tickets_submit(subject, context, 2, &third), RUNG_OK);
    assert_int_equal(tickets_submit(subject, context, 3, &third), RUNG_BUSY);
    rung_context_destroy(context);
    expect_released(subject, 0, 3, 1);
    expect_released(subject, 3, 4, 0);
}

static void a_second_submitter_is_busy(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 2, 1, 0);
    rung_ticket ticket;
    atomic_store(&context->tickets->submitting, true); /* as if another thread were in it */
    assert_int_equal(tickets_submit(subject, context, 0, &ticket), RUNG_BUSY);
    atomic_store(&context->tickets->submitting, false);
    assert_int_equal(tickets_submit(subject, context, 0, &ticket), RUNG_OK);
    gate_let_pass(OPEN);
    rung_context_destroy(context);
    expect_released(subject, 0, 1, 1);
}

/* ---- cancel, reset, destroy ------------------------------------------------------------------ */

static void what_is_queued_or_done_is_cancelled_at_once(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 3, 1, 0);
    const rung_ticket first = submit(subject, context, 0), second = submit(subject, context, 1),
                      third = submit(subject, context, 2);
    gate_wait_for(1);
    assert_int_equal(rung_cancel(context, second), RUNG_OK);
    expect_gone(context, second);
    expect_released(subject, 1, 2, 1);
    gate_let_pass(1);
    assert_int_equal(wait_for(context, first), RUNG_TICKET_COMPLETE);
    assert_int_equal(rung_cancel(context, first), RUNG_OK);
    expect_gone(context, first);
    atomic_store(&gate.failing, 1);
    gate_let_pass(1);
    assert_int_equal(wait_for(context, third), RUNG_TICKET_FAILED);
    assert_int_equal(rung_cancel(context, third), RUNG_OK);
    expect_gone(context, third);
    expect_released(subject, 0, 3, 1);
    rung_context_destroy(context);
}

static void what_is_running_is_cancelled_when_the_worker_has_done_with_it(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 1, 0);
    for (uint32_t i = 0; i < 2; i++) {
        rung_ticket refused;
        const rung_ticket ticket = submit(subject, context, i);
        gate_wait_for(i + 1);
        assert_int_equal(rung_cancel(context, ticket), RUNG_BUSY);
        assert_int_equal(rung_cancel(context, ticket), RUNG_BUSY);
        assert_int_equal(state_of(context, ticket), RUNG_TICKET_RUNNING);
        assert_int_equal(collect(context, ticket, 0), RUNG_BUSY);
        assert_int_equal(tickets_submit(subject, context, 2, &refused), RUNG_BUSY);
        expect_released(subject, i, i + 1, 0);
        gate_let_pass(1);
        assert_int_equal(wait_for(context, ticket), RUNG_TICKET_CANCELLED);
        expect_released(subject, i, i + 1, 0);
        if (i == 0)
            assert_int_equal(rung_cancel(context, ticket), RUNG_OK);
        else
            assert_int_equal(collect(context, ticket, 0), RUNG_CANCELLED);
        expect_gone(context, ticket);
        expect_released(subject, i, i + 1, 1);
    }
    rung_context_destroy(context);
    expect_released(subject, 0, 2, 1);
    expect_released(subject, 2, 3, 0);
}

static void a_cancelled_request_does_not_run_its_other_frames(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 3, 0);
    const rung_frame *frames[] = {&subject->frames[0], &subject->frames[1], &subject->frames[2]};
    const rung_request request = {.struct_size = sizeof request,
                                  .version = RUNG_STRUCT_VERSION,
                                  .frame_count = 3,
                                  .frames = frames};
    rung_ticket ticket;
    assert_int_equal(rung_submit(context, &request, &ticket), RUNG_OK);
    gate_wait_for(1);
    assert_int_equal(rung_cancel(context, ticket), RUNG_BUSY);
    gate_let_pass(OPEN);
    assert_int_equal(wait_for(context, ticket), RUNG_TICKET_CANCELLED);
    assert_int_equal(atomic_load(&gate.arrived), 1);
    rung_context_destroy(context);
    expect_released(subject, 0, 3, 1);
}

static void a_run_that_fails_ends_its_ticket_with_the_reason_and_nothing_else(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 2, 1, 0);
    atomic_store(&gate.failing, 1);
    const rung_ticket first = submit(subject, context, 0), second = submit(subject, context, 1);
    gate_let_pass(OPEN);
    assert_int_equal(wait_for(context, first), RUNG_TICKET_FAILED);
    assert_int_equal(wait_for(context, second), RUNG_TICKET_COMPLETE);
    expect_released(subject, 0, 2, 0);
    assert_int_equal(collect(context, first, 0), RUNG_BACKEND);
    assert_non_null(strstr(rung_last_error(), "the test has the run fail"));
    expect_gone(context, first);
    assert_int_equal(collect(context, second, 0), RUNG_OK);
    expect_released(subject, 0, 2, 1);
    rung_context_destroy(context);
}

/** What a helping thread does meanwhile. */
struct helper {
    rung_context *context;
    void (*does)(rung_context *context);
    struct rung__thread thread;
    atomic_bool done;
};

static void help(void *argument)
{
    struct helper *helper = argument;
    helper->does(helper->context);
    atomic_store(&helper->done, true);
}

static void start(struct helper *helper)
{
    assert_int_equal(rung__thread_start(&helper->thread, "test-helper", help, helper), RUNG_OK);
}

static void reset(rung_context *context)
{
    if (rung_context_reset(context) != RUNG_OK)
        abort();
}

/** With one of each: complete, running, two queued. */
static void fill_with_all_kinds(struct subject *subject, rung_context *context,
                                rung_ticket tickets[4])
{
    for (uint32_t i = 0; i < 4; i++)
        tickets[i] = submit(subject, context, i);
    gate_let_pass(1);
    assert_int_equal(wait_for(context, tickets[0]), RUNG_TICKET_COMPLETE);
    gate_wait_for(2);
}

static void a_reset_drops_all_and_waits_for_what_is_running(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 4, 1, 0);
    struct helper helper = {.context = context, .does = reset};
    rung_ticket tickets[4];
    fill_with_all_kinds(subject, context, tickets);
    start(&helper);
    while (!atomic_load(&subject->released[0]) || !atomic_load(&subject->released[2]) ||
           !atomic_load(&subject->released[3])) /* then it waits for the one that is running */
        sched_yield();
    assert_false(atomic_load(&helper.done));
    expect_released(subject, 1, 2, 0);
    gate_let_pass(OPEN);
    rung__thread_join(&helper.thread);
    expect_released(subject, 0, 4, 1);
    for (size_t i = 0; i < 4; i++)
        expect_gone(context, tickets[i]);
    assert_int_equal(atomic_load(&gate.arrived), 2);
    const rung_ticket next = submit(subject, context, 4);
    assert_int_equal(collect(context, next, RUNG_FOREVER), RUNG_OK);
    assert_int_equal(rung_context_reset(context), RUNG_OK); /* nothing is there */
    rung_context_destroy(context);
    expect_released(subject, 0, 5, 1);
}

static void a_context_is_destroyed_while_it_runs(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 4, 1, 0);
    struct helper helper = {.context = context, .does = rung_context_destroy};
    rung_ticket tickets[4];
    fill_with_all_kinds(subject, context, tickets);
    start(&helper);
    while (!atomic_load(&context->tickets->ending)) /* it lives until the run has ended */
        sched_yield();
    assert_false(atomic_load(&helper.done));
    expect_released(subject, 0, 4, 0);
    gate_let_pass(OPEN);
    rung__thread_join(&helper.thread);
    expect_released(subject, 0, 4, 1);
    assert_int_equal(atomic_load(&gate.arrived), 2);
}

static void a_release_may_submit_the_next(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 1, 0);
    gate_let_pass(OPEN);
    for (uint32_t i = 0; i < 2; i++) {
        const rung_ticket ticket = submit(subject, context, i);
        subject->again = context;
        assert_int_equal(wait_for(context, ticket), RUNG_TICKET_COMPLETE);
        assert_int_equal(i == 0 ? collect(context, ticket, 0) : rung_cancel(context, ticket),
                         RUNG_OK);
        assert_int_equal(subject->again_result, RUNG_OK);
        assert_int_equal(collect(context, subject->again_ticket, RUNG_FOREVER), RUNG_OK);
        expect_released(subject, FRAMES - 1, FRAMES, i + 1);
    }
    (void)submit(subject, context, 2);
    subject->again = context;
    rung_context_destroy(context);
    assert_int_equal(subject->again_result, RUNG_STATE);
    expect_released(subject, 0, 3, 1);
    expect_released(subject, FRAMES - 1, FRAMES, 2);
}

/* ---- several threads ------------------------------------------------------------------------- */

#define WAITERS 4
#define ROUNDS  100u

struct crowd {
    rung_context *context;
    rung_ticket ticket;
    bool collects[WAITERS];
    rung_result results[WAITERS];
    struct rung__thread threads[WAITERS];
    atomic_uint next;
};

static void wait_or_collect(void *argument)
{
    struct crowd *crowd = argument;
    const uint32_t i = atomic_fetch_add(&crowd->next, 1);
    uint64_t own[sizeof packet / 8];
    crowd->results[i] = crowd->collects[i]
                            ? rung_collect(crowd->context, crowd->ticket, RUNG_FOREVER,
                                           (rung_span){own, sizeof own}, NULL, NULL)
                            : rung_wait(crowd->context, crowd->ticket, RUNG_FOREVER, NULL);
}

static void let_them(struct subject *subject, struct crowd *crowd, uint32_t round)
{
    crowd->ticket = submit(subject, crowd->context, round % FRAMES);
    atomic_store(&crowd->next, 0);
    for (size_t i = 0; i < WAITERS; i++)
        assert_int_equal(
            rung__thread_start(&crowd->threads[i], "test-waiter", wait_or_collect, crowd), RUNG_OK);
    gate_let_pass(1);
    for (size_t i = 0; i < WAITERS; i++)
        rung__thread_join(&crowd->threads[i]);
}

static void all_who_wait_are_woken(void **state)
{
    struct subject *subject = *state;
    struct crowd crowd = {.context = tickets_context(subject, 1, 1, 0), .collects = {true}};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        let_them(subject, &crowd, round);
        assert_int_equal(crowd.results[0], RUNG_OK);
        for (size_t i = 1; i < WAITERS; i++) /* the ticket may be gone by then */
            assert_true(crowd.results[i] == RUNG_OK || crowd.results[i] == RUNG_STALE);
    }
    rung_context_destroy(crowd.context);
}

static void one_of_several_collectors_has_it(void **state)
{
    struct subject *subject = *state;
    struct crowd crowd = {.context = tickets_context(subject, 1, 1, 0),
                          .collects = {true, true, true, true}};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t had = 0;
        let_them(subject, &crowd, round);
        for (size_t i = 0; i < WAITERS; i++) {
            had += crowd.results[i] == RUNG_OK;
            assert_true(crowd.results[i] == RUNG_OK || crowd.results[i] == RUNG_BUSY ||
                        crowd.results[i] == RUNG_STALE);
        }
        assert_int_equal(had, 1);
    }
    rung_context_destroy(crowd.context);
    uint32_t released = 0;
    for (size_t i = 0; i < FRAMES; i++)
        released += atomic_load(&subject->released[i]);
    assert_int_equal(released, ROUNDS);
}

static void who_collects_is_alone(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 1, 0);
    struct rung__slot *slot = &context->tickets->slots[0];
    gate_let_pass(OPEN);
    const rung_ticket ticket = submit(subject, context, 0);
    assert_int_equal(wait_for(context, ticket), RUNG_TICKET_COMPLETE);
    const uint64_t generation = rung__slot_generation(ticket);
    assert_true(/* as another collector does */
                rung__slot_move(slot, generation, RUNG__SLOT_COMPLETE, RUNG__SLOT_COLLECTING));
    assert_int_equal(collect(context, ticket, RUNG_FOREVER), RUNG_BUSY);
    assert_int_equal(rung_cancel(context, ticket), RUNG_BUSY);
    assert_int_equal(state_of(context, ticket), RUNG_TICKET_COMPLETE);
    rung__slot_set(slot, generation, RUNG__SLOT_COMPLETE);
    assert_int_equal(collect(context, ticket, 0), RUNG_OK);
    rung_context_destroy(context);
}

static void a_context_at_work_is_busy_for_calls_that_run_at_once(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 1, 0);
    const rung_span span = {packet, sizeof packet};
    rung_output output = {.struct_size = sizeof output, .version = RUNG_STRUCT_VERSION};
    const rung_ticket ticket = submit(subject, context, 0);
    gate_wait_for(1);
    assert_int_equal(rung_detect(context, &subject->frames[1], span, NULL, NULL), RUNG_BUSY);
    assert_int_equal(rung_postprocess(context, &subject->frames[1], span, NULL), RUNG_BUSY);
    assert_int_equal(rung_context_get_output(context, 0, &output), RUNG_BUSY);
    assert_int_equal(rung_context_rebuild(context), RUNG_BUSY);
    gate_let_pass(OPEN);
    assert_int_equal(wait_for(context, ticket), RUNG_TICKET_COMPLETE);
    assert_int_equal(rung_detect(context, &subject->frames[1], span, NULL, NULL), RUNG_OK);
    assert_int_equal(rung_context_rebuild(context), RUNG_STATE);
    assert_int_equal(collect(context, ticket, 0), RUNG_OK);
    rung_context_destroy(context);
    expect_released(subject, 1, 2, 0); /* borrowed, not handed over */
}

/* ---- handles and requests that are wrong ----------------------------------------------------- */

static void a_handle_is_good_for_one_ticket_of_one_context(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 1, 0),
                 *other = tickets_context(subject, 1, 1, 0);
    gate_let_pass(OPEN);
    const rung_ticket first = submit(subject, context, 0);
    assert_int_equal(collect(context, first, RUNG_FOREVER), RUNG_OK);
    const rung_ticket second = submit(subject, context, 1), foreign = submit(subject, other, 2);
    assert_int_equal(first & RUNG__TICKET_SLOT, second & RUNG__TICKET_SLOT);
    expect_gone(context, first);
    expect_gone(context, foreign);
    expect_gone(other, second);
    expect_gone(context, 0);
    expect_gone(context, UINT64_MAX);
    expect_gone(context, second + 1); /* a slot that it has not */
    expect_gone(context, second & RUNG__TICKET_SLOT);
    assert_int_equal(collect(context, second, RUNG_FOREVER), RUNG_OK);
    assert_int_equal(collect(other, foreign, RUNG_FOREVER), RUNG_OK);
    rung_context_destroy(context);
    rung_context_destroy(other);
    expect_released(subject, 0, 3, 1);
}

static void a_wrong_request_is_a_sentence_and_stays_the_callers(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 2, 0);
    rung_frame bad = subject->frames[1];
    const rung_frame *frames[] = {&subject->frames[0], &bad, &subject->frames[2]};
    const rung_request good = {.struct_size = sizeof good,
                               .version = RUNG_STRUCT_VERSION,
                               .frame_count = 2,
                               .frames = frames};
    rung_request request = good;
    rung_ticket ticket = 99;
#define EXPECT(result)                                                                             \
    do {                                                                                           \
        assert_int_equal(rung_submit(context, &request, &ticket), result);                         \
        assert_int_equal(ticket, 0);                                                               \
        assert_string_not_equal(rung_last_error(), "");                                            \
        ticket = 99;                                                                               \
        request = good;                                                                            \
    } while (0)
    request.struct_size = 8;
    EXPECT(RUNG_INVALID_ARGUMENT);
    request.version = 99;
    EXPECT(RUNG_VERSION);
    request.flags = 1;
    EXPECT(RUNG_INVALID_ARGUMENT);
    request.frame_count = 0;
    EXPECT(RUNG_INVALID_ARGUMENT);
    request.frame_count = 3;
    EXPECT(RUNG_INVALID_ARGUMENT);
    request.frames = NULL;
    EXPECT(RUNG_INVALID_ARGUMENT);
    request.struct_size = 4;
    EXPECT(RUNG_INVALID_ARGUMENT);
    frames[1] = NULL;
    EXPECT(RUNG_INVALID_ARGUMENT);
    frames[1] = &bad;
    bad.width = 0;
    EXPECT(RUNG_INVALID_ARGUMENT);
    bad = subject->frames[1];
    bad.flags = 1u << 31;
    EXPECT(RUNG_INVALID_ARGUMENT);
    bad = subject->frames[1];
    bad.version = 99;
    EXPECT(RUNG_VERSION);
#undef EXPECT
    assert_int_equal(rung_submit(context, NULL, &ticket), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_submit(context, &good, NULL), RUNG_INVALID_ARGUMENT);
    rung_context_destroy(context);
    expect_released(subject, 0, FRAMES, 0);
    assert_int_equal(atomic_load(&gate.arrived), 0);
}

static void wrong_arguments_of_the_others_change_nothing(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 1, 0);
    rung_run_info info = {.struct_size = sizeof info, .version = 99};
    rung_ticket_state now;
    gate_let_pass(OPEN);
    const rung_ticket ticket = submit(subject, context, 0);
    assert_int_equal(wait_for(context, ticket), RUNG_TICKET_COMPLETE);
    assert_int_equal(rung_poll(context, ticket, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_poll(NULL, ticket, &now), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_wait(NULL, ticket, 0, &now), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_cancel(NULL, ticket), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_context_reset(NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(collect(NULL, ticket, 0), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_collect(context, ticket, 0, (rung_span){NULL, 8}, NULL, NULL),
                     RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_collect(context, ticket, 0,
                                  (rung_span){(char *)packet + 4, sizeof packet - 4}, NULL, NULL),
                     RUNG_INVALID_ARGUMENT);
    assert_int_equal(
        rung_collect(context, ticket, 0, (rung_span){packet, sizeof packet}, NULL, &info),
        RUNG_VERSION);
    assert_int_equal(state_of(context, ticket), RUNG_TICKET_COMPLETE);
    expect_released(subject, 0, 1, 0);
    assert_int_equal(collect(context, ticket, 0), RUNG_OK);
    rung_context_destroy(context);
    expect_released(subject, 0, 1, 1);
}

static void a_context_without_tickets_says_so(void **state)
{
    struct subject *subject = *state;
    rung_context *context = NULL;
    rung_ticket ticket;
    rung_ticket_state now;
    assert_int_equal(rung_context_create(subject->model, NULL, &context), RUNG_OK);
    assert_int_equal(tickets_submit(subject, context, 0, &ticket), RUNG_UNSUPPORTED);
    assert_int_equal(rung_poll(context, 1, &now), RUNG_UNSUPPORTED);
    assert_int_equal(rung_wait(context, 1, 0, &now), RUNG_UNSUPPORTED);
    assert_int_equal(collect(context, 1, 0), RUNG_UNSUPPORTED);
    assert_int_equal(rung_cancel(context, 1), RUNG_UNSUPPORTED);
    assert_int_equal(rung_context_reset(context), RUNG_UNSUPPORTED);
    rung_context_destroy(context);
    expect_released(subject, 0, 1, 0);
}

static void depth_and_frames_of_a_request_have_a_most(void **state)
{
    struct subject *subject = *state;
    rung_context *context = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const rung_context_options options = {.struct_size = sizeof options,
                                              .version = RUNG_STRUCT_VERSION,
                                              .flags = RUNG_CONTEXT_TICKETS,
                                              .depth = i == 0 ? RUNG__DEPTH_MAX + 1 : 1,
                                              .request_frames =
                                                  i == 1 ? RUNG__REQUEST_FRAMES_MAX + 1 : 1};
        assert_int_equal(rung_context_create(subject->model, &options, &context),
                         RUNG_INVALID_ARGUMENT);
        assert_null(context);
    }
}

/* ---- frames: fences and surfaces ------------------------------------------------------------- */

static void a_fence_is_waited_for(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 1, 0);
    const int fence = eventfd(0, EFD_CLOEXEC);
    rung_ticket_state now;
    gate_let_pass(OPEN);
    subject->frames[0].flags = RUNG_FRAME_FENCE;
    subject->frames[0].fence = fence;
    const rung_ticket ticket = submit(subject, context, 0);
    assert_int_equal(rung_wait(context, ticket, 5 * MS, &now), RUNG_TIMEOUT);
    assert_int_equal(atomic_load(&gate.arrived), 0);
    assert_int_equal(eventfd_write(fence, 1), 0);
    assert_int_equal(collect(context, ticket, RUNG_FOREVER), RUNG_OK);
    assert_int_equal(atomic_load(&gate.arrived), 1);
    close(fence);
    rung_context_destroy(context);
    expect_released(subject, 0, 1, 1);
}

/** One that nobody opens meanwhile. */
static int closed_descriptor(void)
{
    const int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 900);
    close(fd);
    return fd;
}

static void a_fence_that_is_never_reached_ends_the_ticket(void **state)
{
    struct subject *subject = *state;
    rung_ticket refused;
    rung_context *context = tickets_context(subject, 2, 1, 0);
    const int fence = eventfd(0, EFD_CLOEXEC);
    assert_int_equal(context->fence_ms, 5000); /* as the header says */
    context->fence_ms = 10;
    gate_let_pass(OPEN);
    subject->frames[0].flags = subject->frames[2].flags = RUNG_FRAME_FENCE;
    subject->frames[0].fence = fence;
    subject->frames[2].fence = closed_descriptor();
    const rung_ticket first = submit(subject, context, 0), second = submit(subject, context, 1);
    assert_int_equal(collect(context, first, RUNG_FOREVER), RUNG_TIMEOUT);
    expect_gone(context, first); /* it is the fence's, not that of the call */
    assert_int_equal(collect(context, second, RUNG_FOREVER), RUNG_OK);
    assert_int_equal(
        rung_detect(context, &subject->frames[0], (rung_span){packet, sizeof packet}, NULL, NULL),
        RUNG_TIMEOUT);
    assert_int_equal(collect(context, submit(subject, context, 2), RUNG_FOREVER), RUNG_IO);
    assert_int_equal(atomic_load(&gate.arrived), 1);
    subject->frames[2].fence = -1;
    assert_int_equal(tickets_submit(subject, context, 2, &refused), RUNG_INVALID_ARGUMENT);
    close(fence);
    rung_context_destroy(context);
    expect_released(subject, 0, 3, 1);
}

#define OFFSET 4096u

/** A memfd with the pixels of frame 0 behind the offset. */
static rung_surface *import(const struct subject *subject, size_t bytes)
{
    rung_surface *surface = NULL;
    const int fd = memfd_create("rung-test", MFD_CLOEXEC);
    assert_int_equal(ftruncate(fd, OFFSET + sizeof subject->pixels), 0);
    assert_int_equal(pwrite(fd, subject->pixels, sizeof subject->pixels, OFFSET),
                     sizeof subject->pixels);
    const rung_surface_options options = {
        .struct_size = sizeof options, .version = RUNG_STRUCT_VERSION, .fd = fd, .bytes = bytes};
    assert_int_equal(rung_surface_import(&options, &surface), RUNG_OK);
    close(fd); /* which it may be */
    return surface;
}

static void pixels_may_lie_in_imported_memory(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 1, 0);
    rung_surface *surface = import(subject, 0);
    uint64_t same[sizeof packet / 8];
    size_t size;
    gate_let_pass(OPEN);
    assert_int_equal(rung_collect(context, submit(subject, context, 0), RUNG_FOREVER,
                                  (rung_span){same, sizeof same}, &size, NULL),
                     RUNG_OK);
    rung_frame *frame = &subject->frames[0];
    frame->pixels = NULL;
    frame->release = NULL;
    frame->surface = surface;
    frame->surface_offset = OFFSET;
    assert_int_equal(collect(context, submit(subject, context, 0), RUNG_FOREVER), RUNG_OK);
    assert_memory_equal(packet, same, size);
    rung_context_destroy(context);
    rung_surface_destroy(surface);
}

static void a_frame_outside_its_surface_is_refused(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 1, 0);
    rung_frame *frame = &subject->frames[0];
    const size_t whole = (size_t)3 * (SIDE - 1) * (SIDE - 1);
    rung_surface *surface = import(subject, OFFSET + whole);
    rung_ticket ticket;
    *frame = (rung_frame){.struct_size = sizeof *frame,
                          .version = RUNG_STRUCT_VERSION,
                          .width = SIDE - 1,
                          .height = SIDE - 1,
                          .format = RUNG_PIXEL_RGB8,
                          .release = frame->release,
                          .release_user = subject,
                          .surface = surface};
    static const uint64_t outside[] = {OFFSET + 1, OFFSET + sizeof subject->pixels, UINT64_MAX};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        frame->surface_offset = outside[i];
        assert_int_equal(tickets_submit(subject, context, 0, &ticket), RUNG_INVALID_ARGUMENT);
    }
    frame->surface_offset = OFFSET;
    frame->pixels = subject->pixels;
    assert_int_equal(tickets_submit(subject, context, 0, &ticket), RUNG_INVALID_ARGUMENT);
    frame->pixels = NULL;
    frame->stride = UINT64_MAX / 2;
    assert_int_equal(tickets_submit(subject, context, 0, &ticket), RUNG_INVALID_ARGUMENT);
    frame->stride = 0;
    frame->release = NULL;
    gate_let_pass(OPEN);
    assert_int_equal(collect(context, submit(subject, context, 0), RUNG_FOREVER), RUNG_OK);
    rung_context_destroy(context);
    rung_surface_destroy(surface);
    expect_released(subject, 0, 1, 0);
}

static void what_cannot_be_mapped_is_no_surface(void **state)
{
    (void)state;
    rung_surface *surface = (rung_surface *)packet;
    int pipe_ends[2];
    rung_surface_options options = {
        .struct_size = sizeof options, .version = RUNG_STRUCT_VERSION, .fd = -1, .bytes = 4096};
    assert_int_not_equal(rung_surface_import(&options, &surface), RUNG_OK);
    assert_null(surface);
    assert_int_equal(pipe(pipe_ends), 0);
    options.fd = pipe_ends[0];
    assert_int_equal(rung_surface_import(&options, &surface), RUNG_IO);
    options.flags = 1;
    assert_int_equal(rung_surface_import(&options, &surface), RUNG_INVALID_ARGUMENT);
    options.flags = 0;
    options.version = 99;
    assert_int_equal(rung_surface_import(&options, &surface), RUNG_VERSION);
    assert_int_equal(rung_surface_import(NULL, &surface), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_surface_import(&options, NULL), RUNG_INVALID_ARGUMENT);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    rung_surface_destroy(NULL);
}

/* ---- epochs ---------------------------------------------------------------------------------- */

static bool is_stale(void)
{
    const rung_packet_header *header = (const rung_packet_header *)packet;
    const rung_target *targets = (const rung_target *)(header + 1);
    const bool stale = header->flags & RUNG_PACKET_STALE;
    for (uint32_t i = 0; i < header->count; i++)
        if (stale) {
            assert_int_equal(targets[i].flags & RUNG_TARGET_ACTIONABLE, 0);
            assert_int_equal(targets[i].capabilities, 0);
        }
    return stale;
}

static void what_is_of_another_epoch_is_marked_and_not_actionable(void **state)
{
    struct subject *subject = *state;
    rung_context *context = tickets_context(subject, 1, 1, 0);
    rung_epochs epochs = {
        .struct_size = sizeof epochs, .version = RUNG_STRUCT_VERSION, .session_epoch = 5};
    gate_let_pass(OPEN);
    assert_int_equal(rung_context_set_epochs(context, &epochs), RUNG_OK);
    assert_int_equal(collect(context, submit(subject, context, 0), RUNG_FOREVER), RUNG_OK);
    assert_false(is_stale());
    const rung_ticket ticket = submit(subject, context, 1);
    assert_int_equal(wait_for(context, ticket), RUNG_TICKET_COMPLETE);
    epochs.session_epoch = 6; /* between the run and its collection */
    assert_int_equal(rung_context_set_epochs(context, &epochs), RUNG_OK);
    assert_int_equal(collect(context, ticket, 0), RUNG_OK);
    assert_true(is_stale());
    assert_int_equal(((const rung_packet_header *)packet)->session_epoch, 5);
    assert_int_equal(
        rung_detect(context, &subject->frames[0], (rung_span){packet, sizeof packet}, NULL, NULL),
        RUNG_OK);
    assert_true(is_stale());
    epochs.session_epoch = 0; /* any */
    epochs.topology_epoch = 1;
    assert_int_equal(rung_context_set_epochs(context, &epochs), RUNG_OK);
    assert_int_equal(collect(context, submit(subject, context, 0), RUNG_FOREVER), RUNG_OK);
    assert_true(is_stale());
    epochs.topology_epoch = 0;
    assert_int_equal(rung_context_set_epochs(context, &epochs), RUNG_OK);
    assert_int_equal(collect(context, submit(subject, context, 0), RUNG_FOREVER), RUNG_OK);
    assert_false(is_stale());
    epochs.version = 99;
    assert_int_equal(rung_context_set_epochs(context, &epochs), RUNG_VERSION);
    assert_int_equal(rung_context_set_epochs(context, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_context_set_epochs(NULL, &epochs), RUNG_INVALID_ARGUMENT);
    rung_context_destroy(context);
}

static int run_contract(const char *rung)
{
    static struct subject subject;
    subject.rung = rung;
    struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ticket_is_queued_running_complete_and_gone),
        cmocka_unit_test(a_ticket_comes_to_what_detect_does),
        cmocka_unit_test(without_room_a_ticket_stays_and_nothing_is_written),
        cmocka_unit_test(a_request_of_frames_is_a_packet_of_each_in_order),
        cmocka_unit_test(tickets_run_in_the_order_of_their_submission),
        cmocka_unit_test(one_more_than_the_depth_is_busy_and_stays_the_callers),
        cmocka_unit_test(a_second_submitter_is_busy),
        cmocka_unit_test(what_is_queued_or_done_is_cancelled_at_once),
        cmocka_unit_test(what_is_running_is_cancelled_when_the_worker_has_done_with_it),
        cmocka_unit_test(a_cancelled_request_does_not_run_its_other_frames),
        cmocka_unit_test(a_run_that_fails_ends_its_ticket_with_the_reason_and_nothing_else),
        cmocka_unit_test(a_reset_drops_all_and_waits_for_what_is_running),
        cmocka_unit_test(a_context_is_destroyed_while_it_runs),
        cmocka_unit_test(a_release_may_submit_the_next),
        cmocka_unit_test(all_who_wait_are_woken),
        cmocka_unit_test(one_of_several_collectors_has_it),
        cmocka_unit_test(who_collects_is_alone),
        cmocka_unit_test(a_context_at_work_is_busy_for_calls_that_run_at_once),
        cmocka_unit_test(a_handle_is_good_for_one_ticket_of_one_context),
        cmocka_unit_test(a_wrong_request_is_a_sentence_and_stays_the_callers),
        cmocka_unit_test(wrong_arguments_of_the_others_change_nothing),
        cmocka_unit_test(a_context_without_tickets_says_so),
        cmocka_unit_test(depth_and_frames_of_a_request_have_a_most),
        cmocka_unit_test(a_fence_is_waited_for),
        cmocka_unit_test(a_fence_that_is_never_reached_ends_the_ticket),
        cmocka_unit_test(pixels_may_lie_in_imported_memory),
        cmocka_unit_test(a_frame_outside_its_surface_is_refused),
        cmocka_unit_test(what_cannot_be_mapped_is_no_surface),
        cmocka_unit_test(what_is_of_another_epoch_is_marked_and_not_actionable),
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        tests[i].setup_func = set_up;
        tests[i].teardown_func = tear_down;
        tests[i].initial_state = &subject;
    }
    return cmocka_run_group_tests_name(rung, tests, NULL, NULL);
}

int main(void)
{
    return run_contract("dummy") + run_contract("ort-cpu") + run_contract("tract");
}
