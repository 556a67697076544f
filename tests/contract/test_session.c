/* SPDX-License-Identifier: Apache-2.0 */
/* What the public API promises around a model, on every rung, with a real signed file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rung/artifact.h>
#include <rung/rung.h>

#include "../unit/artifact_fixture.h"
#include "../unit/folder_fixture.h"

#define SIDE 80

/** A model opened on the rung under test, and a frame for it. */
struct subject {
    const char *rung;
    struct artifact_fixture files;
    rung_instance *instance;
    rung_model *model;
    rung_context *context;
    rung_model_info info;
    uint8_t pixels[SIDE * SIDE * 3];
    rung_frame frame;
    uint64_t packet[2048 / 8];
    size_t needed;
};

static rung_result open_instance(struct subject *subject, uint32_t flags)
{
    const rung_instance_options options = artifact_fixture_instance(
        &subject->files, RUNG_INSTANCE_NO_ENVIRONMENT | flags, RUNG_PROBE_DEFAULT);
    return rung_instance_create(&options, &subject->instance);
}

static rung_result open_model(struct subject *subject, const char *rung, rung_model **out)
{
    const rung_model_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .threads = 1,
        .rung = rung,
    };
    return rung_model_open(subject->instance, subject->files.model, &options, out);
}

static void reset_frame(struct subject *subject)
{
    for (size_t i = 0; i < sizeof subject->pixels; i++)
        subject->pixels[i] = (uint8_t)(i * 7);
    subject->frame = (rung_frame){
        .struct_size = sizeof subject->frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = subject->pixels,
        .width = SIDE,
        .height = SIDE,
        .format = RUNG_PIXEL_RGB8,
        .source_id = 11,
        .display_id = 12,
        .frame_id = 13,
        .session_epoch = 14,
        .transform_epoch = 15,
        .topology_epoch = 16,
    };
    memset(subject->packet, 0x5a, sizeof subject->packet);
}

