/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TEST_BACKGROUND_FIXTURE_H
#define RUNG_TEST_BACKGROUND_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rung/artifact.h>
#include <rung/rung.h>

#include "../unit/artifact_fixture.h"
#include "../unit/folder_fixture.h"
#include "base/clock.h"
#include "ladder/retry.h"
#include "ladder/store.h"

#define SIDE      80
#define LIMIT_NS  (UINT64_C(120) * 1000000000)
#define LOG_LINES 16

/** A model in an instance that reads the environment, whose folders are the test's. */
struct subject {
    struct artifact_fixture files;
    char state[256];
    rung_instance *instance;
    rung_model *model;
    rung_context *context;
    char log[LOG_LINES][256];
    uint32_t lines;
};

static void note_line(void *user, int32_t level, const char *text)
{
    struct subject *subject = user;
    (void)level;
    if (subject->lines < LOG_LINES)
        snprintf(subject->log[subject->lines++], sizeof *subject->log, "%s", text);
}

static bool was_told(const struct subject *subject, const char *text)
{
    for (uint32_t i = 0; i < subject->lines; i++)
        if (strstr(subject->log[i], text))
            return true;
    return false;
}

static int set_up(void **state)
{
    struct subject *subject = calloc(1, sizeof *subject);
    if (!subject || make_test_folder(state) != 0)
        return -1;
    *state = subject;
    artifact_fixture_make(&subject->files, test_folder);
    assert_int_equal(artifact_fixture_pack(&subject->files, true), RUNG_OK);
    in_test_folder(subject->state, "rung");
    return setenv("XDG_STATE_HOME", test_folder, true) ||
           setenv("XDG_CACHE_HOME", test_folder, true);
}

static void open_subject(struct subject *subject, rung_probe_policy policy, uint32_t flags)
{
    rung_instance_options options = artifact_fixture_instance(&subject->files, flags, policy);
    options.log_level = RUNG_LOG_INFO;
    options.log = note_line;
    options.log_user = subject;
    assert_int_equal(rung_instance_create(&options, &subject->instance), RUNG_OK);
    assert_int_equal(
        rung_model_open(subject->instance, subject->files.model, NULL, &subject->model), RUNG_OK);
    assert_int_equal(rung_context_create(subject->model, NULL, &subject->context), RUNG_OK);
}

static void answer(struct subject *subject)
{
    static uint8_t pixels[SIDE * SIDE * 3];
    uint64_t packet[2048 / 8];
    size_t needed = 0;
    const rung_frame frame = {
        .struct_size = sizeof frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = pixels,
        .width = SIDE,
        .height = SIDE,
        .format = RUNG_PIXEL_RGB8,
    };
    assert_int_equal(
        rung_detect(subject->context, &frame, (rung_span){packet, sizeof packet}, &needed, NULL),
        RUNG_OK);
}

/** What a probe by hand found. */
struct outcomes {
    char ort_cpu[16], tract[16], tract_reason[256];
};

static inline void note_outcome(void *user, const rung_probe_rung *rung)
{
    struct outcomes *outcomes = user;
    if (strcmp(rung->rung, "ort-cpu") == 0)
        snprintf(outcomes->ort_cpu, sizeof outcomes->ort_cpu, "%s", rung->outcome);
    if (strcmp(rung->rung, "tract") == 0) {
        snprintf(outcomes->tract, sizeof outcomes->tract, "%s", rung->outcome);
        snprintf(outcomes->tract_reason, sizeof outcomes->tract_reason, "%s", rung->reason);
    }
}

/** What is on its way is handed over by then. */
static void close_subject(struct subject *subject)
{
    rung_context_destroy(subject->context);
    rung_model_destroy(subject->model);
    rung_instance_destroy(subject->instance);
}

static int tear_down(void **state)
{
    free(*state);
    return remove_test_folder(state);
}

static bool has_file(const struct subject *subject, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", subject->state, name);
    return rung__path_kind(path) == RUNG__PATH_FILE;
}

static void await_file(const struct subject *subject, const char *name, bool wanted)
{
    const uint64_t limit = rung__clock_now() + LIMIT_NS;
    const struct timespec pause = {.tv_nsec = 2000000};
    while (has_file(subject, name) != wanted) {
        if (rung__clock_now() > limit)
            fail_msg("%s %s", name, wanted ? "did not come" : "did not go");
        nanosleep(&pause, NULL);
    }
}

#endif
