/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SWEEP_H
#define SWEEP_H

#include <stdint.h>

/** Random numbers of a sweep: another seed every run, which is printed; CHECK_SEED repeats one. */
struct sweep {
    uint64_t state;
};

struct sweep sweep_start(const char *name);
uint32_t sweep_bits(struct sweep *sweep);
/** low..high, both included. */
uint32_t sweep_range(struct sweep *sweep, uint32_t low, uint32_t high);

#endif
