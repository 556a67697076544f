/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_VECTORS_H
#define RUNG__STAGE_VECTORS_H

#include <jansson.h>

#include "artifact/heads.h"
#include "kernel/decode.h"
#include "kernel/packet.h"
#include "kernel/preprocess.h"

/*
 * Reads files of test vectors (tests/data/vectors/README.md says what is in them). They may come
 * from anywhere: every member is known and bounded, a mistake has a sentence, and reading allocates
 * in proportion to the file alone. What a file only describes (pictures, large tensors, long lists)
 * is made by the rung__vectors_make functions, in memory of the caller.
 */

/** The most bytes of anything that a case describes: a picture, a tensor, all outputs together. */
#define RUNG__VECTORS_BYTES_MAX (UINT64_C(1) << 26)

/** The most bytes of a case's id. */
#define RUNG__VECTORS_ID_MAX 128u

/** The most entries of a generator's `params` or `per`. */
#define RUNG__VECTORS_ENTRIES_MAX 16u

/** What the cases of a group are about. */
enum rung__vectors_kind {
    RUNG__VECTORS_FIT,
    RUNG__VECTORS_AXIS,
    RUNG__VECTORS_ADMISSION,
    RUNG__VECTORS_PREPROCESS,
    RUNG__VECTORS_MATH,
    RUNG__VECTORS_DECODE,
    RUNG__VECTORS_SELECT,
    RUNG__VECTORS_E2E,
    RUNG__VECTORS_KINDS
};

/** One file: a group of cases. */
struct rung__vectors {
    const char *where; /**< what sentences call the file */
    json_t *root;
    const json_t *cases;
    size_t count; /**< at least 1 */
    const char *group;
    enum rung__vectors_kind kind;
    uint32_t head; /**< of a decode group, RUNG_HEAD_NONE for the others */
};

/**
 * Parses a file and reads each of its cases once, so that whatever is wrong shows here. `where`
 * must live as long as `*out`; end with rung__vectors_finish, whatever the result.
 * Results: OK, INVALID_ARGUMENT (a mistake in the file), NO_MEMORY.
 */
rung_result rung__vectors_parse(struct rung__bytes text, const char *where,
                                struct rung__vectors *out);
void rung__vectors_finish(struct rung__vectors *vectors);

/** Expected bytes: their number, digest and, for small ones, themselves. */
struct rung__vectors_blob {
    uint64_t size;
    uint8_t digest[RUNG__SHA256_BYTES];
    const uint8_t *bytes; /**< or NULL */
};

/** Where a picture goes. */
struct rung__vectors_place {
    uint32_t source_width, source_height;
    struct rung__crop crop;
    struct rung__canvas canvas; /**< sides, fit and rounding; a preprocess case sets all of it */
};

struct rung__vectors_fit {
    struct rung__vectors_place place;
    struct rung__placement placement; /**< expected, but for its crop */
    struct rung__mapping mapping;     /**< expected */
};

struct rung__vectors_axis {
    uint32_t samples, outputs;
    struct rung__vectors_blob table;
};

struct rung__vectors_admission {
    struct rung__canvas canvas; /**< dtype, scale, bias; the rest is a valid canvas */
    bool admitted;
};

struct rung__vectors_preprocess {
    struct rung__vectors_place place;
    struct rung__surface surface; /**< without pixels */
    uint64_t surface_bytes;
    uint32_t seed;
    uint8_t surface_digest[RUNG__SHA256_BYTES];
    struct rung__vectors_blob tensor;
};

struct rung__vectors_math {
    size_t count;
    const uint32_t *x, *exp; /**< bits */
    const uint16_t *sigmoid;
};

/** An element of a generated tensor is (low + the top `bits` of a step) / 2^q. */
struct rung__vectors_element {
    int32_t low;
    uint32_t bits, q;
};

/** The values of one output. */
struct rung__vectors_values {
    const uint8_t *bytes; /**< f32, little-endian; NULL: generated */
    uint32_t seed, axis, entry_count;
    struct rung__vectors_element entries[RUNG__VECTORS_ENTRIES_MAX];
};

