/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_LOAD_H
#define RUNG_CLI_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/** What the processors have done so far. */
struct load_times {
    bool known;
    double all, busy, stolen; /**< seconds of all processors together; stolen: by the hypervisor */
    double own;               /**< seconds of this process */
};

struct load_times load_now(void);

/** What was done between two moments, as parts of all the time that all processors had. */
struct load {
    bool known;                 /**< the system tells, and it was long enough for its clock */
    double own, others, stolen; /**< `stolen` is a part of `others` */
};

/** The most memory that this process ever had, in bytes; 0: not known. */
uint64_t load_peak_bytes(void);

struct load load_between(const struct load_times *begin, const struct load_times *end);

#endif
