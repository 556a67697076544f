/* SPDX-License-Identifier: Apache-2.0 */
/* Of the forms of a model that lie beside it the fastest that passed its gate serves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rung/artifact.h>

#include "../unit/folder_fixture.h"
#include "base/file.h"
#include "forms.h"
#include "session/forms.h"
#include "session/model.h"
#include "session/probe.h"
#include "session/walk.h"

#define OTHER "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static struct forms_subject subject;

static int set_up(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    subject = (struct forms_subject){0};
    forms_make(&subject, test_folder);
    return 0;
}

static int tear_down(void **state)
{
    forms_finish(&subject);
    return remove_test_folder(state);
}

/** A form that serves: it passed on ort-cpu, and takes 5 ms where the model in f32 takes 10. */
static struct forms_wish good(const char *file)
{
    return (struct forms_wish){
        .file = file, .gate = "ort-cpu", .key = subject.files.private_key, .ms = 5};
}

static void measure_model(void)
{
    forms_measured(&subject, subject.digest, "ort-cpu", 10);
}

/** Opens the model; what serves is said by its identity. */
static const char *identity(void)
{
    assert_int_equal(forms_open(&subject, NULL, NULL, 0), RUNG_OK);
    return forms_info(&subject).identity;
}

static void assert_told(const char *file, const char *begin)
{
    const char *told = forms_told(&subject, file);
    if (strncmp(told, begin, strlen(begin)) != 0)
        fail_msg("%s is told as \"%s\", not as \"%s\"", file, told, begin);
}

static void run(rung_context *context)
{
    static const uint8_t grey = 128;
    uint64_t packet[256];
    size_t needed;
    const rung_frame frame = {.struct_size = sizeof frame,
                              .version = RUNG_STRUCT_VERSION,
                              .pixels = &grey,
                              .width = 1,
                              .height = 1,
                              .format = RUNG_PIXEL_GRAY8};
    assert_int_equal(
        rung_detect(context, &frame, (rung_span){packet, sizeof packet}, &needed, NULL), RUNG_OK);
}

static void the_faster_form_that_passed_serves(void **state)
{
    (void)state;
    const struct forms_wish wish = good("tiny-i8.rung");
    rung_context *context;
    measure_model();
    forms_pack(&subject, &wish);
    assert_string_equal(identity(), "tiny+i8");
    const rung_model_info info = forms_info(&subject);
    assert_string_equal(info.name, "tiny");
    assert_string_equal(info.precision, "i8");
    assert_int_equal(info.form, RUNG_FORM_INT8);
    assert_string_equal(info.canonical, subject.digest);
    assert_string_not_equal(info.artifact, subject.digest);
    assert_int_equal(info.class_count, 2);
    assert_int_equal(info.threads, 1);
    assert_non_null(strstr(info.reason, "tiny-i8.rung"));
    assert_non_null(strstr(info.reason, "5.0 ms on ort-cpu against the 10.0 ms"));
    assert_told("tiny-i8.rung", "chosen: 5.0 ms on ort-cpu");
    assert_int_equal(rung_context_create(subject.model, NULL, &context), RUNG_OK);
    run(context);
    rung_context_destroy(context);
}

static void nothing_unmeasured_serves(void **state)
{
    (void)state;
    struct forms_wish wish = good("tiny-i8.rung");
    wish.ms = 0;
    forms_pack(&subject, &wish);
    assert_string_equal(identity(), "tiny");
    assert_told("tiny-i8.rung", "unmeasured: how fast it is");
    measure_model();
    assert_string_equal(identity(), "tiny");
}

static void a_form_alone_that_was_measured_proves_nothing(void **state)
{
    (void)state;
    const struct forms_wish wish = good("tiny-i8.rung");
    forms_pack(&subject, &wish);
    assert_string_equal(identity(), "tiny");
    assert_told("tiny-i8.rung", "unmeasured: how fast the model in f32");
}

static void a_slower_form_does_not_serve(void **state)
{
    (void)state;
    struct forms_wish wish = good("tiny-i8.rung");
    measure_model();
    wish.ms = 9.8; /* faster, but by no more than 3 % */
    forms_pack(&subject, &wish);
    assert_string_equal(identity(), "tiny");
    assert_told("tiny-i8.rung", "slower: 9.8 ms on ort-cpu against the 10.0 ms");
}