static int set_up(void **state)
{
    struct subject *subject = *state;
    if (make_test_folder(state) != 0)
        return -1;
    artifact_fixture_make(&subject->files, test_folder);
    assert_int_equal(artifact_fixture_pack(&subject->files, true), RUNG_OK);
    assert_int_equal(open_instance(subject, 0), RUNG_OK);
    if (open_model(subject, subject->rung, &subject->model) != RUNG_OK) {
        print_error("%s\n", rung_last_error());
        return -1;
    }
    assert_int_equal(rung_context_create(subject->model, NULL, &subject->context), RUNG_OK);
    subject->info =
        (rung_model_info){.struct_size = sizeof subject->info, .version = RUNG_STRUCT_VERSION};
    assert_int_equal(rung_model_get_info(subject->model, &subject->info), RUNG_OK);
    assert_true(subject->info.max_output_bytes <= sizeof subject->packet);
    reset_frame(subject);
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

static rung_result detect(struct subject *subject, size_t size)
{
    return rung_detect(subject->context, &subject->frame, (rung_span){subject->packet, size},
                       &subject->needed, NULL);
}

static void tells_what_it_is(void **state)
{
    const struct subject *subject = *state;
    const char *label;
    assert_string_equal(subject->info.name, "tiny");
    assert_string_equal(subject->info.identity, "tiny");
    assert_string_equal(subject->info.rung, subject->rung);
    assert_string_equal(subject->info.precision, "f32");
    assert_string_equal(subject->info.canonical,
                        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    assert_int_equal(strlen(subject->info.artifact), 64);
    assert_int_equal(strlen(subject->info.key_id), 16);
    assert_int_equal(rung_model_get_label(subject->model, 1, &label), RUNG_OK);
    assert_string_equal(label, "héron");
    assert_int_equal(rung_model_get_label(subject->model, 2, &label), RUNG_NOT_FOUND);
    assert_string_equal(label, "");
}

/** What a listing told of the model under test. */
struct told {
    const struct subject *subject;
    unsigned files;
};

static void take_file(void *user, const rung_model_file *file)
{
    struct told *told = user;
    const struct subject *subject = told->subject;
    told->files++;
    assert_int_equal(file->result, RUNG_OK);
    assert_string_equal(file->reason, "");
    assert_string_equal(file->path, subject->files.model);
    assert_string_equal(file->shadowed_by, "");
    assert_string_equal(file->name, subject->info.name);
    assert_string_equal(file->artifact, subject->info.artifact);
    assert_string_equal(file->key_id, subject->info.key_id);
    assert_string_equal(file->key_path, subject->files.public_key);
    assert_int_equal(file->role, subject->info.role);
    assert_int_equal(file->form, subject->info.form);
    assert_int_equal(file->canvas_width, subject->info.canvas_width);
    assert_int_equal(file->canvas_height, subject->info.canvas_height);
}

static void a_listing_tells_what_the_model_is(void **state)
{
    const struct subject *subject = *state;
    const char *folder = subject->files.folder;
    struct told told = {.subject = subject};
    for (uint32_t flags = 0; flags <= RUNG_MODEL_LIST_UNVERIFIED; flags++)
        assert_int_equal(rung_model_list(subject->instance, flags, &folder, 1, take_file, &told),
                         RUNG_OK);
    assert_int_equal(told.files, 2);
}

static void the_packet_carries_the_frame(void **state)
{
    struct subject *subject = *state;
    const rung_packet_header *packet = (const rung_packet_header *)subject->packet;
    assert_int_equal(detect(subject, sizeof subject->packet), RUNG_OK);
    assert_int_equal(packet->total_size, subject->needed);
    assert_int_equal(rung_packet_check(packet, sizeof subject->packet), RUNG_OK);
    assert_int_equal(packet->space, RUNG_SPACE_SOURCE);
    assert_int_equal(packet->scene_epoch, 0);
    assert_int_equal(packet->source_id, 11);
    assert_int_equal(packet->frame_id, 13);
    assert_int_equal(packet->session_epoch, 14);
    assert_int_equal(packet->transform_epoch, 15);
    assert_int_equal(packet->topology_epoch, 16);
}

/** The fixture's model answers the lower right quarter, once for each class, at confidence 0.5. */
static void boxes_are_in_pixels_of_the_frame(void **state)
{
    struct subject *subject = *state;
    if (strcmp(subject->rung, "dummy") == 0) {
        print_message("skipped: dummy makes its numbers up\n");
        skip();
    }
    const rung_packet_header *packet = (const rung_packet_header *)subject->packet;
    const rung_target *targets = (const rung_target *)(packet + 1);
    assert_int_equal(detect(subject, sizeof subject->packet), RUNG_OK);
    assert_int_equal(packet->count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(targets[i].x, 40 * 256);
        assert_int_equal(targets[i].y, 40 * 256);
        assert_int_equal(targets[i].w, 40 * 256);
        assert_int_equal(targets[i].h, 40 * 256);
        assert_int_equal(targets[i].class_id, i);
        assert_int_equal(targets[i].confidence, 32768);
        assert_int_equal(targets[i].display_id, 12);
        assert_int_equal(targets[i].capabilities, i == 0 ? 1 : UINT32_MAX);
        assert_int_equal(targets[i].flags, RUNG_TARGET_ACTIONABLE);
    }
    subject->frame.crop = (rung_rect){20, 10, 40, 40};
    assert_int_equal(detect(subject, sizeof subject->packet), RUNG_OK);
    assert_int_equal(targets[0].x, 40 * 256);
    assert_int_equal(targets[0].y, 30 * 256);
    assert_int_equal(targets[0].w, 20 * 256);
}

static void a_span_one_byte_short_gives_the_size_and_stays_untouched(void **state)
{
    struct subject *subject = *state;
    assert_int_equal(detect(subject, sizeof subject->packet), RUNG_OK);
    const size_t size = subject->needed;
    reset_frame(subject);
    assert_int_equal(detect(subject, size - 1), RUNG_CAPACITY);
    assert_int_equal(subject->needed, size);
    for (size_t i = 0; i < sizeof subject->packet / 8; i++)
        assert_int_equal(subject->packet[i], 0x5a5a5a5a5a5a5a5aull);
    assert_int_equal(detect(subject, size), RUNG_OK);
}

static void the_same_pixels_give_the_same_bytes(void **state)
{
    struct subject *subject = *state;
    uint64_t first[sizeof subject->packet / 8];
    uint8_t *padded = malloc((size_t)SIDE * (SIDE * 4 + 5));
    assert_int_equal(detect(subject, sizeof subject->packet), RUNG_OK);
    memcpy(first, subject->packet, sizeof first);

    const size_t stride = SIDE * 4 + 5;
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++)
            for (size_t c = 0; c < 4; c++) /* BGRA, rows apart and unaligned */
                padded[y * stride + 4 * x + c] =
                    c == 3 ? 0x77 : subject->pixels[(y * SIDE + x) * 3 + 2 - c];
    subject->frame.pixels = padded;
    subject->frame.stride = stride;
    subject->frame.format = RUNG_PIXEL_BGRA8;
    memset(subject->packet, 0x5a, sizeof subject->packet);
    assert_int_equal(detect(subject, sizeof subject->packet), RUNG_OK);
    free(padded);
    assert_memory_equal(subject->packet, first, sizeof first);
}

static void expect_refused(struct subject *subject, const char *what)
{
    const rung_result result = detect(subject, sizeof subject->packet);
    if (result != RUNG_INVALID_ARGUMENT || !rung_last_error()[0])
        fail_msg("%s: %s, \"%s\"", what, rung_result_name(result), rung_last_error());
    reset_frame(subject);
    assert_int_equal(detect(subject, sizeof subject->packet), RUNG_OK);
}

static void a_wrong_frame_is_a_sentence_and_the_context_stays_usable(void **state)
{
    struct subject *subject = *state;
    subject->frame.width = 0;
    expect_refused(subject, "no width");
    subject->frame.height = 65536;
    expect_refused(subject, "too high");
    subject->frame.stride = SIDE * 3 - 1;
    expect_refused(subject, "rows that overlap");
    subject->frame.stride = UINT64_MAX / 2;
    expect_refused(subject, "rows beyond memory");
    subject->frame.pixels = NULL;
    expect_refused(subject, "no pixels");
    subject->frame.format = (rung_pixel_format)99;
    expect_refused(subject, "an unknown format");
    subject->frame.crop = (rung_rect){SIDE - 1, 0, 2, 1};
    expect_refused(subject, "a crop outside");
    subject->frame.crop = (rung_rect){UINT32_MAX, 0, 2, 1};
    expect_refused(subject, "a crop that wraps");
    subject->frame.crop = (rung_rect){1, 1, 0, 5};
    expect_refused(subject, "an empty crop");
}

static void a_span_off_its_alignment_is_refused(void **state)
{
    struct subject *subject = *state;
    const rung_span span = {(char *)subject->packet + 4, sizeof subject->packet - 4};
    assert_int_equal(rung_detect(subject->context, &subject->frame, span, NULL, NULL),
                     RUNG_INVALID_ARGUMENT);
}

static void what_ran_is_told_beside_the_packet(void **state)
{
    struct subject *subject = *state;
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    const rung_span span = {subject->packet, sizeof subject->packet};
    assert_int_equal(rung_detect(subject->context, &subject->frame, span, NULL, &info), RUNG_OK);
    assert_string_equal(info.rung, subject->rung);
    assert_string_equal(info.identity, "tiny");
    assert_string_equal(info.precision, "f32");
    assert_string_equal(info.artifact, subject->info.artifact);
    assert_true(info.run_ns > 0);
}

static void a_context_is_of_the_identity_that_was_asked_for(void **state)
{
    struct subject *subject = *state;
    rung_context *context = NULL;
    rung_context_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .identity = "tiny+f16",
    };
    assert_int_equal(rung_context_create(subject->model, &options, &context), RUNG_IDENTITY);
    assert_null(context);
    assert_non_null(strstr(rung_last_error(), "tiny+f16"));
    options.identity = subject->info.identity;
    assert_int_equal(rung_context_create(subject->model, &options, &context), RUNG_OK);
    rung_context_destroy(context);
}

