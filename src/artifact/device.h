/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_DEVICE_H
#define RUNG__ARTIFACT_DEVICE_H

#include "artifact/format.h"

#define RUNG__DEVICE_SCHEMA 1

/** Section 10: what an engine was compiled for, and from what. All zero holds nothing. */
struct rung__engine_device {
    char rung[RUNG__NAME_BYTES + 1];
    char precision[16];                           /**< what it computes in, as "i8" */
    char artifact[2 * RUNG__SHA256_BYTES + 1];    /**< content digest of the model */
    char fingerprint[2 * RUNG__SHA256_BYTES + 1]; /**< of the device and its libraries */
    char *depends_on; /**< the text of the fingerprint: lines, each with its end */
};
void rung__device_finish(struct rung__engine_device *device);

/** Reads the section; its lines are those of its fingerprint. Results: OK, INTEGRITY, NO_MEMORY.
 * End with rung__device_finish, also after a failure. */
rung_result rung__device_parse(struct rung__bytes section, struct rung__engine_device *out);

/** Appends the section; the fingerprint is made of the lines. Results: OK, NO_MEMORY, UNSUPPORTED
 * (libcrypto refuses). */
rung_result rung__device_print(const struct rung__engine_device *device, struct rung__buffer *to);

/**
 * The content digest of the model that a file holds, as hexadecimal digits: of an engine that of
 * the model that it was compiled from. Results: those of rung__device_parse.
 */
rung_result rung__artifact_model_digest(const struct rung__artifact_view *view,
                                        char hex[2 * RUNG__SHA256_BYTES + 1]);

#endif