static void only_what_passed_its_gate_on_that_rung_serves(void **state)
{
    (void)state;
    struct forms_wish wish = good("tiny-i8.rung");
    const struct {
        struct forms_wish change;
        const char *told;
    } rows[] = {
        {{.gate = NULL}, "ungated: no gate record says that it passed on ort-cpu"},
        {{.gate = "tensorrt"}, "ungated: no gate record says that it passed on ort-cpu"},
        {{.gate = "ort-cpu", .of_another = true}, "ungated: no gate record"},
        {{.gate = "ort-cpu", .missed = true}, "ungated: it missed its gate on ort-cpu"},
        {{.gate = "ort-cpu", .missed = true, .unsafe = true}, "ungated: it was packed without"},
    };
    measure_model();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wish.gate = rows[i].change.gate;
        wish.missed = rows[i].change.missed;
        wish.of_another = rows[i].change.of_another;
        wish.unsafe = rows[i].change.unsafe;
        forms_pack(&subject, &wish);
        assert_string_equal(identity(), "tiny");
        assert_told("tiny-i8.rung", rows[i].told);
    }
}

static void what_is_not_admitted_does_not_serve(void **state)
{
    (void)state;
    struct forms_wish wish = good("tiny-i8.rung");
    char other[256], public[256];
    struct rung__buffer bytes = {0};
    measure_model();
    wish.key = NULL;
    forms_pack(&subject, &wish);
    assert_string_equal(identity(), "tiny");
    assert_told("tiny-i8.rung", "refused: it is not signed");

    snprintf(other, sizeof other, "%s/other.pem", subject.files.folder);
    snprintf(public, sizeof public, "%s/other.pub.pem", subject.files.folder);
    assert_int_equal(rung_key_generate(other, public), RUNG_OK);
    wish.key = other;
    forms_pack(&subject, &wish);
    assert_string_equal(identity(), "tiny");
    assert_told("tiny-i8.rung", "refused: ");

    wish.key = subject.files.private_key;
    forms_pack(&subject, &wish);
    assert_string_equal(identity(), "tiny+i8");
    artifact_fixture_load(forms_path(&subject, "tiny-i8.rung"), &bytes);
    bytes.data[bytes.size / 2] ^= 1;
    artifact_fixture_save(forms_path(&subject, "tiny-i8.rung"), rung__buffer_bytes(&bytes));
    rung__buffer_finish(&bytes);
    assert_string_equal(identity(), "tiny");
    assert_told("tiny-i8.rung", "refused: ");
}

static void nothing_unsigned_comes_in_the_place_of_what_is_signed(void **state)
{
    (void)state;
    struct forms_wish wish = good("tiny-i8.rung");
    subject.instance->flags |= RUNG_INSTANCE_ALLOW_UNSIGNED;
    measure_model();
    wish.key = NULL;
    forms_pack(&subject, &wish);
    assert_string_equal(identity(), "tiny");
    assert_told("tiny-i8.rung", "refused: it is unsigned");
}

static void what_is_no_form_of_this_model_does_not_serve(void **state)
{
    (void)state;
    struct forms_wish canonical = good("tiny-a.rung"), canvas = good("tiny-b.rung"),
                      name = good("tiny-c.rung");
    measure_model();
    canonical.canonical = OTHER;
    canvas.width = 16;
    name.name = "other";
    forms_pack(&subject, &canonical);
    forms_pack(&subject, &canvas);
    forms_pack(&subject, &name);
    assert_string_equal(identity(), "tiny");
    assert_told("tiny-a.rung", "unlike: it was made from another model in f32 (canonical 0011");
    assert_told("tiny-b.rung", "unlike: its canvas is 16 × 8");
    assert_string_equal(forms_told(&subject, "tiny-c.rung"), "");
}

static void what_finds_other_classes_or_was_compared_with_another_model_does_not_serve(void **state)
{
    (void)state;
    struct forms_wish label = good("tiny-a.rung"), against = good("tiny-b.rung");
    measure_model();
    label.label = "something else";
    against.against = OTHER;
    forms_pack(&subject, &label);
    forms_pack(&subject, &against);
    assert_string_equal(identity(), "tiny");
    assert_told("tiny-a.rung", "unlike: its labels or capabilities are others than the model's");
    assert_told("tiny-b.rung", "ungated: ");
    against.against = subject.digest;
    forms_pack(&subject, &against);
    assert_string_equal(identity(), "tiny+i8");
}

static void of_several_the_fastest_serves(void **state)
{
    (void)state;
    struct forms_wish slow = good("tiny-a.rung"), fast = good("tiny-b.rung");
    measure_model();
    fast.ms = 3;
    forms_pack(&subject, &slow);
    forms_pack(&subject, &fast);
    assert_string_equal(identity(), "tiny+i8");
    assert_non_null(strstr(forms_info(&subject).reason, "tiny-b.rung"));
    assert_told("tiny-a.rung", "slower: 5.0 ms on ort-cpu against the 3.0 ms of tiny-b.rung");
    assert_told("tiny-b.rung", "chosen: ");
}

