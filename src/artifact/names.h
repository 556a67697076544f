/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_NAMES_H
#define RUNG__ARTIFACT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One value of an enumeration and its name in spec files and reports. */
struct rung__name {
    uint32_t value;
    const char *text;
};

/** An enumeration of the model file. */
struct rung__names {
    const char *what; /**< what it is called in a sentence */
    const struct rung__name *rows;
    size_t count;
};

extern const struct rung__names rung__role_names;
extern const struct rung__names rung__kind_names;
extern const struct rung__names rung__form_names;
extern const struct rung__names rung__head_names;
extern const struct rung__names rung__dtype_names;
extern const struct rung__names rung__layout_names;
extern const struct rung__names rung__fit_names;
extern const struct rung__names rung__rounding_names;
extern const struct rung__names rung__resampler_names;
extern const struct rung__names rung__order_names;
extern const struct rung__names rung__provider_names; /**< values are bit numbers */
extern const struct rung__names rung__section_names;

/** The name of a value, NULL when it has none. */
const char *rung__name_text(const struct rung__names *names, uint32_t value);

/** The value of a name; false when there is no such name. */
bool rung__name_value(const struct rung__names *names, const char *text, uint32_t *value);

/** Writes "a, b, c" for a sentence; what does not fit is left out. */
void rung__names_list(const struct rung__names *names, char *to, size_t size);

#endif
