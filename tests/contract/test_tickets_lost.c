/* SPDX-License-Identifier: Apache-2.0 */
/* A device that is lost: who is told, what is rebuilt and when, and what becomes of frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sched.h>
#include <string.h>

#include "../unit/folder_fixture.h"
#include "base/clock.h"
#include "base/wait.h"
#include "session/tickets.h"
#include "tickets.h"

static struct subject subject;
static uint64_t packet[4096 / 8];
static const rung_packet_header *const header = (const rung_packet_header *)packet;

static int set_up_on(const char *rung)
{
    subject.rung = rung;
    return make_test_folder(NULL) ? -1 : tickets_set_up(&subject, test_folder);
}

/** On the best rung, which is ONNX Runtime on the processor here. */
static int set_up(void **state)
{
    (void)state;
    return set_up_on(NULL);
}

static int set_up_named(void **state)
{
    (void)state;
    return set_up_on("dummy");
}

static int tear_down(void **state)
{
    tickets_tear_down(&subject);
    return remove_test_folder(state);
}

static rung_result detect(rung_context *context, rung_run_info *info)
{
    return rung_detect(context, &subject.frames[0], (rung_span){packet, sizeof packet}, NULL, info);
}

static rung_result collect(rung_context *context, rung_ticket ticket)
{
    return rung_collect(context, ticket, RUNG_FOREVER, (rung_span){packet, sizeof packet}, NULL,
                        NULL);
}

static const char *rung_of(rung_context *context)
{
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    assert_int_equal(detect(context, &info), RUNG_OK);
    return info.rung;
}

static void lose(rung_context *context)
{
    rung_ticket ticket;
    atomic_store(&gate.losing, 1);
    assert_int_equal(tickets_submit(&subject, context, 1, &ticket), RUNG_OK);
    assert_int_equal(collect(context, ticket), RUNG_DEVICE_LOST);
    assert_non_null(strstr(rung_last_error(), "the test took the device away"));
}

static void every_call_says_so_until_it_is_rebuilt(void **state)
{
    (void)state;
    rung_context *context = tickets_context(&subject, 3, 1, 0);
    rung_ticket first, second, third;
    rung_output output = {.struct_size = sizeof output, .version = RUNG_STRUCT_VERSION};
    atomic_store(&gate.losing, 1);
    assert_int_equal(tickets_submit(&subject, context, 0, &first), RUNG_OK);
    assert_int_equal(tickets_submit(&subject, context, 1, &second), RUNG_OK);
    gate_let_pass(OPEN);
    assert_int_equal(collect(context, first), RUNG_DEVICE_LOST);
    assert_int_equal(collect(context, second), RUNG_DEVICE_LOST); /* it was queued by then */
    assert_int_equal(tickets_submit(&subject, context, 2, &third), RUNG_DEVICE_LOST);
    assert_int_equal(detect(context, NULL), RUNG_DEVICE_LOST);
    assert_int_equal(rung_preprocess(context, &subject.frames[0], (rung_span){NULL, 0}, NULL),
                     RUNG_CAPACITY); /* checked before anything is touched */
    assert_int_equal(
        rung_postprocess(context, &subject.frames[0], (rung_span){packet, sizeof packet}, NULL),
        RUNG_DEVICE_LOST);
    assert_int_equal(rung_context_get_output(context, 0, &output), RUNG_DEVICE_LOST);
    assert_non_null(strstr(rung_last_error(), "rung_context_rebuild"));
    assert_int_equal(atomic_load(&subject.released[0]), 1);
    assert_int_equal(atomic_load(&subject.released[1]), 1);
    assert_int_equal(rung_context_rebuild(context), RUNG_OK);
    assert_int_equal(tickets_submit(&subject, context, 2, &third), RUNG_OK);
    assert_int_equal(collect(context, third), RUNG_OK);
    assert_int_equal(rung_context_rebuild(context), RUNG_STATE);
    rung_context_destroy(context);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(atomic_load(&subject.released[i]), 1);
}

