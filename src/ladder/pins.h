/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_PINS_H
#define RUNG__LADDER_PINS_H

#include "ladder/rungs.h"

/* What a model computes in on a rung, and which roles are pinned to a precision. */

/** The class of numbers: "f32", "f16", "i8", "a16w8", "a16w16"; "the model's" for
 * RUNG__PRECISION_OF_MODEL. */
const char *rung__precision_text(uint32_t precision);

/** Forms in a word: "f32", "quantised", "any", "some". */
const char *rung__forms_text(uint32_t forms);

/**
 * What a model computes in on a rung, a rung_form: a model in f32 in what the rung computes in; a
 * model of another form is that form wherever it runs.
 */
uint32_t rung__rung_precision(const struct rung__rung *rung, const struct rung__header *header);

/**
 * True when a rung takes models of this form. Otherwise `reason`, of `size` bytes, says in words
 * what is in the way.
 */
bool rung__rung_takes(const struct rung__rung *rung, const struct rung__header *header,
                      char *reason, size_t size);

/**
 * The same, and the model's role may be served in the precision that it would have on the rung: it
 * is not pinned away from it, or the file's gate record says that it passed on this very rung.
 */
bool rung__rung_serves(const struct rung__rung *rung, const struct rung__artifact_view *artifact,
                       char *reason, size_t size);

#endif
