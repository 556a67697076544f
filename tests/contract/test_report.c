/* SPDX-License-Identifier: Apache-2.0 */
/* What a context's report promises, on every provider, with a real signed file: tensors as the file
 * declares them, and figures that say what was really done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rung/rung.h>

#include "../unit/artifact_fixture.h"
#include "../unit/folder_fixture.h"
#include "artifact/tensors.h"
#include "base/clock.h"
#include "session/context.h"

#define SIDE   8u /* of the canvas */
#define FRAMES 20u

static const char copies[] = "{\"buffer\": \"base\"}";

struct subject {
    const char *rung;
    struct artifact_fixture files;
    rung_instance *instance;
    rung_model *model;
    rung_context *context;
    uint8_t pixels[SIDE * SIDE * 3];
    uint64_t packet[2048 / 8];
};

static rung_context *make_context(const struct subject *subject, const char *plan)
{
    rung_context *context = NULL;
    const rung_context_options options = {
        .struct_size = sizeof options, .version = RUNG_STRUCT_VERSION, .plan = plan};
    assert_int_equal(rung_context_create(subject->model, &options, &context), RUNG_OK);
    return context;
}

static int set_up(void **state)
{
    struct subject *subject = *state;
    if (make_test_folder(state) != 0)
        return -1;
    artifact_fixture_make(&subject->files, test_folder);
    assert_int_equal(artifact_fixture_pack(&subject->files, true), RUNG_OK);
    const rung_instance_options instance = artifact_fixture_instance(
        &subject->files, RUNG_INSTANCE_NO_ENVIRONMENT, RUNG_PROBE_DEFAULT);
    const rung_model_options model = {
        .struct_size = sizeof model,
        .version = RUNG_STRUCT_VERSION,
        .threads = 1,
        .rung = subject->rung,
    };
    assert_int_equal(rung_instance_create(&instance, &subject->instance), RUNG_OK);
    if (rung_model_open(subject->instance, subject->files.model, &model, &subject->model) !=
        RUNG_OK) {
        print_error("%s\n", rung_last_error());
        return -1;
    }
    subject->context = make_context(subject, NULL);
    return 0;
}

static int tear_down(void **state)
{
    struct subject *subject = *state;
    rung_context_destroy(subject->context);
    rung_model_destroy(subject->model);
    rung_instance_destroy(subject->instance);
    return remove_test_folder(state);
}

static rung_frame frame_of(const struct subject *subject, uint32_t side)
{
    return (rung_frame){
        .struct_size = sizeof(rung_frame),
        .version = RUNG_STRUCT_VERSION,
        .pixels = subject->pixels,
        .width = side,
        .height = side,
        .format = RUNG_PIXEL_RGB8,
    };
}

static rung_result detect_on(struct subject *subject, rung_context *context, uint32_t side)
{
    const rung_frame frame = frame_of(subject, side);
    return rung_detect(context, &frame, (rung_span){subject->packet, sizeof subject->packet}, NULL,
                       NULL);
}

static void detect(struct subject *subject, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++)
        assert_int_equal(detect_on(subject, subject->context, SIDE), RUNG_OK);
}

static rung_report report_of(const rung_context *context)
{
    rung_report report = {.struct_size = sizeof report, .version = RUNG_STRUCT_VERSION};
    assert_int_equal(rung_context_get_report(context, &report), RUNG_OK);
    return report;
}

static void expect_tensor(const struct subject *subject, uint32_t index,
                          const struct rung__tensor *declared, const void *memory)
{
    rung_tensor_info tensor = {.struct_size = sizeof tensor, .version = RUNG_STRUCT_VERSION};
    assert_int_equal(rung_context_get_tensor(subject->context, index, &tensor), RUNG_OK);
    assert_string_equal(tensor.name, declared->name);
    assert_int_equal(tensor.dtype, declared->dtype);
    assert_int_equal(tensor.rank, declared->rank);
    for (uint32_t i = 0; i < RUNG_RANK_MAX; i++)
        assert_int_equal(tensor.shape[i], i < declared->rank ? declared->dims[i] : 0);
    assert_int_equal(tensor.bytes, rung__tensor_size(declared));
    assert_int_equal(tensor.layout, index ? 0 : RUNG_LAYOUT_PLANAR);
    assert_in_range(tensor.alignment, 1, 4096);
    assert_int_equal((uintptr_t)memory % tensor.alignment, 0);
}

