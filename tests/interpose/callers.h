/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TEST_CALLERS_H
#define RUNG_TEST_CALLERS_H

#include <stdint.h>

/* Whose code an address is in: what stands between a program and libc asks this of its callers. */

enum owner {
    OTHERS,  /**< a runtime, and whatever else is loaded */
    OURS,    /**< the program, librung, the module for pictures */
    JANSSON, /**< works for whoever calls it, as the next two do */
    CRYPTO,
    LIBC, /**< with the loader and what unwinds */
};

/* An interposer exports what it stands in for, and nothing of this. */
#pragma GCC visibility push(hidden)

/** Learns of the objects that are loaded by now. Before, everything is of OTHERS. */
void note_objects(void);

enum owner owner_of(uintptr_t at);

/** OURS or OTHERS: whom the code at `caller`, on this thread's stack, works for. */
enum owner owner_behind(uintptr_t caller);

#pragma GCC visibility pop

#endif
