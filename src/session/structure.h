/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_STRUCTURE_H
#define RUNG__SESSION_STRUCTURE_H

#include <stddef.h>

#include <rung/result.h>

/*
 * The rule of extensible structures (rung/types.h), in one place. Each begins with u32 struct_size
 * and u32 version.
 */

/**
 * Copies what the caller has of a structure into ours, zeroing the rest: the smaller of the two
 * sizes. NULL reads as all zero. `name` is for the sentence. Results: OK, INVALID_ARGUMENT,
 * VERSION.
 */
rung_result rung__structure_read(void *to, size_t size, const void *from, const char *name);

/** OK, or INVALID_ARGUMENT with the bits of `flags` that are none of `known`, 0: none are known.
 * `name` is the structure's. */
rung_result rung__structure_check_flags(uint32_t flags, uint32_t known, const char *name);

/** The way out: copies as much of ours as the caller has room for; size and version stay theirs. */
rung_result rung__structure_write(void *to, const void *from, size_t size, const char *name);

#endif
