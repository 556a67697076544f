/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_JSON_H
#define RUNG__BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <rung/result.h>
#include <rung/types.h>

#include "base/bytes.h"

/**
 * Parses strict JSON of at most 16 MiB, 64 levels and 2^20 values, without repeated keys. `what`
 * names it in the sentence. Results: OK
 * (`*out` owned by the caller), INVALID_ARGUMENT (with line and column), NO_MEMORY.
 */
rung_result rung__json_parse(struct rung__bytes text, const char *what, json_t **out);

/** Puts a new value into an object; what lacked memory shows at the end in `*failed`. */
void rung__json_set(json_t *object, const char *key, json_t *value, bool *failed);

/** The same for an array. */
void rung__json_append(json_t *array, json_t *value, bool *failed);

/** Writes compactly into a caller's span with a zero behind it: the two-call form of the public
 * API. */
rung_result rung__json_write(const json_t *json, rung_span to, size_t *needed);

/** Appends it compactly as one line with its end. `what` is for the sentence. Results: OK,
 * NO_MEMORY, also for NULL, which is what jansson makes then. */
rung_result rung__json_append_line(const json_t *json, const char *what, struct rung__buffer *to);

/*
 * Reading an object member by member with a sentence for each mistake: a reader notes what was
 * asked for, and rung__json_reader_end refuses what was not. After the first failure every call
 * does nothing and gives its default, so that a caller checks once.
 */
struct rung__json_reader {
    const json_t *object;
    const char *where; /**< such as "spec.json: selection" */
    rung_result result;
    const char *asked[48];
    size_t asked_count;
};

/** `object` may be NULL: everything is then missing. */
void rung__json_reader_init(struct rung__json_reader *reader, const json_t *object,
                            const char *where);
/** The member, or NULL when it is missing. */
const json_t *rung__json_member(struct rung__json_reader *reader, const char *key);
/** A whole number in low..high. `required` false: `fallback` when missing. */
uint64_t rung__json_u64(struct rung__json_reader *reader, const char *key, uint64_t low,
                        uint64_t high, bool required, uint64_t fallback);
/** A number, whole or not, in low..high. */
double rung__json_real(struct rung__json_reader *reader, const char *key, double low, double high,
                       bool required, double fallback);
bool rung__json_bool(struct rung__json_reader *reader, const char *key, bool required,
                     bool fallback);
/** Text without a zero inside; NULL when missing. It lives as long as the object. */
const char *rung__json_text(struct rung__json_reader *reader, const char *key, bool required);
/** Copies required text into `to`, made fit to be shown; what is longer is refused. */
void rung__json_copy_text(struct rung__json_reader *reader, const char *key, char *to, size_t size);
/** An array of exactly `count` numbers in low..high into `to`; left alone when missing. */
void rung__json_reals(struct rung__json_reader *reader, const char *key, double low, double high,
                      bool required, double *to, size_t count);
/** Notes a failure of the caller's own: the sentence begins with `where`. */
__attribute__((format(printf, 2, 3))) void rung__json_refuse(struct rung__json_reader *reader,
                                                             const char *format, ...);
/** The result of it all: INVALID_ARGUMENT also for a member that nobody asked for, by its name. */
rung_result rung__json_reader_end(struct rung__json_reader *reader);

#endif
