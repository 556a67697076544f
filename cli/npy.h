/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_NPY_H
#define RUNG_CLI_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NumPy's file format, version 1.0, for f32 in rows and columns: a header, then the rows. */

#define NPY_HEADER_BYTES 128u /* of those written here; the numbers begin at a multiple of 64 */

struct npy_shape {
    uint64_t rows;
    uint32_t columns;
};

/** The header of such a file; it has the same size whatever the shape. */
void npy_header(struct npy_shape shape, char to[NPY_HEADER_BYTES]);

/**
 * Reads the header of a file that begins with these bytes, as NumPy and this program write it.
 * Gives its size, 0 when it is no little-endian f32 in rows and columns. The numbers may be fewer.
 */
size_t npy_read_header(const char *bytes, size_t size, struct npy_shape *shape);

#endif