static void a_file_serves_itself_where_that_is_asked_for(void **state)
{
    (void)state;
    const struct forms_wish wish = good("tiny-i8.rung");
    measure_model();
    forms_pack(&subject, &wish);
    assert_int_equal(forms_open(&subject, NULL, "ort-cpu", 0), RUNG_OK);
    assert_string_equal(forms_info(&subject).identity, "tiny");
    assert_int_equal(forms_open(&subject, NULL, NULL, RUNG_MODEL_ANY_PRECISION), RUNG_OK);
    assert_string_equal(forms_info(&subject).identity, "tiny");
    assert_int_equal(forms_open(&subject, "tiny-i8.rung", NULL, 0), RUNG_OK);
    assert_string_equal(forms_info(&subject).identity, "tiny+i8");
}

static void an_open_model_keeps_its_form(void **state)
{
    (void)state;
    const struct forms_wish wish = good("tiny-i8.rung");
    const rung_context_options begun = {
        .struct_size = sizeof begun, .version = RUNG_STRUCT_VERSION, .identity = "tiny"};
    rung_context *context;
    assert_string_equal(identity(), "tiny");
    measure_model();
    forms_pack(&subject, &wish);
    assert_int_equal(rung_context_create(subject.model, &begun, &context), RUNG_OK);
    rung_context_destroy(context);
    assert_string_equal(forms_info(&subject).identity, "tiny");
    assert_string_equal(identity(), "tiny+i8");
    assert_int_equal(rung_context_create(subject.model, &begun, &context), RUNG_IDENTITY);
}

static void files_that_go_while_it_is_open_are_not_missed(void **state)
{
    (void)state;
    const struct forms_wish wish = good("tiny-i8.rung");
    rung_context *context;
    measure_model();
    forms_pack(&subject, &wish);
    assert_string_equal(identity(), "tiny+i8");
    assert_int_equal(unlink(forms_path(&subject, "tiny-i8.rung")), 0);
    assert_int_equal(unlink(subject.files.model), 0);
    assert_int_equal(rung_context_create(subject.model, NULL, &context), RUNG_OK);
    run(context);
    rung_context_destroy(context);
}

/* ---- a rung that takes no model in f32 ------------------------------------------------------- */

/** The table gets one: ort-cpu, for quantised forms alone. */
static void make_quantised_rung(void)
{
    static struct rung__rung rungs[2];
    rungs[0] = rungs[1] = *rung__rung_named("ort-cpu");
    rungs[0].id = "quantised";
    rungs[0].forms = RUNG__FORMS_QUANTISED;
    subject.instance->table.rungs = rungs;
    subject.instance->table.count = 2;
}

static void a_named_rung_gets_the_form_that_it_takes(void **state)
{
    (void)state;
    struct forms_wish elsewhere = good("tiny-a.rung"), wish = good("tiny-b.rung");
    make_quantised_rung();
    assert_int_equal(forms_open(&subject, NULL, "quantised", 0), RUNG_UNSUPPORTED);
    assert_non_null(strstr(rung_last_error(), "takes models in a quantised form"));
    assert_non_null(strstr(rung_last_error(), "beside tiny.rung with canonical"));

    forms_pack(&subject, &elsewhere);
    assert_int_equal(forms_open(&subject, NULL, "quantised", 0), RUNG_UNSUPPORTED);
    assert_non_null(
        strstr(rung_last_error(), "tiny-a.rung: no gate record says that it passed on quantised"));

    wish.gate = "quantised";
    wish.ms = 0; /* who names a rung needs no probe */
    forms_pack(&subject, &wish);
    assert_int_equal(forms_open(&subject, NULL, "quantised", 0), RUNG_OK);
    const rung_model_info info = forms_info(&subject);
    assert_string_equal(info.identity, "tiny+i8");
    assert_string_equal(info.rung, "quantised");
    assert_non_null(strstr(info.reason, "named by the application; tiny-b.rung"));
}

