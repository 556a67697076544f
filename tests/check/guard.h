/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GUARD_H
#define GUARD_H

#include <stddef.h>
#include <stdint.h>

/** Memory with an inaccessible page right behind its last byte: touching that ends the test. */
struct guarded {
    uint8_t *bytes;
    size_t size;
    void *mapping;
    size_t mapped;
};

/** `size` bytes of `pattern`, aligned as far as `size` is. Ends the process without memory. */
struct guarded guard_bytes(size_t size, uint8_t pattern);
/** The guarded memory again whose `bytes` these are. */
struct guarded guard_around(void *bytes, size_t size);
void guard_free(struct guarded *guarded);

#endif
