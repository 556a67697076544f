/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "embeddings.h"
#include "embeddings_parts.h"
#include "lines.h"
#include "npy.h"

#define LINE_BYTES_MAX   (1u << 20)
#define HEADER_BYTES_MAX 65546u /* magic, length, and the longest text */

static int fail(const char *path)
{
    const int error = errno;
    fprintf(stderr, "rung: cannot read %s: %s\n", path, strerror(error));
    return error == ENOMEM ? EXIT_BACKEND : EXIT_IO;
}

static int refuse(const char *path, const char *what)
{
    fprintf(stderr, "rung: %s %s; rung embed -o makes both files anew\n", path, what);
    return EXIT_IO;
}

static int open_file(const char *path)
{
    int file;
    do
        file = open(path, O_RDONLY | O_CLOEXEC);
    while (file < 0 && errno == EINTR);
    return file;
}

/** As many bytes as there are, up to `size`; -1 with errno. */
static ssize_t read_at(int file, uint64_t offset, void *to, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t got = pread(file, (char *)to + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno != EINTR)
            return -1;
        if (got == 0)
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)done;
}

/* ---- numbers ------------------------------------------------------------------------------ */

/** `*header`: its bytes; the size of the file suits it. */
static int read_header(int file, const char *path, struct npy_shape *shape, size_t *header)
{
    char bytes[HEADER_BYTES_MAX];
    struct stat status;
    const ssize_t got = read_at(file, 0, bytes, sizeof bytes);
    if (got < 0 || fstat(file, &status) != 0)
        return fail(path);
    *header = npy_read_header(bytes, (size_t)got, shape);
    if (!*header)
        return refuse(path, "holds no rows of 32-bit numbers in NumPy's format");
    if ((uint64_t)status.st_size != *header + shape->rows * shape->columns * sizeof(float))
        return refuse(path, "has another size than its header says");
    return EXIT_DONE;
}

static bool is_finite(const float *row, uint32_t columns)
{
    for (uint32_t i = 0; i < columns; i++)
        if (!isfinite(row[i]))
            return false;
    return true;
}

static int read_rows(int file, const char *path, uint64_t offset, uint64_t rows,
                     struct near_set *set, uint64_t *checksum)
{
    const size_t size = set->columns * sizeof(float);
    float *row = calloc(set->columns, sizeof *row);
    if (!row)
        return fail_memory();
    int status = EXIT_DONE;
    *checksum = EMBEDDINGS_CHECKSUM_START;
    for (uint64_t i = 0; i < rows && status == EXIT_DONE; i++) {
        const ssize_t got = read_at(file, offset + i * size, row, size);
        if (got != (ssize_t)size)
            status = got < 0 ? fail(path) : refuse(path, "was cut off");
        else if (!is_finite(row, set->columns))
            status = refuse(path, "has a number that is not finite");
        else if (!near_add(set, row))
            status = fail_memory();
        else
            *checksum = embeddings_checksum(*checksum, row, size);
    }
    free(row);
    return status;
}

static int read_numbers(struct embeddings *embeddings, const char *path, uint64_t *checksum)
{
    struct npy_shape shape;
    size_t header;
    const int file = open_file(path);
    if (file < 0)
        return fail(path);
    int status = read_header(file, path, &shape, &header);
    if (status == EXIT_DONE) {
        embeddings->set.columns = shape.columns;
        status = read_rows(file, path, header, shape.rows, &embeddings->set, checksum);
    }
    close(file);
    return status;
}

/* ---- the index ---------------------------------------------------------------------------- */

/** One line: the first is about the model, those with a row are kept, the closing one is checked.
 * Takes `line`. */
static int take_line(struct embeddings *embeddings, const char *path, json_t *line,
                     uint64_t checksum, bool *closed)
{
    char text[EMBEDDINGS_CHECKSUM_TEXT];
    bool complete = true;
    if (!embeddings->model) {
        embeddings->model = line;
        return EXIT_DONE;
    }
    if (json_object_get(line, "row"))
        append_item(embeddings->rows, json_incref(line), &complete);
    else if (json_object_get(line, "rows")) {
        snprintf(text, sizeof text, "%016" PRIx64, checksum);
        *closed = strcmp(text_of(line, "fnv1a64"), text) == 0 &&
                  json_integer_value(json_object_get(line, "rows")) ==
                      (json_int_t)embeddings->set.count &&
                  json_array_size(embeddings->rows) == embeddings->set.count;
        if (!*closed) {
            json_decref(line);
            return refuse(path, "belongs to other numbers");
        }
    }
    json_decref(line);
    return complete ? EXIT_DONE : fail_memory();
}

/**
 * An object, NULL when it is none, or without memory: then jansson may stop anywhere or leave
 * characters out, but does not do so twice.
 */
static json_t *load_object(const char *text, size_t length, bool *complete)
{
    json_t *first = json_loadb(text, length, 0, NULL), *second = json_loadb(text, length, 0, NULL);
    const bool same = first ? json_equal(first, second) : !second;
    json_decref(second);
    *complete = *complete && same;
    if (same && json_is_object(first))
        return first;
    json_decref(first);
    return NULL;
}

static int read_lines(struct embeddings *embeddings, const char *path, struct lines *lines,
                      uint64_t checksum)
{
    char *text;
    size_t length;
    bool closed = false, complete = true;
    int status = EXIT_DONE;
    enum lines_state state = LINES_LINE;
    while (status == EXIT_DONE && (state = lines_next(lines, &text, &length)) == LINES_LINE) {
        json_t *line = load_object(text, length, &complete);
        if (!line)
            return complete ? refuse(path, "is no index of embeddings") : fail_memory();
        status = take_line(embeddings, path, line, checksum, &closed);
    }
    if (state == LINES_ERROR)
        return errno == EMSGSIZE ? refuse(path, "has a line that is too long") : fail(path);
    if (status == EXIT_DONE && !closed)
        return refuse(path, "is not complete");
    return status;
}

static int read_index(struct embeddings *embeddings, const char *path, uint64_t checksum)
{
    struct lines lines = {.file = open_file(path), .separator = '\n', .most = LINE_BYTES_MAX};
    if (lines.file < 0)
        return fail(path);
    const int status = read_lines(embeddings, path, &lines, checksum);
    lines_finish(&lines);
    close(lines.file);
    return status;
}

int embeddings_read(struct embeddings *embeddings, const char *path)
{
    uint64_t checksum = 0;
    int status = read_numbers(embeddings, path, &checksum);
    if (status != EXIT_DONE)
        return status;
    embeddings->rows = json_array();
    char *index = embeddings_index_path(path);
    status = index && embeddings->rows ? read_index(embeddings, index, checksum) : fail_memory();
    free(index);
    return status;
}

void embeddings_finish(struct embeddings *embeddings)
{
    json_decref(embeddings->model);
    json_decref(embeddings->rows);
    near_finish(&embeddings->set);
}
