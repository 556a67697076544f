/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECTORS_INTERNAL_H
#define VECTORS_INTERNAL_H

#include "base/json.h"
#include "vectors.h"

/* What the files of the reader share. All of it does nothing once the reader has failed. */

/** x = x·1664525 + 1013904223 mod 2^32: every generator of the vectors. */
struct lcg {
    uint32_t x;
};

static inline uint32_t lcg_step(struct lcg *lcg)
{
    lcg->x = lcg->x * 1664525u + 1013904223u;
    return lcg->x;
}

/** Zeroed memory that ends with the case; NULL (and a failed reader) without memory. */
void *vectors_own(struct vectors_case *vector, struct rung__json_reader *reader, size_t count,
                  size_t size);

/** The elements of an array of low..high elements, NULL when it is another. */
const json_t *vectors_array(struct rung__json_reader *reader, const char *key, size_t low,
                            size_t high);
/** One whole number of an array. */
int64_t vectors_item(struct rung__json_reader *reader, const char *key, const json_t *array,
                     size_t i, int64_t low, int64_t high);
/** A member that is a whole number of 32 bits. */
static inline uint32_t vectors_u32(struct rung__json_reader *reader, const char *key)
{
    return (uint32_t)rung__json_u64(reader, key, 0, UINT32_MAX, true, 0);
}
/** An array of exactly `count` numbers 0..high. */
void vectors_u32s(struct rung__json_reader *reader, const char *key, uint32_t high, uint32_t *to,
                  size_t count);

/** Bits written as "0x…": 8 digits for f32, 16 for u64. */
uint64_t vectors_bits_of(struct rung__json_reader *reader, const char *key, const json_t *value,
                         size_t digits);
void vectors_bits32(struct rung__json_reader *reader, const char *key, uint32_t *to, size_t count);
uint64_t vectors_bits64(struct rung__json_reader *reader, const char *key);

/** One of the words of a NULL-ended list, as its index. */
uint32_t vectors_word(struct rung__json_reader *reader, const char *key, const char *const words[]);

void vectors_digest(struct rung__json_reader *reader, const char *key,
                    uint8_t digest[RUNG__SHA256_BYTES]);
/** Owned bytes from a text of base64 or of hexadecimal digits; at most `limit` bytes. */
uint8_t *vectors_base64(struct vectors_case *vector, struct rung__json_reader *reader,
                        const char *key, size_t limit, size_t *size);
uint8_t *vectors_hex(struct vectors_case *vector, struct rung__json_reader *reader, const char *key,
                     size_t limit, size_t *size);

/** A member that is a blob; with `key` NULL the reader's own object is one. */
void vectors_blob(struct vectors_case *vector, struct rung__json_reader *reader, const char *key,
                  struct vectors_blob *out);

/** Goes into a member that is an object; end with vectors_leave, which also reports upwards. */
void vectors_enter(struct rung__json_reader *reader, const char *key,
                   struct rung__json_reader *inner);
void vectors_leave(struct rung__json_reader *reader, struct rung__json_reader *inner);

/** Begins case `i`: its id, and what all groups have. */
void vectors_begin(const struct vectors *vectors, size_t i, struct vectors_case *vector,
                   struct rung__json_reader *reader);
/** `source`, `crop`, `canvas`, `fit`, `rounding`. */
void vectors_read_place(struct rung__json_reader *reader, bool with_source,
                        struct vectors_place *place);
/** `content` and `origin`. */
void vectors_read_placement(struct rung__json_reader *reader, struct rung__placement *out);
/** `generator` of candidates, and of the table of key points. */
void vectors_make_candidates(struct vectors_case *vector, struct rung__json_reader *reader);
void vectors_make_points(struct vectors_case *vector, struct rung__json_reader *reader,
                         uint32_t count);
/** One member of `tensors`: its shape and values into output `purpose`. */
void vectors_read_tensor(struct vectors_case *vector, struct rung__json_reader *reader,
                         const char *name, uint32_t purpose);
/** `inject`: bits that replace single values. */
void vectors_inject(struct vectors_case *vector, struct rung__json_reader *reader);

#endif
