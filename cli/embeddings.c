/* SPDX-License-Identifier: Apache-2.0 */
/* Writing; embeddings_read.c reads. */
#include "embeddings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "embeddings_parts.h"
#include "npy.h"

char *embeddings_index_path(const char *path)
{
    static const char ending[] = ".npy", other[] = ".jsonl";
    const size_t length = strlen(path);
    const bool has = length > strlen(ending) && strcmp(path + length - strlen(ending), ending) == 0;
    const size_t stem = has ? length - strlen(ending) : length;
    char *index = malloc(stem + sizeof other);
    if (!index)
        return NULL;
    memcpy(index, path, stem);
    memcpy(index + stem, other, sizeof other);
    return index;
}

/* FNV-1a. */
uint64_t embeddings_checksum(uint64_t checksum, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        checksum = (checksum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return checksum;
}

static int fail(const char *why)
{
    fprintf(stderr, "rung: %s\n", why);
    return EXIT_IO;
}

static int add_line(struct embeddings_writer *writer, const json_t *line)
{
    char why[512];
    char *text = json_text(line, REPORT_JSON_FLAGS);
    if (!text)
        return fail_memory();
    const bool added = output_add(&writer->index, text, strlen(text), why, sizeof why) &&
                       output_add(&writer->index, "\n", 1, why, sizeof why);
    free(text);
    return added ? EXIT_DONE : fail(why);
}

int embeddings_begin(struct embeddings_writer *writer, const char *path, uint32_t columns,
                     const json_t *model)
{
    char why[512], header[NPY_HEADER_BYTES];
    writer->columns = columns;
    writer->rows = 0;
    writer->checksum = EMBEDDINGS_CHECKSUM_START;
    writer->index_path = embeddings_index_path(path);
    if (!writer->index_path)
        return fail_memory();
    npy_header((struct npy_shape){0, columns}, header); /* the rows are known at the end */
    if (!output_begin(&writer->numbers, path, why, sizeof why) ||
        !output_begin(&writer->index, writer->index_path, why, sizeof why) ||
        !output_add(&writer->numbers, header, sizeof header, why, sizeof why))
        return fail(why);
    return add_line(writer, model);
}

int embeddings_add(struct embeddings_writer *writer, const float *vector, const json_t *about)
{
    char why[512];
    const size_t size = writer->columns * sizeof *vector;
    if (!output_add(&writer->numbers, vector, size, why, sizeof why))
        return fail(why);
    writer->checksum = embeddings_checksum(writer->checksum, vector, size);
    writer->rows++;
    return add_line(writer, about);
}

int embeddings_note(struct embeddings_writer *writer, const json_t *about)
{
    return add_line(writer, about);
}

static bool write_at_start(int file, const char *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t written = pwrite(file, data + done, size - done, (off_t)done);
        if (written < 0 && errno != EINTR)
            return false;
        done += written > 0 ? (size_t)written : 0;
    }
    return true;
}

static int close_index(struct embeddings_writer *writer)
{
    char checksum[EMBEDDINGS_CHECKSUM_TEXT];
    bool complete = true;
    json_t *line = json_object();
    snprintf(checksum, sizeof checksum, "%016" PRIx64, writer->checksum);
    set_member(line, "rows", json_integer((json_int_t)writer->rows), &complete);
    set_member(line, "fnv1a64", json_string(checksum), &complete);
    const int status = complete ? add_line(writer, line) : fail_memory();
    json_decref(line);
    return status;
}

int embeddings_commit(struct embeddings_writer *writer)
{
    char why[512], header[NPY_HEADER_BYTES];
    int status = close_index(writer);
    npy_header((struct npy_shape){writer->rows, writer->columns}, header);
    if (status == EXIT_DONE && !write_at_start(writer->numbers.file, header, sizeof header)) {
        snprintf(why, sizeof why, "cannot write %s: %s", writer->numbers.path, strerror(errno));
        status = fail(why);
    }
    if (status == EXIT_DONE && !output_commit(&writer->numbers, why, sizeof why))
        status = fail(why);
    else if (status == EXIT_DONE && !output_commit(&writer->index, why, sizeof why)) {
        unlink(writer->numbers.path); /* without an index nobody knows what they are */
        status = fail(why);
    }
    embeddings_abandon(writer);
    return status;
}

void embeddings_abandon(struct embeddings_writer *writer)
{
    output_abandon(&writer->numbers);
    output_abandon(&writer->index);
    free(writer->index_path);
    writer->index_path = NULL;
}
