/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_RESULT_H
#define RUNG_RESULT_H

#include <stdint.h>

#include <rung/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Every function of Rung returns one of these: 0 is success, errors are negative.
 * This list makes the constants, their names and their texts; the numbers never change.
 */
#define RUNG_RESULTS(X)                                                                            \
    X(OK, 0, "done")                                                                               \
    X(INVALID_ARGUMENT, -1, "an argument is out of its documented range")                          \
    X(VERSION, -2, "a structure or a file has another major version")                              \
    X(CAPACITY, -3, "the output does not fit; the needed size was given")                          \
    X(STALE, -4, "the handle belongs to something that has ended")                                 \
    X(UNSUPPORTED, -5, "not possible with this build, model or device")                            \
    X(BACKEND, -6, "the inference runtime failed")                                                 \
    X(STATE, -7, "not allowed in the present state")                                               \
    X(NOT_FOUND, -8, "no such thing")                                                              \
    X(TIMEOUT, -9, "the time limit passed")                                                        \
    X(CANCELLED, -10, "cancelled")                                                                 \
    X(BUSY, -11, "in use; try again later")                                                        \
    X(ALREADY_EXISTS, -12, "exists already")                                                       \
    X(PERMISSION, -13, "not trusted or not allowed")                                               \
    X(INTEGRITY, -14, "the content is damaged or was changed")                                     \
    X(IDENTITY, -15, "results of different identities cannot be combined")                         \
    X(IO, -16, "reading or writing failed")                                                        \
    X(NO_MEMORY, -17, "out of memory")                                                             \
    X(DEVICE_LOST, -18, "the device is gone")

/** 0, or what failed. */
typedef int32_t rung_result;

enum {
#define RUNG_RESULT_CONSTANT(name, number, text) RUNG_##name = (number),
    RUNG_RESULTS(RUNG_RESULT_CONSTANT)
#undef RUNG_RESULT_CONSTANT
};

/**
 * The constant's name without the prefix, such as "INTEGRITY"; "UNKNOWN" for any other number.
 * The string is static. Safe from any thread.
 */
RUNG_API const char *rung_result_name(rung_result result);

/** One general sentence about a result. The string is static. Safe from any thread. */
RUNG_API const char *rung_result_text(rung_result result);

/**
 * What failed, on what, and what to do, for the last call on this thread that did not return
 * RUNG_OK; "" when there was none. Successful calls leave it alone.
 * The string belongs to the calling thread and lives until its next failing call.
 */
RUNG_API const char *rung_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
