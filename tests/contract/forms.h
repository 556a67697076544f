/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TEST_FORMS_H
#define RUNG_TEST_FORMS_H

#include <rung/rung.h>

#include "../unit/artifact_fixture.h"

/* A model in f32, forms beside it, and an instance that remembers what the test says was measured.
 */

struct forms_subject {
    struct artifact_fixture files;
    char state[512];
    char digest[65]; /**< of the model in f32 */
    rung_instance *instance;
    rung_model *model; /**< ended with the subject */
};

/** A form to be packed; all zero is an unsigned one of the model without a gate record. */
struct forms_wish {
    const char *file;      /**< in the model's folder */
    const char *name;      /**< NULL: the model's */
    const char *canonical; /**< NULL: the model's digest */
    const char *gate;      /**< of the record: a rung that it passed on, NULL: none */
    bool missed;           /**< it missed it there */
    bool of_another;       /**< the record is of another payload */
    bool unsafe;           /**< the record says that it was packed without having passed */
    const char *key;       /**< NULL: unsigned */
    const char *against; /**< that the record tells it was compared with, NULL: it does not tell */
    const char *label;   /**< in place of the first of the model's, NULL: that */
    uint32_t width;      /**< of its canvas, 0: the model's */
    double ms;           /**< that a probe measured on ort-cpu, 0: none did */
};

void forms_make(struct forms_subject *subject, const char *folder);
void forms_finish(struct forms_subject *subject);

/** Packs the model in f32, which takes so many steps (tiny_onnx.h). */
void forms_pack_model(struct forms_subject *subject, uint32_t steps);

/** Packs a form, and stores what was measured of it. No two have the same payload. */
void forms_pack(struct forms_subject *subject, const struct forms_wish *wish);

/** Stores that a probe of a model with this digest chose a rung. */
void forms_measured(struct forms_subject *subject, const char *digest, const char *rung, double ms);

/** The path of a file in the model's folder; one at a time. */
const char *forms_path(const struct forms_subject *subject, const char *file);

/** Opens a file of the model's folder in the place of the one before; NULL: the model in f32. */
rung_result forms_open(struct forms_subject *subject, const char *file, const char *rung,
                       uint32_t flags);

/** What serves the open model. */
rung_model_info forms_info(const struct forms_subject *subject);

/** "OUTCOME: REASON" of a form, as rung_model_forms tells it; "" when it is not told of. */
const char *forms_told(const struct forms_subject *subject, const char *file);

#endif
