/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_IDENTITY_H
#define RUNG_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

#include <rung/export.h>
#include <rung/result.h>
#include <rung/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What a network computes names it, where it computes does not. An identity is the model's name,
 * and behind it the class of the numbers that were executed when that is not f32: "centerface",
 * "centerface+f16", "+i8", "+a16w8", "+a16w16". What an embedder made of the targets of a detector
 * has the identity of the pair, "centerface/effnet_lite0". These functions are safe from any
 * thread.
 */

/**
 * Writes the identity of a pair, "DETECTOR/EMBEDDER", into `to` with a terminating zero; `*needed`
 * (may be NULL) is its size with that zero, also when it does not fit. Results: OK,
 * INVALID_ARGUMENT (also what is no identity of one model), CAPACITY.
 */
RUNG_API rung_result rung_identity_pair(const char *detector, const char *embedder, rung_span to,
                                        size_t *needed);

/**
 * Whether an index that was made under the identity `have` answers for `want`, so that nothing has
 * to be embedded again: `*covers` is 1, else 0.
 *
 * It does when both are the same. Of pairs it also does when the embedder is the same in name and
 * class, the detector is the same by name, and `have` had that in f32: a form of a detector is
 * gated by how much of what f32 finds it finds as well. A form does not cover f32 nor another form:
 * they may find what it missed. Identities of one model cover themselves alone, since the numbers
 * of an embedder are comparable with no others.
 * Results: OK, INVALID_ARGUMENT (also what is no identity).
 */
RUNG_API rung_result rung_identity_covers(const char *have, const char *want, uint32_t *covers);

/** An embedding, and what made it. Both are borrowed for the call. */
typedef struct rung_embedding {
    uint32_t struct_size; /**< sizeof(rung_embedding) */
    uint32_t version;     /**< RUNG_STRUCT_VERSION */
    const char *identity; /**< as in rung_run_info, or that of a pair */
    const float *numbers;
    uint32_t count; /**< of numbers, at least 1 */
    uint32_t reserved32;
    uint64_t reserved[4];
} rung_embedding;

/**
 * The cosine between two embeddings, in double precision: `*cosine` is in -1..1, and 0 when one of
 * them is all zero.
 *
 * What was made by embedders of different name or class is IDENTITY, never a number; which detector
 * found the targets of a pair does not matter here. Results: OK, INVALID_ARGUMENT (also numbers
 * that are not finite, or differ in count), VERSION, IDENTITY.
 */
RUNG_API rung_result rung_embedding_cosine(const rung_embedding *a, const rung_embedding *b,
                                           double *cosine);

#ifdef __cplusplus
}
#endif

#endif