static void tensors_are_those_that_the_file_declares(void **state)
{
    const struct subject *subject = *state;
    const struct rung__tensors *declared = &subject->model->artifact.view.tensors;
    const struct rung__model_memory *memory = &subject->context->lanes[0].memory;
    const rung_report report = report_of(subject->context);
    assert_int_equal(report.tensor_count, 1 + declared->output_count);
    expect_tensor(subject, 0, &declared->input, memory->input);
    for (uint32_t i = 0; i < declared->output_count; i++)
        expect_tensor(subject, 1 + i, &declared->outputs[i], memory->outputs[i]);
    rung_tensor_info none = {.struct_size = sizeof none, .version = RUNG_STRUCT_VERSION};
    assert_int_equal(rung_context_get_tensor(subject->context, report.tensor_count, &none),
                     RUNG_NOT_FOUND);
    assert_int_equal(report.host_input_bytes, rung__tensor_size(&declared->input));
    assert_int_equal(report.host_output_bytes, rung__tensor_size(&declared->outputs[0]));
}

static void memory_is_what_the_provider_tells(void **state)
{
    const struct subject *subject = *state;
    const rung_report report = report_of(subject->context);
    const bool tells_all = strcmp(subject->rung, "dummy") == 0;
    assert_int_equal(report.device_bytes, 0);
    assert_int_equal(report.workspace_bytes, tells_all ? 0 : RUNG_REPORT_UNKNOWN);
    assert_int_equal(report.packed_bytes, tells_all ? 0 : RUNG_REPORT_UNKNOWN);
    assert_int_equal(report.opaque_bytes, tells_all ? 0 : RUNG_REPORT_UNKNOWN);
}

static void what_serves_is_told(void **state)
{
    const struct subject *subject = *state;
    const rung_report report = report_of(subject->context);
    assert_string_equal(report.rung, subject->rung);
    assert_string_equal(report.identity, "tiny");
    assert_string_equal(report.precision, "f32");
    assert_int_equal(strlen(report.artifact), 64);
    assert_true(*report.executed_by && *report.reason);
    assert_int_equal(report.threads, 1);
    if (strcmp(subject->rung, "dummy") == 0) {
        assert_string_equal(report.runtime, "");
        assert_true(report.package_bytes == RUNG_REPORT_UNKNOWN);
    } else {
        assert_true(*report.runtime && *report.runtime_version && *report.runtime_path);
        assert_in_range(report.package_bytes, 1 << 20, UINT64_MAX - 1);
        assert_in_range(report.package_files, 1, 1000);
    }
    assert_true((report.energy_uj == RUNG_REPORT_UNKNOWN) == (*report.energy_reason != '\0'));
}

static void starting_is_timed_and_its_parts_fit_into_it(void **state)
{
    const struct subject *subject = *state;
    const rung_report report = report_of(subject->context);
    assert_true(report.load_ns > 0 && report.context_ns > 0);
    assert_true(report.open_ns >= report.load_ns + report.runtime_ns);
    assert_false(report.compiled || report.engine);
}

static void ending_a_context_is_told_by_the_next_report(void **state)
{
    const struct subject *subject = *state;
    assert_true(report_of(subject->context).teardown_ns == RUNG_REPORT_UNKNOWN);
    rung_context_destroy(make_context(subject, NULL));
    assert_in_range(report_of(subject->context).teardown_ns, 1, UINT64_C(10000000000));
}

static void expect_times(const rung_report_times *times, uint64_t count)
{
    assert_int_equal(times->count, count);
    assert_true(times->p50_ns <= times->p95_ns && times->p95_ns <= times->p99_ns &&
                times->p99_ns <= times->max_ns);
    assert_true(times->max_ns <= times->total_ns && times->total_ns <= count * times->max_ns);
}

