/* SPDX-License-Identifier: Apache-2.0 */
#include "npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAGIC       "\x93NUMPY\x01\x00"
#define MAGIC_BYTES 8u
#define START_BYTES 10u /* with the length of the text, little-endian, behind the magic */
#define DIGITS_MAX  15u /* such a number of rows times columns times 4 fits into 64 bits */

static const char before_shape[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (";

void npy_header(struct npy_shape shape, char to[NPY_HEADER_BYTES])
{
    const unsigned length = NPY_HEADER_BYTES - START_BYTES;
    char text[NPY_HEADER_BYTES];
    const int used = snprintf(text, sizeof text, "%s%" PRIu64 ", %" PRIu32 "), }", before_shape,
                              shape.rows, shape.columns);
    memset(to, ' ', NPY_HEADER_BYTES);
    memcpy(to, MAGIC, MAGIC_BYTES);
    to[MAGIC_BYTES] = (char)length;
    to[MAGIC_BYTES + 1] = 0;
    memcpy(to + START_BYTES, text, (size_t)used);
    to[NPY_HEADER_BYTES - 1] = '\n';
}

/** What is left to read of a header. */
struct reader {
    const char *at, *end;
};

static bool skip(struct reader *reader, const char *text)
{
    const size_t length = strlen(text);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, text, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static bool read_number(struct reader *reader, uint64_t *out)
{
    const char *start = reader->at;
    *out = 0;
    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9')
        *out = *out * 10 + (uint64_t)(*reader->at++ - '0');
    return reader->at > start && reader->at - start <= DIGITS_MAX;
}

/** Only spaces, then a line feed as the last byte. */
static bool ends(struct reader *reader)
{
    while (reader->at < reader->end && *reader->at == ' ')
        reader->at++;
    return reader->end - reader->at == 1 && *reader->at == '\n';
}

size_t npy_read_header(const char *bytes, size_t size, struct npy_shape *shape)
{
    uint64_t columns;
    if (size < START_BYTES || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0)
        return 0;
    const size_t length = (uint8_t)bytes[MAGIC_BYTES] + 256u * (uint8_t)bytes[MAGIC_BYTES + 1];
    if (size - START_BYTES < length)
        return 0;
    struct reader reader = {bytes + START_BYTES, bytes + START_BYTES + length};
    if (!skip(&reader, before_shape) || !read_number(&reader, &shape->rows) ||
        !skip(&reader, ", ") || !read_number(&reader, &columns) || !skip(&reader, "), }") ||
        !ends(&reader) || columns < 1 || columns > UINT16_MAX + 1u)
        return 0;
    shape->columns = (uint32_t)columns;
    return START_BYTES + length;
}
