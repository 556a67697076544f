/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__HARDWARE_LOAD_H
#define RUNG__HARDWARE_LOAD_H

#include <stdbool.h>

/**
 * How many processes ran or waited for a CPU on average in the last minute, below `root` ("" is
 * this machine). False where the system does not tell.
 */
bool rung__load_read(const char *root, double *out);

#endif