static void each_frame_is_counted_and_timed_once(void **state)
{
    struct subject *subject = *state;
    const rung_report before = report_of(subject->context);
    assert_int_equal(before.frames, 0);
    assert_int_equal(before.first.whole_ns, 0);
    expect_times(&before.whole, 0);

    const uint64_t began = rung__clock_now();
    detect(subject, 1 + FRAMES);
    const uint64_t took = rung__clock_now() - began;
    const rung_report report = report_of(subject->context);
    assert_int_equal(report.frames, 1 + FRAMES);
    assert_int_equal(report.failures, 0);
    expect_times(&report.preprocess, FRAMES);
    expect_times(&report.run, FRAMES);
    expect_times(&report.postprocess, FRAMES);
    expect_times(&report.whole, FRAMES);
    assert_true(report.whole.total_ns >=
                report.preprocess.total_ns + report.run.total_ns + report.postprocess.total_ns);
    assert_true(report.first.whole_ns >=
                report.first.preprocess_ns + report.first.run_ns + report.first.postprocess_ns);
    assert_true(report.first.run_ns > 0);
    assert_true(report.first.whole_ns + report.whole.total_ns <= took);
}

static void a_restart_forgets_all_but_the_first_frame(void **state)
{
    struct subject *subject = *state;
    detect(subject, 3);
    assert_int_equal(detect_on(subject, subject->context, 0), RUNG_INVALID_ARGUMENT);
    const rung_report before = report_of(subject->context);
    assert_int_equal(before.failures, 1);
    assert_int_equal(rung_context_restart_report(subject->context), RUNG_OK);
    const rung_report report = report_of(subject->context);
    assert_int_equal(report.frames, 0);
    assert_int_equal(report.failures, 0);
    assert_int_equal(report.imports, 0);
    expect_times(&report.whole, 0);
    assert_memory_equal(&report.first, &before.first, sizeof report.first);
    detect(subject, 2);
    const rung_report after = report_of(subject->context);
    expect_times(&after.run, 2);
    assert_int_equal(after.frames, 2);
}

static void a_tensor_is_made_in_place_or_the_copy_is_counted(void **state)
{
    struct subject *subject = *state;
    rung_context *copying = make_context(subject, copies);
    detect(subject, FRAMES);
    for (uint32_t i = 0; i < FRAMES; i++)
        assert_int_equal(detect_on(subject, copying, SIDE), RUNG_OK);
    const rung_report in_place = report_of(subject->context), copied = report_of(copying);
    rung_context_destroy(copying);
    assert_int_equal(in_place.imports, FRAMES);
    assert_int_equal(in_place.copies, 0);
    assert_int_equal(in_place.copied_bytes, 0);
    assert_int_equal(copied.imports, 0);
    assert_int_equal(copied.copies, FRAMES);
    assert_int_equal(copied.copied_bytes, FRAMES * copied.host_input_bytes);
    assert_int_equal(copied.widened_bytes, 0);
    assert_true(copied.host_scratch_bytes >= in_place.host_scratch_bytes + copied.host_input_bytes);
}

static void frames_take_nothing_unless_a_workspace_grows(void **state)
{
    struct subject *subject = *state;
    detect(subject, FRAMES);
    const rung_report small = report_of(subject->context);
    assert_int_equal(small.allocations, 0);
    assert_int_equal(small.hand_overs, 0);
    assert_int_equal(small.threads_owned, 0);
    assert_int_equal(small.threads_created, 0);
    /* What a stage does when a frame needs more (tests/unit/test_ledger.c). */
    rung__ledger_allocated(&subject->context->metrics.ledger, 0, 4096);
    rung__ledger_handed_over(&subject->context->metrics.ledger, 3);
    const rung_report grown = report_of(subject->context);
    assert_int_equal(grown.allocations, 1);
    assert_int_equal(grown.hand_overs, 3);
    assert_int_equal(grown.host_scratch_bytes, small.host_scratch_bytes + 4096);
    assert_int_equal(rung_context_restart_report(subject->context), RUNG_OK);
    assert_int_equal(report_of(subject->context).allocations, 0);
}

