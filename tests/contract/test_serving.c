/* SPDX-License-Identifier: Apache-2.0 */
/* A job never changes its rung; what is made after a rung was proven is made on that. */
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
#include "base/text.h"
#include "session/model.h"
#include "session/recall.h"

#define SIDE 80

/** A model that may take any rung, in an instance with a state folder of its own. */
struct subject {
    struct artifact_fixture files;
    char state[512];
    rung_instance *instance;
    rung_model *model;
};

struct answer {
    uint64_t packet[2048 / 8];
    char rung[32], identity[80];
};

static void open_model(struct subject *subject, const char *rung, rung_model **out)
{
    const rung_model_options options = {
        .struct_size = sizeof options, .version = RUNG_STRUCT_VERSION, .threads = 1, .rung = rung};
    assert_int_equal(rung_model_open(subject->instance, subject->files.model, &options, out),
                     RUNG_OK);
}

static int set_up(void **state)
{
    struct subject *subject = calloc(1, sizeof *subject);
    *state = subject;
    if (!subject || make_test_folder(state) != 0)
        return -1;
    artifact_fixture_make(&subject->files, test_folder);
    assert_int_equal(artifact_fixture_pack(&subject->files, true), RUNG_OK);
    snprintf(subject->state, sizeof subject->state, "%s/state", test_folder);
    const rung_instance_options options =
        artifact_fixture_instance(&subject->files, RUNG_INSTANCE_NO_ENVIRONMENT, RUNG_PROBE_OFF);
    assert_int_equal(rung_instance_create(&options, &subject->instance), RUNG_OK);
    subject->instance->state = rung__text_new("%s", subject->state);
    open_model(subject, NULL, &subject->model);
    return 0;
}

static int tear_down(void **state)
{
    struct subject *subject = *state;
    rung_model_destroy(subject->model);
    rung_instance_destroy(subject->instance);
    free(subject);
    return remove_test_folder(state);
}

/** Stores a verdict of the open model, as a probe would that chose this rung. */
static void prove(struct subject *subject, const char *rung)
{
    char *fingerprint = NULL;
    struct rung__verdict verdict = {.threads = 1, .rung_count = 1};
    snprintf(verdict.model, sizeof verdict.model, "%s", subject->model->artifact.digest_text);
    snprintf(verdict.name, sizeof verdict.name, "toy");
    snprintf(verdict.rungs[0].rung, sizeof verdict.rungs[0].rung, "%s", rung);
    rung__outcome_set(&verdict.rungs[0].outcome, RUNG__OUTCOME_CHOSEN, "it was proven");
    assert_int_equal(
        rung__instance_fingerprint(subject->instance, RUNG__FINGERPRINT_VERDICT, &fingerprint),
        RUNG_OK);
    assert_int_equal(rung__store_put(subject->instance->state, fingerprint, &verdict), RUNG_OK);
    free(fingerprint);
}

static rung_context *make_context(rung_model *model)
{
    rung_context *context = NULL;
    assert_int_equal(rung_context_create(model, NULL, &context), RUNG_OK);
    return context;
}

static void run(rung_context *context, struct answer *out)
{
    static uint8_t pixels[SIDE * SIDE * 3];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 7);
    const rung_frame frame = {
        .struct_size = sizeof frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = pixels,
        .width = SIDE,
        .height = SIDE,
        .format = RUNG_PIXEL_RGB8,
    };
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    size_t needed = 0;
    memset(out, 0, sizeof *out);
    assert_int_equal(
        rung_detect(context, &frame, (rung_span){out->packet, sizeof out->packet}, &needed, &info),
        RUNG_OK);
    snprintf(out->rung, sizeof out->rung, "%s", info.rung);
    snprintf(out->identity, sizeof out->identity, "%s", info.identity);
}

static const char *rung_of(const rung_model *model)
{
    rung_model_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    assert_int_equal(rung_model_get_info(model, &info), RUNG_OK);
    return info.rung;
}

static void a_running_context_stays_and_a_new_one_moves_up(void **state)
{
    struct subject *subject = *state;
    struct answer before, during, after;
    rung_context *old = make_context(subject->model);
    run(old, &before);
    assert_string_equal(before.rung, "ort-cpu");

    prove(subject, "tract");
    rung_context *new = make_context(subject->model);
    run(old, &during);
    run(new, &after);
    assert_string_equal(during.rung, "ort-cpu");
    assert_memory_equal(during.packet, before.packet, sizeof before.packet);
    assert_string_equal(after.rung, "tract");
    assert_string_equal(after.identity, before.identity);
    assert_string_equal(rung_of(subject->model), "tract");

    rung_context_destroy(old); /* unloads what it ran on */
    run(new, &after);
    assert_string_equal(after.rung, "tract");
    rung_context_destroy(new);
}

static void back_and_forth_leaves_nothing_behind(void **state)
{
    struct subject *subject = *state;
    for (int i = 0; i < 6; i++) {
        struct answer answer;
        const char *rung = i % 2 ? "ort-cpu" : "tract";
        prove(subject, rung);
        rung_context *context = make_context(subject->model);
        run(context, &answer);
        assert_string_equal(answer.rung, rung);
        rung_context_destroy(context);
    }
}

static void what_is_proven_and_does_not_load_changes_nothing(void **state)
{
    struct subject *subject = *state;
    struct answer answer;
    prove(subject, "cuda");
    rung_context *context = make_context(subject->model);
    run(context, &answer);
    assert_string_equal(answer.rung, "ort-cpu");
    rung_context_destroy(context);
}

static void a_rung_that_was_named_is_kept(void **state)
{
    struct subject *subject = *state;
    struct answer answer;
    rung_model *named = NULL;
    open_model(subject, "ort-cpu", &named);
    prove(subject, "tract");
    rung_context *context = make_context(named);
    run(context, &answer);
    assert_string_equal(answer.rung, "ort-cpu");
    rung_context_destroy(context);
    rung_model_destroy(named);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_running_context_stays_and_a_new_one_moves_up),
        TEST(back_and_forth_leaves_nothing_behind),
        TEST(what_is_proven_and_does_not_load_changes_nothing),
        TEST(a_rung_that_was_named_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