static void it_goes_on_on_the_next_rung_down(void **state)
{
    (void)state;
    rung_context *context = tickets_context(&subject, 1, 1, 0);
    gate_let_pass(OPEN);
    assert_string_equal(rung_of(context), "ort-cpu");
    assert_int_equal(header->model_epoch, 0);
    lose(context);
    assert_int_equal(rung_context_rebuild(context), RUNG_OK);
    assert_string_equal(rung_of(context), "tract");
    assert_int_equal(header->model_epoch, 1);
    assert_int_equal(header->flags & RUNG_PACKET_STALE, 0);
    rung_context *later = tickets_context(&subject, 1, 1, 0);
    assert_string_equal(rung_of(later), "tract"); /* as the model does */
    lose(context);
    assert_int_not_equal(rung_context_rebuild(context), RUNG_OK); /* there is none below */
    assert_int_equal(detect(context, NULL), RUNG_DEVICE_LOST);
    rung_context_destroy(later);
    rung_context_destroy(context);
}

static void a_named_rung_is_loaded_once_more(void **state)
{
    (void)state;
    rung_context *context = tickets_context(&subject, 1, 1, 0);
    gate_let_pass(OPEN);
    for (uint64_t i = 1; i <= 2; i++) {
        lose(context);
        assert_int_equal(rung_context_rebuild(context), RUNG_OK);
        assert_string_equal(rung_of(context), "dummy");
        assert_int_equal(header->model_epoch, i);
    }
    rung_context_destroy(context);
}

static void packets_of_the_old_place_are_stale(void **state)
{
    (void)state;
    rung_context *context = tickets_context(&subject, 2, 1, 0);
    rung_ticket ticket;
    gate_let_pass(OPEN);
    assert_int_equal(tickets_submit(&subject, context, 0, &ticket), RUNG_OK);
    assert_int_equal(rung_wait(context, ticket, RUNG_FOREVER, NULL), RUNG_OK);
    lose(context);
    assert_int_equal(rung_context_rebuild(context), RUNG_OK);
    assert_int_equal(collect(context, ticket), RUNG_OK);
    assert_int_equal(header->model_epoch, 0);
    assert_int_equal(header->flags & RUNG_PACKET_STALE, RUNG_PACKET_STALE);
    rung_context_destroy(context);
    assert_int_equal(atomic_load(&subject.released[0]), 1);
}

static void a_job_of_one_identity_is_not_moved_to_another(void **state)
{
    (void)state;
    rung_context *context = NULL;
    const rung_context_options options = {.struct_size = sizeof options,
                                          .version = RUNG_STRUCT_VERSION,
                                          .flags = RUNG_CONTEXT_TICKETS,
                                          .identity = "tiny"};
    gate_let_pass(OPEN);
    assert_int_equal(rung_context_create(subject.model, &options, &context), RUNG_OK);
    lose(context);
    assert_int_equal(rung_context_rebuild(context), RUNG_OK); /* tract gives the same */
    assert_int_equal(detect(context, NULL), RUNG_OK);
    rung_context_destroy(context);
}

/** Until the context's thread has rebuilt it. */
static void wait_until_rebuilt(const rung_context *context, uint64_t times)
{
    atomic_uint never = 0;
    const uint64_t deadline = rung__clock_now() + 60000 * MS;
    while (atomic_load(&context->loss.rebuilt) < times && rung__clock_now() < deadline)
        (void)rung__wait(&never, 0, rung__clock_now() + MS);
    assert_int_equal(atomic_load(&context->loss.rebuilt), times);
}

static void its_thread_rebuilds_it(void **state)
{
    (void)state;
    rung_context *context = tickets_context(&subject, 1, 1, RUNG_CONTEXT_REBUILD);
    gate_let_pass(OPEN);
    const uint64_t before = rung__clock_now();
    lose(context);
    wait_until_rebuilt(context, 1);
    assert_true(rung__clock_now() - before >= 250 * MS);
    rung_ticket ticket;
    assert_int_equal(tickets_submit(&subject, context, 2, &ticket), RUNG_OK);
    assert_int_equal(collect(context, ticket), RUNG_OK);
    assert_int_equal(header->model_epoch, 1);
    rung_context_destroy(context);
}

static void it_does_so_also_for_a_loss_on_another_thread(void **state)
{
    (void)state;
    rung_context *context = tickets_context(&subject, 1, 1, RUNG_CONTEXT_REBUILD);
    gate_let_pass(OPEN);
    while (!atomic_load(&context->tickets->bell)) /* its thread is about to sleep for good */
        sched_yield();
    atomic_store(&gate.losing, 1);
    assert_int_equal(detect(context, NULL), RUNG_DEVICE_LOST);
    wait_until_rebuilt(context, 1);
    assert_int_equal(detect(context, NULL), RUNG_OK);
    rung_context_destroy(context);
}