static void a_lost_device_and_where_it_goes_on_are_told(void **state)
{
    struct subject *subject = *state;
    rung__loss_note(subject->context);
    const rung_report lost = report_of(subject->context);
    assert_int_equal(lost.device_losses, 1);
    assert_int_equal(lost.rebuilds, 0);
    assert_string_equal(lost.rung, subject->rung);
    assert_int_equal(detect_on(subject, subject->context, SIDE), RUNG_DEVICE_LOST);
    const uint64_t scratch = lost.host_scratch_bytes;
    assert_int_equal(rung_context_rebuild(subject->context), RUNG_OK);
    detect(subject, 1);
    const rung_report report = report_of(subject->context);
    assert_int_equal(report.device_losses, 1);
    assert_int_equal(report.rebuilds, 1);
    assert_string_equal(report.rung, subject->rung);
    assert_int_equal(report.frames, 1);
    assert_int_equal(report.host_scratch_bytes, scratch);
    assert_int_equal(report.host_input_bytes, lost.host_input_bytes);
}

/* ---- tickets --------------------------------------------------------------------------------- */

static rung_context *make_context_with_tickets(const struct subject *subject)
{
    rung_context *context = NULL;
    const rung_context_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .flags = RUNG_CONTEXT_TICKETS,
        .request_frames = 2,
    };
    assert_int_equal(rung_context_create(subject->model, &options, &context), RUNG_OK);
    return context;
}

static void tickets_are_counted_frame_by_frame(void **state)
{
    struct subject *subject = *state;
    rung_context *context = make_context_with_tickets(subject);
    const rung_frame frame = frame_of(subject, SIDE), *frames[] = {&frame, &frame};
    const rung_request request = {.struct_size = sizeof request,
                                  .version = RUNG_STRUCT_VERSION,
                                  .frame_count = 2,
                                  .frames = frames};
    for (uint32_t i = 0; i < FRAMES; i++) {
        rung_ticket ticket;
        assert_int_equal(rung_submit(context, &request, &ticket), RUNG_OK);
        assert_int_equal(rung_collect(context, ticket, RUNG_FOREVER,
                                      (rung_span){subject->packet, sizeof subject->packet}, NULL,
                                      NULL),
                         RUNG_OK);
    }
    const rung_report report = report_of(context);
    uint64_t packet = 0;
    assert_int_equal(rung_context_get_max_output_bytes(context, &packet), RUNG_OK);
    rung_context_destroy(context);
    assert_int_equal(report.frames, 2 * FRAMES);
    expect_times(&report.whole, 2 * FRAMES - 1);
    assert_int_equal(report.hand_overs, FRAMES);
    assert_int_equal(report.allocations, 0);
    assert_int_equal(report.threads_owned, 1);
    assert_in_range(report.host_packet_bytes, 2 * packet, 2 * packet + 64);
    assert_int_equal(report.cancels, 0);
    assert_true(report.cancel_ns == RUNG_REPORT_UNKNOWN);
}

/** It waits for the pixels, so that the cancel finds it running. */
static void a_cancel_of_what_is_running_is_timed(void **state)
{
    struct subject *subject = *state;
    rung_context *context = make_context_with_tickets(subject);
    int fence[2];
    assert_int_equal(pipe(fence), 0);
    rung_frame frame = frame_of(subject, SIDE);
    frame.flags = RUNG_FRAME_FENCE;
    frame.fence = fence[0];
    const rung_frame *frames[] = {&frame};
    const rung_request request = {.struct_size = sizeof request,
                                  .version = RUNG_STRUCT_VERSION,
                                  .frame_count = 1,
                                  .frames = frames};
    rung_ticket ticket;
    rung_ticket_state at = RUNG_TICKET_QUEUED;
    assert_int_equal(rung_submit(context, &request, &ticket), RUNG_OK);
    while (at == RUNG_TICKET_QUEUED)
        assert_int_equal(rung_poll(context, ticket, &at), RUNG_OK);
    assert_int_equal(rung_cancel(context, ticket), RUNG_BUSY);
    assert_int_equal(write(fence[1], "", 1), 1);
    assert_int_equal(rung_wait(context, ticket, RUNG_FOREVER, &at), RUNG_OK);
    assert_int_equal(at, RUNG_TICKET_CANCELLED);
    const rung_report report = report_of(context);
    assert_int_equal(report.cancels, 1);
    assert_in_range(report.cancel_ns, 1, UINT64_C(10000000000));
    rung_context_destroy(context);
    close(fence[0]);
    close(fence[1]);
}

