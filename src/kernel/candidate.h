/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_CANDIDATE_H
#define RUNG__KERNEL_CANDIDATE_H

#include <stdint.h>

/** One detection before selection, 16 bytes, little-endian in memory. Q3 coordinates, shifted by k.
 */
struct rung__candidate {
    uint16_t x, y, w, h;
    uint16_t confidence; /**< 65535 = 1.0 */
    uint8_t class_id;
    uint8_t source_bits; /**< bit 0: neural */
    uint16_t flags;      /**< RUNG_TARGET_* */
    uint16_t payload;    /**< index of its key points; RUNG__NO_PAYLOAD: none */
};

#define RUNG__NO_PAYLOAD    0xffffu
#define RUNG__SOURCE_NEURAL 1u

/** Key points by payload: x, y pairs in Q8. */
struct rung__points {
    const int32_t *pairs;
    const uint32_t
        *first; /**< first[i]..first[i + 1]: the pairs of payload i; NULL: `per` for each */
    uint32_t per;
    uint32_t count; /**< payloads; 0: no key points at all */
};

#endif
