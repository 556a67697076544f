/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_DESCRIPTOR_H
#define RUNG__BASE_DESCRIPTOR_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Descriptors of the library are never 0, 1 or 2: a host that has closed its standard streams would
 * otherwise print into our files. All of them are closed on exec.
 */

/** openat that goes on after a signal. -1 and errno on failure. */
int rung__descriptor_open(int folder, const char *path, int flags, mode_t mode);

/** The same file under a number above the standard streams; `descriptor` (may be -1) is consumed.
 */
int rung__descriptor_above(int descriptor);

/** fsync that goes on after a signal. */
int rung__descriptor_sync(int descriptor);

/** Closes and sets to 0; nothing when it is 0. -1 and errno when what was written may be lost. */
int rung__descriptor_close(intptr_t *descriptor);

#endif