/* ---- series ---------------------------------------------------------------------------------- */

struct series {
    struct subject *subject;
    uint32_t left;
};

static int next(void *user, rung_frame *frame, void **mark)
{
    struct series *series = user;
    (void)mark;
    frame->pixels = series->subject->pixels;
    frame->width = frame->height = SIDE;
    frame->format = RUNG_PIXEL_RGB8;
    return series->left-- > 0;
}

static void done(void *user, void *mark, rung_result result, const void *packet, size_t size,
                 const rung_run_info *info)
{
    (void)user, (void)mark, (void)packet, (void)size, (void)info;
    assert_int_equal(result, RUNG_OK);
}

static void a_series_is_counted_like_single_frames(void **state)
{
    struct subject *subject = *state;
    struct series series = {subject, 1 + FRAMES};
    const rung_series whole = {
        .struct_size = sizeof whole,
        .version = RUNG_STRUCT_VERSION,
        .user = &series,
        .next = next,
        .done = done,
    };
    assert_int_equal(rung_run_series(subject->context, &whole), RUNG_OK);
    const rung_report report = report_of(subject->context);
    assert_int_equal(report.frames, 1 + FRAMES);
    expect_times(&report.whole, FRAMES);
    assert_int_equal(report.imports, 1 + FRAMES);
}

/* ---- JSON, and other threads ----------------------------------------------------------------- */

static json_t *json_of(const rung_context *context)
{
    char text[16384];
    size_t needed = 0;
    assert_int_equal(rung_context_report(context, (rung_span){NULL, 0}, &needed), RUNG_CAPACITY);
    assert_in_range(needed, 100, sizeof text);
    /* Times differ from call to call, and so may the length of a number. */
    assert_int_equal(rung_context_report(context, (rung_span){text, sizeof text}, &needed),
                     RUNG_OK);
    assert_int_equal(strlen(text) + 1, needed);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    return json;
}

static void expect_number(const json_t *json, const char *object, const char *key, uint64_t number)
{
    const json_t *value = json_object_get(json_object_get(json, object), key);
    if (number == RUNG_REPORT_UNKNOWN)
        assert_true(json_is_null(value));
    else
        assert_int_equal(json_integer_value(value), number);
}

static void json_says_the_same(void **state)
{
    struct subject *subject = *state;
    detect(subject, FRAMES);
    const rung_report report = report_of(subject->context);
    json_t *json = json_of(subject->context);
    expect_number(json, "frames", "done", report.frames);
    expect_number(json, "frames", "imported", report.imports);
    expect_number(json, "first_ns", "whole", report.first.whole_ns);
    expect_number(json_object_get(json, "steady_ns"), "run", "p95", report.run.p95_ns);
    expect_number(json, "start_ns", "load", report.load_ns);
    expect_number(json, "end_ns", "teardown", report.teardown_ns);
    expect_number(json, "memory_bytes", "device", report.device_bytes);
    expect_number(json, "memory_bytes", "host_input", report.host_input_bytes);
    assert_int_equal(json_array_size(json_object_get(json, "outputs")), report.tensor_count - 1);
    assert_int_equal(json_array_size(json_object_get(json, "stages")), 5);
    assert_int_equal(json_is_null(json_object_get(json, "runtime")), !*report.runtime);
    json_decref(json);
}

