/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__HARDWARE_FINGERPRINT_H
#define RUNG__HARDWARE_FINGERPRINT_H

#include <stddef.h>

#include "base/sha256.h"
#include "hardware/hardware.h"

/* What a verdict depends on, as text that can be compared: lines "key=value" in the order of their
 * keys. Its digest tells whether anything changed; the text, kept beside it, what. */

/** Rises when the rules for choosing a rung change, so that every device is probed again. */
#define RUNG__POLICY_VERSION 1

/** Room for a full record and sixteen libraries. */
#define RUNG__FINGERPRINT_BYTES 32768

enum rung__fingerprint_scope {
    RUNG__FINGERPRINT_VERDICT, /**< with the usable CPUs */
    RUNG__FINGERPRINT_ENGINES, /**< without: for engines and strikes, which outlive a new limit */
};

struct rung__fingerprint {
    size_t size; /**< of the text, without its zero */
    char text[RUNG__FINGERPRINT_BYTES];
};

/**
 * The lines of the device, of Rung's version and of the policy. Results: OK, CAPACITY (a caller
 * need not expect it: the record is bounded).
 */
rung_result rung__fingerprint_text(const struct rung__hardware *hardware,
                                   enum rung__fingerprint_scope scope,
                                   struct rung__fingerprint *out);

/**
 * Adds a line at its place; a library is "runtime.NAME" and its content's digest. Control
 * characters in the value become spaces. Results: OK, INVALID_ARGUMENT (a key that is empty or
 * holds '=', a space or a control character), ALREADY_EXISTS, CAPACITY.
 */
rung_result rung__fingerprint_add(struct rung__fingerprint *fingerprint, const char *key,
                                  const char *value);

/** The SHA-256 of the text, in hexadecimal. Results: those of rung__sha256_of. */
rung_result rung__fingerprint_digest(const struct rung__fingerprint *fingerprint,
                                     char hex[2 * RUNG__SHA256_BYTES + 1]);

/** The same of a text that was kept. */
rung_result rung__fingerprint_digest_of(const char *text, char hex[2 * RUNG__SHA256_BYTES + 1]);

/** One difference in words, such as "driver nvidia 550.1 → 560.2". */
struct rung__fingerprint_change {
    char text[256];
};

/**
 * Names the lines in which two texts differ: first what is other or gone, then what is new.
 * `before` may come from a damaged file: a line without '=' is passed over. Returns how many
 * differences there are; those that fit are in `out`.
 */
size_t rung__fingerprint_changes(const char *before, const char *now,
                                 struct rung__fingerprint_change *out, size_t capacity);

#endif
