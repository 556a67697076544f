/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_IMPORTED_H
#define RUNG__BASE_IMPORTED_H

#include <stdbool.h>
#include <stdint.h>

#include <rung/result.h>

/** Memory of another part of the system, mapped for reading. */
struct rung__imported {
    const uint8_t *data;
    uint64_t size;
    int descriptor;  /**< of ours */
    bool is_dma_buf; /**< the processor's caches may not know what a device wrote */
};

/** Maps `size` bytes from the beginning, 0: all that it has. Results: OK, INVALID_ARGUMENT, IO,
 * UNSUPPORTED, NO_MEMORY. */
rung_result rung__imported_open(int descriptor, uint64_t size, struct rung__imported *out);
void rung__imported_close(struct rung__imported *imported);

/** Around each time that it is read. Results: OK, IO (the driver refuses). */
rung_result rung__imported_begin_read(const struct rung__imported *imported);
void rung__imported_end_read(const struct rung__imported *imported);

/** Waits until a descriptor polls readable. Results: OK, TIMEOUT, IO, UNSUPPORTED. */
rung_result rung__fence_wait(int descriptor, uint32_t timeout_ms);

#endif