static void wrong_arguments_are_refused(void **state)
{
    struct subject *subject = *state;
    rung_report report = {.struct_size = 4, .version = RUNG_STRUCT_VERSION};
    assert_int_equal(rung_context_get_report(subject->context, &report), RUNG_INVALID_ARGUMENT);
    report.struct_size = sizeof report;
    report.version = 2;
    assert_int_equal(rung_context_get_report(subject->context, &report), RUNG_VERSION);
    assert_int_equal(rung_context_get_report(NULL, &report), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_context_get_report(subject->context, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_context_get_tensor(NULL, 0, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_context_restart_report(NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_context_report(NULL, (rung_span){NULL, 0}, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_context_report(subject->context, (rung_span){NULL, 8}, NULL),
                     RUNG_INVALID_ARGUMENT);
    /* An application of an earlier time has less of it, and gets that much. */
    struct {
        rung_report report;
        uint8_t behind[8];
    } earlier = {.report = {.struct_size = offsetof(rung_report, threads),
                            .version = RUNG_STRUCT_VERSION,
                            .threads = 77}};
    assert_int_equal(rung_context_get_report(subject->context, &earlier.report), RUNG_OK);
    assert_string_equal(earlier.report.rung, subject->rung);
    assert_int_equal(earlier.report.threads, 77);
}

struct reader {
    const rung_context *context;
    atomic_bool ending;
    uint64_t reads;
};

static void read_reports(void *argument)
{
    struct reader *reader = argument;
    uint64_t frames = 0;
    while (!atomic_load(&reader->ending) || reader->reads < 3) {
        const rung_report report = report_of(reader->context);
        json_decref(json_of(reader->context));
        assert_true(report.frames >= frames);
        frames = report.frames;
        reader->reads++;
    }
}

static void it_is_read_while_frames_are_worked_on(void **state)
{
    struct subject *subject = *state;
    struct reader reader = {.context = subject->context};
    struct rung__thread thread;
    assert_int_equal(rung__thread_start(&thread, "reader", read_reports, &reader), RUNG_OK);
    detect(subject, 200);
    atomic_store(&reader.ending, true);
    rung__thread_join(&thread);
    assert_int_equal(report_of(subject->context).frames, 200);
}

static void it_is_read_while_the_context_is_rebuilt(void **state)
{
    struct subject *subject = *state;
    struct reader reader = {.context = subject->context};
    struct rung__thread thread;
    assert_int_equal(rung__thread_start(&thread, "reader", read_reports, &reader), RUNG_OK);
    for (uint32_t i = 0; i < 5; i++) {
        rung__loss_note(subject->context);
        assert_int_equal(rung_context_rebuild(subject->context), RUNG_OK);
        detect(subject, 1);
    }
    atomic_store(&reader.ending, true);
    rung__thread_join(&thread);
    const rung_report report = report_of(subject->context);
    assert_int_equal(report.rebuilds, 5);
    assert_int_equal(report.frames, 5);
}

static int run_contract(const char *rung)
{
    static struct subject subject;
    subject = (struct subject){.rung = rung};
    struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_are_those_that_the_file_declares),
        cmocka_unit_test(memory_is_what_the_provider_tells),
        cmocka_unit_test(what_serves_is_told),
        cmocka_unit_test(starting_is_timed_and_its_parts_fit_into_it),
        cmocka_unit_test(ending_a_context_is_told_by_the_next_report),
        cmocka_unit_test(each_frame_is_counted_and_timed_once),
        cmocka_unit_test(a_restart_forgets_all_but_the_first_frame),
        cmocka_unit_test(a_tensor_is_made_in_place_or_the_copy_is_counted),
        cmocka_unit_test(frames_take_nothing_unless_a_workspace_grows),
        cmocka_unit_test(a_lost_device_and_where_it_goes_on_are_told),
        cmocka_unit_test(tickets_are_counted_frame_by_frame),
        cmocka_unit_test(a_cancel_of_what_is_running_is_timed),
        cmocka_unit_test(a_series_is_counted_like_single_frames),
        cmocka_unit_test(json_says_the_same),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(it_is_read_while_frames_are_worked_on),
        cmocka_unit_test(it_is_read_while_the_context_is_rebuilt),
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
