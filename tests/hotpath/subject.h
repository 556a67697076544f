/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TEST_HOTPATH_SUBJECT_H
#define RUNG_TEST_HOTPATH_SUBJECT_H

#include <stdbool.h>

#include <rung/rung.h>

#include "../unit/artifact_fixture.h"

/* A small model of some form on a rung, and a frame for it. */

#define FRAMES        10000u
#define SIDE          24u /* of the largest frame */
#define CANVAS_WIDTH  6
#define CANVAS_HEIGHT 2
#define FORMS         5u

typedef rung_result answer_fn(rung_context *, const rung_frame *, rung_span, size_t *,
                              rung_run_info *);

struct form {
    const char *name, *spec; /**< its members beyond those that all have */
    answer_fn *answer;
    bool bgra; /**< of u8, else planar f32 */
};

extern const struct form forms[FORMS];

struct subject {
    struct artifact_fixture files;
    rung_instance *instance;
    rung_model *model;
    rung_context *context;
    uint8_t pixels[SIDE * SIDE * 4];
    rung_frame frame;
    uint64_t packet[1024 / 8];
};

/** Ends the test with the library's sentence unless the result is OK. */
void must(rung_result result);

/** `plan` may be NULL; `flags` are those of a context. End with subject_finish. */
void subject_start(struct subject *subject, const struct form *form, const char *rung,
                   const char *plan, uint32_t flags);
void subject_finish(struct subject *subject);

/** Prints what was counted, and fails the test if anything is of ours. */
void require_nothing_of_ours(const char *what, const char *rung);

#endif