/** Bits that replace one element of an output. */
struct rung__vectors_injection {
    uint32_t output; /**< its place in the list of outputs */
    uint32_t element, bits;
};

struct rung__vectors_decode {
    struct rung__vectors_place place;
    uint32_t head;
    struct rung__selection selection;
    struct rung__tensors tensors;                          /**< outputs and parameters */
    struct rung__vectors_values values[RUNG__OUTPUTS_MAX]; /**< of each output */
    const struct rung__vectors_injection *injections;
    size_t injection_count;
    uint8_t parameters[RUNG__PARAMETERS_MAX][RUNG__PARAMETER_COUNT_MAX * sizeof(uint32_t)];
    struct rung__placement placement; /**< expected, but for its crop */
    uint32_t k;                       /**< expected */
    uint64_t survivors;               /**< expected */
    uint32_t count;                   /**< expected */
    bool left_out;                    /**< expected */
    struct rung__vectors_blob records;
    const uint32_t *rows;             /**< expected rows of the records, or NULL */
    struct rung__vectors_blob points; /**< size 0: none */
};

/** Candidates that a case describes: seven fields, base and span. */
struct rung__vectors_candidates {
    const uint8_t *bytes; /**< the records themselves; NULL: generated */
    uint32_t count, seed;
    bool is_indexed; /**< the payload is the candidate's number */
    uint32_t ranges[7][2];
};

/** A table of key points that a case describes. */
struct rung__vectors_points {
    uint32_t seed, pairs; /**< of all candidates together */
    uint32_t per_count;   /**< 0: there is no table */
    uint32_t per[RUNG__VECTORS_ENTRIES_MAX];
};

struct rung__vectors_select {
    struct rung__vectors_candidates candidates; /**< none in an e2e case: decoding gives them */
    struct rung__vectors_points points;
    struct rung__selection selection;
    struct rung__packet_request packet; /**< what the header says */
    uint32_t admitted, accepted, count, packet_flags;
    const uint32_t *indices; /**< or NULL */
    uint8_t indices_digest[RUNG__SHA256_BYTES];
    struct rung__vectors_blob bytes;
};

/** A case of any group; which of the parts are set is the group's matter. */
struct rung__vectors_case {
    char where[512]; /**< what sentences call it: the file and the id */
    const char *id;
    enum rung__vectors_kind kind;
    struct rung__vectors_fit fit;
    struct rung__vectors_axis axis;
    struct rung__vectors_admission admission;
    struct rung__vectors_preprocess preprocess;
    struct rung__vectors_math math;
    struct rung__vectors_decode decode;
    struct rung__vectors_select select;
    void *owned[32];
    size_t owned_count;
};

/**
 * Reads case `i`. Whatever the result, end with rung__vectors_case_finish; the case borrows from
 * the file and must stay where it is. Results: OK, INVALID_ARGUMENT, NO_MEMORY.
 */
rung_result rung__vectors_read(const struct rung__vectors *vectors, size_t i,
                               struct rung__vectors_case *out);
void rung__vectors_case_finish(struct rung__vectors_case *vector);

/** Makes `surface_bytes` of pixels. Results: OK, INVALID_ARGUMENT (the digest is another). */
rung_result rung__vectors_make_surface(const struct rung__vectors_preprocess *preprocess,
                                       uint8_t *pixels);
/** Makes the elements of output `output` of the list, with what is injected. */
void rung__vectors_make_output(const struct rung__vectors_decode *decode, uint32_t output,
                               float *values);
void rung__vectors_make_candidates(const struct rung__vectors_candidates *candidates,
                                   struct rung__candidate *to);
/** Makes the table of `count` candidates: count + 1 of `first`, 2 × points.pairs of `values`. */
void rung__vectors_make_points(const struct rung__vectors_points *points, uint32_t count,
                               uint32_t *first, int32_t *values);

#endif