static void without_a_thread_a_call_rebuilds_it_when_it_is_time(void **state)
{
    (void)state;
    rung_context *context = NULL;
    const rung_context_options options = {.struct_size = sizeof options,
                                          .version = RUNG_STRUCT_VERSION,
                                          .flags = RUNG_CONTEXT_REBUILD};
    gate_let_pass(OPEN);
    assert_int_equal(rung_context_create(subject.model, &options, &context), RUNG_OK);
    atomic_store(&gate.losing, 1);
    assert_int_equal(detect(context, NULL), RUNG_DEVICE_LOST);
    assert_int_equal(detect(context, NULL), RUNG_DEVICE_LOST); /* not yet */
    assert_in_range(atomic_load(&context->loss.next), rung__clock_now() - 250 * MS,
                    rung__clock_now() + 250 * MS);
    atomic_store(&context->loss.next, rung__clock_now());
    assert_int_equal(detect(context, NULL), RUNG_OK);
    assert_int_equal(header->model_epoch, 1);
    rung_context_destroy(context);
}

static void without_the_flag_it_stays_lost(void **state)
{
    (void)state;
    rung_context *context = tickets_context(&subject, 1, 1, 0);
    gate_let_pass(OPEN);
    lose(context);
    atomic_store(&context->loss.next, 0);
    assert_int_equal(rung__rebuild_due(context), RUNG__CLOCK_NEVER);
    assert_int_equal(detect(context, NULL), RUNG_DEVICE_LOST);
    rung_context_destroy(context);
}

static void tries_are_a_quarter_of_a_second_to_eight_apart(void **state)
{
    (void)state;
    static const uint64_t expected[] = {250, 500, 1000, 2000, 4000, 8000, 8000, 8000};
    uint64_t waited = 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        waited = rung__rebuild_backoff(waited);
        assert_int_equal(waited, expected[i] * MS);
    }
}

static void a_failed_try_is_followed_by_a_later_one(void **state)
{
    (void)state;
    rung_context *context = tickets_context(&subject, 1, 1, 0);
    gate_let_pass(OPEN);
    lose(context);
    assert_int_equal(rung_context_rebuild(context), RUNG_OK);
    lose(context); /* tract, below which there is none */
    assert_int_equal(context->loss.wait_ns, 250 * MS);
    for (uint64_t wait = 500; wait <= 8000; wait *= 2) {
        assert_int_not_equal(rung_context_rebuild(context), RUNG_OK);
        assert_int_equal(context->loss.wait_ns, wait * MS);
    }
    rung_context_destroy(context);
}

static void a_lost_context_is_destroyed_and_frames_are_released(void **state)
{
    (void)state;
    rung_context *context = tickets_context(&subject, 4, 1, RUNG_CONTEXT_REBUILD);
    rung_ticket ticket;
    atomic_store(&gate.losing, 1);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(tickets_submit(&subject, context, i, &ticket), RUNG_OK);
    gate_let_pass(OPEN);
    assert_int_equal(rung_wait(context, ticket, RUNG_FOREVER, NULL), RUNG_OK);
    rung_context_destroy(context);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(atomic_load(&subject.released[i]), 1);
}

int main(void)
{
#define ON_BEST(test)  cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define ON_NAMED(test) cmocka_unit_test_setup_teardown(test, set_up_named, tear_down)
    const struct CMUnitTest tests[] = {
        ON_BEST(every_call_says_so_until_it_is_rebuilt),
        ON_BEST(it_goes_on_on_the_next_rung_down),
        ON_NAMED(a_named_rung_is_loaded_once_more),
        ON_BEST(packets_of_the_old_place_are_stale),
        ON_BEST(a_job_of_one_identity_is_not_moved_to_another),
        ON_NAMED(its_thread_rebuilds_it),
        ON_NAMED(it_does_so_also_for_a_loss_on_another_thread),
        ON_NAMED(without_a_thread_a_call_rebuilds_it_when_it_is_time),
        ON_NAMED(without_the_flag_it_stays_lost),
        cmocka_unit_test(tries_are_a_quarter_of_a_second_to_eight_apart),
        ON_BEST(a_failed_try_is_followed_by_a_later_one),
        ON_NAMED(a_lost_context_is_destroyed_and_frames_are_released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
