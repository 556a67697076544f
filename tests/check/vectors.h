/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECTORS_H
#define VECTORS_H

#include <jansson.h>

#include "kernel/decode.h"
#include "kernel/packet.h"
#include "kernel/preprocess.h"

/*
 * Reads the test vectors of tests/data/vectors (its README says what is in them). A file is
 * bounded, every member is known, and a mistake has a sentence, for the files may come from
 * anywhere. Results are RUNG_OK, INVALID_ARGUMENT (what is wrong with the file), INTEGRITY (tensors
 * that do not suit the head), IO or NO_MEMORY.
 */

/** The cases of one group. */
struct vectors {
    json_t *root;
    const json_t *cases;
    size_t count; /**< at least 1 */
};

/** Opens FOLDER/GROUP.json; end with vectors_close. */
rung_result vectors_open(const char *folder, const char *group, struct vectors *out);
void vectors_close(struct vectors *vectors);

/** Expected bytes: their number, digest and, for small ones, themselves. */
struct vectors_blob {
    uint64_t size;
    uint8_t digest[RUNG__SHA256_BYTES];
    const uint8_t *bytes; /**< or NULL */
};

/** True when these are the expected bytes; if not, the thread's detail text says where they differ.
 */
bool vectors_blob_matches(const struct vectors_blob *blob, const void *bytes, size_t size);

/** Where a picture goes. */
struct vectors_place {
    uint32_t source_width, source_height;
    struct rung__crop crop;
    struct rung__canvas canvas; /**< sides, fit and rounding; `preprocess` sets all of it */
};

struct vectors_fit {
    struct vectors_place place;
    struct rung__placement placement; /**< expected, but for its crop */
    struct rung__mapping mapping;     /**< expected */
};

struct vectors_axis {
    uint32_t samples, outputs;
    struct vectors_blob table;
};

struct vectors_admission {
    struct rung__canvas canvas; /**< dtype, scale, bias; the rest is a valid canvas */
    bool admitted;
};

struct vectors_preprocess {
    struct vectors_place place;
    struct rung__surface surface; /**< its pixels are still to be made, by vectors_make_surface */
    uint64_t surface_bytes;
    uint32_t seed;
    uint8_t surface_digest[RUNG__SHA256_BYTES];
    struct vectors_blob tensor;
};

struct vectors_math {
    size_t count;
    const uint32_t *x, *exp; /**< bits */
    const uint16_t *sigmoid;
};

struct vectors_decode {
    struct vectors_place place;
    uint32_t head;
    struct rung__selection selection;
    struct rung__tensors tensors; /**< outputs by purpose, and parameters */
    float *data[RUNG__OUTPUTS_MAX];
    struct rung__placement placement; /**< expected, but for its crop */
    uint32_t k;                       /**< expected */
    uint64_t survivors;               /**< expected */
    uint32_t count;                   /**< expected */
    bool left_out;                    /**< expected */
    struct vectors_blob records;
    const uint32_t *rows;       /**< expected rows of the records, or NULL */
    struct vectors_blob points; /**< size 0: none */
};

struct vectors_select {
    const struct rung__candidate *candidates; /**< `e2e`: NULL, decoding gives them */
    uint32_t candidate_count;
    struct rung__selection selection;
    struct rung__packet_request packet; /**< points and what the header says */
    uint32_t admitted, accepted, count, packet_flags;
    const uint32_t *indices; /**< or NULL */
    uint8_t indices_digest[RUNG__SHA256_BYTES];
    struct vectors_blob bytes;
};

/** A case of any group; which of the parts are set is the group's matter. */
struct vectors_case {
    const char *id;
    struct vectors_fit fit;
    struct vectors_axis axis;
    struct vectors_admission admission;
    struct vectors_preprocess preprocess;
    struct vectors_math math;
    struct vectors_decode decode;
    struct vectors_select select;
    void *owned[32];
    size_t owned_count;
};

/*
 * Read case `i` of an open group. Whatever the result, end with vectors_case_finish; the case
 * borrows from the open group.
 */
rung_result vectors_read_fit(const struct vectors *vectors, size_t i, struct vectors_case *out);
rung_result vectors_read_axis(const struct vectors *vectors, size_t i, struct vectors_case *out);
rung_result vectors_read_admission(const struct vectors *vectors, size_t i,
                                   struct vectors_case *out);
rung_result vectors_read_preprocess(const struct vectors *vectors, size_t i,
                                    struct vectors_case *out);
rung_result vectors_read_math(const struct vectors *vectors, size_t i, struct vectors_case *out);
rung_result vectors_read_decode(const struct vectors *vectors, size_t i, struct vectors_case *out);
rung_result vectors_read_select(const struct vectors *vectors, size_t i, struct vectors_case *out);
/** Sets `decode` and `select`. */
rung_result vectors_read_e2e(const struct vectors *vectors, size_t i, struct vectors_case *out);
void vectors_case_finish(struct vectors_case *vector);

/** The head of case `i` of a decode or e2e group, RUNG_HEAD_NONE when it is unknown. */
uint32_t vectors_head(const struct vectors *vectors, size_t i);

/** Fills a surface of `preprocess` and checks it against its digest. */
rung_result vectors_make_surface(const struct vectors_preprocess *preprocess, uint8_t *pixels);

#endif
