/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_RANDOM_H
#define RUNG__BASE_RANDOM_H

#include <stddef.h>

#include <rung/result.h>

/** Fills with bytes of the system's generator. Results: OK, IO. */
rung_result rung__random_fill(void *data, size_t size);

#endif
