/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_VECTORS_READER_H
#define RUNG__STAGE_VECTORS_READER_H

#include "artifact/names.h"
#include "base/json.h"
#include "stage/vectors.h"

/*
 * What the files of the reader share; nobody else includes this. All of it does nothing once the
 * reader has failed.
 */

/** Zeroed memory that ends with the case; NULL (and a failed reader) without memory. */
void *rung__vectors_own(struct rung__vectors_case *vector, struct rung__json_reader *reader,
                        size_t count, size_t size);

/** An array of low..high elements, NULL when it is another. */
const json_t *rung__vectors_array(struct rung__json_reader *reader, const char *key, size_t low,
                                  size_t high);
/** One whole number of an array. */
int64_t rung__vectors_item(struct rung__json_reader *reader, const char *key, const json_t *array,
                           size_t i, int64_t low, int64_t high);
/** A member that is a whole number of 32 bits. */
uint32_t rung__vectors_u32(struct rung__json_reader *reader, const char *key);
/** An array of exactly `count` numbers 0..high. */
void rung__vectors_u32s(struct rung__json_reader *reader, const char *key, uint32_t high,
                        uint32_t *to, size_t count);

/** Bits written as "0x…": 8 digits for f32, 16 for u64. */
uint64_t rung__vectors_bits(struct rung__json_reader *reader, const char *key, const json_t *value,
                            size_t digits);
uint64_t rung__vectors_bits64(struct rung__json_reader *reader, const char *key);
/** An array of exactly `count` f32, as bits. */
void rung__vectors_bits32s(struct rung__json_reader *reader, const char *key, uint32_t *to,
                           size_t count);

/** A member that names a value of an enumeration; 0 when it does not. */
uint32_t rung__vectors_word(struct rung__json_reader *reader, const char *key,
                            const struct rung__names *names);

void rung__vectors_digest(struct rung__json_reader *reader, const char *key,
                          uint8_t digest[RUNG__SHA256_BYTES]);
/** Owned bytes from a text of base64 or of hexadecimal digits; at most `limit` bytes. */
const uint8_t *rung__vectors_base64(struct rung__vectors_case *vector,
                                    struct rung__json_reader *reader, const char *key, size_t limit,
                                    size_t *size);
const uint8_t *rung__vectors_hex(struct rung__vectors_case *vector,
                                 struct rung__json_reader *reader, const char *key, size_t limit,
                                 size_t *size);

/** A member that is a blob. */
void rung__vectors_read_blob(struct rung__vectors_case *vector, struct rung__json_reader *reader,
                             const char *key, struct rung__vectors_blob *out);

/** Goes into a member that is an object; end with rung__vectors_leave, which reports upwards. */
void rung__vectors_enter(struct rung__json_reader *reader, const char *key,
                         struct rung__json_reader *inner);
void rung__vectors_leave(struct rung__json_reader *reader, struct rung__json_reader *inner);

/** `source` (unless the place has one already), `crop`, `canvas`, `fit`, `rounding`. */
void rung__vectors_read_place(struct rung__json_reader *reader, struct rung__vectors_place *place);
/** `content` and `origin`. */
void rung__vectors_read_placement(struct rung__json_reader *reader, struct rung__placement *out);
/** `head`, `parameters`, `tensors` and `inject`; `place` is read already. */
void rung__vectors_read_outputs(struct rung__vectors_case *vector,
                                struct rung__json_reader *reader);

/** Everything of a case but what all groups have. */
typedef void rung__vectors_read_fn(struct rung__vectors_case *vector,
                                   struct rung__json_reader *reader);
rung__vectors_read_fn rung__vectors_read_fit;
rung__vectors_read_fn rung__vectors_read_axis;
rung__vectors_read_fn rung__vectors_read_admission;
rung__vectors_read_fn rung__vectors_read_preprocess;
rung__vectors_read_fn rung__vectors_read_math;
rung__vectors_read_fn rung__vectors_read_decode;
rung__vectors_read_fn rung__vectors_read_select;
rung__vectors_read_fn rung__vectors_read_e2e;

#endif