static void a_rung_that_the_user_wants_gets_it_too_or_hands_down(void **state)
{
    (void)state;
    struct forms_wish wish = good("tiny-i8.rung");
    make_quantised_rung();
    assert_int_equal(rung_instance_use(subject.instance, "quantised"), RUNG_OK);
    assert_string_equal(identity(), "tiny");
    assert_string_equal(forms_info(&subject).rung, "ort-cpu");
    wish.gate = "quantised";
    forms_pack(&subject, &wish);
    assert_string_equal(identity(), "tiny+i8");
    assert_string_equal(forms_info(&subject).rung, "quantised");
    assert_non_null(strstr(forms_info(&subject).reason, "wanted by the user (rung use); tiny-i8"));
}

static void a_form_in_the_place_of_another_goes_nowhere_without_its_gate(void **state)
{
    (void)state;
    const struct forms_wish wish = good("tiny-i8.rung");
    char reason[RUNG__WALK_REASON];
    make_quantised_rung();
    measure_model();
    forms_pack(&subject, &wish);
    const struct rung__rung *passed = rung__table_find(&subject.instance->table, "ort-cpu"),
                            *other = rung__table_find(&subject.instance->table, "quantised");
    assert_string_equal(identity(), "tiny+i8");
    assert_true(rung__walk_may_serve(subject.model, passed, reason));
    assert_false(rung__walk_may_serve(subject.model, other, reason));
    assert_non_null(strstr(reason, "did not pass its gate there"));
    assert_int_equal(forms_open(&subject, "tiny-i8.rung", NULL, 0), RUNG_OK);
    assert_true(rung__walk_may_serve(subject.model, other, reason));
}

/* ---- folders that mean no good --------------------------------------------------------------- */

static void a_folder_is_looked_through_within_bounds(void **state)
{
    (void)state;
    const struct forms_wish wish = good("tiny-i8.rung"), misnamed = good("zz.rung");
    char name[64];
    measure_model();
    for (uint32_t i = 0; i < RUNG__FORMS_FILES; i++) {
        snprintf(name, sizeof name, "a-%03u.rung", i);
        artifact_fixture_save(forms_path(&subject, name),
                              (struct rung__bytes){(const uint8_t *)"RUNG", 4});
    }
    forms_pack(&subject, &misnamed);
    assert_string_equal(identity(), "tiny");
    forms_pack(&subject, &wish);
    assert_string_equal(identity(), "tiny+i8");

    for (uint32_t i = 0; i < RUNG__FORMS_NAMES; i++) {
        snprintf(name, sizeof name, "%04u", i);
        assert_int_equal(symlink("nowhere", forms_path(&subject, name)), 0);
    }
    assert_string_equal(identity(), "tiny");
}

static void no_more_than_a_few_forms_are_admitted(void **state)
{
    (void)state;
    struct forms_wish wish = good(NULL);
    char name[64];
    measure_model();
    for (uint32_t i = 0; i <= RUNG__FORMS_MOST; i++) {
        snprintf(name, sizeof name, "tiny-%u.rung", i);
        wish.file = name;
        wish.ms = 9 - i; /* the last would be the fastest */
        forms_pack(&subject, &wish);
    }
    assert_string_equal(identity(), "tiny+i8");
    snprintf(name, sizeof name, "tiny-%u.rung", RUNG__FORMS_MOST - 1);
    assert_non_null(strstr(forms_info(&subject).reason, name));
}

static void odd_files_are_passed_over(void **state)
{
    (void)state;
    struct forms_wish wish = good("tiny-\xff\n.rung");
    measure_model();
    assert_int_equal(mkfifo(forms_path(&subject, "tiny-0.rung"), 0600), 0);
    assert_int_equal(mkdir(forms_path(&subject, "tiny-1.rung"), 0700), 0);
    assert_int_equal(symlink("tiny-2.rung", forms_path(&subject, "tiny-2.rung")), 0);
    assert_int_equal(symlink("/dev/zero", forms_path(&subject, "tiny-3.rung")), 0);
    artifact_fixture_save(forms_path(&subject, "tiny-4.rung"), (struct rung__bytes){NULL, 0});
    assert_string_equal(identity(), "tiny");
    forms_pack(&subject, &wish);
    assert_string_equal(identity(), "tiny+i8");
    assert_told("tiny-? .rung", "chosen: ");
    assert_non_null(strstr(forms_info(&subject).reason, "tiny-? .rung"));
}