static void an_unsigned_model_needs_leave(void **state)
{
    struct subject *subject = *state;
    rung_instance *strict = subject->instance;
    rung_model *model = NULL;
    assert_int_equal(artifact_fixture_pack(&subject->files, false), RUNG_OK);
    assert_int_equal(open_model(subject, subject->rung, &model), RUNG_PERMISSION);
    assert_null(model);

    assert_int_equal(open_instance(subject, RUNG_INSTANCE_ALLOW_UNSIGNED), RUNG_OK);
    assert_int_equal(open_model(subject, subject->rung, &model), RUNG_OK);
    rung_model_destroy(model);
    rung_instance_destroy(subject->instance);
    subject->instance = strict;
}

static void a_rung_that_is_not_there_is_named(void **state)
{
    struct subject *subject = *state;
    rung_model *model = NULL;
    assert_int_equal(open_model(subject, "warp", &model), RUNG_NOT_FOUND);
    assert_non_null(strstr(rung_last_error(), "warp"));
}

static void the_summary_is_one_line_of_the_size_it_says(void **state)
{
    struct subject *subject = *state;
    char line[1024];
    size_t needed = 0;
    assert_int_equal(rung_instance_summary(subject->instance, (rung_span){NULL, 0}, &needed),
                     RUNG_CAPACITY);
    assert_in_range(needed, 16, sizeof line);
    assert_int_equal(rung_instance_summary(subject->instance, (rung_span){line, needed}, &needed),
                     RUNG_OK);
    assert_int_equal(strlen(line) + 1, needed);
    assert_null(strchr(line, '\n'));
    assert_int_equal(rung_instance_summary(NULL, (rung_span){line, needed}, NULL),
                     RUNG_INVALID_ARGUMENT);
}

static int run_contract(const char *rung)
{
    struct subject subject = {.rung = rung};
    struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_what_it_is),
        cmocka_unit_test(a_listing_tells_what_the_model_is),
        cmocka_unit_test(the_packet_carries_the_frame),
        cmocka_unit_test(boxes_are_in_pixels_of_the_frame),
        cmocka_unit_test(a_span_one_byte_short_gives_the_size_and_stays_untouched),
        cmocka_unit_test(the_same_pixels_give_the_same_bytes),
        cmocka_unit_test(a_wrong_frame_is_a_sentence_and_the_context_stays_usable),
        cmocka_unit_test(a_span_off_its_alignment_is_refused),
        cmocka_unit_test(what_ran_is_told_beside_the_packet),
        cmocka_unit_test(a_context_is_of_the_identity_that_was_asked_for),
        cmocka_unit_test(an_unsigned_model_needs_leave),
        cmocka_unit_test(a_rung_that_is_not_there_is_named),
        cmocka_unit_test(the_summary_is_one_line_of_the_size_it_says),
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
