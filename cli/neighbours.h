/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_NEIGHBOURS_H
#define RUNG_CLI_NEIGHBOURS_H

#include <jansson.h>

#include "near.h"

/**
 * The nearest of the rows of `set`, as an array for a report. `abouts` says whose each row is. NULL
 * without memory.
 */
json_t *neighbours_json(const struct near_set *set, const json_t *abouts, const float *vector,
                        size_t skip, size_t most);

/** Copies into `to` the members that say whose a row is. */
void neighbours_copy_about(const json_t *from, json_t *to, bool *complete);

/** Prints whose the row is, and its neighbours below it. */
void neighbours_print(const json_t *about, const json_t *neighbours);

#endif
