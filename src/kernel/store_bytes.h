/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_STORE_BYTES_H
#define RUNG__KERNEL_STORE_BYTES_H

#include "kernel/byte_rows.h"

rung__store_bytes rung__store_bytes_avx2;
rung__store_bytes rung__store_bytes_avx512;
rung__store_bytes rung__store_bytes_neon;

#endif