static void no_bit_of_what_is_read_first_makes_a_form(void **state)
{
    (void)state;
    const struct forms_wish wish = good("tiny-i8.rung");
    struct rung__recall recall;
    struct rung__artifact artifact;
    struct rung__buffer bytes = {0};
    char path[512];
    forms_pack(&subject, &wish);
    measure_model();
    snprintf(path, sizeof path, "%s", forms_path(&subject, "tiny-i8.rung"));
    assert_int_equal(rung__instance_recall(subject.instance, subject.digest, &recall), RUNG_OK);
    assert_int_equal(rung__artifact_admit(subject.files.model, RUNG__ADMIT_TRUSTED,
                                          &subject.instance->trust, &artifact),
                     RUNG_OK);
    artifact_fixture_load(path, &bytes);
    for (size_t at = 0; at < RUNG__HEAD_BYTES_MAX && at < bytes.size; at += 3) {
        struct rung__forms *forms;
        bytes.data[at] ^= (uint8_t)(1u << at % 8);
        artifact_fixture_save(path, rung__buffer_bytes(&bytes));
        bytes.data[at] ^= (uint8_t)(1u << at % 8);
        assert_int_equal(
            rung__forms_find(subject.instance, &artifact, &recall, RUNG__FORMS_ALL, &forms),
            RUNG_OK);
        for (uint32_t i = 0; i < forms->count; i++)
            assert_false(forms->items[i].admitted);
        rung__forms_free(forms);
    }
    rung__buffer_finish(&bytes);
    rung__artifact_finish(&artifact);
    rung__recall_finish(&recall);
}

/* ---- measured for real ----------------------------------------------------------------------- */

static const rung_probe_options quickly = {.struct_size = sizeof quickly,
                                           .version = RUNG_STRUCT_VERSION,
                                           .flags = RUNG_PROBE_RUNGS_ONLY,
                                           .threads = 1};

/** How many models have a verdict; the first is the device's, and stays that of the model in f32.
 */
static uint32_t verdicts(void)
{
    struct rung__recall recall;
    assert_int_equal(rung__instance_recall(subject.instance, subject.digest, &recall), RUNG_OK);
    assert_true(recall.own);
    assert_string_equal(recall.store.verdicts[0].model, subject.digest);
    const uint32_t count = recall.store.count;
    rung__recall_finish(&recall);
    return count;
}

static void a_probe_measures_the_forms_that_passed(void **state)
{
    (void)state;
    struct forms_wish wish = good("tiny-i8.rung"), ungated = good("tiny-x.rung");
    /* The form takes none of these steps, and so it is faster on any machine. */
    forms_pack_model(&subject, 20000);
    wish.ms = ungated.ms = 0;
    ungated.gate = NULL;
    forms_pack(&subject, &wish);
    forms_pack(&subject, &ungated);
    assert_int_equal(rung_model_probe(subject.instance, subject.files.model, &quickly, NULL, NULL),
                     RUNG_OK);
    assert_int_equal(verdicts(), 2);
    assert_string_equal(identity(), "tiny+i8");
    assert_told("tiny-i8.rung", "chosen: ");
    assert_told("tiny-x.rung", "ungated: ");
}

static void measure_unasked(void)
{
    assert_int_equal(rung__probe_unasked(subject.instance, subject.files.model, &quickly), RUNG_OK);
}

static void what_is_measured_unasked_includes_them_once(void **state)
{
    (void)state;
    struct forms_wish wish = good("tiny-a.rung"), later = good("tiny-b.rung");
    struct rung__file_stamp before, after;
    wish.ms = later.ms = 0;
    forms_pack(&subject, &wish);
    measure_unasked();
    assert_int_equal(verdicts(), 2);
    rung__store_stamp(subject.state, &before);
    measure_unasked();
    rung__store_stamp(subject.state, &after);
    assert_memory_equal(&before, &after, sizeof before);
    forms_pack(&subject, &later);
    measure_unasked();
    assert_int_equal(verdicts(), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_faster_form_that_passed_serves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_unmeasured_serves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_form_alone_that_was_measured_proves_nothing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_slower_form_does_not_serve, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_what_passed_its_gate_on_that_rung_serves, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_admitted_does_not_serve, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_unsigned_comes_in_the_place_of_what_is_signed,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_form_of_this_model_does_not_serve, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            what_finds_other_classes_or_was_compared_with_another_model_does_not_serve, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(of_several_the_fastest_serves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_serves_itself_where_that_is_asked_for, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_open_model_keeps_its_form, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_that_go_while_it_is_open_are_not_missed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_named_rung_gets_the_form_that_it_takes, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_rung_that_the_user_wants_gets_it_too_or_hands_down,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_form_in_the_place_of_another_goes_nowhere_without_its_gate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_is_looked_through_within_bounds, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(no_more_than_a_few_forms_are_admitted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(odd_files_are_passed_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_bit_of_what_is_read_first_makes_a_form, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_probe_measures_the_forms_that_passed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_measured_unasked_includes_them_once, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
